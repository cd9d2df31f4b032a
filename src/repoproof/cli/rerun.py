"""`repoproof rerun RUN TASK`."""

from __future__ import annotations

import argparse

from . import INFRASTRUCTURE, options


def arguments(parser: argparse.ArgumentParser) -> None:
    options.one_submission(parser)
    options.logs(parser)


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..core.outcomes import Status
    from ..reports.detail import verdict_page
    from .logs import logging_to
    from .printing import console, print_page

    with logging_to(console(stderr=True), verbose=args.verbose, file=args.log_file):
        verdict = api.rerun(args.run, args.task, attempt=args.attempt)
    label = api.label(args.run, args.task, attempt=args.attempt)
    print_page(verdict_page(verdict, label=label), verdict, "table")
    return INFRASTRUCTURE if verdict.status is Status.INFRASTRUCTURE_ERROR else 0
