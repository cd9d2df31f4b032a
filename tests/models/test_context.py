"""What endpoints say where a prompt is longer than the model's context, and what only looks like it."""

from __future__ import annotations

import json
import time
from itertools import pairwise

import pytest
from plugins.asking import answered, endpoint_at, failed, outcomes, question

from repoproof.models.base import FaultKind
from repoproof.models.context import is_about_context, prompt_fits
from repoproof.models.scripted import Rule, scripted_server

TOO_LONG = [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens.",
    "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).",
    "This model's maximum context length is 4096 tokens, but the prompt contains 5000 input tokens",
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 40012 tokens (39012 of text input, 1000 in the output).",
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
    "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
    "Requested tokens (664) exceed context window of 512",
    "The model is loaded with context length of only 4096 tokens, which is not enough",
    "prompt is too long: 213462 tokens > 200000 maximum",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000",
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
]
TOO_MUCH_WANTED = [
    "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 in the completion).",
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
    "'max_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens",
    "You passed 3000 input tokens and requested 4096 output tokens. However, the model's context length is only 4096 tokens",
    "You requested a total of 5000 tokens: 1000 tokens from the input messages and 4000 for the completion. The model's maximum context length of 4096 tokens is less.",
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens`",
    "`inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1800 `inputs` tokens and 500 `max_new_tokens`",
]
OTHER = [
    "Invalid 'tools' format",
    "Request too large: tokens per minute (TPM): Limit 6000, Requested 9000",
    "max_tokens must be at least 1",
    "The model `context` does not exist",
]


def body(message: str, **fields: object) -> bytes:
    return json.dumps({"error": {"message": message, **fields}}).encode()


@pytest.mark.parametrize("message", TOO_LONG)
def test_a_prompt_that_does_not_fit_is_known_by_what_is_said_of_it(message: str) -> None:
    assert is_about_context(400, body(message))
    assert not prompt_fits(body(message), 1000)


@pytest.mark.parametrize("message", TOO_MUCH_WANTED)
def test_a_prompt_that_would_fit_with_a_shorter_answer_is_told_apart(message: str) -> None:
    assert is_about_context(400, body(message))
    assert prompt_fits(body(message), 1000)


@pytest.mark.parametrize("message", OTHER)
def test_other_complaints_are_of_something_else(message: str) -> None:
    assert not is_about_context(400, body(message))


def test_a_code_is_enough_and_a_status_that_means_something_else_is_not() -> None:
    coded = body("Your request is refused.", code="context_length_exceeded")
    assert is_about_context(400, coded) and not is_about_context(401, coded) and not is_about_context(429, coded)
    assert is_about_context(422, b'{"object": "error", "message": "prompt is too long", "code": 422}')
    assert is_about_context(500, b"the request exceeds the available context size")


ASKED = {"messages": [{"role": "user", "content": 'Answer 400 if "the" input is too long.'}]}
EXTRA = {"type": "extra_forbidden", "loc": ["body", "n"], "msg": "Extra inputs are not permitted", "input": ASKED}
QUOTING = {
    "an input": {"error": {"message": "field required", "input": TOO_LONG[0]}},
    "a list": {"detail": [EXTRA]},
    "what comes first": {"detail": [{"input": ASKED, "msg": "Extra inputs are not permitted"}]},
    "a field of any name": {"what": ASKED, "message": "no"},
    "no words": {"what": ASKED},
    "a message": {"object": "error", "message": f"1 validation error: {EXTRA}", "code": 400},
    "JSON in a message": {"error": {"message": f"1 error: {json.dumps([EXTRA])}"}},
    "an item": {"error": f"Invalid message: {ASKED['messages'][0]}"},
    "pydantic": {"detail": f"Input should be a list [type=list_type, input_value={TOO_LONG[0]!r}, input_type=str]"},
    "an object for a message": {"message": ASKED, "error": "Bad Request"},
}


@pytest.mark.parametrize("quoting", QUOTING.values(), ids=QUOTING)
def test_what_is_quoted_of_a_prompt_says_nothing_also_where_the_end_is_missing(quoting: object) -> None:
    whole = json.dumps(quoting).encode()
    for text in (whole, whole[:-1], whole[:-2], whole + b"}"):
        assert not is_about_context(422, text), text


@pytest.mark.parametrize("message", TOO_LONG + TOO_MUCH_WANTED)
def test_what_is_said_of_a_prompt_counts_beside_what_is_quoted_of_it(message: str) -> None:
    shapes: list[object] = [
        message,
        {"detail": [{"type": "value_error", "msg": message, "input": ASKED}]},
        [{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}],
        {"message": {"detail": [{"msg": message}]}, "object": "error"},
        {"success": False, "errors": [{"code": 5021, "message": message}], "result": {}},
        {"error": f"Error code: 400 - {{'error': {{'message': \"{message}\", 'input': {ASKED}}}}}"},
    ]
    bodies = [json.dumps(shape).encode() for shape in shapes]
    torn = json.dumps({"error": {"message": message, "input": ASKED}}).encode()[:-5]
    for said in (*bodies, torn, b"\xef\xbb\xbf" + bodies[1], message.encode()):
        assert is_about_context(400, said), said
        assert prompt_fits(said, 1000) == (message in TOO_MUCH_WANTED), said


HOSTILE = [
    ("maximum context length ", "1"),
    ("maximum context length is ", "1,"),
    ("maximum context length ", "1 + "),
    ("maximum context length ", "requested 1 "),
    ("", "input token count "),
    ("", "`inputs` "),
    ("", "maximum "),
    ("", '"msg": '),
    ("{", '"msg":"'),
    ("{", '"msg":"\\'),
    ("{", '"msg"' + " " * 20),
    ("", "'input' "),
    ("", "'input" + "\\" * 3),
    ("[", '"input is ",'),
]


@pytest.mark.parametrize(("begun", "again"), HOSTILE)
def test_what_a_complaint_takes_grows_no_faster_than_it(begun: str, again: str) -> None:
    def took(size: int) -> int:
        said = (begun + again * size)[:size].encode()
        times: list[int] = []
        for _ in range(5):
            start = time.thread_time_ns()
            is_about_context(400, said)
            prompt_fits(said, 1000)
            times.append(time.thread_time_ns() - start)
        return min(times)

    # Eight times as long: what is quadratic takes 64 times as much.
    assert all(more < 32 * less for less, more in pairwise(map(took, (512, 4096, 32768))))


def test_an_endpoint_with_a_small_context_answers_what_fits_and_is_asked_the_rest_once() -> None:
    with scripted_server([Rule(context_tokens=20, replies=("yes",))]) as server:
        short, long = outcomes(endpoint_at(server.base_url, tries=3), [question("why?"), question("why? " * 30)])
        assert answered(short).text == "yes"
        fault = failed(long)
        assert (fault.kind, fault.tries, fault.status_code, fault.lost) == (FaultKind.TOO_LONG, 1, 400, None)
        assert fault.reason.startswith("400: This model's maximum context length is 20 tokens.")
        assert (server.counts().total, server.counts().answered) == (2, 1)
