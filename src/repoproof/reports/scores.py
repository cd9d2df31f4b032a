"""From verdicts to scores. Every formula of a report is here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean

from ..core.outcomes import Status
from ..core.run import Asked, RunInfo
from ..core.verdict import Verdict
from ..families import Metric as FamilyMetric
from ..stats.bootstrap import bootstrap_interval
from .report import Interval, Metric, Numbers, Report, RunIdentity, Slice, SuiteIdentity, TaskRow, counted, subset_label

SEED = 20240229
"""Of the bootstrap: the same run always gets the same intervals."""


def report_of(info: RunInfo, verdicts: Iterable[Verdict], metrics: Sequence[FamilyMetric]) -> Report:
    """Score the answers to what a run was asked; in the order of the questions, which is the suite's."""
    asked = {question.key: question for question in info.asked}
    tasks = {question.key.task: question for question in info.asked}
    stages = next((metric.stages for metric in metrics if metric.stages), ())
    measured = [metric.name for metric in metrics if metric.static or not info.config.static_only]
    answers = {verdict.key: verdict for verdict in verdicts}
    rows = [_row(answers[key], question, stages) for key, question in asked.items() if key in answers]
    unscored = tuple(f"{key.task}#{key.attempt}" for key in asked if key not in answers)
    counts = {status: sum(row.status is status for row in rows) for status in Status}
    rate = counts[Status.INFRASTRUCTURE_ERROR] / len(rows) if rows else 0.0
    threshold = info.options.infrastructure_threshold
    subset = subset_label(len(tasks), info.suite_tasks)
    ours_left_out = [row for row in rows if not row.status.is_ours]
    return Report(
        suite=SuiteIdentity.of_run(info),
        run=RunIdentity.of(info),
        denominator=len(tasks),
        submissions=len(rows),
        subset=subset,
        unscored=unscored,
        counts=counts,
        metrics=tuple(Metric(name=m.name, label=m.label, column=m.column, stages=m.stages) for m in metrics),
        strict=_scores(rows, tasks, metrics, measured),
        intervals=_intervals(rows, tasks, measured),
        conditional=_scores(ours_left_out, {row.task for row in ours_left_out}, metrics, measured),
        conditional_denominator=len({row.task for row in ours_left_out}),
        infrastructure_rate=rate,
        infrastructure_threshold=threshold,
        by_language=_by_language(rows, tasks, metrics, measured),
        warnings=tuple(_warnings(rows, unscored, counts, rate, threshold, subset)),
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


def interval_of(values: Sequence[float], sources: Sequence[str]) -> Interval | None:
    """Of the mean of `values`, one a task, where `sources` says what each task comes from; None where there is nothing to resample."""
    if len(values) < 2:
        return None
    # One source for all tasks is no cluster to resample: the tasks themselves are then.
    clusters = sources if len(set(sources)) > 1 else None
    low, high = bootstrap_interval(values, clusters=clusters, seed=SEED)
    return Interval(low=low, high=high)


def _intervals(rows: Sequence[TaskRow], tasks: Mapping[str, Asked], measured: Iterable[str]) -> dict[str, Interval]:
    sources = [question.source for question in tasks.values()]
    found = {name: interval_of(list(strict_means(rows, tasks, name).values()), sources) for name in measured}
    return {name: interval for name, interval in found.items() if interval}


def _by_language(
    rows: Sequence[TaskRow], tasks: Mapping[str, Asked], metrics: Sequence[FamilyMetric], measured: Collection[str]
) -> dict[str, Slice]:
    languages = sorted({question.language for question in tasks.values()})
    if len(languages) < 2:
        return {}
    slices: dict[str, Slice] = {}
    for language in languages:
        mine = [task for task, question in tasks.items() if question.language == language]
        answers = [row for row in rows if row.task in mine]
        slices[language or "unknown"] = Slice(
            denominator=len(mine), submissions=len(answers), strict=_scores(answers, mine, metrics, measured)
        )
    return slices


def _row(verdict: Verdict, question: Asked, stages: Sequence[str]) -> TaskRow:
    return TaskRow(
        task=verdict.task,
        attempt=verdict.attempt,
        submission=question.name,
        language=question.language,
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
