"""Scores, worked out by hand."""

from __future__ import annotations

import pytest

from repoproof.core.outcomes import Status


def test_strict_scores_count_what_is_missing_or_lost_as_zero(report, four_verdicts):
    scored = report(four_verdicts)
    # a: (3/4 + 1/4) / 2 = 0.5; b: 0; c: 0.
    assert scored.strict == pytest.approx({"pass_at_1": 0.5 / 3, "all_pass": 0.0, "dsr": 1 / 3, "ac_static": 1 / 3})
    assert (scored.denominator, scored.submissions) == (3, 4)


def test_conditional_scores_leave_out_our_failures_and_nothing_else(report, four_verdicts):
    scored = report(four_verdicts)
    # b leaves; c stays, as 0: nobody but the solver is to blame for it.
    assert scored.conditional == pytest.approx({"pass_at_1": 0.25, "all_pass": 0.0, "dsr": 0.5, "ac_static": 0.5})
    assert scored.conditional_denominator == 2


@pytest.mark.parametrize("ours", [Status.INFRASTRUCTURE_ERROR, Status.INVALID_TASK])
def test_a_measure_that_was_lost_to_our_side_does_not_count(report, verdict, ours):
    scored = report([verdict("a", ours, measures={"pass_at_1": 1.0})])
    assert scored.strict["pass_at_1"] == 0.0
    assert scored.conditional["pass_at_1"] is None
    assert scored.conditional_denominator == 0


def test_a_task_with_more_submissions_weighs_no_more(report, verdict):
    passed = [verdict("a", Status.PASSED, passed=2, of=2, attempt=n) for n in range(9)]
    scored = report([*passed, verdict("b", Status.FAILED, of=2)])
    assert scored.strict["pass_at_1"] == 0.5


def test_what_is_not_scored_yet_is_zero_and_named(report, verdict, question):
    done = verdict("a", Status.PASSED, passed=1, of=1)
    asked = [question(done), question(verdict("a", Status.PASSED, attempt=1)), question(verdict("b", Status.PASSED))]
    scored = report([done], asked)
    assert scored.unscored == ("a#1", "b#0")
    # a: (1 + 0) / 2; b: 0. Conditional, of what is scored: a: 1.
    assert (scored.strict["pass_at_1"], scored.conditional["pass_at_1"]) == (0.25, 1.0)
    assert scored.expected == ("a", "b")
    assert any("2 submissions not scored yet" in warning for warning in scored.warnings)


@pytest.mark.parametrize(("errors", "of", "warned"), [(0, 200, False), (2, 200, False), (3, 200, True), (1, 1, True)])
def test_numbers_carry_a_warning_above_the_threshold(report, verdict, errors, of, warned):
    statuses = [Status.INFRASTRUCTURE_ERROR] * errors + [Status.PASSED] * (of - errors)
    scored = report([verdict("a", status, attempt=n) for n, status in enumerate(statuses)])
    assert scored.infrastructure_rate == errors / of
    assert scored.above_threshold is warned
    assert any("infrastructure error" in warning for warning in scored.warnings) is warned


def test_a_task_that_was_lost_is_not_hidden_by_many_attempts_at_another(report, verdict):
    passed = [verdict("a", Status.PASSED, attempt=n) for n in range(999)]
    scored = report([*passed, verdict("b", Status.INFRASTRUCTURE_ERROR)])
    assert scored.above_threshold
    assert scored.warnings[0].startswith("1 of 1000 submissions (0.1%, but 50.0% of the score, limit 1.0%) ended in an")


@pytest.mark.parametrize(
    ("attempts", "said"), [([0], False), ([0, 1, 2], False), ([1], True), ([0, 2], True), ([0, 1, 3], True)]
)
def test_attempts_that_were_left_out_are_noticed(report, verdict, question, attempts, said):
    asked = [verdict("a", Status.PASSED, passed=1, of=1, attempt=n) for n in attempts]
    for scored in (asked, asked[:-1]):
        warnings = report(scored, [question(each) for each in asked]).warnings
        assert (
            any(warning.startswith("attempts are missing before a later one at 1 task (a)") for warning in warnings)
            is said
        )


def test_a_subset_says_so(report, four_verdicts):
    assert report(four_verdicts).subset == ""
    part = report(four_verdicts[:3], of=3)
    assert part.subset == "subset: 2 of 3 tasks"
    assert part.warnings[-1] == "subset: 2 of 3 tasks: not a score of the suite"
    assert ", 3 submissions, subset: 2 of 3 tasks (suite" in part.headline


def test_the_headline_has_all_that_it_takes_to_quote_it(report, four_verdicts):
    assert report(four_verdicts).headline == (
        "Pass@1 0.1667 over 3 tasks, 3 submissions, 1 missing (suite mini 1.0.0 sha256:ab12ab12ab12 health none)"
    )


def test_every_status_is_counted_even_at_zero(report, four_verdicts):
    counts = report(four_verdicts).counts
    assert list(counts) == list(Status)
    assert {status: n for status, n in counts.items() if n} == {
        Status.FAILED: 2, Status.MISSING: 1, Status.INFRASTRUCTURE_ERROR: 1
    }  # fmt: skip


def test_languages_are_scored_apart_where_there_are_several(report, four_verdicts, question):
    languages = ["python", "python", "python", "node"]
    asked = [question(verdict, language=language) for verdict, language in zip(four_verdicts, languages, strict=True)]
    slices = report(four_verdicts, asked).by_language
    assert {name: (part.denominator, part.submissions, part.strict["pass_at_1"]) for name, part in slices.items()} == {
        "node": (1, 1, 0.0),
        "python": (2, 3, 0.25),
    }
    assert report(four_verdicts).by_language == {}


def test_a_static_run_has_no_number_that_takes_running(report, verdict):
    static = report(
        [verdict("a", Status.PASSED, measures={"ac_static": 0.5}), verdict("b", Status.MISSING)], static=True
    )
    assert static.strict == {"pass_at_1": None, "all_pass": None, "dsr": None, "ac_static": 0.25}
    assert set(static.intervals) == {"ac_static"}
    assert static.headline.startswith("AC static 0.2500 over 2 tasks, ")


def test_intervals_hold_the_score_and_are_the_same_every_time(report, verdict, question):
    verdicts = [verdict(f"t{n}", Status.FAILED, passed=n % 3, of=4) for n in range(20)]
    asked = [question(each, source=f"source{n % 5}") for n, each in enumerate(verdicts)]
    first, second = report(verdicts, asked), report(verdicts, asked)
    interval = first.intervals["pass_at_1"]
    assert interval.low < first.strict["pass_at_1"] < interval.high
    assert first.intervals == second.intervals


def test_tasks_of_one_source_vary_together(report, verdict, question):
    """Two sources, each all alike: the interval is that of two values, not of twenty."""
    verdicts = [verdict(f"t{n}", Status.FAILED, passed=n % 2, of=1) for n in range(20)]
    asked = [question(each, source=f"source{n % 2}") for n, each in enumerate(verdicts)]
    interval = report(verdicts, asked).intervals["pass_at_1"]
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_tasks_that_are_all_of_one_source_still_get_an_interval(report, verdict, question):
    verdicts = [verdict(f"t{n}", Status.FAILED, passed=n % 3, of=3) for n in range(6)]
    interval = report(verdicts, [question(each, source="one author") for each in verdicts]).intervals["pass_at_1"]
    assert interval.low < interval.high


def test_one_task_has_no_interval(report, verdict):
    assert report([verdict("a", Status.PASSED, passed=1, of=1)]).intervals == {}


def test_rows_follow_the_questions_and_say_how_far_each_came(report, verdict, question):
    first, second = verdict("a", Status.BUILD_FAILED), verdict("a", Status.PASSED, passed=1, of=1, attempt=1)
    third = verdict("c", Status.START_FAILED, measures={"installed": 1.0, "started": 0.0})
    rows = report([third, second, first], [question(first), question(second, name="second-try"), question(third)]).tasks
    assert [(row.label, row.reached) for row in rows] == [
        ("a#0", ""),
        ("a/second-try", "responds"),
        ("c#0", "installed"),
    ]


def test_a_verdict_on_what_was_not_asked_changes_nothing(report, verdict, question):
    stray = verdict("zzz", Status.PASSED, passed=1, of=1)
    earlier = verdict("a", Status.PASSED, passed=1, of=1, submission_hash="e" * 64)
    scored = report([stray, earlier], [question(verdict("a", Status.FAILED))])
    assert (scored.submissions, scored.unscored) == (0, ("a#0",))


@pytest.mark.parametrize(("limits", "said"), [("rlimits", True), ("cgroup", False), ("", False)])
def test_limits_without_control_groups_are_a_warning(report, verdict, limits, said):
    warnings = report([verdict("a", Status.PASSED)], limits=limits).warnings
    assert any(warning.startswith("limits were held by rlimits") for warning in warnings) is said
