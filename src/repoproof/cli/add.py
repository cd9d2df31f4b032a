"""`repoproof add SUITE TASK_FOLDER`."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import options


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", type=options.path, help="suite directory")
    parser.add_argument("folder", metavar="TASK_FOLDER", type=options.path, help="as `repoproof new` makes it")
    parser.add_argument(
        "--new",
        metavar="FAMILY",
        type=options.not_empty,
        help="make SUITE, with this task: FAMILY is `microservice`; name, version and licence are then yours to set in suite.json",
    )


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.report import counted
    from .logs import logging_to
    from .printing import console

    with logging_to(console(stderr=True), verbose=0, file=None):
        if args.new:
            name = Path(args.suite).resolve().name
            suite = api.build(args.new, [args.folder], args.suite, name=name, version="0.1.0", licence="NOASSERTION")
        else:
            suite = api.add(args.suite, args.folder)
    sealed = f"{counted(len(suite), 'task')}, sealed as sha256:{suite.digest[:12]}"
    print(f"{args.suite}: {sealed}; prove the new one with `repoproof validate {args.suite}`")
    return 0
