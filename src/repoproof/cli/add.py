"""`repoproof add SUITE TASK_FOLDER`."""

from __future__ import annotations

import argparse

from . import options


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", type=options.path, help="suite directory")
    parser.add_argument("folder", metavar="TASK_FOLDER", type=options.path, help="as `repoproof new` makes it")


def run(args: argparse.Namespace) -> int:
    from .. import api

    suite = api.add(args.suite, args.folder)
    print(
        f"{args.suite}: {len(suite)} tasks, sealed as sha256:{suite.digest[:12]}; prove the new one with `repoproof validate {args.suite}`"
    )
    return 0
