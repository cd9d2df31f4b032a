"""The scripted server, asked over real connections."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from repoproof.models.scripted import Rule, ScriptedServer, Spoiled, scripted_server

LIMIT = 60.0
"""Seconds: longer than anything takes."""


def ask(server: ScriptedServer, text: str = "a question", **more: Any) -> httpx.Response:
    body = {"model": "m", "messages": [{"role": "user", "content": text}], **more}
    return httpx.post(f"{server.base_url}/chat/completions", json=body, timeout=LIMIT)


def texts(response: httpx.Response) -> list[str]:
    assert response.status_code == 200, response.text
    return [choice["message"]["content"] for choice in response.json()["choices"]]


def control(server: ScriptedServer, method: str, path: str) -> Any:
    return httpx.request(method, f"http://127.0.0.1:{server.port}{path}", timeout=LIMIT).json()


def test_without_rules_anything_has_an_answer_that_is_always_the_same():
    with scripted_server() as one, scripted_server() as other:
        assert texts(ask(one, "a")) == texts(ask(one, "a")) == texts(ask(other, "a"))
        assert texts(ask(one, "a")) != texts(ask(one, "b"))
        assert texts(ask(one, "a", seed=1)) != texts(ask(one, "a", seed=2))


def test_an_answer_has_the_form_of_an_openai_endpoint():
    with scripted_server(
        [Rule(replies=("four or five words here",), reasoning="let me see", cached_tokens=1)]
    ) as server:
        answered = ask(server, "one two three").json()
    assert answered["object"] == "chat.completion"
    assert answered["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "four or five words here", "reasoning_content": "let me see"},
            "finish_reason": "stop",
            "logprobs": None,
        }
    ]
    assert answered["usage"] == {
        "prompt_tokens": 4,
        "completion_tokens": 9,
        "total_tokens": 13,
        "completion_tokens_details": {"reasoning_tokens": 3},
        "prompt_tokens_details": {"cached_tokens": 1},
    }


def test_a_fill_in_question_is_answered_with_text():
    body = {"model": "m", "prompt": "def f():", "suffix": "f()", "max_tokens": 2}
    with scripted_server([Rule(kind="fill", contains="f():f()", replies=("    return 1",))]) as server:
        answered = httpx.post(f"{server.base_url}/completions", json=body).json()
    assert (answered["object"], answered["choices"][0]["text"]) == ("text_completion", "    retu" + "rn")
    assert answered["choices"][0]["finish_reason"] == "length"


def test_models_are_listed():
    with scripted_server() as server:
        assert [model["id"] for model in control(server, "GET", "/v1/models")["data"]] == ["scripted"]


def test_usage_can_be_left_out():
    with scripted_server([Rule(usage=False)]) as server:
        assert "usage" not in ask(server).json()


CONDITIONS = [
    (Rule(contains="world"), {"text": "hello world"}, {"text": "hello"}),
    (Rule(matches=r"^b.*c$"), {"text": "a\nb\nc"}, {"text": "a b c d"}),
    (Rule(model="m"), {}, {"model": "other"}),
    (Rule(kind="chat"), {}, None),
    (Rule(contains="in a part"), {"text": [{"type": "text", "text": "in a part"}]}, {"text": [{"type": "image_url"}]}),
]


@pytest.mark.parametrize(("rule", "yes", "no"), CONDITIONS, ids=lambda value: "")
def test_a_rule_applies_only_where_its_conditions_hold(rule: Rule, yes: dict[str, Any], no: dict[str, Any] | None):
    with scripted_server([rule.model_copy(update={"replies": ("ruled",)})]) as server:
        assert texts(ask(server, **yes)) == ["ruled"]
        if no is not None:
            assert texts(ask(server, **no)) != ["ruled"]


def test_the_first_rule_that_applies_decides():
    with scripted_server([Rule(contains="b", replies=("1",)), Rule(replies=("2",))]) as server:
        assert texts(ask(server, "b")) + texts(ask(server, "c")) == ["1", "2"]


def test_a_fault_for_the_first_calls_of_each_question_ends_in_an_answer():
    with scripted_server([Rule(status=429, first=2)]) as server:
        for text in ("a", "b"):
            assert [ask(server, text).status_code for _ in range(4)] == [429, 429, 200, 200]


def test_a_fault_for_so_many_calls_of_all_questions_ends_in_answers():
    with scripted_server([Rule(status=500, times=2)]) as server:
        assert [ask(server, text).status_code for text in "abca"] == [500, 500, 200, 200]


def test_one_question_in_so_many_is_the_same_one_in_whatever_order_they_come():
    def struck(order: list[int]) -> set[int]:
        with scripted_server([Rule(status=500, every=3)]) as server:
            return {number for number in order if ask(server, str(number)).status_code == 500}

    first = struck(list(range(30)))
    assert first == struck(list(reversed(range(30))))
    assert 0 < len(first) < 30


def test_several_replies_are_given_in_turn_or_by_seed():
    with scripted_server([Rule(replies=("a", "b", "c"))]) as server:
        assert [texts(ask(server))[0] for _ in range(4)] == ["a", "b", "c", "a"]
        assert texts(ask(server, "another")) == ["a"]
        assert [texts(ask(server, seed=4))[0] for _ in range(2)] == ["b", "b"]
        assert texts(ask(server, "three of them", n=3)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("asked", "text", "finish"),
    [
        ({}, "aa bb cc dd", "stop"),
        ({"max_tokens": 2}, "aa bb", "length"),
        ({"max_completion_tokens": 3}, "aa bb cc", "length"),
        ({"max_tokens": 4}, "aa bb cc dd", "stop"),
        ({"stop": "cc"}, "aa bb ", "stop"),
        ({"stop": ["zz", "bb"], "max_tokens": 4}, "aa ", "stop"),
    ],
)
def test_an_answer_ends_at_the_limit_of_tokens_or_a_stop_sequence(asked: dict[str, Any], text: str, finish: str):
    with scripted_server([Rule(replies=("aa bb cc dd",))]) as server:
        choice = ask(server, **asked).json()["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == (text, finish)


def test_an_error_says_when_to_come_back():
    with scripted_server([Rule(status=429, retry_after=1.5)]) as server:
        answered = ask(server)
    assert (answered.status_code, answered.headers["Retry-After"]) == (429, "1.5")
    assert answered.json()["error"]["message"] == "scripted error 429"


def test_a_truncated_answer_is_half_of_it():
    with scripted_server([Rule(replies=("aa bb cc dd",), fault=Spoiled.TRUNCATED)]) as server:
        choice = ask(server).json()["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("aa bb", "length")


@pytest.mark.parametrize("fault", [Spoiled.CUT, Spoiled.DISCONNECT])
def test_a_connection_that_is_closed_too_early_is_seen_as_that(fault: Spoiled):
    with scripted_server([Rule(fault=fault)]) as server, pytest.raises(httpx.RemoteProtocolError):
        ask(server)


def test_a_malformed_answer_is_no_json():
    with scripted_server([Rule(fault=Spoiled.MALFORMED)]) as server:
        answered = ask(server)
    assert answered.status_code == 200
    with pytest.raises(ValueError, match="Expecting value"):
        answered.json()


def test_an_answer_without_choices_is_otherwise_one():
    with scripted_server([Rule(fault=Spoiled.NO_CHOICES)]) as server:
        answered = ask(server).json()
    assert answered["choices"] == []
    assert answered["usage"]["total_tokens"] > 0


def test_an_answer_may_trickle_and_is_whole_in_the_end():
    with scripted_server([Rule(fault=Spoiled.TRICKLE, delay_seconds=0.02, replies=("whole",))]) as server:
        assert texts(ask(server)) == ["whole"]


def test_a_delayed_answer_is_not_waited_for_when_the_server_ends():
    server = ScriptedServer([Rule(delay_seconds=3600)])
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(ask, server)
        server.wait_for(1)
        server.stop()
        assert isinstance(asked.exception(), httpx.HTTPError)


def test_what_is_held_is_answered_once_it_is_released():
    with scripted_server([Rule(hold=True, replies=("at last",))]) as server, ThreadPoolExecutor() as pool:
        asked = [pool.submit(ask, server, str(number)) for number in range(3)]
        server.wait_for(held=3)
        assert not any(call.done() for call in asked)
        assert control(server, "POST", "/release") == {}
        assert [texts(call.result()) for call in asked] == [["at last"]] * 3
        assert server.counts().held == 0


def test_a_wait_in_vain_says_what_was_seen():
    with scripted_server() as server, pytest.raises(TimeoutError, match="waited 0 s for 1 calls, 0 held: total=0"):
        server.wait_for(1, seconds=0)


def test_calls_are_counted_by_what_they_ask_however_it_is_spelled():
    body = {"messages": [{"content": "é", "role": "user"}], "model": "m"}
    spelled = [json.dumps(body).encode(), json.dumps(body, ensure_ascii=False, indent=1, sort_keys=True).encode()]
    with scripted_server([Rule(status=500, first=1, contains="b")]) as server:
        for raw, key in zip(spelled, ("one", "two"), strict=True):
            headers = {"Authorization": f"Bearer {key}"}
            httpx.post(f"{server.base_url}/chat/completions", content=raw, headers=headers)
        for _ in range(2):
            ask(server, "b")
        counts = control(server, "GET", "/counts")
        assert counts == server.counts().model_dump()
        assert sorted(counts.pop("by_question").values()) == [2, 2]
        assert counts == {
            "total": 4, "questions": 2, "repeated": 2, "answered": 3, "answered_again": 1, "held": 0
        }  # fmt: skip


def test_a_reset_begins_anew():
    with scripted_server([Rule(status=500, first=1)]) as server:
        before = [ask(server).status_code for _ in range(2)]
        control(server, "POST", "/reset")
        assert server.counts().total == 0
        assert [ask(server).status_code for _ in range(2)] == before == [500, 200]


@pytest.mark.parametrize(
    ("path", "raw", "status", "message"),
    [
        ("/v1/chat/completions", b"{", 400, "the body is not JSON"),
        ("/v1/chat/completions", b"\xff", 400, "the body is not JSON"),
        ("/v1/chat/completions", b"[" * 100_000, 400, "the body is not JSON"),
        ("/v1/chat/completions", b'{"model": NaN}', 400, "the body is not JSON"),
        ("/v1/chat/completions", b"[]", 400, "the body is not a JSON object"),
        ("/v1/chat/completions", b'{"messages": []}', 400, "model: missing"),
        ("/v1/chat/completions", b'{"model": "m", "messages": []}', 400, "messages: must be a list of at least one"),
        ("/v1/chat/completions", b'{"model": "m", "messages": [1]}', 400, "messages: must be a list of at least one"),
        ("/v1/chat/completions", b'{"model": "m", "messages": 1}', 400, "messages: must be of type list"),
        ("/v1/completions", b'{"model": "m", "prompt": "p", "n": 0}', 400, "n: must be at least 1"),
        ("/v1/completions", b'{"model": "m", "prompt": "p", "n": true}', 400, "n: must be of type int"),
        ("/v1/completions", b'{"model": "m", "prompt": "p", "stop": 3}', 400, "stop: must be"),
        ("/v1/completions", b'{"model": "m", "prompt": "p", "stream": true}', 400, "stream: "),
        ("/v1/embeddings", b"{}", 404, "no such path: /v1/embeddings"),
    ],
)
def test_what_is_no_question_is_refused_and_not_counted(path: str, raw: bytes, status: int, message: str):
    with scripted_server() as server:
        answered = httpx.post(f"http://127.0.0.1:{server.port}{path}", content=raw)
        assert server.counts().total == 0
    assert answered.status_code == status
    assert answered.json()["error"]["message"].startswith(message)


def test_a_body_of_unknown_length_is_refused():
    with scripted_server() as server:
        answered = httpx.post(f"{server.base_url}/completions", content=iter([b"{}"]))
    assert answered.status_code == 411


def test_a_question_that_breaks_off_is_not_counted():
    with scripted_server() as server:
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"POST /v1/completions HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(1) == b""
        assert server.counts().total == 0


def test_a_connection_serves_many_questions():
    body = json.dumps({"model": "m", "prompt": "p"})
    with scripted_server([Rule(status=500, first=1)]) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT)
        connection.connect()
        first = connection.sock
        for status in (500, 200, 200):
            connection.request("POST", "/v1/completions", body)
            answered = connection.getresponse()
            answered.read()
            assert (answered.status, connection.sock) == (status, first)
        connection.close()


def test_500_clients_are_served_at_once():
    """All of them are held before the first is answered: each has a connection of its own then."""
    with scripted_server([Rule(hold=True)]) as server, ThreadPoolExecutor(500) as pool:
        asked = [pool.submit(_ask_plainly, server.port, number) for number in range(500)]
        server.wait_for(held=500)
        server.release()
        assert {call.result() for call in asked} == {200}
        assert (server.counts().total, server.counts().repeated) == (500, 0)


def _ask_plainly(port: int, number: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    connection.request("POST", "/v1/completions", json.dumps({"model": "m", "prompt": str(number)}))
    answered = connection.getresponse()
    answered.read()
    connection.close()
    return answered.status


def test_a_server_that_has_ended_leaves_no_thread_and_no_port():
    before = threading.active_count()
    with scripted_server() as server:
        kept_alive = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT)
        kept_alive.request("GET", "/counts")
        kept_alive.getresponse().read()
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))
    kept_alive.close()
