"""From a folder with a service that runs to a task folder: discover, exercise, record, stabilise, emit, measure."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ....analysis.endpoints import Endpoint
from ....core.base import Frozen
from ....core.errors import BadInput, Boundary
from ....core.tree import copy_tree
from ....toolchains import runner_environment
from ... import Bench
from ..task import MicroserviceTask
from ..validate import VARIATIONS
from ..workspace import Record, lay_out, work_folder
from .before import Working
from .causes import named_as_given
from .discover import Found, discover, operations
from .emit import write_tests
from .explore import Explorer
from .folder import write_folder
from .forms import Stable
from .generate import Case, generated
from .measure import Fate, Score, TestSide, measure, unfit
from .mutants import find_mutants, sampled
from .plan import Planner
from .readme import skeleton
from .records import Dropped, Json, Operation, Played, Scenario
from .stabilise import stabilise
from .stage import Live, Stage, staged
from .writing import Sealed, Writer, Writing, write

LEFT_OUT = (".git", ".venv", "__pycache__", "node_modules", ".pytest_cache")
"""Of the reference's folder: what is installed or made anew."""

TIMES = 12
"""That a scenario is recorded at least: a value that is one of two by chance is the same in all of them once in 2 to the 11."""
ROUNDS = 2
"""Of all scenarios in each deployment, at least: what is done again is done where it was done before."""
HASH_SEED = 7
"""Of the first recording; each has the next one, and none of those that the tests are run with afterwards."""


class Wanted(Frozen):
    """What is asked for."""

    name: str
    """Id of the task."""
    language: str = ""
    framework: str = ""
    port: int | None = None
    deployments: int = 6
    """That are recorded and compared, and as many again that the tests have to pass in."""
    mutants: int = 60
    """At most so many are tried; 0 for none."""
    seed: int = 0
    licence: str = "NOASSERTION"
    schemathesis: bool = False
    """Whether it makes up requests beside ours, where there is an OpenAPI document."""


class Built(Frozen):
    """What came of a build: `build.json`."""

    task: str
    language: str
    framework: str
    port: int
    document: str
    """Where the OpenAPI document is from; empty for none."""
    endpoints: tuple[str, ...]
    exercised: tuple[str, ...]
    """Endpoints that some request of ours succeeded at."""
    recorded: int
    """Scenarios that were recorded."""
    times: int
    """How often each of them was, in all deployments together."""
    unsteady: tuple[str, ...]
    """Fields, by endpoint, that differed in some request that was the same: tests expect their kind and form only."""
    tests: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    score: Score | None
    """None where no mutant was tried."""
    writing: Writing | None = None
    """Of README.md; None where no model was asked."""


@dataclass
class Exercised:
    """What exercising the reference has shown."""

    document: Json
    document_at: str
    operations: Sequence[Operation]
    working: Sequence[Working]
    scenarios: Sequence[Scenario]
    dropped: list[Dropped] = field(default_factory=list)


def build(
    tree: Path,
    destination: Path,
    wanted: Wanted,
    bench: Bench,
    on_event: Callable[[str], None],
    writer: Writer | None = None,
) -> Built:
    """Write the task folder `destination` (must not exist) for the service in `tree`, which is not changed; its README is written by
    `writer`, if there is one and its text is fit. `BadInput` where the service cannot be told, started or exercised."""
    assert bench.box is not None
    box, record = bench.box, Record(bench)
    with work_folder(bench) as work, named_as_given(work / "reference", tree):
        reference = work / "reference"
        if refused := copy_tree(tree, reference, ignored=LEFT_OUT).refused:
            raise BadInput(f"cannot be copied: {refused.evidence}", file=tree, boundary=Boundary.TASK)
        found = discover(reference, language=wanted.language, framework=wanted.framework, port=wanted.port)
        on_event(
            f"{found.language}, {found.framework or 'no framework that is known'}, port {found.port}, {len(found.routes)} routes"
        )
        (work / "none").mkdir()
        runner, tests, results = lay_out(work, work / "none")
        task = task_of(found, wanted)
        stage = staged(task, reference, bench.box, record, runner)

        def made_up(document: Json) -> Sequence[Case]:
            return generated(document, box, runner, work, bench.cache, record.log) if wanted.schemathesis else ()

        exercised = exercise(stage, found, made_up)
        if not exercised.working:
            raise BadInput(
                "no request was found that the reference takes",
                file=tree,
                mend="add an OpenAPI document",
                boundary=Boundary.TASK,
            )
        on_event(
            f"{len(exercised.working)} of {len(exercised.operations)} endpoints exercised; {len(exercised.scenarios)} scenarios to record"
        )
        recordings = recorded(stage, exercised.scenarios, wanted)
        stable, unstable, unsteady = stabilise(exercised.scenarios, recordings)
        environment = runner_environment(None, box=bench.box, cache=bench.cache, log=record.log)
        side = TestSide(bench.box, environment, runner, tests, results, task.port)
        kept, refused = fit(side, stage, stable, wanted)
        on_event(f"{len(kept)} tests that the reference passes in {wanted.deployments} deployments, and no stub does")
        score = None
        if wanted.mutants and kept:
            mutants = find_mutants(reference, found.routes)
            chosen = sampled(mutants, wanted.mutants, wanted.seed)
            score = measure(
                side,
                stage,
                chosen,
                work,
                record,
                found=len(mutants),
                seed=wanted.seed,
                on_event=lambda fate: on_event(said(fate)),
            )
        readme, writing = skeleton(task, exercised.operations, exercised.working, list(kept.values())), None
        if writer is not None:
            # Last: what cannot be built is not paid for.
            on_event(f"{writer.model} is asked for the README")
            endpoints = [one.endpoint for one in exercised.operations]
            sealed = Sealed((tests, reference), tuple(kept))
            readme, writing = write(writer, task, endpoints, readme, list(kept.values()), sealed)
        built = Built(
            task=wanted.name, language=found.language, framework=found.framework, port=found.port,
            document=exercised.document_at,
            endpoints=tuple(str(one.endpoint) for one in exercised.operations),
            exercised=tuple(str(one.operation.endpoint) for one in exercised.working),
            recorded=len(exercised.scenarios), times=sum(map(len, recordings)), unsteady=unsteady.said(),
            tests=tuple(sorted(kept)),
            dropped=(*exercised.dropped, *unstable, *refused), score=score, writing=writing,
        )  # fmt: skip
        write_folder(work / "folder", task, reference, tests, exercised.operations, readme, built)
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(work / "folder", destination, symlinks=True)
    return built


def said(fate: Fate | Dropped) -> str:
    if isinstance(fate, Dropped):
        return f"{fate.what}: not tried: {fate.why}"
    return f"{fate.mutant.place}: {fate.mutant.words}: {'found by ' + fate.by if fate.killed else 'SURVIVES'}"


def task_of(found: Found, wanted: Wanted) -> MicroserviceTask:
    health = [route.path for route in found.routes if route.method == "GET" and "{" not in route.path]
    health.sort(key=lambda path: ("health" not in path and "ping" not in path and "status" not in path, len(path)))
    return MicroserviceTask.model_validate(
        {
            "id": wanted.name,
            "language": found.language,
            "framework": found.framework,
            "port": found.port,
            "specification": "README.md",
            "health_paths": health[:1] or ["/"],
            "endpoints": [
                Endpoint(method=route.method, path=route.path) for route in found.routes if route.method != "ANY"
            ],
            "provenance": {
                "source": "recorded from a running reference by repoproof build",
                "licence": wanted.licence,
            },
        }
    )


def exercise(stage: Stage, found: Found, made_up: Callable[[Json], Sequence[Case]]) -> Exercised:
    """On one deployment: what requests the service takes, and what to record."""
    with stage.live("explored") as live:
        served = live.document()
        document, at = (served, "the running service") if served is not None else (found.document, found.document_at)
        every = operations(found, document)
        explorer = Explorer(live, every, found.hints)
        working = explorer.explore()
        cases = made_up(document) if document is not None else ()
        scenarios = Planner(live, working, cases).plan()
    return Exercised(document, at, every, working, scenarios, explorer.dropped)


def recorded(stage: Stage, scenarios: Sequence[Scenario], wanted: Wanted) -> list[list[list[Played]]]:
    """What came of each scenario, by deployment and round: other time zones and hash seeds in each deployment, another order each round."""
    recordings: list[list[list[Played]]] = []
    for turn in range(wanted.deployments):
        variables, _ = VARIATIONS[turn % len(VARIATIONS)]
        with stage.live(f"recorded-{turn}", {**variables, "PYTHONHASHSEED": str(HASH_SEED + turn)}) as live:
            rounds = [_round(live, scenarios, f"{wanted.seed}:{turn}:{again}" if turn or again else "") for again in range(max(ROUNDS, -(-TIMES // wanted.deployments)))]  # fmt: skip
        recordings.append(rounds)
    return recordings


def _round(live: Live, scenarios: Sequence[Scenario], seed: str) -> list[Played]:
    """All scenarios once, in an order drawn by `seed`, or as they are."""
    order = list(range(len(scenarios)))
    if seed:
        random.Random(seed).shuffle(order)
    played = dict(zip(order, live.play([scenarios[at] for at in order]), strict=True))
    return [played[at] for at in range(len(scenarios))]


def fit(
    side: TestSide, stage: Stage, stable: Sequence[Stable], wanted: Wanted
) -> tuple[dict[str, Stable], list[Dropped]]:
    """The tests that are worth keeping, written to where they run; the others, with why."""
    kept = dict(write_tests(side.tests, stable, port=side.port))
    refused: list[Dropped] = []
    for turn in range(3):
        # Without what was left out, the rest only has to pass again.
        wrong = unfit(side, stage, list(kept), 1 if turn else wanted.deployments, stubs=not turn)
        refused += wrong
        ids = {one.what for one in wrong}
        if not ids:
            break
        remaining = [one for id, one in kept.items() if id not in ids]
        shutil.rmtree(side.tests)
        kept = dict(write_tests(side.tests, remaining, port=side.port))
    return kept, refused
