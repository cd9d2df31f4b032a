"""A model put together, and asked from code that is not asynchronous."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from plugins.asking import answered, endpoint_at, failed, question

from repoproof.core.errors import BadInput
from repoproof.models.base import Answer, ChatRequest, Fault, FaultKind, Model
from repoproof.models.budget import Budget, Ledger
from repoproof.models.endpoint import Endpoint
from repoproof.models.opening import LOOK_AHEAD, ask_all, opened, spent_before
from repoproof.models.pacing import asking
from repoproof.models.recording import Mode, Recording
from repoproof.models.scripted import Rule, scripted_server


def ask(endpoint: Endpoint, *requests: ChatRequest, **around: object) -> list[Answer | Fault]:
    """One after the other."""

    async def all_of_them() -> list[Answer | Fault]:
        async with opened(endpoint, **around) as model:  # pyright: ignore[reportArgumentType]
            return [await model.ask(request, label="task") for request in requests]

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("mode", [Mode.RECORD, Mode.AUTO])
def test_a_job_that_goes_on_pays_for_no_answer_twice_and_keeps_to_its_budget(tmp_path: Path, mode: Mode) -> None:
    recording = Recording(mode=mode, store=tmp_path / "store", job="job")
    first, second, third = (question(f"{number}") for number in range(3))
    with scripted_server() as server:
        endpoint = endpoint_at(server.base_url)
        before = ask(endpoint, first, second, third, recording=recording, ledger=Ledger(Budget(calls=2)))
        assert failed(before[2]).kind is FaultKind.OVER_BUDGET

        ledger = Ledger(Budget(calls=2), spent=spent_before(recording))
        assert ledger.spent.calls == ledger.spent_on("task").calls == 2
        after = ask(endpoint, first, second, third, recording=recording, ledger=ledger)
        # What was paid for is answered, though nothing is left to spend.
        assert after[:2] == before[:2]
        assert failed(after[2]).kind is FaultKind.OVER_BUDGET

        raised = Ledger(Budget(calls=3), spent=spent_before(recording))
        assert answered(ask(endpoint, first, third, recording=recording, ledger=raised)[1])
        assert (server.counts().total, server.counts().repeated) == (3, 0)


def test_a_replay_needs_no_endpoint_no_key_and_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store"
    with scripted_server() as server:
        before = ask(endpoint_at(server.base_url), question(), recording=Recording(mode=Mode.AUTO, store=store))
    monkeypatch.setitem(sys.modules, "openai", None)
    replay = Recording(mode=Mode.REPLAY, store=store, job="another")
    nothing_left = Ledger(Budget(usd=0))
    after = ask(endpoint_at(""), question(), question("?"), recording=replay, ledger=nothing_left)
    assert after[0] == before[0]
    assert failed(after[1]).kind is FaultKind.NOT_RECORDED
    assert spent_before(replay) == {}


def test_without_the_package_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(BadInput) as caught:
        ask(endpoint_at("http://127.0.0.1:9/v1"), question())
    assert str(caught.value) == "scripted: asking a model needs the openai package (pip install 'repoproof[models]')"


def test_the_address_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        answered(*ask(endpoint_at(""), question()))
    monkeypatch.setenv("OPENAI_BASE_URL", "127.0.0.1:80")
    with pytest.raises(BadInput, match=r"^\$OPENAI_BASE_URL: '127\.0\.0\.1:80' is not an address"):
        ask(endpoint_at(""), question())


def test_answers_come_in_the_order_of_the_questions_each_with_its_own() -> None:
    slow_first = [Rule(contains="number 0", delay_seconds=0.1), Rule()]
    requests = [question(f"number {number}") for number in range(50)]
    with scripted_server(slow_first) as server:
        found = list(ask_all(lambda: asking(endpoint_at(server.base_url)), requests, workers=4))
        again = list(ask_all(lambda: asking(endpoint_at(server.base_url)), requests, workers=1))
    assert [request for request, _ in found] == requests
    assert [answered(outcome).text for _, outcome in found] == [answered(outcome).text for _, outcome in again]
    assert len({answered(outcome).text for _, outcome in found}) == 50


def test_questions_are_taken_only_a_little_ahead_of_the_answers() -> None:
    taken = 0

    def questions() -> Iterator[ChatRequest]:
        nonlocal taken
        while True:
            taken += 1
            yield question(f"{taken}")

    with scripted_server() as server:
        asked = ask_all(lambda: asking(endpoint_at(server.base_url)), questions(), workers=3)
        for number in range(1, 21):
            next(asked)
            assert taken < number + LOOK_AHEAD * 3
        asked.close()
        assert server.counts().total <= taken


def test_no_more_than_the_workers_ask_at_once() -> None:
    with scripted_server([Rule(hold=True)]) as server:
        asked = ask_all(lambda: asking(endpoint_at(server.base_url)), map(question, "abcdefghij"), workers=3)
        with ThreadPoolExecutor(1) as thread:
            found = thread.submit(list, asked)
            server.wait_for(held=3)
            assert server.counts().total == 3
            server.release()
            assert len(found.result()) == 10


def test_what_each_question_is_for_is_said_to_the_budget() -> None:
    ledger = Ledger(task=Budget(calls=2))
    with scripted_server() as server:
        opening = lambda: opened(endpoint_at(server.base_url), ledger=ledger)  # noqa: E731
        requests = [question(text) for text in ("a1", "a2", "a3", "b1")]
        found = list(ask_all(opening, requests, 1, label=lambda request: request.messages[0].content[0]))
    assert [isinstance(outcome, Answer) for _, outcome in found] == [True, True, False, True]
    assert ledger.spent_on("b").calls == 1


def test_what_is_wrong_with_an_endpoint_is_told_to_who_asks() -> None:
    with pytest.raises(BadInput, match="needs prices"):
        list(ask_all(lambda: opened(endpoint_at(""), ledger=Ledger(Budget(usd=1))), [question()], workers=1))


def test_what_breaks_at_the_end_is_told_too() -> None:
    @asynccontextmanager
    async def breaking() -> AsyncGenerator[Model]:
        async with asking(endpoint_at(server.base_url)) as model:
            yield model
        raise BadInput("it broke")

    with scripted_server() as server, pytest.raises(BadInput, match="it broke"):
        list(ask_all(breaking, [question()], workers=1))
