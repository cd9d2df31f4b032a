"""Who answered and what it took, worked out by hand."""

from __future__ import annotations

import pytest

from repoproof.core.outcomes import Status
from repoproof.core.submission import MISSING, Origin
from repoproof.reports.comparison import comparison_of
from repoproof.reports.effort import quantity
from repoproof.reports.pages import comparison_page
from repoproof.reports.report_page import report_page
from repoproof.reports.tables import Table, markdown


def took(tokens: tuple[int, int] | None = None, **fields: object) -> Origin:
    prompt, completion = tokens or (None, None)
    return Origin.model_validate({"prompt_tokens": prompt, "completion_tokens": completion, "model": "m", **fields})


@pytest.fixture
def answered(report, verdict, question):
    """A report on rows of (task, attempt, status, origin); None in the place of an origin is a missing submission."""

    def made(*rows: tuple[str, int, Status, Origin | None], unscored: int = 0, static: bool = False):
        verdicts, asked = [], []
        for task, attempt, status, origin in rows:
            passed = {"passed": 1, "of": 1} if status is Status.PASSED else {}
            given = {} if origin else {"submission_hash": MISSING}
            one = verdict(task, status, attempt=attempt, **passed, **given)
            verdicts.append(one)
            asked.append(question(one).model_copy(update={"origin": origin or Origin()}))
        return report(verdicts[: len(verdicts) - unscored], asked, static=static)

    return made


FOUR = (
    ("a", 0, Status.PASSED, took((100, 10), cost_usd=0.5, seconds=2.0)),
    ("a", 1, Status.PASSED, took((100, 30), cost_usd=0.5, seconds=4.0)),
    ("b", 0, Status.FAILED, took((200, 60), seconds=3.0, agent="x")),
    ("c", 0, Status.MISSING, None),
)


def tables(page) -> dict[str, Table]:
    return {part.title: part for part in page.parts if isinstance(part, Table)}


def test_totals_are_over_the_answers_that_say_them(answered):
    effort = answered(*FOUR).effort
    assert (effort.answers, effort.passed, effort.solved) == (3, 2, 1)
    tokens, dollars = effort.amounts["tokens"], effort.amounts["cost_usd"]
    assert (tokens.known, tokens.total, tokens.per_passed, tokens.per_solved) == (3, 500, 250, 500)
    assert tokens.per_answer == pytest.approx(500 / 3)
    assert (dollars.known, dollars.total, dollars.per_answer) == (2, 1.0, 0.5)


def test_what_one_answer_does_not_say_is_no_price_of_a_solution(answered):
    """0.5 a solved task would be a lie: nobody knows what the failed answer cost."""
    dollars = answered(*FOUR).effort.amounts["cost_usd"]
    assert (dollars.per_passed, dollars.per_solved) == (None, None)


def test_tokens_are_known_where_both_kinds_are(answered):
    half = took().model_copy(update={"prompt_tokens": 7})
    amounts = answered(("a", 0, Status.PASSED, half)).effort.amounts
    assert set(amounts) == {"prompt_tokens"}


def test_nothing_solved_has_no_price_each(answered):
    amount = answered(("a", 0, Status.FAILED, took((1, 1)))).effort.amounts["tokens"]
    assert (amount.total, amount.per_passed, amount.per_solved) == (2, None, None)


@pytest.mark.parametrize("how", [{"unscored": 1}, {"static": True}])
def test_where_not_all_is_judged_nothing_has_a_price_each(answered, how):
    effort = answered(*FOUR[:3], **how).effort
    assert (effort.answers, effort.passed, effort.solved) == (3, None, None)
    assert effort.amounts["tokens"].total == 500
    assert effort.amounts["tokens"].per_solved is None


def test_those_who_answered_are_counted(answered):
    makers = answered(*FOUR).effort.makers
    assert [(maker.model, maker.agent, maker.answers) for maker in makers] == [("m", "", 2), ("m", "x", 1)]


def test_each_answer_keeps_its_own_figures(answered):
    assert [row.origin.completion_tokens for row in answered(*FOUR).tasks] == [10, 30, 60, None]


def test_the_page_says_for_how_many_answers_a_figure_is_known(answered):
    page = report_page(answered(*FOUR))
    assert "3 answers: 2 model m; 1 model m, agent x" in page.parts
    shown = tables(page)
    assert shown["What the answers took"].rows == (
        ("Prompt tokens", "3 of 3", "400", "133", "200", "400"),
        ("Completion tokens", "3 of 3", "100", "33", "50", "100"),
        ("Tokens", "3 of 3", "500", "167", "250", "500"),
        ("US dollars", "2 of 3", "1.0000", "0.5000", "-", "-"),
        ("Seconds", "3 of 3", "9.0", "3.0", "4.5", "9.0"),
    )
    assert shown["By task"].rows == (
        ("a", "2", "2", "120", "0.5000", "3.0"),
        ("b", "1", "0", "260", "-", "3.0"),
        ("c", "0", "0", "-", "-", "-"),
    )
    assert "| Tokens | 3 of 3 | 500 | 167 | 250 | 500 |" in markdown(page)


def test_answers_that_say_nothing_take_no_room(report, four_verdicts):
    page = report_page(report(four_verdicts))
    assert not any("answer" in part for part in page.parts if isinstance(part, str) and "fewer" not in part)
    assert "What the answers took" not in tables(page)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("tokens", 1234567.4, "1,234,567"),
        ("seconds", 0.04, "0.0"),
        ("cost_usd", 12.34567, "12.3457"),
        ("cost_usd", 0.000215, "0.000215"),
        ("cost_usd", 0.0, "0.0000"),
        ("cost_usd", None, "-"),
    ],
)
def test_figures_have_the_decimals_that_mean_something(name, value, shown):
    assert quantity(name, value) == shown


def test_a_comparison_is_over_the_tasks_that_both_runs_know(answered):
    a = answered(
        ("a", 0, Status.PASSED, took((10, 10), cost_usd=1.0)),
        ("b", 0, Status.FAILED, took((30, 10))),
        ("c", 0, Status.FAILED, took((50, 10), cost_usd=1.0)),
    )
    b = answered(
        ("a", 0, Status.PASSED, took((20, 20), cost_usd=0.25)),
        ("a", 1, Status.FAILED, took((20, 40), cost_usd=0.75)),
        ("b", 0, Status.FAILED, took((30, 30), cost_usd=9.0)),
        ("c", 0, Status.MISSING, None),
    )
    comparison = comparison_of(a, b, dict.fromkeys("abc", "one"))
    found = {amount.name: amount for amount in comparison.amounts}
    # a: 20 -> 50 on the average of two; b: 40 -> 60; c: unknown in b.
    tokens, dollars = found["tokens"], found["cost_usd"]
    assert (tokens.tasks, tokens.a, tokens.b, tokens.difference) == (2, 30, 55, 25)
    assert (dollars.tasks, dollars.a, dollars.b, dollars.difference, dollars.interval) == (1, 1.0, 0.5, -0.5, None)
    amounts = [part for part in comparison_page(comparison).parts if isinstance(part, Table)][-1]
    assert amounts.rows[2] == ("Tokens", "2 of 3", "30", "55", "+25", "+20 to +30")
    assert amounts.rows[3] == ("US dollars", "1 of 3", "1.0000", "0.5000", "-0.5000", "-")


def test_runs_that_say_nothing_are_compared_without_it(report, four_verdicts):
    one = report(four_verdicts)
    assert comparison_of(one, one, dict.fromkeys("abc", "one")).amounts == ()


def test_how_answers_were_sampled_is_said_and_tells_makers_apart(answered):
    drawn = took(sampling="temperature 0.4, prompt t/1")
    scored = answered(("a", 0, Status.PASSED, drawn), ("b", 0, Status.FAILED, took()), ("c", 0, Status.FAILED, drawn))
    assert [(maker.sampling, maker.answers) for maker in scored.effort.makers] == [(drawn.sampling, 2), ("", 1)]
    assert "3 answers: 2 model m, temperature 0.4, prompt t/1; 1 model m" in report_page(scored).parts
