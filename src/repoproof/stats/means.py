"""Scores from verdicts: strict over all tasks, conditional without our own failures, and what each is a mean over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from types import MappingProxyType
from typing import NamedTuple, Protocol

from ..core.outcomes import Status


class Scored(Protocol):
    """What a score needs of a verdict; a row of a report has it too."""

    @property
    def task(self) -> str: ...
    @property
    def status(self) -> Status: ...
    @property
    def measures(self) -> Mapping[str, float]: ...


class Unanswered(NamedTuple):
    """Stands for a verdict that is not there yet: 0 in every measure."""

    task: str
    status: Status = Status.MISSING
    measures: Mapping[str, float] = MappingProxyType({})


class Score(NamedTuple):
    """A mean and its denominator, which are never told apart."""

    value: float | None
    """None where there is no task to take the mean over."""
    tasks: int


def value_of(scored: Scored, measure: str) -> float:
    """A verdict's measure; 0 where it was not measured, or where the status lets nothing count."""
    return 0.0 if scored.status.counts_as_zero else scored.measures.get(measure, 0.0)


def task_means(verdicts: Iterable[Scored], measure: str, tasks: Iterable[str]) -> dict[str, float]:
    """Task -> mean over its attempts, for each of `tasks`, in their order; 0 for a task without a verdict."""
    values: dict[str, list[float]] = {task: [] for task in tasks}
    for scored in verdicts:
        if scored.task in values:
            values[scored.task].append(value_of(scored, measure))
    return {task: fmean(numbers) if numbers else 0.0 for task, numbers in values.items()}


def strict_score(verdicts: Iterable[Scored], measure: str, tasks: Sequence[str]) -> Score:
    """Mean over all `tasks`, whatever became of them, of the mean over attempts."""
    means = task_means(verdicts, measure, tasks)
    return Score(fmean(means.values()) if means else None, len(means))


def conditional_score(verdicts: Iterable[Scored], measure: str, tasks: Sequence[str]) -> Score:
    """As strict, of the verdicts that are no failure of ours; a task with none left is not counted."""
    chosen = frozenset(tasks)
    left = [scored for scored in verdicts if scored.task in chosen and not scored.status.is_ours]
    return strict_score(left, measure, tuple(dict.fromkeys(scored.task for scored in left)))


def counts_by_status(verdicts: Iterable[Scored]) -> dict[Status, int]:
    """How many verdicts there are of each status; every status is there."""
    found = Counter(scored.status for scored in verdicts)
    return {status: found[status] for status in Status}


def infrastructure_rate(verdicts: Iterable[Scored]) -> float:
    """Share of verdicts that are infrastructure errors; 0 where there are no verdicts."""
    counts = counts_by_status(verdicts)
    total = sum(counts.values())
    return counts[Status.INFRASTRUCTURE_ERROR] / total if total else 0.0


def infrastructure_loss(verdicts: Iterable[Scored], tasks: Sequence[str]) -> float:
    """Share of a strict score over `tasks` that infrastructure errors took: mean over tasks of their share of the task's attempts.

    It differs from the rate where attempts are unequal: many attempts at one task must not hide that another task was lost.
    """
    lost: dict[str, list[bool]] = {}
    for scored in verdicts:
        lost.setdefault(scored.task, []).append(scored.status is Status.INFRASTRUCTURE_ERROR)
    return sum(fmean(lost[task]) for task in tasks if task in lost) / len(tasks) if tasks else 0.0
