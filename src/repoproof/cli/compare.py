"""`repoproof compare RUN_A RUN_B`."""

from __future__ import annotations

import argparse

from . import options


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_a", metavar="RUN_A", type=options.path, help="run directory to compare with")
    parser.add_argument("run_b", metavar="RUN_B", type=options.path, help="run directory of the same suite and tasks")
    options.output_format(parser, "table", "markdown", "json")


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.pages import comparison_page
    from .printing import print_page

    comparison = api.compare(args.run_a, args.run_b)
    print_page(comparison_page(comparison), comparison, args.format)
    return 0
