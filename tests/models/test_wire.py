"""Requests as bodies, and bodies as answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.asking import endpoint_at, question

from repoproof.models.base import Answer, ChatRequest, FillRequest, Finish, Message, Sampling, Usage
from repoproof.models.endpoint import Prices
from repoproof.models.wire import NotAnAnswer, body_of, cost, most, read_answer, said, said_in

ENDPOINT = endpoint_at("http://127.0.0.1:9/v1")
TURNS = (Message(role="system", content="Be brief."), Message(role="user", content="Why?"))
EVERYTHING = Sampling(
    temperature=0.0, top_p=0.95, max_tokens=100, seed=0, stop=("END", "\n\n"), n=2, reasoning_effort="low"
)


def test_what_is_not_chosen_is_not_sent() -> None:
    assert body_of(ChatRequest(model="m", messages=TURNS, sample=3), ENDPOINT) == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
    }


def test_all_that_can_be_chosen_is_sent_under_the_endpoints_names() -> None:
    endpoint = endpoint_at("", max_tokens_field="max_completion_tokens", extra={"top_k": 20, "temperature": 1.0})
    assert body_of(ChatRequest(model="m", messages=TURNS[1:], sampling=EVERYTHING), endpoint) == {
        "model": "m",
        "messages": [{"role": "user", "content": "Why?"}],
        "temperature": 0.0,
        "top_p": 0.95,
        "max_completion_tokens": 100,
        "seed": 0,
        "stop": ["END", "\n\n"],
        "n": 2,
        "reasoning_effort": "low",
        "top_k": 20,
    }


def test_a_gap_is_a_prompt_and_a_suffix() -> None:
    endpoint = endpoint_at("", max_tokens_field="max_completion_tokens")
    request = FillRequest(model="m", prefix="a", suffix="b", sampling=Sampling(max_tokens=5))
    assert body_of(request, endpoint) == {"model": "m", "prompt": "a", "suffix": "b", "max_tokens": 5}


def test_without_a_suffix_it_is_a_prompt_only() -> None:
    assert body_of(FillRequest(model="m", prefix="a"), ENDPOINT) == {"model": "m", "prompt": "a"}


def test_a_template_is_filled_once() -> None:
    endpoint = endpoint_at("", fill_template="<{suffix}|{prefix}|{other}>")
    request = FillRequest(model="m", prefix="f'{suffix}'", suffix=r"{prefix}\1")
    assert body_of(request, endpoint) == {"model": "m", "prompt": r"<{prefix}\1|f'{suffix}'|{other}>"}


def chat(message: object, **choice: object) -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": "stop", **choice}]}


def read(body: object) -> Answer:
    return read_answer(json.dumps(body).encode(), question("Why?"), ENDPOINT, 1.0)


@pytest.mark.parametrize(
    ("body", "text", "reasoning", "finish"),
    [
        (chat({"content": "yes"}), "yes", "", Finish.STOP),
        (chat({"content": None}), "", "", Finish.STOP),
        (chat({}), "", "", Finish.STOP),
        (chat({"content": None, "refusal": "I will not."}), "I will not.", "", Finish.STOP),
        (chat({"content": "", "reasoning_content": "hm"}, finish_reason="length"), "", "hm", Finish.LENGTH),
        (chat({"content": "a", "reasoning": "hm"}, finish_reason="content_filter"), "a", "hm", Finish.FILTERED),
        (chat({"content": "a", "reasoning_content": None, "reasoning": "hm"}), "a", "hm", Finish.STOP),
        (chat({"content": [{"type": "text", "text": "a"}, {"type": "x"}, 7, {"text": "b"}]}), "ab", "", Finish.STOP),
        (chat({"content": "a"}, finish_reason=None), "a", "", Finish.OTHER),
        (chat({"content": "a"}, finish_reason="tool_calls"), "a", "", Finish.OTHER),
        (chat({"content": "a"}, finish_reason=["stop"]), "a", "", Finish.OTHER),
        (chat({"content": "\ud800"}), "\\ud800", "", Finish.STOP),
        ({"choices": [{"text": "x = 1", "finish_reason": "stop"}]}, "x = 1", "", Finish.STOP),
    ],
)
def test_an_answer_is_read_as_endpoints_spell_it(body: object, text: str, reasoning: str, finish: Finish) -> None:
    (choice,) = read(body).choices
    assert (choice.text, choice.reasoning, choice.finish) == (text, reasoning, finish)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "no choices: {}"),
        ({"choices": []}, 'no choices: {"choices": []}'),
        ({"choices": {"text": "a"}}, "no choices: "),
        ({"error": "quota"}, "no choices: quota"),
        ({"error": {"message": "no\nmoney", "code": 7}}, "no choices: no money"),
        ({"choices": ["a"]}, "a choice that is no object: a"),
        ({"choices": [{"message": "a"}]}, "a choice without a message: "),
        ({"choices": [{"delta": {"content": "a"}}]}, "a choice without a message: "),
        (chat({"content": 7}), "a text that is none: 7"),
        ([], "not a JSON object: []"),
    ],
)
def test_what_is_no_answer_says_why(body: object, reason: str) -> None:
    with pytest.raises(NotAnAnswer) as caught:
        read(body)
    assert str(caught.value).startswith(reason)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}, Usage(prompt_tokens=7, completion_tokens=3)),
        (
            {
                "prompt_tokens": 7,
                "completion_tokens": 3,
                "prompt_tokens_details": {"cached_tokens": 4},
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
            Usage(prompt_tokens=7, completion_tokens=3, cached_tokens=4, reasoning_tokens=2),
        ),
        (
            {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": None, "completion_tokens_details": 9},
            Usage(prompt_tokens=7, completion_tokens=3),
        ),
        # Reasoning that is in the total only.
        (
            {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 50},
            Usage(prompt_tokens=7, completion_tokens=43),
        ),
        ({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 2}, Usage(prompt_tokens=7, completion_tokens=3)),
    ],
)
def test_usage_is_as_reported(usage: object, expected: Usage) -> None:
    assert read(chat({"content": "a"}) | {"usage": usage}).usage == expected


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        [],
        {"prompt_tokens": 7},
        {"prompt_tokens": 0, "completion_tokens": 3},
        {"prompt_tokens": 7, "completion_tokens": 0},
        {"prompt_tokens": -1, "completion_tokens": 3},
        {"prompt_tokens": True, "completion_tokens": 3},
        {"prompt_tokens": 10**400, "completion_tokens": 3},
        {"prompt_tokens": "7", "completion_tokens": 3},
    ],
    ids=repr,
)
def test_usage_that_cannot_be_is_estimated(usage: object) -> None:
    found = read(chat({"content": "abcdé"}) | {"usage": usage}).usage
    assert not found.reported
    assert (found.prompt_tokens, found.completion_tokens) == (10, 3)


def test_an_answer_that_is_empty_may_have_taken_no_token() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 0}
    assert read(chat({"content": ""}) | {"usage": usage}).usage == Usage(prompt_tokens=7, completion_tokens=0)


def test_more_choices_than_were_asked_for_are_left_out() -> None:
    choice = {"message": {"content": "a"}}
    assert len(read({"choices": [choice] * 1000}).choices) == 1


def test_cached_tokens_cost_their_own_price_and_are_never_more_than_the_prompt() -> None:
    usage = Usage(prompt_tokens=100, completion_tokens=10, cached_tokens=40)
    assert cost(usage, Prices(input=1, output=2, cached_input=0.5)) == pytest.approx((60 + 20 + 20) / 1e6)
    assert cost(usage, Prices(input=1, output=2)) == pytest.approx((100 + 20) / 1e6)
    more = Usage(prompt_tokens=100, completion_tokens=0, cached_tokens=1000)
    assert cost(more, Prices(input=1, output=2, cached_input=0)) == 0


@given(st.binary(max_size=60))
def test_whatever_the_bytes_are_there_is_an_answer_or_a_reason_in_one_line(body: bytes) -> None:
    try:
        read_answer(body, question(), ENDPOINT, 1.0)
    except NotAnAnswer as error:
        assert "\n" not in str(error)
    assert "\n" not in said_in(body)


leaf = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
keys = st.sampled_from(["choices", "message", "content", "text", "usage", "error", "prompt_tokens", "finish_reason"])
nested = st.recursive(leaf, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=4))


@given(st.dictionaries(keys, nested, max_size=5))
def test_whatever_the_json_is_there_is_an_answer_or_a_reason(body: dict[str, object]) -> None:
    try:
        assert read(body).choices
    except NotAnAnswer as error:
        assert str(error)


@pytest.mark.parametrize("depth", [100, 400, 900])
def test_depth_is_no_way_to_break_us(depth: int) -> None:
    body = b'{"choices": ' + b'[{"text": ' * depth + b"1" + b"}]" * depth + b', "error": ' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"  # fmt: skip
    try:
        assert read_answer(body, question(), ENDPOINT, 1.0).choices
    except NotAnAnswer as error:
        assert str(error)


def test_what_is_said_cannot_steer_a_terminal() -> None:
    assert said("\x1b[2J\x9b1m\u202e\nfine \u00e9\u65e5") == "\ufffd[2J\ufffd1m\ufffd fine \u00e9\u65e5"


def test_what_is_said_is_short() -> None:
    assert said("a\n b" * 1000, 10) == "a ba ba..."


@pytest.mark.parametrize(
    ("max_tokens", "context_tokens", "answer"),
    [(100, None, 100), (100, 10_000, 100), (None, None, 0), (None, 10_000, 10_000 - 18), (None, 5, 0)],
)
def test_what_a_call_may_cost_is_bounded_by_the_answer_or_the_room_for_it(max_tokens, context_tokens, answer):
    question = ChatRequest(
        model="m", messages=(Message(role="user", content="x" * 20),), sampling=Sampling(max_tokens=max_tokens)
    )
    usage = most(question, context_tokens=context_tokens)
    assert (usage.prompt_tokens, usage.completion_tokens, usage.reported) == (18, answer, False)
