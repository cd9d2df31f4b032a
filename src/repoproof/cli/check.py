"""`repoproof check SUBMISSIONS SUITE`."""

from __future__ import annotations

import argparse

from . import FOUND, options


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("submissions", metavar="SUBMISSIONS", type=options.path, help="as for `repoproof score`")
    options.suite(parser)
    options.output_format(parser, "table", "markdown", "json")


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.pages import check_page
    from .printing import print_page

    found = api.check(args.submissions, args.suite)
    print_page(check_page(found), found, args.format)
    return FOUND if found.wrong else 0
