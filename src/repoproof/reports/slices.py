"""Strict scores of a part of the tasks: by language, framework, domain, category, difficulty, tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..core.run import Asked
from ..families import Metric as FamilyMetric
from ..stats.means import Scored, strict_score, task_means
from .intervals import interval_of
from .report import Slice, TaskRow

DIMENSIONS = ("language", "framework", "domain", "category", "difficulty", "tag")
UNKNOWN = "unknown"


def slices_of(
    tasks: Mapping[str, Asked],
    rows: Sequence[TaskRow],
    whole: Sequence[Scored],
    metrics: Sequence[FamilyMetric],
    measured: Sequence[str],
) -> dict[str, dict[str, Slice]]:
    """By dimension, then by value. The language is always there, any other dimension where some task speaks of it."""
    found: dict[str, dict[str, Slice]] = {}
    for dimension in DIMENSIONS:
        said = {task: _said(question, dimension) for task, question in tasks.items()}
        values = sorted({value for several in said.values() for value in several})
        if dimension == "language" or set(values) - {UNKNOWN}:
            parts = {value: [task for task, several in said.items() if value in several] for value in values}
            found[dimension] = {
                value: _slice(members, tasks, rows, whole, metrics, measured) for value, members in parts.items()
            }
    return found


def _said(question: Asked, dimension: str) -> tuple[str, ...]:
    if dimension == "language":
        return (question.language or UNKNOWN,)
    return question.slices.get(dimension) or (UNKNOWN,)


def _slice(
    members: Sequence[str],
    tasks: Mapping[str, Asked],
    rows: Sequence[TaskRow],
    whole: Sequence[Scored],
    metrics: Sequence[FamilyMetric],
    measured: Sequence[str],
) -> Slice:
    sources = [tasks[task].source for task in members]
    # Of the headline alone: there are many slices, and resampling takes its time.
    intervals = {name: interval_of(list(task_means(whole, name, members).values()), sources) for name in measured[:1]}
    return Slice(
        denominator=len(members),
        submissions=sum(row.task in members for row in rows),
        strict={m.name: strict_score(whole, m.name, members).value if m.name in measured else None for m in metrics},
        intervals={name: interval for name, interval in intervals.items() if interval},
    )
