"""Two runs against one suite, task by task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean

from ..core.base import Frozen
from ..core.errors import BadInput
from ..stats.means import task_means
from ..stats.paired import PairedComparison, compare_paired
from .effort import FIGURES
from .intervals import SEED, clusters_of
from .report import Interval, Metric, Report

NAMED = 3
"""Models or agents that a side is called by before the others are only counted."""


class Difference(Frozen):
    """One metric in both runs, strict."""

    name: str
    label: str
    a: float
    b: float
    difference: float
    """b - a: above 0, the second run is better."""
    interval: Interval | None
    """Of the difference, the tasks resampled in pairs and clustered by source; None below two tasks."""
    better: int
    """Tasks that the second run scores higher on."""
    worse: int
    sign_p: float
    """Two-sided exact sign test of better against worse."""


class AmountDifference(Frozen):
    """What an answer took in either run: the mean over tasks of the mean over a task's answers, where both runs say it of each."""

    name: str
    """One of the figures of a report's `effort`."""
    label: str
    tasks: int
    """Those that it is over: where one answer does not say, its task is left out on both sides."""
    a: float
    b: float
    difference: float
    """b - a: above 0, the second run took more."""
    interval: Interval | None
    """As for scores."""


class Change(Frozen):
    """A task that the two runs judge differently."""

    task: str
    a: tuple[str, ...]
    """Statuses of its submissions in the first run, by attempt; `read` for what was only read."""
    b: tuple[str, ...]
    score_a: float
    """First metric of the family, mean over the submissions."""
    score_b: float


class Side(Frozen):
    """One of the two runs."""

    path: str
    model_name: str = ""
    """As the run says, else as all its answers do."""
    agent_name: str = ""
    is_result: bool
    """False where infrastructure errors are above the threshold, or something is not scored yet."""


class Comparison(Frozen):
    """How two runs differ: paired by task, strict."""

    a: Side
    b: Side

    suite: str
    """Name, version and digest of the suite of both."""
    denominator: int
    differences: tuple[Difference, ...]
    amounts: tuple[AmountDifference, ...] = ()
    """Without the figures that no task says in both runs."""
    changes: tuple[Change, ...]
    warnings: tuple[str, ...] = ()


def comparison_of(
    a: Report, b: Report, sources: Mapping[str, str], *, paths: tuple[str, str] = ("A", "B")
) -> Comparison:
    """Compare two reports, from the runs at `paths`; `sources` says what each task comes from. `BadInput` if they are not over the same tasks of the same suite."""
    if (a.suite.digest, a.suite.health) != (b.suite.digest, b.suite.health):
        raise BadInput(
            f"the runs are of different suites: {a.suite.label} and {b.suite.label}",
            mend="score both against the same version of one suite",
        )
    if set(a.expected) != set(b.expected):
        raise BadInput(
            f"the runs are over different tasks: {len(a.expected)} and {len(b.expected)}",
            mend="use the same --task and --language",
        )
    tasks = a.expected
    clusters = sources if clusters_of([sources[task] for task in tasks]) else None
    differences = tuple(_difference(a, b, metric, clusters) for metric in a.metrics if _in_both(a, b, metric))
    return Comparison(
        a=_side(a, paths[0]),
        b=_side(b, paths[1]),
        suite=a.suite.label,
        denominator=len(tasks),
        differences=differences,
        amounts=tuple(found for name in FIGURES if (found := _amount(a, b, name, clusters))),
        changes=tuple(_changes(a, b, differences[0].name)) if differences else (),
        warnings=(
            *_unlike(a, b),
            *(f"{side}: {warning}" for side, report in (("A", a), ("B", b)) for warning in report.warnings),
        ),
    )


def _side(report: Report, path: str) -> Side:
    makers = report.effort.makers
    return Side(
        path=path,
        model_name=report.run.model_name or _together(maker.model for maker in makers),
        agent_name=report.run.agent_name or _together(maker.agent for maker in makers),
        is_result=not report.above_threshold and not report.unscored,
    )


def _together(names: Iterable[str]) -> str:
    """`m-1`, `m-1 and m-2`, or how many."""
    each = [*dict.fromkeys(filter(None, names))]
    return " and ".join(each) if len(each) <= NAMED else f"{', '.join(each[:NAMED])} and {len(each) - NAMED} more"


def _unlike(a: Report, b: Report) -> Iterator[str]:
    """What was not the same for both, and may be what the difference comes from."""
    if a.run.scorer_version != b.run.scorer_version:
        yield f"scored by different versions of the scorer: {a.run.scorer_version} and {b.run.scorer_version}"
    if static := [name for name, side in (("A", a), ("B", b)) if side.run.static_only]:
        yield f"{' and '.join(static)} {'is' if len(static) == 1 else 'are'} static only: nothing was run there, and only what was measured in both is compared"
    if any(a.attempts[task] != b.attempts[task] for task in a.expected if a.attempts[task] and b.attempts[task]):
        yield f"different numbers of answers: {_answers(a)} in A, {_answers(b)} in B"
    if static:
        # Nothing held limits, nor ran anywhere.
        return
    if a.run.task_seconds != b.run.task_seconds:
        limits = (f"{run.task_seconds:g} s" if run.task_seconds else "the family's own" for run in (a.run, b.run))
        yield f"scored under different time limits: {' and '.join(limits)}"
    if a.run.sandbox != b.run.sandbox:
        yield f"scored in different sandboxes: {a.run.sandbox} and {b.run.sandbox}"
    if a.run.limits != b.run.limits:
        yield f"scored under limits held by different means: {a.run.limits or 'unknown'} and {b.run.limits or 'unknown'}"


def _answers(report: Report) -> str:
    """`4 a task`, or `1 to 4 a task`, of those that have any."""
    counts = sorted(filter(None, report.attempts.values()))
    return f"{counts[0]} a task" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]} a task"


def _in_both(a: Report, b: Report, metric: Metric) -> bool:
    return a.strict[metric.name] is not None and b.strict[metric.name] is not None


def _difference(a: Report, b: Report, metric: Metric, clusters: Mapping[str, str] | None) -> Difference:
    in_a, in_b = (task_means(side.whole, metric.name, a.expected) for side in (a, b))
    paired = compare_paired(in_a, in_b, clusters=clusters, seed=SEED)
    return Difference(
        name=metric.name,
        label=metric.label,
        a=fmean(in_a.values()),
        b=fmean(in_b.values()),
        difference=paired.difference,
        interval=_interval(paired),
        better=paired.better,
        worse=paired.worse,
        sign_p=paired.sign_p,
    )


def _amount(a: Report, b: Report, name: str, clusters: Mapping[str, str] | None) -> AmountDifference | None:
    taken_a, taken_b = a.effort_by_task, b.effort_by_task
    common = [task for task in a.expected if name in taken_a.get(task, {}) and name in taken_b.get(task, {})]
    if not common:
        return None
    of_a, of_b = ({task: taken[task][name] for task in common} for taken in (taken_a, taken_b))
    paired = compare_paired(of_a, of_b, clusters=clusters, seed=SEED)
    return AmountDifference(
        name=name,
        label=FIGURES[name],
        tasks=paired.tasks,
        a=fmean(of_a.values()),
        b=fmean(of_b.values()),
        difference=paired.difference,
        interval=_interval(paired),
    )


def _interval(paired: PairedComparison) -> Interval | None:
    return Interval(low=paired.interval.low, high=paired.interval.high) if paired.interval else None


def _changes(a: Report, b: Report, metric: str) -> list[Change]:
    means_a, means_b = task_means(a.whole, metric, a.expected), task_means(b.whole, metric, a.expected)
    changes: list[Change] = []
    statuses_a, statuses_b = _statuses(a), _statuses(b)
    alike = a.run.static_only == b.run.static_only
    for task in a.expected:
        of_a, of_b = statuses_a.get(task, ()), statuses_b.get(task, ())
        if means_a[task] != means_b[task] or (alike and _judged_differently(of_a, of_b)):
            changes.append(Change(task=task, a=of_a, b=of_b, score_a=means_a[task], score_b=means_b[task]))
    return changes


def _statuses(report: Report) -> dict[str, tuple[str, ...]]:
    """Task -> what its submissions are called in tables, by attempt."""
    found: dict[str, tuple[str, ...]] = {}
    for row in report.tasks:
        found[row.task] = (*found.get(row.task, ()), report.word(row.status))
    return found


def _judged_differently(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Of different numbers of answers, only which statuses there are can be compared."""
    return a != b if len(a) == len(b) else set(a) != set(b)
