"""`repoproof seal SUITE`."""

from __future__ import annotations

import argparse

from . import options


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", type=options.path, help="suite directory")


def run(args: argparse.Namespace) -> int:
    from .. import api

    suite = api.seal(args.suite)
    print(f"{args.suite}: {len(suite)} tasks, sealed as sha256:{suite.digest[:12]}")
    return 0
