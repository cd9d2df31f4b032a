"""`repoproof seal SUITE`."""

from __future__ import annotations

import argparse

from . import options


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", type=options.path, help="suite directory")


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.report import counted

    suite = api.seal(args.suite)
    print(f"{args.suite}: {counted(len(suite), 'task')}, sealed as sha256:{suite.digest[:12]}")
    return 0
