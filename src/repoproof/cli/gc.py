"""`repoproof gc`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import groupby

from . import complain, options

GROUPED = ("control group", "directory", "container")
"""A killed run leaves a dozen of each."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="say what would be removed, and leave it")
    parser.add_argument("--cache", action="store_true", help="cached environments as well")
    parser.add_argument(
        "--unused-for", type=options.whole, metavar="DAYS", help="of these, only what was not used for so long"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each thing")


def run(args: argparse.Namespace) -> int:
    from .. import api

    if args.unused_for is not None and not args.cache:
        return complain("gc: --unused-for goes with --cache (see `repoproof gc --help`)")
    removed = api.gc(dry_run=args.dry_run, cache=args.cache, unused_days=args.unused_for or 0)
    show(removed, dry_run=args.dry_run, each=args.verbose)
    return 0


def show(removed: Sequence[str], *, dry_run: bool = False, each: bool = False) -> None:
    """Print what was removed, or would be; with `each`, a line for each thing."""
    for what in removed if each else _grouped(removed):
        print(f"{'would remove' if dry_run else 'removed'} {what}")
    if not removed:
        print("nothing is left of dead runs")


def _grouped(removed: Sequence[str]) -> Iterator[str]:
    """The same, with many of one kind in one line."""
    for kind, things in groupby(removed, lambda what: next((kind for kind in GROUPED if what.startswith(kind)), "")):
        same = list(things)
        if kind and len(same) > 3:
            yield f"{len(same)} {kind.replace('directory', 'directorie')}s, {same[0].removeprefix(kind).strip()} and the like"
        else:
            yield from same
