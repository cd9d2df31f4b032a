"""`repoproof new FAMILY NAME`."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import options


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("family", metavar="FAMILY", help="`microservice`")
    parser.add_argument("name", metavar="NAME", help="id of the task")
    parser.add_argument("-o", "--output", metavar="DIR", type=options.path, help="where to write it (default: ./NAME)")


def run(args: argparse.Namespace) -> int:
    from .. import api

    folder = api.new(args.family, args.name, args.output or Path(args.name))
    print(f"{folder}: a {args.family} task to start from; edit it, then `repoproof add SUITE {folder}`")
    return 0
