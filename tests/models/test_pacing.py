"""How hard an endpoint is pressed."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.asking import answered, endpoint_at, failed, outcomes, question

from repoproof.models.base import Answer, Fault, FaultKind, Lost
from repoproof.models.pacing import LONGEST_DELAY, Rate, asking, delay_seconds
from repoproof.models.scripted import Rule, ScriptedServer, Spoiled, scripted_server
from repoproof.models.store import Spent


@given(st.integers(1, 3000), st.lists(st.floats(0, 90), max_size=300))
def test_no_minute_has_more_than_so_many_and_a_seconds_worth(a_minute: int, pauses: list[float]) -> None:
    rate, now, sent = Rate(a_minute, 0.0), 0.0, list[float]()
    for pause in pauses:
        now += pause
        now += rate.wait_seconds(now) + 1e-9
        rate.take(1, now)
        sent.append(now)
    for start in sent:
        assert sum(start <= at < start + 60 for at in sent) <= a_minute + max(1.0, a_minute / 60) + 1


def test_what_was_taken_beyond_the_rate_is_waited_for() -> None:
    rate = Rate(60_000, 0.0)
    assert rate.wait_seconds(0.0) == 0
    rate.take(31_000, 0.0)
    assert rate.wait_seconds(0.0) == pytest.approx(30.001)
    rate.take(-10_000, 0.0)
    assert rate.wait_seconds(0.0) == pytest.approx(20.001)
    assert rate.wait_seconds(25.0) == 0


def test_what_was_reserved_and_not_used_gives_no_more_than_there_may_be() -> None:
    rate = Rate(60, 0.0)
    rate.take(-1000, 0.0)
    rate.take(1, 0.0)
    assert rate.wait_seconds(0.0) == pytest.approx(1.0)


@given(st.text(max_size=20), st.integers(1, 2000), st.floats(0, 1000))
def test_the_delay_is_the_same_each_time_and_never_above_a_minute(text: str, tries: int, first: float) -> None:
    endpoint = endpoint_at("http://127.0.0.1:9/v1", first_delay_seconds=first)
    delay = delay_seconds(question(text), tries, endpoint, None)
    assert delay == delay_seconds(question(text), tries, endpoint, None)
    assert 0 <= delay <= LONGEST_DELAY


def test_delays_grow_and_are_spread() -> None:
    endpoint = endpoint_at("http://127.0.0.1:9/v1", first_delay_seconds=1.0)
    for tries, (low, high) in enumerate([(0.5, 1.5), (1, 3), (2, 6), (4, 12)], start=1):
        delays = [delay_seconds(question(f"{number}"), tries, endpoint, None) for number in range(50)]
        assert low <= min(delays) < (low + high) / 2 < max(delays) <= high
        assert len(set(delays)) == 50


@pytest.mark.parametrize(("says", "waited"), [(0.0, 0.0), (7.5, 7.5), (60.0, 60.0), (3600.0, 60.0)])
def test_the_endpoint_says_how_long_up_to_a_minute(says: float, waited: float) -> None:
    assert delay_seconds(question(), 1, endpoint_at("http://127.0.0.1:9/v1"), says) == waited


def test_no_more_are_in_flight_than_there_may_be() -> None:
    async def ask() -> list[Answer | Fault]:
        async with asking(endpoint_at(server.base_url, concurrency=3)) as model:
            asked = asyncio.gather(*(model.ask(question(f"{number}")) for number in range(10)))
            await asyncio.to_thread(server.wait_for, 3, held=3)
            assert server.counts().total == 3
            server.release()
            return await asked

    with scripted_server([Rule(hold=True)]) as server:
        assert all(isinstance(outcome, Answer) for outcome in asyncio.run(ask()))
        assert server.counts().total == 10


def test_waiting_for_a_place_is_no_part_of_a_calls_seconds() -> None:
    with scripted_server([Rule(delay_seconds=0.05)]) as server:
        begun = time.monotonic()
        found = outcomes(endpoint_at(server.base_url, concurrency=1), [question(f"{number}") for number in range(4)])
        elapsed = time.monotonic() - begun
    # Had the second waited for the first in its own seconds, and so on, they would add up to more than has passed.
    assert sum(answered(outcome).seconds for outcome in found) <= elapsed


def test_a_rate_holds_calls_back_in_their_order() -> None:
    with scripted_server() as server:
        endpoint = endpoint_at(server.base_url, requests_per_minute=6000, tokens_per_minute=600_000)
        found = outcomes(endpoint, [question(f"{number}") for number in range(120)])
        assert all(isinstance(outcome, Answer) for outcome in found)
        assert server.counts().total == 120


class Closing:
    """Questions that are being asked when whoever asked goes."""

    def __init__(self, server: ScriptedServer, **fields: object) -> None:
        self.server = server
        self.endpoint = endpoint_at(server.base_url, **fields)

    def outcomes(self, count: int, *, after_calls: int, held: int = 0) -> list[Answer | Fault]:
        async def ask() -> list[Answer | Fault]:
            async with asking(self.endpoint) as model:
                asked = asyncio.gather(*(model.ask(question(f"{number}")) for number in range(count)))
                await asyncio.to_thread(self.server.wait_for, after_calls, held=held)
                model.close()
                self.server.release()
                return await asked

        return asyncio.run(ask())


def test_when_who_asked_goes_what_is_in_flight_is_awaited_and_nothing_else_is_sent() -> None:
    with scripted_server([Rule(hold=True)]) as server:
        found = Closing(server, concurrency=2).outcomes(6, after_calls=2, held=2)
        assert server.counts().total == 2
    assert [type(outcome) for outcome in found] == [Answer] * 2 + [Fault] * 4
    assert {(fault.kind, fault.tries) for fault in found[2:] if isinstance(fault, Fault)} == {(FaultKind.ABANDONED, 0)}


def test_when_who_asked_goes_nobody_waits_for_a_place() -> None:
    async def ask() -> tuple[list[Fault], Answer | Fault]:
        async with asking(endpoint_at(server.base_url, concurrency=1)) as model:
            held = asyncio.create_task(model.ask(question("held")))
            await asyncio.to_thread(server.wait_for, held=1)
            waiting = [asyncio.create_task(model.ask(question(text))) for text in "ab"]
            # Begun in the order in which they were made, so both of them wait when this one has begun.
            await asyncio.create_task(asyncio.sleep(0))
            model.close()
            left = [failed(await one) for one in (*waiting, model.ask(question("later")))]
            assert not held.done()
            server.release()
            return left, await held

    with scripted_server([Rule(hold=True)]) as server:
        left, held = asyncio.run(ask())
        assert server.counts().total == 1
    assert [(fault.kind, fault.tries) for fault in left] == [(FaultKind.ABANDONED, 0)] * 3
    assert isinstance(held, Answer)


@pytest.mark.parametrize(
    "fields",
    [{"first_delay_seconds": 1e6}, {"first_delay_seconds": 0, "requests_per_minute": 1}],
    ids=["delay", "rate"],
)
def test_when_who_asked_goes_nothing_is_tried_again(fields: dict[str, object]) -> None:
    with scripted_server([Rule(status=503)]) as server:
        (fault,) = map(failed, Closing(server, **fields).outcomes(1, after_calls=1))
        assert server.counts().total == 1
    assert (fault.kind, fault.tries, fault.status_code) == (FaultKind.ABANDONED, 1, 503)
    assert fault.reason == "who asked has gone, after overloaded: 503: scripted error 503"


def test_tries_and_seconds_of_a_fault_are_those_of_all_its_calls() -> None:
    with scripted_server([Rule(times=1, fault=Spoiled.DISCONNECT), Rule(status=500, delay_seconds=0.05)]) as server:
        fault = failed(*outcomes(endpoint_at(server.base_url, tries=4), [question()]))
    assert (fault.kind, fault.tries) == (FaultKind.OVERLOADED, 4)
    assert fault.seconds >= 3 * 0.05


def test_seconds_of_tries_before_an_answer_are_told_apart_and_count_as_spent() -> None:
    with scripted_server([Rule(times=2, status=500, delay_seconds=0.1)]) as server:
        answer = answered(*outcomes(endpoint_at(server.base_url), [question()]))
    assert answer.failed_seconds >= 2 * 0.1
    assert Spent().and_for(answer).seconds == answer.failed_seconds + answer.seconds


def test_what_tries_without_an_answer_may_have_cost_is_kept() -> None:
    asked = question("x" * 100, max_tokens=1000)
    prices = {"input": 1.0, "output": 10.0}
    cut = Rule(times=2, fault=Spoiled.CUT)
    with scripted_server([cut, Rule(times=1, status=429, retry_after=0)]) as server:
        answer = answered(*outcomes(endpoint_at(server.base_url, prices=prices), [asked]))
    assert (answer.tries, answer.usage.reported) == (4, True)
    # Fifty tokens and the turn's own, and the thousand that it may have been answered with; twice. A refusal costs nothing.
    assert answer.lost is not None
    assert answer.lost.tokens == 2 * (50 + 8 + 1000)
    assert answer.lost.usd == pytest.approx(2 * (58 * 1.0 + 1000 * 10.0) / 1e6)


@pytest.mark.parametrize(
    ("rule", "lost"),
    [
        (Rule(hold=True), Lost(tokens=18)),
        (Rule(fault=Spoiled.MALFORMED), Lost(tokens=9)),
        (Rule(fault=Spoiled.DISCONNECT), Lost(tokens=18)),
        (Rule(status=500), None),
        (Rule(status=400), None),
    ],
)
def test_a_fault_keeps_it_too(rule: Rule, lost: Lost | None) -> None:
    with scripted_server([rule]) as server:
        endpoint = endpoint_at(server.base_url, tries=2, timeout_seconds=0.2 if rule.hold else 60.0)
        fault = failed(*outcomes(endpoint, [question("hi")]))
    assert fault.lost == lost


def test_why_and_when_a_call_is_tried_again_is_logged_and_that_it_is_not_is_no_news(
    caplog: pytest.LogCaptureFixture,
) -> None:
    rules = [Rule(contains="busy", status=429, retry_after=0.25, first=2), Rule(contains="wrong", status=401), Rule()]
    with scripted_server(rules) as server:
        endpoint = endpoint_at(server.base_url, tries=3)
        found = outcomes(endpoint, [question("busy"), question("busy too"), question("wrong"), question("fine")])
    assert [type(outcome) for outcome in found] == [Answer, Answer, Fault, Answer]
    assert [record.getMessage() for record in caplog.records if record.name == "repoproof.models.pacing"] == [
        "endpoint scripted: 429: scripted error 429; trying again in 0.2 s (try 2 of 3)"
    ]


def test_the_last_try_is_not_announced_as_another(caplog: pytest.LogCaptureFixture) -> None:
    with scripted_server([Rule(status=503)]) as server:
        failed(*outcomes(endpoint_at(server.base_url, tries=1), [question()]))
    assert caplog.records == []
