"""Whether an endpoint refuses a prompt since it is longer than the model's context: no fault of the endpoint's, but a limit of the model."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import cast

STATUSES = frozenset({400, 413, 422, 500})
"""That servers say it with; some by an error of their own."""

_CODES = frozenset({"context_length_exceeded", "context_window_exceeded", "exceed_context_size_error"})
_WORDS = re.compile(
    r"""maximum\ context\ length                    # OpenAI, vLLM, SGLang, Mistral, gateways
    | (?:model's|with)\ context\ length            # vLLM, SGLang, LM Studio
    | maximum\ model\ length                        # vLLM
    | available\ context\ size                      # llama.cpp
    | exceeds?\ (?:the\ |model's\ )?context\ (?:window|length|limit)
    | (?:prompt|input)\ is\ too\ long
    | input\ token\ count.*exceeds\ the\ maximum
    | input\ tokens\ exceed
    | `inputs`.*must\ (?:be\ <=|have\ less\ than)   # text-generation-inference
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)

_NUMBER = r"(\d[\d,]*)"
_LIMIT = re.compile(
    rf"context length (?:is|of)(?: only)? {_NUMBER}|must be <= {_NUMBER}|context window of {_NUMBER}", re.IGNORECASE
)
_PROMPT = re.compile(
    rf"{_NUMBER}(?: tokens)? (?:in the messages|in (?:the|your) prompt|(?:of |from the )?(?:text )?input(?: messages| tokens)?|`inputs` tokens)",
    re.IGNORECASE,
)
_ALL = re.compile(rf"requested (?:about |a total of )?{_NUMBER} tokens", re.IGNORECASE)
_SUM = re.compile(rf"{_NUMBER} \+ {_NUMBER} > {_NUMBER}")


def is_about_context(status: int, body: bytes) -> bool:
    """Whether a refusal says that prompt and answer are longer than the model's context."""
    if status not in STATUSES:
        return False
    codes, words = _said(body)
    return not _CODES.isdisjoint(codes) or _WORDS.search(words) is not None


def prompt_fits(body: bytes, max_tokens: int | None) -> bool:
    """Whether such a refusal tells that the prompt alone has room: then it is the limit of the answer that has none. False if it
    does not tell."""
    _, words = _said(body)
    if (summed := _SUM.search(words)) is not None:
        return _number(summed[1]) < _number(summed[3])
    limit, prompt, whole = _first(_LIMIT, words), _first(_PROMPT, words), _first(_ALL, words)
    if prompt is None and whole is not None and max_tokens is not None:
        prompt = whole - max_tokens
    return limit is not None and prompt is not None and prompt < limit


def _said(body: bytes) -> tuple[set[str], str]:
    """Codes and words of a complaint. Only its own: what it quotes of a request is not looked at, where it says which is which."""
    text = body.decode(errors="replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return set(), text
    while isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        inner = fields.get("error") or fields.get("message") or fields.get("detail")
        if not isinstance(inner, Mapping):
            codes = {code for name in ("code", "type", "error_type") if isinstance(code := fields.get(name), str)}
            words = fields.get("message") or inner
            return codes, words if isinstance(words, str) else text if words is None else str(words)
        value = cast("object", inner)
    return set(), text


def _first(pattern: re.Pattern[str], words: str) -> int | None:
    found = pattern.search(words)
    return None if found is None else next(_number(group) for group in found.groups() if group)


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
