"""Two runs, paired by task."""

from __future__ import annotations

import pytest

from repoproof.core.config import SCORER_VERSION
from repoproof.core.errors import BadInput
from repoproof.core.outcomes import Status
from repoproof.core.submission import MISSING, Origin
from repoproof.reports.comparison import comparison_of
from repoproof.reports.pages import comparison_page
from repoproof.reports.tables import Table

SOURCES = {"a": "x", "b": "y", "c": "y"}


@pytest.fixture
def run_a(report, verdict, question):
    verdicts = [verdict("a", Status.FAILED, passed=1, of=4), verdict("b", Status.PASSED, passed=4, of=4)]
    return report(verdicts, [*map(question, verdicts), question(verdict("c", Status.MISSING))])


@pytest.fixture
def run_b(report, verdict):
    passed = [verdict("a", Status.PASSED, passed=4, of=4), verdict("b", Status.PASSED, passed=4, of=4)]
    return report([*passed, verdict("c", Status.MISSING)])


def test_a_difference_is_the_mean_of_the_tasks_differences(run_a, run_b):
    difference = comparison_of(run_a, run_b, SOURCES).differences[0]
    # a: 0.25 -> 1; b: 1 -> 1; c: 0 -> 0.
    assert (difference.a, difference.b, difference.difference) == pytest.approx((1.25 / 3, 2 / 3, 0.25))
    assert difference.interval.low <= 0.25 <= difference.interval.high


def test_a_run_does_not_differ_from_itself(run_b):
    comparison = comparison_of(run_b, run_b, SOURCES)
    assert comparison.changes == ()
    assert {difference.difference for difference in comparison.differences} == {0.0}


def test_the_changed_tasks_are_named(run_a, run_b):
    changes = comparison_of(run_a, run_b, SOURCES).changes
    assert [(change.task, change.a, change.b) for change in changes] == [
        ("a", ("failed",), ("passed",)),
        ("c", (), ("missing",)),
    ]


def test_an_unfinished_side_is_said(run_a, run_b):
    assert any(warning.startswith("A: unfinished") for warning in comparison_of(run_a, run_b, SOURCES).warnings)


def test_what_was_not_the_same_for_both_is_said(run_b):
    assert comparison_of(run_b, run_b, SOURCES).warnings == ()
    other = run_b.model_copy(update={"run": run_b.run.model_copy(update={"scorer_version": "0", "task_seconds": 60.0})})
    assert comparison_of(other, run_b, SOURCES).warnings == (
        f"scored by different versions of the scorer: 0 and {SCORER_VERSION}",
        "scored under different time limits: 60 s and the family's own",
    )


def test_runs_under_other_sandboxes_or_limits_are_compared_with_a_warning(report, verdict):
    passed = [verdict("a", Status.PASSED, passed=1, of=1)]
    held, watched = report(passed, limits="cgroup"), report(passed, limits="rlimits")
    elsewhere = held.model_copy(update={"run": held.run.model_copy(update={"sandbox": "docker"})})
    means = "scored under limits held by different means: cgroup and rlimits"
    assert means in comparison_of(held, watched, SOURCES).warnings
    sandboxes = "scored in different sandboxes: bubblewrap and docker"
    assert comparison_of(held, elsewhere, SOURCES).warnings == (sandboxes,)


def test_a_comparison_says_which_run_is_which_and_which_is_no_result(run_a, run_b):
    named = run_b.model_copy(update={"run": run_b.run.model_copy(update={"model_name": "m", "agent_name": "x"})})
    parts = comparison_page(comparison_of(run_a, named, SOURCES, paths=("runs/a", "runs/b"))).parts
    assert parts[:2] == ("A: runs/a, not a result", "B: runs/b, model m, agent x")
    assert parts[-1].startswith("Not a result: B - A over 3 tasks")
    changed = next(part for part in parts if isinstance(part, Table) and part.title == "Changed tasks")
    assert [column.title for column in changed.columns] == ["Task", "A", "B", "A Pass@1", "B Pass@1"]
    parts = comparison_page(comparison_of(named, named, SOURCES)).parts
    assert parts[-1].startswith("B - A over 3 tasks")


def test_a_side_is_called_by_who_answered_where_the_run_does_not_say(report, verdict, question):
    answers = [verdict(task, Status.PASSED) for task in ("a", "b")]

    def by(*makers: Origin):
        origins = zip(answers, makers, strict=True)
        return report(answers, [question(one).model_copy(update={"origin": maker}) for one, maker in origins])

    one, two = by(*[Origin(model="m", agent="x")] * 2), by(Origin(model="m"), Origin(model="n"))
    assert comparison_page(comparison_of(one, two, SOURCES)).parts[:2] == (
        "A: A, model m, agent x",
        "B: B, model m and n",
    )
    named = one.model_copy(update={"run": one.run.model_copy(update={"model_name": "as said"})})
    assert comparison_of(named, two, SOURCES).a.model_name == "as said"


def test_different_numbers_of_answers_are_said_and_are_no_change(report, verdict):
    def failed(task: str, count: int) -> list:
        return [verdict(task, Status.FAILED, of=1, attempt=n) for n in range(count)]

    four = report([*failed("a", 4), *failed("b", 4), verdict("c", Status.MISSING, submission_hash=MISSING)])
    two = report([*failed("a", 2), *failed("b", 1), verdict("b", Status.CRASHED, of=1, attempt=1), *failed("c", 2)])
    comparison = comparison_of(four, two, SOURCES)
    assert comparison.warnings == ("different numbers of answers: 4 a task in A, 2 a task in B",)
    assert [(change.task, change.b) for change in comparison.changes] == [
        ("b", ("failed", "crashed")),
        ("c", ("failed", "failed")),
    ]
    fewer = report([*failed("a", 4), *failed("b", 1), *failed("c", 1)])
    assert (
        "different numbers of answers: 4 a task in A, 1 to 4 a task in B"
        in comparison_of(four, fewer, SOURCES).warnings
    )


def test_a_static_run_is_said_to_be_one_and_nothing_else_of_it_is_compared(report, verdict):
    passed = [verdict(task, Status.PASSED, passed=1, of=1) for task in ("a", "b")]
    halved = verdict("b", Status.PASSED, measures={"ac_static": 0.5})
    ran = report(passed, limits="cgroup")
    read = report([passed[0], halved], static=True)
    read = read.model_copy(update={"run": read.run.model_copy(update={"sandbox": "none", "task_seconds": 5.0})})
    comparison = comparison_of(ran, read, SOURCES)
    said = "static only: nothing was run there, and only what was measured in both is compared"
    assert comparison.warnings == (f"B is {said}",)
    assert [difference.name for difference in comparison.differences] == ["ac_static"]
    assert [(change.task, change.a, change.b) for change in comparison.changes] == [("b", ("passed",), ("read",))]
    assert comparison_of(read, read, SOURCES).warnings == (f"A and B are {said}",)


def test_what_is_not_scored_yet_is_0_on_either_side(report, verdict, question):
    first, second = (verdict("a", Status.PASSED, passed=1, of=1, attempt=n) for n in range(2))
    finished, unfinished = report([first, second]), report([first], [question(first), question(second)])
    comparison = comparison_of(finished, unfinished, SOURCES)
    assert (comparison.differences[0].a, comparison.differences[0].b) == (1.0, 0.5)
    assert (comparison.changes[0].score_a, comparison.changes[0].score_b) == (1.0, 0.5)


def test_runs_of_different_suites_are_refused(run_a, run_b):
    other = run_b.model_copy(update={"suite": run_b.suite.model_copy(update={"digest": "cd" * 32})})
    with pytest.raises(
        BadInput,
        match=r"different suites: mini 1.0.0 sha256:ab12ab12ab12 health none and mini 1.0.0 sha256:cdcdcdcdcdcd",
    ):
        comparison_of(run_a, other, SOURCES)


def test_runs_over_different_tasks_are_refused(run_a, report, verdict):
    fewer = report([verdict("a", Status.PASSED, passed=1, of=1)], of=3)
    with pytest.raises(BadInput, match="different tasks: 3 and 1"):
        comparison_of(run_a, fewer, SOURCES)


def test_better_and_worse_tasks_are_counted(run_a, run_b):
    difference = comparison_of(run_b, run_a, SOURCES).differences[0]
    assert (difference.better, difference.worse, difference.sign_p) == (0, 1, 1.0)


def test_tasks_of_one_source_are_drawn_together(run_a, run_b):
    """With a and b of one source and c of the other, no resample holds a without b."""
    one_each = comparison_of(run_a, run_b, {"a": "a", "b": "b", "c": "c"}).differences[0].interval
    together = comparison_of(run_a, run_b, {"a": "x", "b": "x", "c": "y"}).differences[0].interval
    assert together.high == pytest.approx(0.375)
    assert one_each.high > together.high
