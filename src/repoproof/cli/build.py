"""`repoproof build microservice --reference DIRECTORY -o TASK_FOLDER`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..api.building import Built


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
        default=3,
        metavar="N",
        help="recordings to compare, each of a fresh deployment (default: %(default)s)",
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
    options.sandbox(parser)


def run(args: argparse.Namespace) -> int:
    import sys

    from .. import api

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
        sandbox=args.sandbox,
        on_event=lambda event: print(event, file=sys.stderr, flush=True),
    )
    for line in summary(built):
        print(line)
    print(f"{args.output}: a draft; edit its README.md, then `repoproof add SUITE {args.output}`")
    return 0


def summary(built: Built) -> list[str]:
    """What came of it, a line each; survivors by file and line."""
    document = f", OpenAPI from {built.document}" if built.document else ", no OpenAPI document"
    exercised = f"{len(built.exercised)} of {len(built.endpoints)} endpoints exercised"
    lines = [
        f"{built.task}: {built.language}, {built.framework or 'framework unknown'}, port {built.port}{document}",
        f"{exercised}; {built.recorded} scenarios recorded, {len(built.tests)} tests kept",
    ]
    lines += [f"  not a test: {one.what}: {one.why}" for one in built.dropped]
    if built.score is not None:
        lines.append(
            f"{built.score.killed} of {len(built.score.fates)} mutants found ({built.score.rate:.0%});"
            f" {built.score.found} places could be changed, drawn by seed {built.score.seed}"
        )
        lines += [f"  survives: {fate.mutant.place}: {fate.mutant.words}" for fate in built.score.survivors]
    return lines
