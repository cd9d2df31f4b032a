"""What the tests are worth: whether the reference always passes them, whether nothing else does, and which mutants they find."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ....core.base import Frozen
from ....core.errors import BadInput, Boundary, InfrastructureError
from ....sandbox.base import Loopback, Sandbox
from ....toolchains import Prepared, TimeLeft, toolchain
from ..deploy import TEST_LIMITS, Startable, deployed, installed
from ..golden import RUN_TESTS, golden_view, last_line, read_records, service_urls
from ..stubs import STUBS, stub
from ..validate import VARIATIONS
from ..workspace import Record, ended
from .mutants import Mutant, write_mutant
from .records import Dropped
from .stage import Stage, start_of

TEST_SECONDS = 300.0


class Fate(Frozen):
    """What came of a mutant."""

    mutant: Mutant
    killed: bool
    by: str
    """The first test that failed, or what else ended it; empty for a survivor."""


class Score(Frozen):
    """The mutants of a service, and how many the tests found."""

    found: int
    """Places that could be changed."""
    seed: int
    fates: tuple[Fate, ...] = ()

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
    on_event: Callable[[Fate], None],
) -> Score:  # fmt: skip
    """Deploy each mutant and run the tests against it up to the first that finds it."""
    fates = []
    for number, mutant in enumerate(mutants):
        tree = work / f"mutant-{number}"
        write_mutant(stage.it.tree, mutant, tree)
        fates.append(_fate(side, stage.it, mutant, tree, record))
        on_event(fates[-1])
        shutil.rmtree(tree, ignore_errors=True)
    return Score(found=found, seed=seed, fates=tuple(fates))


def _fate(side: TestSide, it: Startable, mutant: Mutant, tree: Path, record: Record) -> Fate:
    limits = toolchain(it.task.language).limits
    try:
        # What is installed is the same; where a build made the tree, it has to be built again.
        prepared = it.prepared if it.prepared.tree is None else installed(it.task, tree, side.box, record)
        changed = replace(it, tree=tree, prepared=prepared, start=start_of(it.task, tree, prepared))
    except BadInput as error:
        return Fate(mutant=mutant, killed=True, by=error.problem)
    with deployed(changed, TimeLeft(limits.task), limit_seconds=limits.start, log="mutants") as deployment:
        if not deployment.responds:
            return Fate(mutant=mutant, killed=True, by=f"it does not respond: {deployment.reason}"[:200])
        outcomes = side.run(deployment.loopback, first_only=True)
    by = next((id for id, outcome in outcomes.items() if outcome != "passed"), "")
    with suppress(OSError):
        (side.results / "results.jsonl").unlink()
    return Fate(mutant=mutant, killed=bool(by), by=by)
