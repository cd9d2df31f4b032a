"""`repoproof gc`."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="say what would be removed, and leave it")


def run(args: argparse.Namespace) -> int:
    from .. import api

    removed = api.gc(dry_run=args.dry_run)
    for what in removed:
        print(f"{'would remove' if args.dry_run else 'removed'} {what}")
    if not removed:
        print("nothing is left of dead runs")
    return 0
