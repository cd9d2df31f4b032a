"""`repoproof report RUN`."""

from __future__ import annotations

import argparse

from . import options


def arguments(parser: argparse.ArgumentParser) -> None:
    options.run_directory(parser)
    options.slices(parser)
    options.output_format(parser, "table", "markdown", "json")


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.report_page import report_page
    from .printing import print_page

    report = api.report(args.run)
    print_page(report_page(report, by=args.by, code=args.code), report, args.format)
    return 0
