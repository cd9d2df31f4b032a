"""The words of the OpenAI-compatible interface: a request as a body, a body as an answer. No connection is made here."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import cast

from .base import Answer, ChatRequest, Choice, FillRequest, Finish, Usage
from .endpoint import Endpoint, Prices

BYTES_PER_TOKEN = 2
"""For estimates, which are to err upwards: usual tokenizers take three or four bytes of prose or code for one."""
TOKENS_PER_MESSAGE = 8
"""What marks a turn of a conversation, at most."""

_FINISHES = {
    "stop": Finish.STOP,
    "eos": Finish.STOP,
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "content_filter": Finish.FILTERED,
    "refusal": Finish.FILTERED,
}


class NotAnAnswer(ValueError):
    """A body that holds no answer; `str()` says why, in one line."""


def body_of(request: ChatRequest | FillRequest, endpoint: Endpoint) -> dict[str, object]:
    """What is sent."""
    sampling = request.sampling
    chosen = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "stop": list(sampling.stop) or None,
        "n": sampling.n if sampling.n > 1 else None,
        "reasoning_effort": sampling.reasoning_effort,
    }
    if isinstance(request, ChatRequest):
        asked = {"messages": [message.model_dump() for message in request.messages]}
        chosen[endpoint.max_tokens_field] = sampling.max_tokens
    else:
        asked = _gap(request, endpoint.fill_template)
        # The newer name exists for conversations only.
        chosen["max_tokens"] = sampling.max_tokens
    given = {name: value for name, value in chosen.items() if value is not None}
    return {"model": request.model} | endpoint.extra | given | asked


def _gap(request: FillRequest, template: str) -> dict[str, object]:
    if not template:
        prompt: dict[str, object] = {"prompt": request.prefix}
        # Who knows no suffix completes a prompt all the same.
        return prompt | {"suffix": request.suffix} if request.suffix else prompt
    parts = {"{prefix}": request.prefix, "{suffix}": request.suffix}
    # In one pass: code may well hold the word {suffix}.
    return {"prompt": re.sub(r"\{(?:prefix|suffix)\}", lambda found: parts[found[0]], template)}


def read_answer(body: bytes, request: ChatRequest | FillRequest, endpoint: Endpoint, seconds: float) -> Answer:
    """The answer in a body; `NotAnAnswer` where there is none."""
    value = _object(body)
    # What was not asked for is not taken: an endpoint could fill disks with it.
    choices = tuple(map(_choice, _list(value.get("choices"))[: request.sampling.n]))
    if not choices:
        raise NotAnAnswer(f"no choices: {said(value)}")
    usage = _reported(value.get("usage"), choices) or _estimated(request, choices)
    served = value.get("model")
    return Answer(
        choices=choices,
        usage=usage,
        cost_usd=cost(usage, endpoint.prices) if endpoint.prices else None,
        seconds=seconds,
        served_model=served if isinstance(served, str) else "",
    )


def cost(usage: Usage, prices: Prices) -> float:
    """US dollars."""
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    cached_price = prices.input if prices.cached_input is None else prices.cached_input
    prompt = (usage.prompt_tokens - cached) * prices.input + cached * cached_price
    return (prompt + usage.completion_tokens * prices.output) / 1_000_000


def most(request: ChatRequest | FillRequest, *, context_tokens: int | None = None) -> Usage:
    """What a call may take, before it is known: its prompt by estimate, and all that it may answer, where that is limited: by the
    request, or by the room for prompt and answer together."""
    sampling, prompt = request.sampling, estimated_prompt_tokens(request)
    answer = sampling.max_tokens or max(0, (context_tokens or 0) - prompt)
    return Usage(prompt_tokens=prompt, completion_tokens=answer * sampling.n, reported=False)


def estimated_prompt_tokens(request: ChatRequest | FillRequest) -> int:
    """Of a question, upwards."""
    if isinstance(request, FillRequest):
        return _tokens(request.prefix) + _tokens(request.suffix) + TOKENS_PER_MESSAGE
    return sum(_tokens(message.content) + TOKENS_PER_MESSAGE for message in request.messages)


def said(value: object, limit: int = 300) -> str:
    """What a body says, for a reason: the message of its `error` where it has one."""
    while isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        value = fields.get("error") or fields.get("message") or fields.get("detail") or _dumped(fields)
    text = " ".join((value if isinstance(value, str) else _dumped(value)).split())
    # It ends up on terminals, which must not obey it.
    text = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def said_in(body: bytes) -> str:
    """The same, of a body that may be anything."""
    try:
        return said(_object(body))
    except NotAnAnswer:
        return said(body.decode(errors="replace"))


def _object(body: bytes) -> Mapping[str, object]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        beginning = said(body[:200].decode(errors="replace"), 80)
        problem = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
        raise NotAnAnswer(f"not JSON: {problem}, {len(body)} bytes: {beginning}" if body else "an empty body") from None
    if not isinstance(value, dict):
        raise NotAnAnswer(f"not a JSON object: {said(value, 80)}")
    return cast("Mapping[str, object]", value)


def _dumped(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "nested too deep"


def _choice(value: object) -> Choice:
    if not isinstance(value, dict):
        raise NotAnAnswer(f"a choice that is no object: {said(value, 80)}")
    choice = cast("Mapping[str, object]", value)
    # Conversations have a message, completions a text.
    message = choice.get("message", choice)
    if not isinstance(message, dict) or not ("text" in choice or "message" in choice):
        raise NotAnAnswer(f"a choice without a message: {said(choice, 80)}")
    fields = cast("Mapping[str, object]", message)
    reason = choice.get("finish_reason")
    return Choice(
        text=_text(fields.get("content", fields.get("text"))) or _text(fields.get("refusal")),
        reasoning=_text(fields.get("reasoning_content") or fields.get("reasoning")),
        finish=_FINISHES.get(reason, Finish.OTHER) if isinstance(reason, str) else Finish.OTHER,
    )


def _text(value: object) -> str:
    """A text; null is none, and some endpoints answer in parts."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        texts = [_fields(part).get("text") for part in cast("list[object]", value)]
        return "".join(text for text in texts if isinstance(text, str))
    raise NotAnAnswer(f"a text that is none: {said(value, 80)}")


def _reported(value: object, choices: tuple[Choice, ...]) -> Usage | None:
    """What the endpoint says was used; None where it does not say, or says nothing was: no budget would ever end."""
    fields = _fields(value)
    prompt, completion = _count(fields.get("prompt_tokens")), _count(fields.get("completion_tokens"))
    if prompt is None or completion is None:
        return None
    # Some count the reasoning in the total only.
    completion = max(completion, (_count(fields.get("total_tokens")) or 0) - prompt)
    if not prompt or (not completion and any(choice.text or choice.reasoning for choice in choices)):
        return None
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        reasoning_tokens=_count(_fields(fields.get("completion_tokens_details")).get("reasoning_tokens")) or 0,
        cached_tokens=_count(_fields(fields.get("prompt_tokens_details")).get("cached_tokens")) or 0,
    )


def _estimated(request: ChatRequest | FillRequest, choices: tuple[Choice, ...]) -> Usage:
    return Usage(
        prompt_tokens=estimated_prompt_tokens(request),
        completion_tokens=sum(_tokens(choice.text) + _tokens(choice.reasoning) for choice in choices),
        reasoning_tokens=sum(_tokens(choice.reasoning) for choice in choices),
        reported=False,
    )


def _tokens(text: str) -> int:
    return -(-len(text.encode(errors="backslashreplace")) // BYTES_PER_TOKEN)


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _fields(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None
