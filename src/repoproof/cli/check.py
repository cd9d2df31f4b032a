"""`repoproof check SUBMISSIONS SUITE`."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import FOUND, options


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("submissions", metavar="SUBMISSIONS", type=Path, help="as for `repoproof score`")
    options.suite(parser)
    options.output_format(parser, "table", "markdown", "json")


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.pages import plan_page
    from .printing import print_page

    plan = api.check(args.submissions, args.suite)
    print_page(plan_page(plan), plan, args.format)
    return FOUND if plan.wrong else 0
