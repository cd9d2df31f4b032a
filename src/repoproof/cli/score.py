"""`repoproof score SUITE SUBMISSIONS -o RUN`."""

from __future__ import annotations

import argparse

from . import FOUND, INFRASTRUCTURE, options

KEPT = ": finished verdicts are kept; run the same command to go on"


def arguments(parser: argparse.ArgumentParser) -> None:
    options.suite(parser)
    parser.add_argument(
        "submissions",
        metavar="SUBMISSIONS",
        type=options.path,
        help="folder with submissions.jsonl, or with one folder a task",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="RUN",
        type=options.path,
        required=True,
        help="run directory; an unfinished one is gone on with",
    )
    options.selection(parser)
    parser.add_argument("--language", default="", metavar="NAME", help="only tasks of this language")
    parser.add_argument("--static-only", action="store_true", help="read the code, run nothing: static coverage only")
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="run the golden tests of Python and Node services once more, to see how much of their code they reach: takes longer, changes no score; the report says the mean, with --code each",
    )
    parser.add_argument(
        "--timeout",
        dest="task_seconds",
        type=options.seconds,
        metavar="SECONDS",
        help="limit of all of a submission's own steps together (downloads are ours)",
    )
    parser.add_argument("--keep", action="store_true", help="keep each task's work files in the run directory")
    parser.add_argument("--model-name", default="", metavar="NAME", help="recorded with the run")
    parser.add_argument("--agent-name", default="", metavar="NAME", help="recorded with the run")
    parser.add_argument("--dry-run", action="store_true", help="say what would be scored, and stop")
    options.slices(parser)
    options.execution(parser)


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.pages import check_page
    from ..reports.report_page import report_page
    from .printing import console, print_page
    from .progress import scoring_progress

    choice = {"tasks": tuple(args.tasks), "language": args.language}
    if args.dry_run:
        found = api.check(args.submissions, args.suite, **choice)
        print_page(check_page(found), found, "table")
        if (args.output / "run.json").is_file():
            held = len(api.report(args.output).tasks)
            print(
                f"{args.output} holds {held} verdicts: those on the same submissions under the same settings are kept"
            )
        return FOUND if found.wrong else 0
    with scoring_progress(console(stderr=True), args, static_only=args.static_only) as on_event:
        report = api.score(
            args.suite,
            args.submissions,
            args.output,
            **choice,
            sandbox=args.sandbox,
            workers=args.workers,
            static_only=args.static_only,
            coverage=args.coverage,
            task_seconds=args.task_seconds,
            fresh=args.fresh,
            keep=args.keep,
            model_name=args.model_name,
            agent_name=args.agent_name,
            on_event=on_event,
        )
    print_page(report_page(report, by=args.by, code=args.code), report, "table")
    return INFRASTRUCTURE if report.above_threshold else 0
