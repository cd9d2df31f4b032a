"""What is said while a solving goes on, and at its end."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from repoproof.cli import solve
from repoproof.cli.solving import Tally, next_command, solving_page
from repoproof.models.base import Fault, FaultKind
from repoproof.reports.tables import Table
from repoproof.solvers.attempts import Attempted, Key, Outcome, Usage
from repoproof.solvers.presets import PRESETS
from repoproof.solvers.solving import Begun, Ended, Solving, Spending, Started


def ended(task: str, outcome: Outcome, *, fault: Fault | None = None, note: str = "") -> Ended:
    usage = Usage() if fault else Usage(calls=1, prompt_tokens=1000, completion_tokens=234, seconds=5.678)
    return Ended(
        Attempted(
            task=task, attempt=0, outcome=outcome, fault=fault, note=note, usage=usage, ended=datetime(2026, 1, 1, tzinfo=UTC)
        )
    )  # fmt: skip


def test_each_end_of_an_attempt_is_a_line_that_says_how_many_are_done():
    tally = Tally()
    assert tally.hear(Begun(4, 1)) == "1 of 4 answered before: kept"
    for task in "abc":
        assert tally.hear(Started(Key(task, 0))) == ""
    assert tally.hear(ended("a", Outcome.ANSWERED)) == "[2/4] a#0 answered 1,234 tokens, 5.7 s"
    assert tally.line() == "2/4  1 answered  1,234 tokens  now b#0, c#0"
    assert tally.hear(ended("b", Outcome.UNUSABLE, note="no file")) == "[3/4] b#0 unusable 1,234 tokens, 5.7 s: no file"
    fault = Fault(kind=FaultKind.TIMED_OUT, reason="no answer within 3 s")
    assert tally.hear(ended("c", Outcome.FAULT, fault=fault)) == (
        "[4/4] c#0 fault model: timed_out: no answer within 3 s"
    )
    assert tally.line() == "4/4  1 answered  1 unusable  1 fault  2,468 tokens"


def test_an_attempt_that_the_budget_stopped_is_no_fault_of_the_models():
    tally = Tally()
    tally.hear(Begun(3, 0))
    fault = Fault(kind=FaultKind.OVER_BUDGET, reason="the run's budget is used up: 2 of 2 calls")
    said: list[str] = []
    for task in "abc":
        tally.hear(Started(Key(task, 0)))
        said.append(tally.hear(ended(task, Outcome.FAULT, fault=fault)))
    # One line, however many it stops.
    words = "the run's budget is used up: 2 of 2 calls; others that this stops are counted at the end"
    assert said == [f"[1/3] a#0 not asked: {words}", "", ""]


def test_a_prompt_without_room_is_said_to_be_no_fault():
    fault = Fault(kind=FaultKind.TOO_LONG, reason="400: 9 tokens are too many")
    said = Tally(wanted=1, running={Key("a", 0): None}).hear(ended("a", Outcome.FAULT, fault=fault))
    assert said == "[1/1] a#0 too long for the model: 400: 9 tokens are too many"


def test_tokens_that_are_an_estimate_are_called_one():
    usage = Usage(calls=1, prompt_tokens=40, completion_tokens=4_000, seconds=1, estimated=1)
    attempted = ended("a", Outcome.ANSWERED).attempted.model_copy(update={"usage": usage})
    said = Tally(wanted=1, running={Key("a", 0): None}).hear(Ended(attempted))
    assert said == "[1/1] a#0 answered 4,040 tokens (estimated), 1.0 s"
    took = solving_page(a_solving(usage=usage.model_copy(update={"cost_usd": 0.0166})), "do it").parts[1]
    assert took == (
        "The answers took 40 tokens in, 4,000 out, $0.0166, 1 call of 1.0 s in all; tokens and cost of 1 of 5 estimated"
    )


def test_a_solving_that_begins_with_nothing_says_nothing():
    assert Tally().hear(Begun(4, 0)) == ""


def test_what_faults_alone_have_spent_is_not_hidden_and_what_only_answers_took_is_said_once():
    spent = Spending(calls=5, failed_calls=5, tokens=2_000, cost_usd=0.03, seconds=4)
    parts = solving_page(a_solving(answered=0, usage=Usage(), over_budget=5, spent=spent), "do it").parts
    assert parts[1:] == (
        "Spent in all: $0.0300, 2,000 tokens, 5 calls of 4.0 s, 5 of them without an answer",
        "Next: do it",
    )
    same = Spending(calls=6, tokens=7800, cost_usd=0.125, seconds=100)
    assert len(solving_page(a_solving(spent=same), "do it").parts) == 3


def a_solving(**fields: object) -> Solving:
    values = {
        "output": "my out/", "suite": "small 1", "model": "m", "wanted": 5, "answered": 5, "unusable": 0, "faults": {}, "reasons": {},
        "over_budget": 0, "kept": 0, "usage": Usage(calls=6, prompt_tokens=7000, completion_tokens=800, cost_usd=0.125, seconds=100),
    }  # fmt: skip
    return Solving.model_validate(values | fields)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "repoproof score 'a suite' 'my out' -o 'my out-run'"),
        (
            {"answered": 3, "over_budget": 2},
            "repoproof score 'a suite' 'my out' -o 'my out-run', or the same command with a larger budget, for what was not asked",
        ),
        (
            {"answered": 3, "faults": {"refused": 2}},
            "repoproof score 'a suite' 'my out' -o 'my out-run', or the same command again, for what ended in a fault",
        ),
        (
            {"answered": 3, "faults": {"refused": 2}, "mends": {"refused": "set $K to a key"}},
            "repoproof score 'a suite' 'my out' -o 'my out-run', or set $K to a key, then the same command again, for what ended in a fault",
        ),
        (
            {"answered": 3, "over_budget": 1, "faults": {"refused": 1}, "mends": {"refused": "set $K to a key"}},
            "repoproof score 'a suite' 'my out' -o 'my out-run', or set $K to a key, then the same command with a larger budget, for what was not asked",
        ),
        (
            {"answered": 3, "faults": {"timed_out": 2}, "mends": {"timed_out": "try again"}},
            "repoproof score 'a suite' 'my out' -o 'my out-run', or the same command again, for what ended in a fault",
        ),
        (
            {"answered": 0, "too_long": 5, "mends": {"too_long": "serve it with room for more tokens"}},
            "repoproof score 'a suite' 'my out' -o 'my out-run', or serve it with room for more tokens, then the same command again, for what was too long",
        ),
        ({"answered": 0, "over_budget": 5}, "with a larger budget, give the same command again"),
        ({"answered": 0, "faults": {"refused": 5}}, "correct what the faults say, then give the same command again"),
    ],
)
def test_what_to_run_next_depends_on_what_is_missing(fields, said):
    assert next_command(a_solving(**fields), "a suite") == said


def test_what_to_run_next_scores_the_tasks_that_were_asked_for():
    chosen = "repoproof score s 'my out' -o 'my out-run' --task a --task b --language python"
    assert next_command(a_solving(), "s", tasks=("a", "b"), language="python") == chosen


@pytest.mark.parametrize(
    ("answered", "said"),
    [
        (0, "replay a store that holds the answers, or ask for them: --auto instead of --replay"),
        (
            3,
            "repoproof score s 'my out' -o 'my out-run', or --auto instead of --replay, to ask for what the store does not hold",
        ),
    ],
)
def test_a_replay_again_would_find_no_more_and_is_not_advised(answered, said):
    solving = a_solving(answered=answered, faults={"not_recorded": 5 - answered})
    assert next_command(solving, "s", replayed=True) == said


def test_the_last_page_counts_everything_and_gives_an_example_of_each_fault():
    solving = a_solving(
        answered=1,
        unusable=1,
        kept=1,
        over_budget=1,
        faults={"refused": 2},
        reasons={"over_budget": "b", "refused": "r", "too_long": "l"},
        too_long=1,
        spent=Spending(calls=9, failed_calls=3, tokens=8000, cost_usd=0.25, seconds=9),
    )
    first, table, long, budget, took, spent, next_ = solving_page(solving, "do it").parts
    assert first == (
        "small 1 by m: 5 wanted, 1 answered, 1 unusable, 1 too long for the model, 2 ended in faults, 1 not asked (1 kept from before)"
    )
    assert isinstance(table, Table) and table.rows == (("refused", "2", "r"),)
    assert (long, budget) == ("Too long for the model: l", "Not asked: b")
    assert took == "The answers took 7,000 tokens in, 800 out, $0.1250, 6 calls of 2 min in all"
    assert spent == "Spent in all: $0.2500, 8,000 tokens, 9 calls of 9.0 s, 3 of them without an answer"
    assert next_ == "Next: do it"


def test_a_cost_that_nobody_knows_is_said_to_be_unknown():
    _, took, _ = solving_page(a_solving(usage=Usage(calls=1)), "").parts
    assert "unknown cost" in str(took)


def test_the_presets_in_the_help_are_those_that_there_are():
    assert tuple(PRESETS) == solve.PRESETS
