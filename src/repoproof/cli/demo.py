"""`repoproof demo`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from . import INFRASTRUCTURE, options
from .score import KEPT as KEPT

if TYPE_CHECKING:
    from ..core.suite import Suite

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
    from ..reports.report_page import report_page
    from .printing import console, print_page
    from .progress import scoring_progress

    suite = api.load_suite(SUITE)
    tasks = scorable(suite)
    worst = 0
    for name in SUBMISSIONS:
        screen, run_directory = console(stderr=True), args.output / f"demo-{name}"
        submissions = Path(os.path.relpath(suite.root / "submissions" / name))
        chosen = "".join(f" --task {task}" for task in tasks)
        print(f"\n$ repoproof score {SUITE} {submissions} -o {run_directory}{chosen}", flush=True)
        with scoring_progress(screen, args) as on_event:
            report = api.score(
                suite,
                submissions,
                run_directory,
                sandbox=args.sandbox,
                workers=args.workers,
                tasks=tasks,
                fresh=args.fresh,
                model_name=f"demo-{name}",
                on_event=on_event,
            )
        print_page(report_page(report), report, "table")
        worst = max(worst, INFRASTRUCTURE if report.above_threshold else 0)
    return worst


def scorable(suite: Suite) -> list[str]:
    """The tasks in languages that this machine can run, having said which are left out and why; none where all can be scored."""
    from ..api.host import lacking
    from ..reports.report import counted

    left_out: set[str] = set()
    for language in dict.fromkeys(task.language for task in suite):
        if missing := lacking(language):
            ids = {task.id for task in suite if task.language == language}
            why = "; ".join(f"{finding.detail} ({finding.mend})" for finding in missing)
            print(f"{language}: {why}: {counted(len(ids), 'task')} left out", flush=True)
            left_out |= ids
    return [task.id for task in suite if task.id not in left_out] if left_out else []
