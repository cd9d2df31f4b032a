"""`repoproof demo`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from . import INFRASTRUCTURE, options
from .score import KEPT as KEPT

SUITE = "microservice-mini"
SUBMISSIONS = ("mixed", "reference")
"""Of the bundled suite: those that a scorer must tell apart, and the references."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=options.path,
        default=Path("runs"),
        help="where to put the runs (default: ./runs)",
    )
    options.execution(parser)
    # Whoever tries it out waits for it.
    parser.set_defaults(workers=min(2, os.cpu_count() or 1))


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.pages import report_page
    from .printing import console, print_page
    from .progress import scoring_progress

    suite = api.find_suite(SUITE)
    worst = 0
    for name in SUBMISSIONS:
        screen, run_directory = console(stderr=True), args.output / f"demo-{name}"
        submissions = Path(os.path.relpath(suite / "submissions" / name))
        print(f"\n$ repoproof score {SUITE} {submissions} -o {run_directory}", flush=True)
        with scoring_progress(screen, args) as on_event:
            report = api.score(
                suite,
                submissions,
                run_directory,
                sandbox=args.sandbox,
                workers=args.workers,
                fresh=args.fresh,
                model_name=f"demo-{name}",
                on_event=on_event,
            )
        print_page(report_page(report), report, "table")
        worst = max(worst, INFRASTRUCTURE if report.above_threshold else 0)
    return worst
