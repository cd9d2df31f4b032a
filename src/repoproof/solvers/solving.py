"""The loop of `solve`: which attempts are wanted, which are made already, who makes the others, and what came of them all."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from pydantic import Field

from ..core.base import Frozen
from ..core.errors import Boundary, RepoProofError
from ..core.suite import Suite
from ..core.task import Task
from ..families import Family
from ..models.base import Fault, FaultKind, Model, Sampling
from ..models.endpoint import Endpoint
from ..models.mends import mend_of
from ..models.store import Spent
from . import Assignment, Solved, Solver
from .attempts import Attempted, Key, Outcome, Usage
from .output import Output, Settings

log = logging.getLogger(__name__)


class Spending(Frozen):
    """What was paid for: answers, and calls that brought none. Recorded answers of others are not in it."""

    calls: int = Field(default=0, ge=0)
    failed_calls: int = Field(default=0, ge=0)
    """Of these, the calls that brought no answer, whether or not a further try did."""
    tokens: int = Field(default=0, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    """None where the endpoint has no prices."""
    seconds: float = Field(default=0.0, ge=0)
    """Of all calls."""
    earlier: bool = True
    """Whether earlier runs of the command are in it: not where nothing is recorded."""

    @classmethod
    def of(cls, spent: Spent, *, priced: bool, earlier: bool) -> Self:
        return cls(
            calls=spent.calls,
            failed_calls=spent.failed,
            tokens=spent.tokens,
            cost_usd=spent.usd if priced else None,
            seconds=spent.seconds,
            earlier=earlier,
        )


class Solving(Frozen):
    """What became of the attempts that were wanted, whichever run of the command made them."""

    output: str
    suite: str
    model: str
    wanted: int = Field(ge=0)
    answered: int = Field(ge=0)
    """Submissions with a repository of the model's."""
    unusable: int = Field(ge=0)
    """Submissions of an answer in which no repository was found: scored as they are."""
    faults: dict[FaultKind, int]
    """Attempts without an answer, by why, but for those that a budget or the model's context stopped."""
    reasons: dict[FaultKind, str]
    """One example each."""
    mends: dict[FaultKind, str] = {}
    """What to do about them, where that is known."""
    too_long: int = Field(default=0, ge=0)
    """Attempts of which the prompt has no room in the model's context: its own limit, and no fault."""
    over_budget: int = Field(ge=0)
    """Attempts that were not made because a budget was used up."""
    kept: int = Field(ge=0)
    """Of the submissions, those of earlier runs of the command."""
    usage: Usage
    """Of the submissions; what ended in faults is not part of it."""
    spent: Spending | None = None
    """None for a replay."""

    @property
    def submitted(self) -> int:
        return self.answered + self.unusable

    @property
    def faulty(self) -> int:
        return sum(self.faults.values())

    @classmethod
    def of(
        cls,
        output: Output,
        suite: Suite,
        settings: Settings,
        ended: Sequence[Attempted],
        *,
        kept: int,
        endpoint: Endpoint,
        spent: Spending | None,
    ) -> Self:
        """The counts over `ended`, the last end of each attempt that was wanted."""
        outcomes = Counter(one.outcome for one in ended)
        faults = {one.fault.kind: one.fault for one in reversed(ended) if one.fault is not None}
        kinds = Counter(one.fault.kind for one in ended if one.fault is not None)
        over_budget, too_long = kinds.pop(FaultKind.OVER_BUDGET, 0), kinds.pop(FaultKind.TOO_LONG, 0)
        return cls(
            output=str(output.path),
            suite=f"{suite.name} {suite.info.version}",
            model=settings.model,
            wanted=len(ended),
            answered=outcomes[Outcome.ANSWERED],
            unusable=outcomes[Outcome.UNUSABLE],
            faults=dict(sorted(kinds.items())),
            reasons={kind: fault.reason for kind, fault in sorted(faults.items())},
            mends={kind: mend for kind, fault in sorted(faults.items()) if (mend := mend_of(fault, endpoint))},
            too_long=too_long,
            over_budget=over_budget,
            kept=kept,
            spent=spent,
            usage=Usage.sum(one.usage for one in ended if one.fault is None),
        )


@dataclass(frozen=True)
class Begun:
    """What is wanted, and how many of these attempts earlier runs have made."""

    wanted: int
    kept: int


@dataclass(frozen=True)
class Started:
    """An attempt has begun."""

    key: Key


@dataclass(frozen=True)
class Ended:
    """An attempt has ended, and is on disk."""

    attempted: Attempted


Event = Begun | Started | Ended
OnEvent = Callable[[Event], None]


def wanted_keys(tasks: Sequence[Task], samples: int) -> list[Key]:
    """Every attempt that is wanted: the first at each task, then the second, so that a budget that ends ends evenly."""
    return [Key(task.id, attempt) for attempt in range(samples) for task in tasks]


def prepare(family: Family, tasks: Sequence[Task], folder: Path) -> None:
    """Make the clean workspaces of `tasks` in `folder`, and prove each of them clean: nothing is asked before all are."""
    folder.mkdir()
    for task in tasks:
        family.workspace(task, folder / task.id)
        family.assert_clean(folder / task.id, task)


@dataclass(frozen=True)
class Job:
    """Attempts to be made, and all that this takes."""

    output: Output
    settings: Settings
    family: Family
    tasks: dict[str, Task]
    workspaces: Path
    """The clean workspaces, by task."""
    solver: Solver
    model: Model
    on_event: OnEvent

    async def make_all(self, keys: Sequence[Key], *, workers: int) -> dict[Key, Attempted]:
        """Make these attempts, `workers` at once; how each of them ended. Nothing about them depends on which is first."""
        ended: dict[Key, Attempted] = {}
        waiting = iter(keys)
        working = [asyncio.create_task(self._work(waiting, ended)) for _ in range(min(workers, len(keys)))]
        try:
            await asyncio.gather(*working)
        finally:
            for worker in working:
                worker.cancel()
            await asyncio.gather(*working, return_exceptions=True)
        return ended

    async def _work(self, waiting: Iterator[Key], ended: dict[Key, Attempted]) -> None:
        for key in waiting:
            self.on_event(Started(key))
            ended[key] = await self._make(key)
            self.on_event(Ended(ended[key]))

    async def _make(self, key: Key) -> Attempted:
        workspace = await asyncio.to_thread(self.output.workspace, key, self.workspaces / key.task)
        came = await self._solved(
            Assignment(
                task=key.task,
                attempt=key.attempt,
                workspace=workspace,
                prompt=self.family.prompt(self.tasks[key.task], self.workspaces / key.task),
                model=self.model,
                model_id=self.settings.model,
                sampling=of_attempt(self.settings.sampling, key.attempt),
            )
        )
        if isinstance(came, Fault):
            return await asyncio.to_thread(self.output.fail, key, came)
        return await asyncio.to_thread(partial(self.output.submit, key, came, self.settings))

    async def _solved(self, assignment: Assignment) -> Solved | Fault:
        try:
            return await self.solver.solve(assignment)
        except (RepoProofError, OSError):
            # What is wrong with this machine, or with what we were given, is so for every attempt.
            raise
        except Exception as error:
            # An answer that we cannot read must not end the attempts beside it, in this run and in each that finds it recorded.
            log.exception("%s#%d: our side failed", assignment.task, assignment.attempt)
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            return Fault(kind=FaultKind.BROKEN, reason=reason, boundary=Boundary.HARNESS)


def of_attempt(sampling: Sampling, attempt: int) -> Sampling:
    """Where there is a seed, each attempt has its own."""
    return sampling if sampling.seed is None else sampling.model_copy(update={"seed": sampling.seed + attempt})
