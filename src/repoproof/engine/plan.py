"""What is to be scored, what is known already, and what is settled without running anything."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean

from ..core.config import ScoreConfig
from ..core.digest import canonical_json, digest_of_strings
from ..core.errors import Boundary
from ..core.outcomes import Status, TestOutcome
from ..core.run import Asked, RunDirectory
from ..core.submission import MISSING, Submission
from ..core.submissions import PATH_ESCAPE
from ..core.suite import Suite
from ..core.task import Task
from ..core.verdict import TestResult, Verdict, VerdictKey


@dataclass(frozen=True)
class Job:
    """One submission to verify."""

    task: Task
    submission: Submission
    key: VerdictKey


@dataclass(frozen=True)
class Plan:
    """One scoring, before it starts. Every task has at least one question, and every question is in exactly one place."""

    asked: tuple[Asked, ...]
    """All questions, in the order of the tasks: what `run.json` holds."""
    finished: tuple[VerdictKey, ...]
    """Answered by an earlier scoring into the same directory."""
    settled: tuple[Verdict, ...]
    """Answered here and now: missing, refused, on a quarantined task."""
    jobs: tuple[Job, ...]
    """To be run."""
    mean_seconds: float | None = None
    """Per job, from what is finished; None if nothing is."""
    not_asked: int = 0
    """Attempts at tasks with others that a budget stopped: no questions, for nobody knows what would have come."""


def plan(
    suite: Suite,
    tasks: Sequence[Task],
    submissions: Iterable[Submission],
    *,
    config: ScoreConfig,
    run: RunDirectory,
    again: Collection[str] = (),
) -> Plan:
    """Plan the scoring of `submissions` on `tasks` of `suite` into `run`.

    Tasks named in `again` are scored anew, whatever is known of them.
    """
    answers: dict[str, list[Submission]] = {task.id: [] for task in tasks}
    for submission in submissions:
        if submission.task in answers:
            answers[submission.task].append(submission)
    asked: list[Asked] = []
    finished: list[VerdictKey] = []
    settled: list[Verdict] = []
    jobs: list[Job] = []
    not_asked = 0
    for task in tasks:
        quarantine = suite.quarantined.get(task.id)
        made, stopped = _made(answers[task.id])
        if not made:
            # The task counts all the same.
            made, stopped = stopped[:1], stopped[1:]
        not_asked += len(stopped)
        for submission in made or [_missing(task)]:
            question = _question(task, submission, config_hash(config, task, quarantine))
            asked.append(question)
            if run.is_finished(question.key) and task.id not in again:
                finished.append(question.key)
            elif verdict := _without_running(question.key, task, submission, quarantine):
                settled.append(verdict)
            else:
                jobs.append(Job(task, submission, question.key))
    seconds = [taken for key in finished if (taken := run.seconds(key))]
    mean = fmean(seconds) if seconds else None
    return Plan(tuple(asked), tuple(finished), tuple(settled), tuple(jobs), mean, not_asked)


def config_hash(config: ScoreConfig, task: Task, quarantine: str | None = None) -> str:
    """Of everything beside the submission that could change a verdict: settings, scorer version, the task, its quarantine."""
    settings = canonical_json(config.model_dump(mode="json"))
    # A quarantined task is another question: its verdict must neither outlive the quarantine nor hide the one from before.
    return digest_of_strings(settings, task.digest, *(() if quarantine is None else ("quarantined",)))


def with_violations(verdict: Verdict, submission: Submission) -> Verdict:
    """The verdict, with what reading the submission brought to light if that is not in it yet."""
    unsaid = tuple(violation for violation in submission.violations if violation not in verdict.violations)
    return verdict.model_copy(update={"violations": (*unsaid, *verdict.violations)}) if unsaid else verdict


def _made(attempts: Iterable[Submission]) -> tuple[list[Submission], list[Submission]]:
    """In their order: those that were made, whatever came of them, and those that a budget stopped."""
    made: list[Submission] = []
    stopped: list[Submission] = []
    for attempt in sorted(attempts, key=lambda s: s.attempt):
        was_stopped = attempt.no_answer is not None and attempt.no_answer.was_stopped
        (stopped if was_stopped else made).append(attempt)
    return made, stopped


def _missing(task: Task) -> Submission:
    return Submission(task=task.id, hash=MISSING)


def _question(task: Task, submission: Submission, hash: str) -> Asked:
    key = VerdictKey(task=task.id, attempt=submission.attempt, submission_hash=submission.hash, config_hash=hash)
    return Asked(
        key=key,
        name=submission.name,
        name_is_given=submission.name_is_given,
        language=task.language,
        source=task.provenance.source,
        slices=task.slices,
        origin=submission.origin,
        no_answer=submission.no_answer,
    )


def _without_running(key: VerdictKey, task: Task, submission: Submission, quarantine: str | None) -> Verdict | None:
    """The verdict that is plain without running anything; None if it is not."""
    if quarantine is not None:
        return _settled(key, task, Status.INVALID_TASK, f"quarantined: {quarantine}", submission, Boundary.TASK)
    if submission.hash == MISSING:
        return _settled(key, task, Status.MISSING, "no submission for this task", submission)
    if (why := submission.no_answer) is not None:
        if why.was_stopped:
            return _settled(key, task, Status.MISSING, f"not asked: {why.reason}", submission)
        reason = f"no answer: {why.kind}: {why.reason}"
        if not why.is_fault:
            return _settled(key, task, Status.MISSING, reason, submission)
        return _settled(key, task, Status.INFRASTRUCTURE_ERROR, reason, submission, why.boundary)
    if submission.refused:
        escapes = any(violation.rule == PATH_ESCAPE for violation in submission.violations)
        return _settled(key, task, Status.CHEATED if escapes else Status.BUILD_FAILED, submission.refused, submission)
    return None


def _settled(
    key: VerdictKey, task: Task, status: Status, reason: str, submission: Submission, boundary: Boundary | None = None
) -> Verdict:
    return Verdict(
        **dict(key),
        status=status,
        reason=reason,
        boundary=boundary,
        tests=tuple(TestResult(id=id, outcome=TestOutcome.MISSING) for id in task.test_ids),
        violations=submission.violations,
        started=datetime.now(UTC),
    )
