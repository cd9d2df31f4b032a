"""Strict and conditional scores, against numbers worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from repoproof.core.outcomes import Status
from repoproof.core.verdict import Verdict
from repoproof.stats.means import (
    Score,
    conditional_score,
    counts_by_status,
    infrastructure_loss,
    infrastructure_rate,
    strict_score,
    task_means,
)


def verdict(task: str, status: Status, value: float | None = None, attempt: int = 0) -> Verdict:
    return Verdict(
        task=task,
        attempt=attempt,
        submission_hash="s",
        config_hash="c",
        status=status,
        measures={} if value is None else {"pass_at_1": value},
        started=datetime(2026, 1, 1, tzinfo=UTC),
    )


OURS = Status.INFRASTRUCTURE_ERROR
TASKS = ("a", "b", "c", "d", "e", "f")
VERDICTS = (
    verdict("a", Status.PASSED, 1.0),
    verdict("a", Status.FAILED, 0.5, attempt=1),
    verdict("b", Status.TIMED_OUT, 0.25),
    verdict("c", Status.START_FAILED),
    verdict("d", Status.INFRASTRUCTURE_ERROR),
    verdict("d", Status.PASSED, 1.0, attempt=1),
    verdict("e", Status.INVALID_TASK),
    verdict("zoo", Status.PASSED, 1.0),
)


def test_a_strict_score_is_over_all_tasks_and_whatever_is_absent_is_0() -> None:
    # a: (1 + 0.5) / 2, b: 0.25, c: not measured, d: (0 + 1) / 2, e: ours, f: never scored
    assert task_means(VERDICTS, "pass_at_1", TASKS) == {"a": 0.75, "b": 0.25, "c": 0, "d": 0.5, "e": 0, "f": 0}
    assert strict_score(VERDICTS, "pass_at_1", TASKS) == Score(1.5 / 6, 6)


def test_a_conditional_score_leaves_out_our_own_failures_and_says_what_is_left() -> None:
    # a: 0.75, b: 0.25, c: 0, d: 1, and neither e nor f
    assert conditional_score(VERDICTS, "pass_at_1", TASKS) == Score(2.0 / 4, 4)


@pytest.mark.parametrize("status", Status)
def test_cheating_and_absence_count_as_0_whatever_was_measured(status: Status) -> None:
    zero = {Status.CHEATED, Status.MISSING, Status.INFRASTRUCTURE_ERROR, Status.INVALID_TASK}
    assert task_means([verdict("a", status, 1.0)], "pass_at_1", ["a"]) == {"a": 0.0 if status in zero else 1.0}


def test_without_tasks_there_is_no_score() -> None:
    assert strict_score(VERDICTS, "pass_at_1", ()) == Score(None, 0)
    assert conditional_score([verdict("a", Status.INVALID_TASK)], "pass_at_1", ["a"]) == Score(None, 0)


def test_statuses_are_counted_all_of_them() -> None:
    counts = counts_by_status(VERDICTS)
    assert set(counts) == set(Status)
    assert (counts[Status.PASSED], counts[Status.CRASHED], sum(counts.values())) == (3, 0, 8)
    assert infrastructure_rate(VERDICTS) == 1 / 8
    assert infrastructure_rate(()) == 0


def test_many_attempts_at_one_task_do_not_hide_that_another_was_lost() -> None:
    verdicts = [
        *(verdict("a", Status.PASSED, 1.0, attempt=n) for n in range(999)),
        verdict("b", OURS),
        verdict("zoo", OURS),
    ]
    assert infrastructure_loss(verdicts[:-1], ["a", "b", "never scored", "nor this"]) == 1 / 4
    assert infrastructure_loss(verdicts, ["a"]) == 0
    assert infrastructure_loss([verdict("a", OURS), verdict("a", Status.PASSED, 1.0, attempt=1)], ["a"]) == 1 / 2
    assert infrastructure_loss((), ()) == 0
