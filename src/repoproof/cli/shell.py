"""`repoproof shell RUN TASK`."""

from __future__ import annotations

import argparse

from . import options


def arguments(parser: argparse.ArgumentParser) -> None:
    options.one_submission(parser)


def run(args: argparse.Namespace) -> int:
    from .. import api

    return api.shell(args.run, args.task, attempt=args.attempt)
