"""`repoproof import repogenesis DIRECTORY -o SUITE`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..api.importing import Taken


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "layout", choices=("repogenesis",), metavar="repogenesis", help="the layout that it is published in"
    )
    parser.add_argument("directory", metavar="DIRECTORY", type=options.path, help="the published tree")
    parser.add_argument(
        "-o", "--output", required=True, metavar="SUITE", type=options.path, help="where to write the suite"
    )
    parser.add_argument(
        "--specs",
        metavar="FILE",
        type=options.path,
        help="the repositories to take, with lang, port and framework: JSON, TOML, or the benchmark's Python table, which is read and not run",
    )
    parser.add_argument("--name", default="repogenesis", help="of the suite (default: %(default)s)")
    parser.add_argument(
        "--split", default="test", metavar="NAME", help="of the data that it is part of (default: %(default)s)"
    )
    parser.add_argument("--licence", default="NOASSERTION", metavar="SPDX", help="of the data (default: %(default)s)")
    options.sandbox(parser)


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.tables import visible

    def show(taken: Taken) -> None:
        what = ", ".join(part for part in (taken.language, taken.framework, f"port {taken.port}") if part)
        print(f"{taken.id}: {what}, {taken.tests} {'test' if taken.tests == 1 else 'tests'}")
        for note in taken.notes:
            # It may have words of the data in it.
            print(f"  {visible(note)}")

    imported = api.import_repogenesis(
        args.directory,
        args.output,
        specs=args.specs,
        name=args.name,
        split=args.split,
        licence=args.licence,
        sandbox=args.sandbox,
        on_event=show,
    )
    for note in imported.notes:
        print(visible(note))
    count = len(imported.suite)
    print(
        f"{args.output}: {count} {'task' if count == 1 else 'tasks'}, sealed as sha256:{imported.suite.digest[:12]}; "
        f"look for defects with `repoproof validate {args.output}`"
    )
    return 0
