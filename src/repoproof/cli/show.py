"""`repoproof show RUN TASK`."""

from __future__ import annotations

import argparse
import sys

from . import options


def arguments(parser: argparse.ArgumentParser) -> None:
    options.one_submission(parser)
    parser.add_argument("--log", metavar="NAME", help="print this raw log instead")
    parser.add_argument("--full", action="store_true", help="all that every failing test said")
    options.output_format(parser, "table", "markdown", "json")


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.detail import verdict_page
    from .printing import print_page

    if args.log is not None:
        # As it is: what a candidate printed is no text that we could vouch for.
        sys.stdout.buffer.write(api.show_log(args.run, args.task, args.log, attempt=args.attempt))
        return 0
    found = api.show(args.run, args.task, attempt=args.attempt)
    page = verdict_page(
        found.verdict, label=found.label, origin=found.origin, static_only=found.static_only, full=args.full
    )
    print_page(page, found.verdict, args.format)
    return 0
