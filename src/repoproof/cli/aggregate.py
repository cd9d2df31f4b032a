"""`repoproof aggregate REPORT...`."""

from __future__ import annotations

import argparse

from . import BAD_INPUT, FOUND, complain, options


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "reports",
        metavar="REPORT",
        nargs="*",
        type=options.path,
        help="run directory, output directory of an evaluation, or report.json: ours or RepoGenesis'",
    )
    parser.add_argument(
        "--configurations", type=options.path, metavar="FILE", help="TOML file that says who made which report"
    )
    parser.add_argument(
        "--leaderboard",
        dest="leaderboards",
        action="append",
        default=[],
        type=options.path,
        metavar="FILE",
        help="published rows (TSV, CSV, JSON) to check as well (repeatable)",
    )
    parser.add_argument(
        "--repos",
        nargs="+",
        type=_count,
        metavar="LANG=N",
        help="repositories that a leaderboard is over (default: python=22 java=8)",
    )
    options.output_format(parser, "table", "markdown", "json")


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.aggregate import aggregate_page
    from .printing import print_page

    if not args.reports and not args.leaderboards:
        return complain("aggregate: nothing to read (give REPORT, or --leaderboard FILE)")
    found = api.aggregate(
        args.reports,
        configurations=args.configurations,
        leaderboards=args.leaderboards,
        repositories=None if args.repos is None else dict(args.repos),
    )
    print_page(aggregate_page(found), found, args.format)
    for each in found.unread:
        complain(each.why)
    return BAD_INPUT if found.unread else FOUND if found.implausible else 0


def _count(text: str) -> tuple[str, int]:
    language, _, count = text.partition("=")
    if not language:
        raise argparse.ArgumentTypeError(f"{text!r} is not LANG=N")
    return language.lower(), options.positive(count)
