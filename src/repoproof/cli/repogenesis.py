"""`repoproof repogenesis run_evaluation`: the command of RepoGenesis' harness, with its flags as its README prints them."""

from __future__ import annotations

import argparse
import os
import sys

from . import INFRASTRUCTURE, complain, gc, options

KEPT = ": finished repositories are kept; the same command with --resume goes on"

RUN_EVALUATION = "Evaluate generated repositories: its flags, its report, our scoring"
SUITE_VARIABLE = "REPOPROOF_SUITE"


def arguments(parser: argparse.ArgumentParser) -> None:
    chosen = parser.add_subparsers(dest="what", metavar="run_evaluation", required=True)
    run = chosen.add_parser("run_evaluation", help=RUN_EVALUATION, description=f"{RUN_EVALUATION}.", allow_abbrev=False)
    theirs = run.add_argument_group("as in RepoGenesis")
    theirs.add_argument("--predictions_dir", type=options.path, metavar="DIR", help="one folder a repository")
    theirs.add_argument(
        "--output_dir",
        type=options.path,
        default="eval_results",
        metavar="DIR",
        help="where report.json, intermediate/ and run/ go (default: %(default)s)",
    )
    theirs.add_argument(
        "--repo_names",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="only these, separated by blanks or commas; the report says so",
    )
    theirs.add_argument("--lang", default="", metavar="NAME", help="only repositories of this language")
    theirs.add_argument("--skip_docker", action="store_true", help="run nothing: API coverage only, read from code")
    theirs.add_argument("--resume", action="store_true", help="go on with what is in --output_dir")
    theirs.add_argument("--keep_images", action="store_true", help="taken and of no effect: there are no images")
    theirs.add_argument("--no_cache", action="store_true", help="install every environment anew")
    theirs.add_argument("-v", "--verbose", action="store_true", help="log all that is done to stderr")
    theirs.add_argument("--log_file", type=options.path, metavar="FILE", help="append the full log to FILE")
    theirs.add_argument("--model_name", default="", metavar="NAME", help="recorded with the report")
    theirs.add_argument("--agent_name", default="", metavar="NAME", help="recorded with the report")
    theirs.add_argument("--cleanup", action="store_true", help="remove what dead evaluations left behind, and exit")
    theirs.add_argument(
        "--timeout",
        type=options.seconds,
        default=900.0,
        metavar="SECONDS",
        help="limit of all of a repository's own steps together (default: %(default)g)",
    )
    ours = run.add_argument_group("of RepoProof")
    ours.add_argument("--suite", type=options.not_empty, metavar="SUITE", help=f"{options.SUITE} (${SUITE_VARIABLE})")
    ours.add_argument(
        "--profile",
        choices=("ours", "legacy"),
        default="ours",
        help="legacy: the scoring as published, beside ours, with every difference explained",
    )
    options.sandbox(ours)
    options.workers(ours)
    run.set_defaults(run=_run_evaluation)


def run(args: argparse.Namespace) -> int:
    return args.run(args)


def _run_evaluation(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.repogenesis_table import summary_table
    from .printing import console
    from .progress import scoring_progress

    if args.cleanup:
        gc.show(api.gc(), each=args.verbose)
        return 0
    if args.predictions_dir is None:
        return complain("repogenesis run_evaluation: --predictions_dir is required")
    suite = args.suite or os.environ.get(SUITE_VARIABLE)
    if not suite:
        return complain(
            f"repogenesis run_evaluation: nothing says which suite (give --suite SUITE, or set {SUITE_VARIABLE})"
        )
    if args.keep_images:
        print("--keep_images: no images are made; installed environments are always kept, by content", file=sys.stderr)
    args.verbose = 2 if args.verbose else 0
    with scoring_progress(console(stderr=True), args, static_only=args.skip_docker) as on_event:
        evaluation = api.run_evaluation(
            suite,
            args.predictions_dir,
            args.output_dir,
            # No name has a comma in it. An empty word is no list of none, which would be all of them.
            repo_names=[
                name for word in args.repo_names for name in [part for part in word.split(",") if part] or [word]
            ],
            lang=args.lang,
            skip_docker=args.skip_docker,
            resume=args.resume,
            no_cache=args.no_cache,
            model_name=args.model_name,
            agent_name=args.agent_name,
            timeout=args.timeout,
            sandbox=args.sandbox,
            workers=args.workers,
            profile=args.profile,
            on_event=on_event,
        )
    print(summary_table(evaluation), end="")
    return INFRASTRUCTURE if evaluation.repoproof.above_threshold else 0
