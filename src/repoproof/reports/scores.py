"""From verdicts to scores. Every formula of a report is here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ..core.outcomes import Status
from ..core.verdict import Verdict
from ..families import Metric as FamilyMetric
from ..stats.bootstrap import bootstrap_interval
from .report import Interval, Metric, Numbers, Report, RunIdentity, Slice, SuiteIdentity, TaskRow, counted, subset_label

SEED = 20240229
"""Of the bootstrap: the same run always gets the same intervals."""


@dataclass(frozen=True)
class Expected:
    """A task that the run is to score, and what the report needs to know of it."""

    task: str
    language: str
    source: str
    """Repository or author that it comes from: intervals are clustered by it."""
    attempts: tuple[int, ...] = (0,)


def report_of(
    verdicts: Iterable[Verdict],
    *,
    expected: Sequence[Expected],
    metrics: Sequence[FamilyMetric],
    suite: SuiteIdentity,
    run: RunIdentity,
    names: Mapping[tuple[str, int], str],
    infrastructure_threshold: float,
) -> Report:
    """Score `verdicts` over all tasks of `expected`, in their order.

    `names` gives submissions that are called otherwise than their task, by task and attempt.
    """
    order = {task.task: place for place, task in enumerate(expected)}
    languages = {task.task: task.language for task in expected}
    stages = next((metric.stages for metric in metrics if metric.stages), ())
    measured = [metric.name for metric in metrics if metric.static or not run.static_only]
    rows = sorted(
        (_row(verdict, languages[verdict.task], names, stages) for verdict in verdicts if verdict.task in order),
        key=lambda row: (order[row.task], row.attempt),
    )
    done = {(row.task, row.attempt) for row in rows}
    unscored = tuple(f"{t.task}#{a}" for t in expected for a in t.attempts if (t.task, a) not in done)
    counts = {status: sum(row.status is status for row in rows) for status in Status}
    rate = counts[Status.INFRASTRUCTURE_ERROR] / len(rows) if rows else 0.0
    subset = subset_label(len(expected), suite.tasks)
    means = {name: strict_means(rows, order, name) for name in measured}
    ours_left_out = [row for row in rows if not row.status.is_ours]
    return Report(
        suite=suite,
        run=run,
        denominator=len(expected),
        submissions=len(rows),
        subset=subset,
        unscored=unscored,
        counts=counts,
        metrics=tuple(Metric(name=m.name, label=m.label, column=m.column, stages=m.stages) for m in metrics),
        strict=_scores(rows, order, metrics, measured),
        intervals=_intervals(means, [task.source for task in expected]),
        conditional=_scores(ours_left_out, {row.task for row in ours_left_out}, metrics, measured),
        conditional_denominator=len({row.task for row in ours_left_out}),
        infrastructure_rate=rate,
        infrastructure_threshold=infrastructure_threshold,
        by_language=_by_language(rows, expected, metrics, measured),
        warnings=tuple(_warnings(rows, unscored, counts, rate, infrastructure_threshold, subset)),
        tasks=tuple(rows),
    )


def strict_means(rows: Iterable[TaskRow], tasks: Iterable[str], metric: str) -> dict[str, float]:
    """Task -> mean over its submissions of the measure; what is absent, lost or not there at all is 0."""
    values: dict[str, list[float]] = {task: [] for task in tasks}
    for row in rows:
        if row.task in values:
            values[row.task].append(0.0 if row.status.is_ours else row.measures.get(metric, 0.0))
    return {task: fmean(numbers) if numbers else 0.0 for task, numbers in values.items()}


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return fmean(numbers) if numbers else None


def _scores(
    rows: Sequence[TaskRow], tasks: Collection[str], metrics: Sequence[FamilyMetric], measured: Collection[str]
) -> Numbers:
    return {
        metric.name: _mean(strict_means(rows, tasks, metric.name).values()) if metric.name in measured else None
        for metric in metrics
    }


def _intervals(means: Mapping[str, Mapping[str, float]], sources: Sequence[str]) -> dict[str, Interval]:
    if len(sources) < 2:
        return {}
    # One source for all tasks is no cluster to resample: the tasks themselves are then.
    clusters = sources if len(set(sources)) > 1 else None
    intervals: dict[str, Interval] = {}
    for name, by_task in means.items():
        low, high = bootstrap_interval(list(by_task.values()), clusters=clusters, seed=SEED)
        intervals[name] = Interval(low=low, high=high)
    return intervals


def _by_language(
    rows: Sequence[TaskRow], expected: Sequence[Expected], metrics: Sequence[FamilyMetric], measured: Collection[str]
) -> dict[str, Slice]:
    languages = sorted({task.language for task in expected})
    if len(languages) < 2:
        return {}
    slices: dict[str, Slice] = {}
    for language in languages:
        tasks = [task.task for task in expected if task.language == language]
        mine = [row for row in rows if row.language == language]
        slices[language or "unknown"] = Slice(
            denominator=len(tasks), submissions=len(mine), strict=_scores(mine, tasks, metrics, measured)
        )
    return slices


def _row(verdict: Verdict, language: str, names: Mapping[tuple[str, int], str], stages: Sequence[str]) -> TaskRow:
    return TaskRow(
        task=verdict.task,
        attempt=verdict.attempt,
        submission=names.get((verdict.task, verdict.attempt), ""),
        language=language,
        status=verdict.status,
        reason=verdict.reason,
        boundary=verdict.boundary,
        measures=verdict.measures,
        tests_passed=sum(test.passed for test in verdict.tests),
        tests_total=len(verdict.tests),
        reached=next((stage for stage in reversed(stages) if verdict.measures.get(stage)), ""),
        violations=tuple(dict.fromkeys(violation.rule for violation in verdict.violations)),
        seconds=round(verdict.seconds, 3),
    )


def _warnings(
    rows: Sequence[TaskRow],
    unscored: Sequence[str],
    counts: Mapping[Status, int],
    rate: float,
    threshold: float,
    subset: str,
) -> Iterable[str]:
    if rate > threshold:
        yield (
            f"{counts[Status.INFRASTRUCTURE_ERROR]} of {counted(len(rows), 'submission')} ({rate:.1%}, limit {threshold:.1%}) ended in an"
            " infrastructure error: no number here is a result; run the same command again"
        )
    if unscored:
        yield f"unfinished: {counted(len(unscored), 'submission')} not scored yet, counted as 0; run the same command to go on"
    if invalid := counts[Status.INVALID_TASK]:
        yield f"{counted(invalid, 'submission')} fell on invalid tasks: counted as 0 in strict scores, left out of conditional ones"
    if subset:
        yield f"{subset}: not a score of the suite"
