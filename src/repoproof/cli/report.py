"""`repoproof report RUN`."""

from __future__ import annotations

import argparse
from pathlib import Path

from .options import output_format


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", type=Path, help="run directory")
    output_format(parser, "table", "markdown", "json")


def run(args: argparse.Namespace) -> int:
    from ..api import report
    from .printing import print_report

    print_report(report(args.run), args.format)
    return 0
