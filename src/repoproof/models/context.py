"""Whether an endpoint refuses a prompt since it is longer than the model's context: no fault of the endpoint's, but a limit of the model."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping
from typing import cast

STATUSES = frozenset({400, 413, 422, 500})
"""That servers say it with; some by an error of their own."""

WORDS_CHARACTERS = 4096
"""Of a complaint, what is looked at: it comes to its point, or quotes. Patterns are bounded as well, since the event loop waits for them."""

_CODES = frozenset({"context_length_exceeded", "context_window_exceeded", "exceed_context_size_error"})
_WORDS = re.compile(
    r"""maximum\ context\ length                    # OpenAI, vLLM, SGLang, Mistral, gateways
    | (?:model's|with)\ context\ length            # vLLM, SGLang, LM Studio
    | maximum\ model\ length                        # vLLM
    | available\ context\ size                      # llama.cpp
    | exceeds?\ (?:the\ |model's\ )?context\ (?:window|length|limit)
    | (?:prompt|input)\ is\ too\ long
    | input\ token\ count.{0,200}exceeds\ the\ maximum
    | input\ tokens\ exceed
    | `inputs`.{0,200}must\ (?:be\ <=|have\ less\ than)   # text-generation-inference
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)

_NUMBER = r"(?<![\d,])(\d[\d,]{0,14})(?!\d)"
_LIMIT = re.compile(
    rf"context length (?:is|of)(?: only)? {_NUMBER}|must be <= {_NUMBER}|context window of {_NUMBER}", re.IGNORECASE
)
_PROMPT = re.compile(
    rf"{_NUMBER}(?: tokens)? (?:in the messages|in (?:the|your) prompt|(?:of |from the )?(?:text )?input(?: messages| tokens)?|`inputs` tokens)",
    re.IGNORECASE,
)
_ALL = re.compile(rf"requested (?:about |a total of )?{_NUMBER} tokens", re.IGNORECASE)
_SUM = re.compile(rf"{_NUMBER} \+ {_NUMBER} > {_NUMBER}")

_CODED = ("code", "type", "error_type")
_WORDED = ("error", "errors", "message", "msg", "detail", "reason", "title")
_IN_TORN = re.compile(
    rf"""(?<!\\)"(?:{"|".join(_WORDED)})"\s{{0,20}}:\s{{0,20}}"((?:[^"\\]|\\.){{0,{WORDS_CHARACTERS}}})""", re.DOTALL
)
_QUOTES = re.compile(
    r"""["'](?:inputs?|requests?|body|payload|prompt|messages|content)\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["'\[{]   # JSON, or as Python writes it
    | \binput_value=                                                                          # pydantic
    """,
    re.VERBOSE,
)


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
    """Codes and words of a complaint.

    Of JSON, only what is in fields for codes and words, also of a list of errors: the rest may quote the prompt, which may say
    anything. Torn JSON gives the words of its beginning, and no codes. Words end where they go on to quote fields of the request; where
    they quote it in prose, nothing tells them apart.
    """
    text = body.decode("utf-8-sig", errors="replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        beginning = _own(text)
        is_torn = beginning.lstrip().startswith(("{", "["))
        return set(), " ".join(_IN_TORN.findall(beginning)) if is_torn else beginning
    codes: set[str] = set()
    words: list[str] = []
    values: deque[object] = deque([value])
    while values:
        value = values.popleft()
        if isinstance(value, str):
            words.append(_own(value))
        elif isinstance(value, Mapping):
            fields = cast("Mapping[str, object]", value)
            codes.update(code for name in _CODED if isinstance(code := fields.get(name), str))
            values.extend(fields[name] for name in _WORDED if name in fields)
        elif isinstance(value, list):
            values.extend(cast("list[object]", value))
    return codes, " ".join(words)[:WORDS_CHARACTERS]


def _own(words: str) -> str:
    """Without what they quote."""
    return _QUOTES.split(words[:WORDS_CHARACTERS], maxsplit=1)[0]


def _first(pattern: re.Pattern[str], words: str) -> int | None:
    found = pattern.search(words)
    return None if found is None else next(_number(group) for group in found.groups() if group)


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
