"""What the tests are worth: whether the reference always passes them, whether nothing else does, and which mutants they find."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ....core.base import Frozen
from ....core.errors import BadInput, Boundary, InfrastructureError
from ....sandbox.base import Loopback, Sandbox
from ....toolchains import Prepared, TimeLeft, toolchain
from ....toolchains.store import Store
from ..deploy import TEST_LIMITS, Startable, deployed, installed
from ..golden import RUN_TESTS, golden_view, last_line, read_records, service_urls
from ..stubs import STUBS, stub
from ..validate import VARIATIONS
from ..workspace import Record, ended
from .mutant import Mutant
from .mutants import write_mutant
from .records import Dropped
from .stage import Stage, start_of

TEST_SECONDS = 300.0


class Fate(Frozen):
    """What came of a mutant."""

    mutant: Mutant
    killed: bool
    by: str
    """The first test that failed, with how; empty for a survivor."""


class Score(Frozen):
    """The mutants of a service, and how many the tests found."""

    found: int
    """Places that could be changed."""
    seed: int
    fates: tuple[Fate, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    """Mutants that no test was run on: what does not build or start, anybody finds, so it says nothing about the tests."""

    @property
    def killed(self) -> int:
        return sum(fate.killed for fate in self.fates)

    @property
    def survivors(self) -> tuple[Fate, ...]:
        return tuple(fate for fate in self.fates if not fate.killed)

    @property
    def rate(self) -> float:
        return self.killed / len(self.fates) if self.fates else 0.0


@dataclass(frozen=True)
class TestSide:
    """Where the emitted tests run."""

    __test__ = False

    box: Sandbox
    environment: Prepared
    runner: Path
    tests: Path
    results: Path
    port: int

    def run(
        self, loopback: Loopback | None, *, first_only: bool = False, variables: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """Outcomes by test id, `passed` or how it ended; with `first_only`, up to the first that does not pass."""
        recorded = self.results / "results.jsonl"
        recorded.unlink(missing_ok=True)
        ran = self.box.run(
            [*RUN_TESTS, *(["-x"] if first_only else [])],
            view=golden_view(
                self.environment,
                self.runner,
                self.tests,
                self.results,
                {**(variables or {}), **service_urls(self.port)},
            ),
            limits=TEST_LIMITS.model_copy(update={"wall_seconds": TEST_SECONDS}),
            loopback=loopback,
        )
        lines = read_records(recorded)
        outcomes = {
            line["id"]: " ".join((line["outcome"], last_line(line["message"]))).strip()
            for line in lines
            if "id" in line
        }
        if not outcomes:
            said = (ran.stdout + ran.stderr)[-400:].decode("utf-8", "replace")
            raise InfrastructureError(
                f"the test runner {ended(ran)} and reported no test: {said}", boundary=Boundary.HARNESS
            )
        if not any("finished" in line for line in lines):
            outcomes["(the tests)"] = f"did not finish: {ended(ran)}"
        return outcomes


def unfit(side: TestSide, stage: Stage, ids: Iterable[str], repeats: int, *, stubs: bool) -> list[Dropped]:
    """Those of the tests that the reference does not pass each time in `repeats` varied deployments, or that something worthless passes."""
    found: dict[str, str] = {}
    for turn in range(repeats):
        variables, _ = VARIATIONS[turn % len(VARIATIONS)]
        with stage.live(f"baseline-{turn}", variables) as live:
            outcomes = side.run(live.loopback, variables=variables)
            for id in ids:
                if (outcome := outcomes.get(id, "it was not reported")) != "passed":
                    found.setdefault(id, f"the reference does not pass it in repeat {turn + 1}: {outcome}")
    for name, status, body in STUBS if stubs else ():
        with stub(stage.it.task, side.box, side.runner, status, body) as loopback:
            for id, outcome in side.run(loopback).items():
                if outcome == "passed":
                    found.setdefault(id, f"a service that {name} passes it")
    return [Dropped(what=id, why=why) for id, why in found.items()]


def measure(
    side: TestSide, stage: Stage, mutants: Sequence[Mutant], work: Path, record: Record, *, found: int, seed: int,
    on_event: Callable[[Fate | Dropped], None],
) -> Score:  # fmt: skip
    """Deploy each mutant and run the tests against it up to the first that finds it."""
    fates: list[Fate] = []
    dropped: list[Dropped] = []
    for number, mutant in enumerate(mutants):
        tree = work / f"mutant-{number}"
        write_mutant(stage.it.tree, mutant, tree)
        with _prepared(stage.it, tree, record) as prepared:
            came = _fate(side, stage.it, mutant, tree, prepared)
        on_event(came)
        if isinstance(came, Fate):
            fates.append(came)
        else:
            dropped.append(came)
        shutil.rmtree(tree, ignore_errors=True)
    return Score(found=found, seed=seed, fates=tuple(fates), dropped=tuple(dropped))


@contextmanager
def _prepared(it: Startable, tree: Path, record: Record) -> Iterator[Prepared]:
    """What is installed is the same for every mutant; where a build made the tree, this one is built, and forgotten afterwards."""
    if it.prepared.tree is None:
        yield it.prepared
        return
    prepared = installed(it.task, tree, it.box, record)
    try:
        yield prepared
    finally:
        if prepared.tree is not None and not prepared.phases[-1].cached:
            store = Store(record.bench.cache)
            for entry in [one for one in store.entries() if one.path == prepared.tree]:
                store.remove(entry)


def _fate(side: TestSide, it: Startable, mutant: Mutant, tree: Path, prepared: Prepared) -> Fate | Dropped:
    what, limits = f"{mutant.place}: {mutant.words}", toolchain(it.task.language).limits
    if not prepared.ok:
        failed = prepared.phases[-1]
        return Dropped(what=what, why=f"{failed.name}: {failed.reason}")
    try:
        changed = replace(it, tree=tree, prepared=prepared, start=start_of(it.task, tree, prepared))
    except BadInput as error:
        return Dropped(what=what, why=error.problem)
    with deployed(changed, TimeLeft(limits.task), limit_seconds=limits.start, log="mutants") as deployment:
        if not deployment.responds:
            return Dropped(what=what, why=f"it does not respond: {deployment.reason}"[:200])
        outcomes = side.run(deployment.loopback, first_only=True)
    by = next((id for id, outcome in outcomes.items() if outcome != "passed"), "")
    with suppress(OSError):
        (side.results / "results.jsonl").unlink()
    return Fate(mutant=mutant, killed=bool(by), by=by)
