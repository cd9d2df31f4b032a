"""`repoproof validate SUITE`."""

from __future__ import annotations

import argparse

from . import FOUND, options


def arguments(parser: argparse.ArgumentParser) -> None:
    options.suite(parser)
    parser.add_argument(
        "--repeat", type=options.positive, default=3, metavar="N", help="runs of each reference (default: %(default)s)"
    )
    options.selection(parser)
    options.output_format(parser, "table", "markdown", "json")
    options.execution(parser)


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.pages import validation_page
    from .printing import console, print_page
    from .progress import validation_progress

    with validation_progress(console(stderr=True), args) as on_event:
        validation = api.validate(
            args.suite,
            repeat=args.repeat,
            tasks=tuple(args.tasks),
            sandbox=args.sandbox,
            workers=args.workers,
            fresh=args.fresh,
            on_event=on_event,
        )
    print_page(validation_page(validation), validation, args.format)
    return 0 if validation.healthy else FOUND
