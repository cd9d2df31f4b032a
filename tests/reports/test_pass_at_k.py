"""pass@k in reports."""

from __future__ import annotations

import pytest

from repoproof.core.errors import Boundary
from repoproof.core.outcomes import Status
from repoproof.core.submission import MISSING, NoAnswer, Origin
from repoproof.reports.report_page import report_page
from repoproof.reports.tables import Table


def attempts(verdict, task: str, count: int, passed: int) -> list:
    statuses = [Status.PASSED] * passed + [Status.FAILED] * (count - passed)
    return [verdict(task, status, attempt=n) for n, status in enumerate(statuses)]


def values(report) -> dict[int, float]:
    return {found.k: found.value for found in report.pass_at_k}


def test_it_is_the_unbiased_estimate_averaged_over_tasks(report, verdict):
    scored = report([*attempts(verdict, "a", 6, 2), *attempts(verdict, "b", 6, 0)])
    # a: 1/3; 1 - C(4,5)/C(6,5) = 1; 1. b: 0.
    assert values(scored) == pytest.approx({1: 1 / 6, 5: 0.5, 6: 0.5})
    interval = scored.pass_at_k[0].interval
    assert (interval.low, interval.high) == pytest.approx((0.0, 1 / 3))


@pytest.mark.parametrize(
    ("counts", "ks"),
    [
        ((1, 1), ()),
        ((1, 3), (1,)),
        ((3, 3), (1, 3)),
        ((10, 12), (1, 5, 10)),
        ((20, 20), (1, 5, 10, 20)),
        ((25, 30), (1, 5, 10, 20, 25)),
    ],
)
def test_k_goes_as_far_as_the_task_with_the_fewest_answers_allows(report, verdict, counts, ks):
    scored = report([one for n, count in enumerate(counts) for one in attempts(verdict, f"t{n}", count, 1)])
    assert tuple(values(scored)) == ks


def test_a_task_without_an_answer_is_0_for_every_k(report, verdict):
    missing = verdict("b", Status.MISSING, submission_hash=MISSING)
    scored = report([*attempts(verdict, "a", 5, 5), missing])
    assert scored.attempts == {"a": 5, "b": 0}
    assert values(scored) == {1: 0.5, 5: 0.5}


def test_what_our_side_lost_or_has_not_scored_is_an_attempt_that_did_not_pass(report, verdict, question):
    done = [verdict("a", Status.PASSED), verdict("a", Status.INFRASTRUCTURE_ERROR, attempt=1)]
    later = verdict("a", Status.PASSED, attempt=2)
    assert values(report(done, [*map(question, done), question(later)])) == pytest.approx({1: 1 / 3, 3: 1.0})


@pytest.mark.parametrize(
    ("boundary", "status"),
    [(Boundary.SUBMISSION, Status.MISSING), (Boundary.MODEL, Status.INFRASTRUCTURE_ERROR)],
    ids=["too long for the model", "a fault"],
)
def test_an_attempt_without_an_answer_did_not_pass(report, verdict, question, boundary, status):
    done = [*attempts(verdict, "a", 2, 2), *(verdict("a", status, attempt=n) for n in range(2, 10))]
    why = NoAnswer(kind="of some kind", reason="not said", boundary=boundary)
    asked = [
        question(one) if one.status is Status.PASSED else question(one).model_copy(update={"no_answer": why})
        for one in done
    ]
    scored = report(done, asked)
    assert scored.attempts == {"a": 10}
    assert values(scored) == pytest.approx({1: 0.2, 5: 1 - 56 / 252, 10: 1.0})
    left_out = "8 attempts without an answer, by the solver's own word: counted as 0 in strict scores and pass@k, left out of conditional ones"
    assert (left_out in scored.warnings) is (status is Status.INFRASTRUCTURE_ERROR)


def test_an_attempt_that_a_budget_stopped_is_none(report, verdict, question):
    stopped = verdict("b", Status.MISSING)
    why = NoAnswer(kind="over_budget", reason="calls=2", boundary=None)
    done = [*attempts(verdict, "a", 2, 1), stopped]
    asked = [*map(question, done[:2]), question(stopped).model_copy(update={"no_answer": why})]
    assert report(done, asked).attempts == {"a": 2, "b": 0}


def test_the_page_names_the_tasks_with_fewer_answers(report, verdict):
    scored = report([*attempts(verdict, "a", 3, 1), *attempts(verdict, "b", 2, 0)])
    page = report_page(scored)
    table = next(part for part in page.parts if isinstance(part, Table) and part.columns[0].title == "k")
    assert [row[:2] for row in table.rows] == [("1", "0.1667"), ("2", "0.3333")]
    assert "1 of 2 tasks have fewer than 3 attempts: b 2." in page.parts


def test_one_answer_a_task_has_no_pass_at_k(report, verdict):
    scored = report([verdict("a", Status.PASSED, passed=1, of=1), verdict("b", Status.FAILED, of=1)])
    assert scored.pass_at_k == ()
    assert not any("fewer than" in part for part in report_page(scored).parts if isinstance(part, str))


def test_code_that_was_only_read_has_passed_nothing(report, verdict):
    assert report(attempts(verdict, "a", 3, 3), static=True).pass_at_k == ()


@pytest.mark.parametrize(
    "variant", [{"name": "second-try"}, {"origin": Origin(model="another")}, {"origin": Origin(agent="another")}]
)
def test_variants_are_no_samples(report, verdict, question, variant):
    two = attempts(verdict, "a", 2, 1)
    assert values(report(two, [question(one) for one in two])) != {}
    assert values(report(two, [question(two[0]), question(two[1]).model_copy(update=variant)])) == {}


def test_a_name_that_is_only_the_folders_does_not_take_samples_apart(report, verdict, question):
    two = attempts(verdict, "a", 2, 1)
    by_folder = [
        question(one, name=f"run-{n}").model_copy(update={"name_is_given": False}) for n, one in enumerate(two)
    ]
    assert values(report(two, by_folder)) == pytest.approx({1: 0.5, 2: 1.0})


def test_where_there_is_none_the_page_says_why(report, verdict, question):
    two = attempts(verdict, "a", 2, 1)
    asked = [question(one) for one in two]
    named = asked[1].model_copy(update={"name": "second-try"})
    another = asked[1].model_copy(update={"origin": Origin(model="another")})
    for found, why in (
        (
            report(two, [asked[0], named]),
            "1 answer was given a name (a/second-try), so these are variants, not samples",
        ),
        (report(two, [asked[0], another]), "the answers are of 2 makers (model, agent or sampling differ)"),
        (report(two, static=True), "nothing was run"),
    ):
        assert found.no_pass_at_k == why
        assert f"No pass@k: {why}." in report_page(found).parts
    for has_some_or_needs_none in (report(two), report(two[:1])):
        assert has_some_or_needs_none.no_pass_at_k == ""
