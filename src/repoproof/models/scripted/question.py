"""A call's body, read as an endpoint would."""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple, cast

from ...core.digest import canonical_json, digest_of_strings

Kind = Literal["chat", "fill"]

PATHS: dict[str, Kind] = {"/v1/chat/completions": "chat", "/v1/completions": "fill"}


class Refused(Exception):
    """A body that no endpoint would take; says why."""


class Question(NamedTuple):
    """What a call asks."""

    kind: Kind
    digest: str
    """SHA-256 of the whole body, however it is spelled: two calls with one digest ask the same."""
    model: str
    text: str
    """All that is asked: messages, or prompt and suffix."""
    suffix: str
    """Of a fill-in question: the end of `text`."""
    n: int
    seed: int | None
    max_tokens: int | None
    stop: tuple[str, ...]


def read_question(kind: Kind, raw: bytes) -> Question:
    """The question in a body; `Refused` where it is none."""
    try:
        body = json.loads(raw)
        digest = digest_of_strings(canonical_json(body))
    except (ValueError, RecursionError):
        raise Refused("the body is not JSON") from None
    if not isinstance(body, dict):
        raise Refused("the body is not a JSON object")
    asked = cast("dict[str, Any]", body)
    if asked.get("stream"):
        raise Refused("stream: a scripted answer comes in one piece")
    suffix = (_maybe(asked, "suffix", str) or "") if kind == "fill" else ""
    return Question(
        kind=kind,
        digest=digest,
        model=_given(asked, "model", str),
        text=_chat(asked) if kind == "chat" else _given(asked, "prompt", str) + suffix,
        suffix=suffix,
        n=_from_one(asked, "n") or 1,
        seed=_maybe(asked, "seed", int),
        max_tokens=_from_one(asked, "max_completion_tokens") or _from_one(asked, "max_tokens"),
        stop=_stop(asked.get("stop")),
    )


def _chat(asked: dict[str, Any]) -> str:
    messages = _given(asked, "messages", list)
    if not messages or not all(isinstance(message, dict) and "role" in message for message in messages):
        raise Refused("messages: must be a list of at least one {role, content}")
    return "\n".join(_content(message.get("content")) for message in messages)


def _content(content: object) -> str:
    """Text, or a list of parts of which some are text."""
    if isinstance(content, list):
        parts = cast("list[Any]", content)
        return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _stop(stop: object) -> tuple[str, ...]:
    """One text, or several."""
    listed = [stop] if isinstance(stop, str) else [] if stop is None else stop
    if not isinstance(listed, list) or not all(isinstance(item, str) for item in cast("list[object]", listed)):
        raise Refused("stop: must be a text or a list of texts")
    return tuple(cast("list[str]", listed))


def _given(asked: dict[str, Any], field: str, type_: type) -> Any:
    if (value := _maybe(asked, field, type_)) is None:
        raise Refused(f"{field}: missing")
    return value


def _maybe(asked: dict[str, Any], field: str, type_: type) -> Any:
    value = asked.get(field)
    if value is not None and (not isinstance(value, type_) or isinstance(value, bool)):
        raise Refused(f"{field}: must be of type {type_.__name__}")
    return value


def _from_one(asked: dict[str, Any], field: str) -> int | None:
    value = _maybe(asked, field, int)
    if value is not None and value < 1:
        raise Refused(f"{field}: must be at least 1")
    return value
