"""What is asked, and by which key it is known."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from repoproof.models.base import (
    REQUEST,
    Answer,
    ChatRequest,
    Choice,
    FaultKind,
    FillRequest,
    Message,
    Sampling,
    Usage,
)

HELLO = (Message(role="user", content="hello"),)
CHAT = ChatRequest(model="m", messages=HELLO)

CHAT_KEY = "e371a44759e7d9e578d2564e456c51ea2328873b4c3af8c3fb3a5c16dbe76fdc"
FILL_KEY = "75df24dcc518f5a36cd88be686ffefd7478ee10240f30d4fc01610af121a4c1b"


def test_keys_stay_what_they_are() -> None:
    # Records of paid calls are found by them: a change here makes every store worthless.
    assert CHAT.key == CHAT_KEY
    fill = FillRequest(model="m", prefix="a", suffix="b", sampling=Sampling(temperature=0.4, n=2), sample=3)
    assert fill.key == FILL_KEY


@pytest.mark.parametrize(
    "other",
    [
        CHAT.model_copy(update={"model": "n"}),
        CHAT.model_copy(update={"sample": 1}),
        CHAT.model_copy(update={"sampling": Sampling(temperature=0.0)}),
        CHAT.model_copy(update={"sampling": Sampling(seed=0)}),
        CHAT.model_copy(update={"sampling": Sampling(stop=("\n",))}),
        CHAT.model_copy(update={"messages": (Message(role="system", content="hello"),)}),
        CHAT.model_copy(update={"messages": HELLO * 2}),
        FillRequest(model="m", prefix="hello"),
    ],
)
def test_another_question_has_another_key(other: ChatRequest | FillRequest) -> None:
    assert other.key != CHAT.key


def test_what_has_its_default_value_is_no_part_of_the_key() -> None:
    spelled_out = ChatRequest(model="m", messages=HELLO, sampling=Sampling(temperature=None, stop=(), n=1), sample=0)
    assert spelled_out.key == CHAT.key
    assert CHAT.canonical() == {"kind": "chat", "model": "m", "messages": [{"role": "user", "content": "hello"}]}


@pytest.mark.parametrize("request_", [CHAT, FillRequest(model="m", prefix="a", sampling=Sampling(stop=("x",)))])
def test_a_question_is_read_back_from_its_canonical_form(request_: ChatRequest | FillRequest) -> None:
    assert REQUEST.validate_python(request_.canonical()) == request_
    assert REQUEST.validate_json(request_.model_dump_json()) == request_


def test_text_that_no_file_can_hold_is_spelled_out_and_has_a_key() -> None:
    request = ChatRequest(model="m", messages=(Message(role="user", content="a\ud800"),))
    assert request.messages[0].content == "a\\ud800"
    assert len(request.key) == 64


@pytest.mark.parametrize(
    "sampling", [{"temperature": -1}, {"temperature": float("nan")}, {"top_p": 0}, {"max_tokens": 0}, {"n": 0}]
)
def test_sampling_is_within_its_bounds(sampling: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        Sampling.model_validate(sampling)


def test_an_answers_text_is_its_first_choice() -> None:
    usage = Usage(prompt_tokens=3, completion_tokens=4)
    answer = Answer(choices=(Choice(text="one"), Choice(text="two")), usage=usage, seconds=1.0)
    assert answer.text == "one"
    assert usage.tokens == 7


def test_only_what_passes_by_itself_is_tried_again() -> None:
    assert {kind for kind in FaultKind if kind.is_retryable} == {
        FaultKind.RATE_LIMITED,
        FaultKind.OVERLOADED,
        FaultKind.TIMED_OUT,
        FaultKind.DISCONNECTED,
        FaultKind.UNREACHABLE,
    }
