"""What may be spent, and what is spent."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.asking import answered, endpoint_at, failed, question

from repoproof.core.errors import BadInput, Boundary
from repoproof.models.base import Answer, Choice, Fault, FaultKind, Lost, Usage
from repoproof.models.budget import UNLIMITED, Budget, Ledger, parse_budget
from repoproof.models.endpoint import Prices
from repoproof.models.opening import opened
from repoproof.models.pacing import asking
from repoproof.models.scripted import Rule, scripted_server
from repoproof.models.store import Spent


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("unlimited", UNLIMITED),
        ("calls=100", Budget(calls=100)),
        ("usd=5,tokens=2M,calls=100,seconds=3600", Budget(usd=5, tokens=2_000_000, calls=100, seconds=3600)),
        (" usd = 0.29 , tokens = 1.5k ", Budget(usd=0.29, tokens=1500)),
        ("calls=0.29M", Budget(calls=290_000)),
        ("calls=2.0", Budget(calls=2)),
        ("seconds=1.5k", Budget(seconds=1500)),
        ("calls=0", Budget(calls=0)),
    ],
)
def test_a_budget_is_read(text: str, budget: Budget) -> None:
    assert parse_budget(text) == budget


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a limit is missing (as in usd=5,tokens=2M,calls=100,seconds=3600, or unlimited)"),
        ("100", "'100' is no limit (known: calls, tokens, usd, seconds; as in usd=5,tokens=2M,"),
        ("euro=5", "'euro=5' is no limit (known: calls, tokens, usd, seconds; as in"),
        ("unlimted", "'unlimted' is no limit (did you mean unlimited? known: calls, tokens,"),
        ("token=5", "'token=5' is no limit (did you mean tokens? known: calls, tokens,"),
        ("usd=5,unlimited", "'unlimited' and limits exclude each other (keep the limits, or the word alone)"),
        ("calls=5,", "a limit is missing"),
        ("calls=5,calls=6", "calls: is there twice (give it once)"),
        ("calls=1.5", "calls: '1.5' is not a whole number"),
        ("tokens=1.2345k", "tokens: '1.2345k' is not a whole number (k and M are thousands and millions; as in"),
        ("tokens=1e6", "tokens: '1e6' is not a number from 0 on (digits, k and M are thousands and millions; as in"),
        ("tokens=2m", "tokens: '2m' is not a number from 0 on (did you mean 2M? digits, k and M are"),
        ("seconds=1h", "seconds: '1h' is not a number from 0 on (digits, k and M are"),
        ("tokens=" + "9" * 23, "tokens: '" + "9" * 23 + "' has too many digits (leave tokens out to limit none; as in"),
        ("calls=-1", "calls: '-1' is not a number from 0 on"),
        ("usd=$5", "usd: '$5' is not a number from 0 on"),
        ("usd=nan", "usd: 'nan' is not a number from 0 on"),
        ("usd=1e9", "usd: '1e9' is not a number from 0 on"),
        ("calls=", "calls: '' is not a number from 0 on"),
        ("calls=5m", "calls: '5m' is not a number from 0 on"),
        ("calls=٣", "calls: '٣' is not a number from 0 on"),
    ],
)
def test_what_is_no_budget_is_complained_about(text: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_budget(text)
    assert str(caught.value).startswith(message)


whole = st.none() | st.integers(0, 10**9)
real = st.none() | st.integers(0, 10**6).map(float) | st.decimals(0, 1000, places=2).map(float)


@given(st.builds(Budget, calls=whole, tokens=whole, usd=real, seconds=real))
def test_a_budget_is_written_as_it_is_read(budget: Budget) -> None:
    assert parse_budget(str(budget)) == budget


def an_answer(tokens: int = 10, usd: float | None = 0.25, seconds: float = 2.0, tries: int = 1) -> Answer:
    usage = Usage(prompt_tokens=tokens - 1, completion_tokens=1)
    return Answer(choices=(Choice(text="x"),), usage=usage, cost_usd=usd, seconds=seconds, tries=tries)


@pytest.mark.parametrize(
    ("budget", "used"),
    [
        (Budget(calls=3), "3 of 3 calls"),
        (Budget(tokens=20), "20 of 20 tokens"),
        (Budget(usd=0.5), "0.5 of 0.5 usd"),
        (Budget(seconds=3.5), "4 of 3.5 seconds"),
    ],
)
def test_each_limit_is_reached(budget: Budget, used: str) -> None:
    ledger = Ledger(budget)
    assert ledger.refusal("a") is None
    ledger.spend("a", an_answer())
    assert ledger.refusal("a") is None
    ledger.spend("b", an_answer(tries=2))
    fault = ledger.refusal("a")
    assert fault == Fault(kind=FaultKind.OVER_BUDGET, reason=f"the run's budget is used up: {used}")
    assert fault.boundary is Boundary.MODEL
    assert ledger.spent == Spent(calls=3, tokens=20, usd=0.5, seconds=4.0, failed=1)


def test_a_task_has_used_up_its_own_budget_and_not_the_others() -> None:
    ledger = Ledger(task=Budget(calls=1))
    ledger.spend("a", an_answer())
    assert failed(ledger.refusal("a") or an_answer()).reason == "the task's budget is used up: 1 of 1 calls"
    assert ledger.refusal("b") is None


def test_a_job_that_goes_on_begins_with_what_it_has_spent() -> None:
    before = {"a": Spent(calls=2, tokens=7, usd=1.0, seconds=3.0), "b": Spent(calls=1, tokens=1)}
    ledger = Ledger(Budget(calls=3), Budget(calls=2), spent=before)
    assert ledger.spent == Spent(calls=3, tokens=8, usd=1.0, seconds=3.0)
    assert ledger.spent_on("b") == before["b"]
    assert ledger.refusal("b") is not None
    assert Ledger(Budget(calls=4), Budget(calls=2), spent=before).refusal("b") is None


def test_calls_that_failed_are_calls_all_the_same() -> None:
    ledger = Ledger(Budget(calls=5))
    ledger.spend("a", Fault(kind=FaultKind.OVERLOADED, reason="503", tries=5, seconds=1.0))
    assert ledger.refusal("a") is not None


def test_what_is_lost_is_spent() -> None:
    ledger = Ledger(Budget(usd=1.0))
    ledger.spend("a", Fault(kind=FaultKind.TIMED_OUT, reason="no answer", tries=2, lost=Lost(tokens=50, usd=0.5)))
    ledger.spend("a", an_answer(tokens=10, usd=0.25).model_copy(update={"lost": Lost(tokens=20, usd=0.25)}))
    assert ledger.spent[:3] == (3, 80, 1.0)
    assert ledger.refusal("a") is not None


def test_no_calls_are_no_calls() -> None:
    async def ask() -> Fault:
        async with asking(endpoint_at(server.base_url)) as model:
            return failed(await Ledger(Budget(calls=0)).around(model).ask(question()))

    with scripted_server() as server:
        assert asyncio.run(ask()).tries == 0
        assert server.counts().total == 0


def test_money_is_not_limited_where_nobody_knows_the_prices() -> None:
    async def ask() -> None:
        async with opened(endpoint_at("http://127.0.0.1:9/v1"), ledger=Ledger(task=Budget(usd=1))):
            pytest.fail("it was opened")

    with pytest.raises(
        BadInput, match=r"^scripted: a budget in usd needs prices \(give it `prices` in models\.toml, or"
    ):
        asyncio.run(ask())


def test_after_an_answer_without_a_price_no_money_is_spent() -> None:
    ledger = Ledger(Budget(usd=100))
    ledger.spend("a", an_answer(usd=None))
    assert failed(ledger.refusal("a") or an_answer()).kind is FaultKind.OVER_BUDGET
    unlimited = Ledger(Budget(tokens=100))
    unlimited.spend("a", an_answer(usd=None))
    assert unlimited.refusal("a") is None


def ask_all_at_once(server_url: str, ledger: Ledger, count: int, workers: int) -> list[Answer | Fault]:
    async def all_of_them() -> list[Answer | Fault]:
        prices = Prices(input=0, output=1e6)
        async with opened(endpoint_at(server_url, concurrency=workers, prices=prices), ledger=ledger) as model:
            places = asyncio.Semaphore(workers)

            async def one(number: int) -> Answer | Fault:
                async with places:
                    return await model.ask(question(f"number {number}"), label="task")

            return await asyncio.gather(*map(one, range(count)))

    return asyncio.run(all_of_them())


WORKERS = 8


def test_calls_are_limited_to_the_call() -> None:
    with scripted_server() as server:
        found = ask_all_at_once(server.base_url, ledger := Ledger(Budget(calls=20)), 100, WORKERS)
        assert server.counts().total == ledger.spent.calls == 20
    assert sum(isinstance(outcome, Answer) for outcome in found) == 20
    assert {fault.kind for fault in found if isinstance(fault, Fault)} == {FaultKind.OVER_BUDGET}


def test_the_task_limit_holds_to_the_call_too() -> None:
    with scripted_server() as server:
        ask_all_at_once(server.base_url, Ledger(task=Budget(calls=20)), 100, WORKERS)
        assert server.counts().total == 20


@pytest.mark.parametrize("budget", [Budget(tokens=100), Budget(usd=100.0)], ids=str)
def test_what_is_known_only_afterwards_is_exceeded_at_most_by_the_calls_in_flight(budget: Budget) -> None:
    # Each answer has ten tokens, at a dollar; each prompt three, that cost nothing.
    with scripted_server([Rule(replies=("a b c d e f g h i j",))]) as server:
        ask_all_at_once(server.base_url, ledger := Ledger(budget), 100, WORKERS)
        needed = 8 if budget.tokens else 10
        assert needed <= server.counts().total <= needed + WORKERS - 1
        assert ledger.spent.calls == server.counts().total


def test_a_call_that_is_no_longer_awaited_counts() -> None:
    async def ask() -> None:
        async with asking(endpoint_at(server.base_url)) as model:
            asked = asyncio.create_task(ledger.around(model).ask(question()))
            await asyncio.to_thread(server.wait_for, 1)
            asked.cancel()
            await asyncio.wait([asked])

    ledger = Ledger(Budget(calls=1))
    with scripted_server([Rule(hold=True)]) as server:
        asyncio.run(ask())
    assert ledger.refusal("") is not None


def test_threads_share_a_ledger() -> None:
    ledger = Ledger(Budget(calls=10**6))
    threads = [
        threading.Thread(target=lambda: [ledger.spend("a", an_answer(usd=0.5)) for _ in range(1000)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.spent == Spent(calls=8000, tokens=80_000, usd=4000.0, seconds=16_000.0)


def test_an_answer_passes_through_unchanged() -> None:
    async def ask() -> Answer:
        async with opened(endpoint_at(server.base_url), ledger=Ledger()) as model:
            return answered(await model.ask(question()))

    with scripted_server([Rule(replies=("so",))]) as server:
        assert asyncio.run(ask()).text == "so"
