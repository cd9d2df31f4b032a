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
        api.rerun(args.run, args.task, attempt=args.attempt)
    found = api.show(args.run, args.task, attempt=args.attempt)
    page = verdict_page(found.verdict, label=found.label, origin=found.origin, static_only=found.static_only)
    print_page(page, found.verdict, "table")
    return INFRASTRUCTURE if found.verdict.status is Status.INFRASTRUCTURE_ERROR else 0
