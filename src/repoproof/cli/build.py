"""`repoproof build microservice --reference DIRECTORY -o TASK_FOLDER`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from . import FOUND, INFRASTRUCTURE, options

if TYPE_CHECKING:
    from ..api.building import Built, Writing

RECORDING = {
    "auto": "use the answer that it holds, else ask and record",
    "record": "ask and record",
    "replay": "use the answer that it holds, ask nobody; one that it does not hold is a fault",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("family", choices=("microservice",), metavar="microservice", help="the family of the task")
    parser.add_argument(
        "--reference", required=True, metavar="DIRECTORY", type=options.path, help="a service that runs; not changed"
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="TASK_FOLDER",
        type=options.path,
        help="where to write the task, or a suite to add it to",
    )
    parser.add_argument("--name", default="", metavar="ID", help="of the task (default: the directory's name)")
    parser.add_argument("--language", default="", metavar="NAME", help="default: as the directory's files tell")
    parser.add_argument("--framework", default="", metavar="NAME", help="default: as the routes tell")
    parser.add_argument("--port", type=options.positive, metavar="N", help="default: as the directory's files tell")
    parser.add_argument(
        "--deployments",
        type=options.positive,
        default=6,
        metavar="N",
        help="fresh deployments to record and compare, and to pass the tests (default: %(default)s)",
    )
    parser.add_argument(
        "--mutants",
        type=options.whole,
        default=60,
        metavar="N",
        help="broken versions to try the tests on at most; 0 for none (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="which mutants are drawn (default: 0)")
    parser.add_argument(
        "--licence", default="NOASSERTION", metavar="SPDX", help="of the service (default: %(default)s)"
    )
    parser.add_argument(
        "--schemathesis", action="store_true", help="have it make up requests, too, from an OpenAPI document (fetched)"
    )
    _model(parser)
    options.sandbox(parser)


def _model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        metavar="M",
        type=options.not_empty,
        help="have it write README.md: endpoint of models.toml, or a model's id",
    )
    parser.add_argument(
        "--budget", metavar="B", help="usd=1,tokens=100k,calls=3 (any of them), or unlimited; must be said with --model"
    )
    parser.add_argument(
        "--models", type=options.path, metavar="FILE", help="instead of models.toml where it is looked for"
    )
    chosen = parser.add_mutually_exclusive_group()
    for mode, what in RECORDING.items():
        chosen.add_argument(f"--{mode}", type=options.path, metavar="STORE", help=what)


def run(args: argparse.Namespace) -> int:
    from .logs import logging_to
    from .printing import console

    with logging_to(console(stderr=True), verbose=0, file=None):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    import sys

    from .. import api
    from ..core.errors import BadInput

    mode = next((mode for mode in RECORDING if getattr(args, mode) is not None), None)
    if mode and args.model is None:
        # Said of the option: the API has one argument for all of them.
        raise BadInput("goes with --model", field=mode, mend="leave it out, or give a model")
    built = api.build_from_reference(
        args.reference,
        args.output,
        name=args.name,
        language=args.language,
        framework=args.framework,
        port=args.port,
        deployments=args.deployments,
        mutants=args.mutants,
        seed=args.seed,
        licence=args.licence,
        schemathesis=args.schemathesis,
        model=args.model,
        budget=args.budget,
        models=args.models,
        recording=mode or "off",
        store=getattr(args, mode) if mode else None,
        sandbox=args.sandbox,
        on_event=lambda event: print(event, file=sys.stderr, flush=True),
    )
    for line in summary(built):
        print(line)
    print(f"{args.output}: a draft; edit its README.md, then `repoproof add SUITE {args.output}`")
    return exit_code(built.writing)


def exit_code(writing: Writing | None) -> int:
    """As of `solve`: what a budget stopped is no failure of anybody's."""
    from ..models.base import FaultKind

    if writing is None or writing.fault is None:
        return 0
    return FOUND if writing.fault.kind is FaultKind.OVER_BUDGET else INFRASTRUCTURE


def summary(built: Built) -> list[str]:
    """What came of it, a line each; survivors by file and line."""
    document = f", OpenAPI from {built.document}" if built.document else ", no OpenAPI document"
    exercised = f"{len(built.exercised)} of {len(built.endpoints)} endpoints exercised"
    lines = [
        f"{built.task}: {built.language}, {built.framework or 'framework unknown'}, port {built.port}{document}",
        f"{exercised}; {built.recorded} scenarios recorded {built.times} times, {len(built.tests)} tests kept",
    ]
    lines += [f"  not a test: {one.what}: {one.why}" for one in built.dropped]
    if built.score is not None:
        lines.append(
            f"{built.score.killed} of {len(built.score.fates)} mutants found ({built.score.rate:.0%});"
            f" {built.score.found} places could be changed, drawn by seed {built.score.seed}"
        )
        lines += [f"  survives: {fate.mutant.place}: {fate.mutant.words}" for fate in built.score.survivors]
        lines += [f"  not tried: {one.what}: {one.why}" for one in built.score.dropped]
    if (writing := built.writing) is not None:
        lines.append(_written(writing) if writing.taken else f"README.md stays a skeleton: {writing.refused}")
    return lines


def _written(writing: Writing) -> str:
    spent = f"{writing.usage.tokens:,} tokens" if writing.usage else ""
    cost = "" if writing.cost_usd is None else f", ${writing.cost_usd:.4f}"
    return f"README.md is written by {writing.model} ({writing.template}; {spent}{cost}); read it before it is used"
