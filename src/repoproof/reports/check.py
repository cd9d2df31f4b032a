"""What a run would score, before it does."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from ..core.base import Frozen
from ..core.submission import submission_label
from ..core.submissions import Submissions
from ..core.suite import Suite
from ..core.task import Task
from .report import SuiteIdentity, subset_label

UNKNOWN_SHOWN = 5
"""Of the folders that are no task: where there are more, the whole folder is likely the wrong one."""


class Checked(Frozen):
    """One submission, as it was read."""

    task: str
    attempt: int
    submission: str = ""
    """Its own name, where it has another one than its task."""
    files: int
    size_bytes: int
    refused: str = ""
    """Why it would not be run; empty for a usable one."""
    violations: tuple[str, ...] = ()
    """`rule: evidence` of what reading it brought to light."""

    @property
    def label(self) -> str:
        return submission_label(self.task, self.attempt, self.submission)


class Check(Frozen):
    """What would be scored, what is missing, what is wrong."""

    suite: str
    denominator: int
    """Tasks that would count."""
    subset: str = ""
    """`subset: 2 of 5 tasks`; empty for the whole suite."""
    submissions: tuple[Checked, ...]
    missing: tuple[str, ...]
    """Tasks without a submission: scored as 0."""
    no_answer: dict[str, str] = {}
    """`task#attempt` of attempts without an answer, and why."""
    quarantined: dict[str, str] = {}
    """Tasks that their own health record speaks against, and why."""

    unknown: tuple[str, ...] = ()
    """Folders that are no task of the suite: not scored."""
    meant: dict[str, str] = {}
    """Unknown folder -> the task that it may be meant for, where one has a name much like it."""
    notes: tuple[str, ...] = ()
    """What a user might not expect."""

    @property
    def wrong(self) -> int:
        """Submissions that are refused, break a rule or belong to no task."""
        return len(self.unknown) + sum(bool(checked.refused or checked.violations) for checked in self.submissions)


def unknown_lines(check: Check) -> list[str]:
    """A line on each folder that is no task, the first few; then how many more there are."""
    lines = [
        f"{name}: no such task in the suite, not scored"
        + (f" (did you mean {check.meant[name]!r}?)" if name in check.meant else "")
        for name in check.unknown[:UNKNOWN_SHOWN]
    ]
    if (more := len(check.unknown) - UNKNOWN_SHOWN) > 0:
        lines.append(f"{more} more: no such tasks in the suite, not scored")
    return lines


def check_of(found: Submissions, suite: Suite, chosen: Sequence[Task]) -> Check:
    """What scoring `found` on the `chosen` tasks of `suite` would come to."""
    ids, all_ids = [task.id for task in chosen], [task.id for task in suite]
    items = [submission for submission in found.items if submission.task in ids]
    without = [submission for submission in found.unanswered if submission.task in ids]
    return Check(
        suite=SuiteIdentity.of(suite).label,
        denominator=len(ids),
        subset=subset_label(len(ids), len(suite)),
        submissions=tuple(
            Checked(
                task=submission.task,
                attempt=submission.attempt,
                submission=submission.name,
                files=submission.files,
                size_bytes=submission.size_bytes,
                refused=submission.refused,
                violations=tuple(f"{violation.rule}: {violation.evidence}" for violation in submission.violations),
            )
            for submission in sorted(items, key=lambda s: (ids.index(s.task), s.attempt))
        ),
        missing=tuple(id for id in ids if id not in {submission.task for submission in (*items, *without)}),
        no_answer={
            submission_label(one.task, one.attempt): f"{one.no_answer.kind}: {one.no_answer.reason}"
            for one in without
            if one.no_answer is not None
        },
        quarantined={id: reason for id, reason in suite.quarantined.items() if id in ids},
        unknown=found.unknown,
        meant={name: near[0] for name in found.unknown if (near := get_close_matches(name, all_ids, n=1))},
        notes=found.notes,
    )
