"""From verdicts to a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..core.outcomes import Status
from ..core.run import Asked, RunInfo
from ..core.submission import Origin, submission_label
from ..core.verdict import Verdict
from ..families import Metric as FamilyMetric
from ..stats.means import (
    Unanswered,
    conditional_score,
    counts_by_status,
    infrastructure_loss,
    infrastructure_rate,
    strict_score,
    task_means,
)
from ..stats.passk import mean_pass_at_k, pass_at_k
from .answers import answers_to
from .code import code_of
from .effort import FIGURES, effort_of, known_mean
from .intervals import interval_of
from .report import (
    Metric,
    PassAtK,
    Report,
    RunIdentity,
    SuiteIdentity,
    TaskRow,
    counted,
    subset_label,
)
from .slices import slices_of

USUAL_K = (1, 5, 10, 20)
"""Of pass@k, as far as the attempts allow; and as many as there are."""


def report_of(info: RunInfo, verdicts: Iterable[Verdict], metrics: Sequence[FamilyMetric]) -> Report:
    """Score the answers to what a run was asked; in the order of the questions, which is the suite's."""
    asked = {question.key: question for question in info.asked}
    tasks = {question.key.task: question for question in info.asked}
    ids, sources = tuple(tasks), [question.source for question in tasks.values()]
    stages = next((metric.stages for metric in metrics if metric.stages), ())
    measured = [metric.name for metric in metrics if metric.static or not info.config.static_only]
    answers = {verdict.key: _row(verdict, asked[verdict.key], stages) for verdict in verdicts if verdict.key in asked}
    rows = [answers[key] for key in asked if key in answers]
    whole = [*rows, *(Unanswered(key.task) for key in asked if key not in answers)]
    strict = {name: strict_score(whole, name, ids).value for name in measured}
    conditional = {name: conditional_score(rows, name, ids).value for name in measured}
    intervals = {name: interval_of(list(task_means(whole, name, ids).values()), sources) for name in measured}
    attempts = _attempts(info.asked)
    several = max(attempts.values(), default=0) > 1
    no_pass_at_k = _no_samples(info) if several else ""
    slices = slices_of(tasks, rows, whole, metrics, measured)
    report = Report(
        suite=SuiteIdentity.of_run(info),
        run=RunIdentity.of(info),
        denominator=len(tasks),
        submissions=len(rows),
        subset=subset_label(len(tasks), info.suite_tasks),
        unscored=tuple(submission_label(key.task, key.attempt) for key in asked if key not in answers),
        counts=counts_by_status(rows),
        metrics=tuple(Metric(name=m.name, label=m.label, column=m.column, stages=m.stages) for m in metrics),
        strict={metric.name: strict.get(metric.name) for metric in metrics},
        intervals={name: interval for name, interval in intervals.items() if interval},
        conditional={metric.name: conditional.get(metric.name) for metric in metrics},
        conditional_denominator=len({row.task for row in rows if not row.status.is_ours}),
        infrastructure_rate=infrastructure_rate(rows),
        infrastructure_loss=infrastructure_loss(whole, ids),
        infrastructure_threshold=info.options.infrastructure_threshold,
        attempts=attempts,
        pass_at_k=_pass_at_k(attempts, rows, sources) if several and not no_pass_at_k else (),
        no_pass_at_k=no_pass_at_k,
        answers=answers_to(info.asked, info.not_asked),
        effort=effort_of(info.asked, rows, judged=not info.config.static_only and len(rows) == len(asked)),
        effort_by_task=_effort_by_task(info.asked),
        by_language=slices["language"] if len(slices["language"]) > 1 else {},
        slices=slices,
        code=code_of(rows),
        tasks=tuple(rows),
    )
    return report.model_copy(update={"warnings": tuple(_warnings(report))})


def _no_samples(info: RunInfo) -> str:
    """Why a task's answers are no draws from one distribution, which pass@k is about: run, by one maker, none given a name; empty if they are."""
    if info.config.static_only:
        return "nothing was run"
    answers = [question for question in info.asked if question.is_answered]
    makers = {(answer.origin.model, answer.origin.agent, answer.origin.sampling) for answer in answers}
    if len(makers) > 1:
        return f"the answers are of {len(makers)} makers (model, agent or sampling differ)"
    named = [answer for answer in answers if answer.name and answer.name_is_given]
    if named:
        first = submission_label(named[0].key.task, named[0].key.attempt, named[0].name)
        were = "was" if len(named) == 1 else "were"
        return f"{counted(len(named), 'answer')} {were} given a name ({first}), so these are variants, not samples"
    return ""


def _pass_at_k(attempts: Mapping[str, int], rows: Iterable[TaskRow], sources: Sequence[str]) -> tuple[PassAtK, ...]:
    """Strict: what is lost, has no answer or is not scored yet is an attempt that did not pass."""
    fewest = min(count for count in attempts.values() if count)
    passed = Counter(row.task for row in rows if row.status is Status.PASSED)
    found: list[PassAtK] = []
    for k in sorted({*(k for k in USUAL_K if k <= fewest), fewest}):
        # A task without any attempt is one of which k attempts failed.
        tried = [(count or k, passed[task]) for task, count in attempts.items()]
        interval = interval_of([pass_at_k(*each, k) for each in tried], sources)
        found.append(PassAtK(k=k, value=mean_pass_at_k(tried, k), interval=interval))
    return tuple(found)


def _effort_by_task(asked: Iterable[Asked]) -> dict[str, dict[str, float]]:
    """Task -> figure -> mean over the answers that were handed in, where each says it."""
    origins: dict[str, list[Origin]] = {}
    for question in asked:
        if question.is_answered:
            origins.setdefault(question.key.task, []).append(question.origin)
    return {
        task: {name: mean for name in FIGURES if (mean := known_mean(found, name)) is not None}
        for task, found in origins.items()
    }


def _attempts(asked: Iterable[Asked]) -> dict[str, int]:
    """Task -> attempts that were made, whatever came of them: leaving out those without an answer would raise pass@k."""
    attempts: dict[str, int] = {}
    for question in asked:
        attempts[question.key.task] = attempts.get(question.key.task, 0) + question.was_made
    return attempts


def _row(verdict: Verdict, question: Asked, stages: Sequence[str]) -> TaskRow:
    return TaskRow(
        task=verdict.task,
        attempt=verdict.attempt,
        submission=question.name,
        language=question.language,
        status=verdict.status,
        reason=verdict.reason,
        boundary=verdict.boundary,
        no_answer=question.no_answer.kind if question.no_answer is not None else "",
        measures=verdict.measures,
        tests_passed=sum(test.passed for test in verdict.tests),
        tests_total=len(verdict.tests),
        reached=next((stage for stage in reversed(stages) if verdict.measures.get(stage)), ""),
        violations=tuple(dict.fromkeys(violation.rule for violation in verdict.violations)),
        trust=str(verdict.detail.get("trust", "")),
        seconds=round(verdict.seconds, 3),
        origin=question.origin,
    )


def _warnings(report: Report) -> Iterable[str]:
    if report.above_threshold:
        errors = report.counts[Status.INFRASTRUCTURE_ERROR]
        rate, limit = f"{report.infrastructure_rate:.1%}", report.infrastructure_threshold
        if report.infrastructure_rate <= limit:
            rate = f"{rate}, but {report.infrastructure_loss:.1%} of the score"
        yield (
            f"{errors} of {counted(report.submissions, 'submission')} ({rate}, limit {limit:.1%}) ended in an infrastructure error: "
            f"no number here is a result; {_mend(report, errors)}"
        )
    if faulty := sum(row.is_fault for row in report.tasks):
        yield (
            f"{counted(faulty, 'attempt')} without an answer, by the solver's own word: counted as 0 in strict scores and pass@k, "
            "left out of conditional ones"
        )
    if stopped := [row.task for row in report.tasks if row.no_answer == "over_budget" and row.status is Status.MISSING]:
        yield (
            f"{counted(len(stopped), 'task')} had no answer when the solver's budget was used up: counted as 0; "
            "have it go on with a larger one, then run the same command"
        )
    if unscored := len(report.unscored):
        yield f"unfinished: {counted(unscored, 'submission')} not scored yet, counted as 0; run the same command to go on"
    if invalid := report.counts[Status.INVALID_TASK]:
        yield f"{counted(invalid, 'submission')} fell on invalid tasks: counted as 0 in strict scores, left out of conditional ones"
    if gaps := _gaps(report):
        yield (
            f"attempts are missing before a later one at {counted(len(gaps), 'task')} ({', '.join(gaps[:5])}{', ...' if len(gaps) > 5 else ''}): "
            "what was not handed in is in no score"
        )
    if report.run.limits == "rlimits":
        yield (
            "limits were held by rlimits, since no control group could be written: a service that uses too much memory or too many "
            "processes may end otherwise than under control groups (see `repoproof doctor`)"
        )
    if report.subset:
        yield f"{report.subset}: not a score of the suite"


def _mend(report: Report, errors: int) -> str:
    """What to do about infrastructure errors."""
    faulty = sum(row.is_fault for row in report.tasks)
    if not faulty:
        return "run the same command again"
    of_these = "" if faulty == errors else f"{faulty} of these attempts have no answer: "
    return f"{of_these}have the solver try again (the same `repoproof solve`), then run the same command"


def _gaps(report: Report) -> list[str]:
    """Tasks whose attempts are not numbered 0, 1, ...: somebody left some out, and a score over the rest flatters."""
    attempts: dict[str, set[int]] = {}
    for task, attempt in report.asked:
        attempts.setdefault(task, set()).add(attempt)
    return [task for task, numbers in attempts.items() if len(numbers) <= max(numbers)]
