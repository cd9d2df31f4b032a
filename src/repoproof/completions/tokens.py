"""How long a text is for a model, and what of a prompt is left out where it is too long."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from ..core.base import Frozen, Text
from ..core.errors import BadInput


class TokenCounter(Protocol):
    """Tokens of a text: a model's own tokenizer, or `estimate_tokens` where there is none."""

    def __call__(self, text: str, /) -> int: ...


_PIECE = re.compile(
    r"(?P<dense>[A-Za-z0-9+/]{24,})|(?P<word>[A-Z]?[a-z]+|[A-Z]+)|(?P<digit> ?[0-9])|(?P<space>[ \t]+|[\r\n]+)"
    r"|(?P<other>[^\x00-\x7f]+)|(?P<mark>[\x00-\x7f])"
)


def estimate_tokens(text: str) -> int:
    """At least as many tokens as a byte-pair vocabulary of 100,000 and more makes of code or prose; without a tokenizer.

    A word is a token for each six letters begun, a digit and a mark are one each, the space before a word is part of it, longer space a
    token for each sixteen characters, a run of 24 and more letters and digits (keys, hashes) one for each character, other writing one
    for each two bytes. docs/design/completions.md has the measurements: 1.1 to 2 times the true number, 1.4 in the middle. Words of random
    letters have more; no text has more tokens than bytes.
    """
    total = 0.0
    for piece in _PIECE.finditer(text):
        size = piece.end() - piece.start()
        match piece.lastgroup:
            case "dense" | "digit":
                total += size
            case "word":
                total += math.ceil(size / 6)
            case "space":
                total += 0 if piece[0] == " " else math.ceil(size / 16)
            case "other":
                total += len(piece[0].encode("utf-8", "surrogatepass")) / 2
            case _:
                total += 1
    return math.ceil(total)


class Cut(StrEnum):
    """What may be left out of a part."""

    NOTHING = "nothing"
    """It is there whole or not at all."""
    END = "end"
    """Its last lines: a list whose first entries matter most."""
    BEGINNING = "beginning"
    """Its first lines: code above the place that is asked about."""


REQUIRED = 0
"""The priority of what is never left out or cut: the instruction."""


class Part(Frozen):
    """A piece of a prompt."""

    name: str
    text: Text
    priority: int
    """`REQUIRED`, or from 1 on: the higher the number, the sooner it is left out."""
    cut: Cut = Cut.NOTHING


class Fitted(Frozen):
    """The parts that fit, in the order that they were given in."""

    parts: tuple[Part, ...]
    left_out: tuple[str, ...] = ()
    """Names of parts that are not there."""
    shortened: tuple[str, ...] = ()
    """Names of parts that are there in part."""
    tokens: int
    """Of all parts, each counted by itself."""


def fit(parts: Sequence[Part], budget: int, *, count: TokenCounter = estimate_tokens) -> Fitted:
    """As much of `parts` as `budget` tokens hold: by priority, then in the order given; cut between lines only.

    What is too long leaves its room to what comes after it. `BadInput` if what is required does not fit by itself.
    """
    kept: dict[int, Part] = {}
    left = budget
    for at, part in sorted(enumerate(parts), key=lambda pair: (pair[1].priority, pair[0])):
        fitting = _fitting(part, left, count)
        if part.priority == REQUIRED and fitting is not part:
            raise BadInput(f"does not fit into {budget:,} tokens", subject="prompt", field=part.name)
        if fitting is not None:
            kept[at] = fitting
            left -= count(fitting.text)
    return Fitted(
        parts=tuple(kept[at] for at in sorted(kept)),
        left_out=tuple(part.name for at, part in enumerate(parts) if at not in kept),
        shortened=tuple(kept[at].name for at in sorted(kept) if kept[at] is not parts[at]),
        tokens=budget - left,
    )


def _fitting(part: Part, tokens: int, count: TokenCounter) -> Part | None:
    """`part`, or what of it has at most `tokens`."""
    if count(part.text) <= tokens:
        return part
    if part.cut is Cut.NOTHING or part.priority == REQUIRED:
        return None
    lines = part.text.splitlines(keepends=True)

    def shortened(kept: int) -> str:
        return "".join(lines[:kept] if part.cut is Cut.END else lines[len(lines) - kept :])

    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(shortened(middle)) <= tokens else (low, middle - 1)
    text = shortened(low)
    return part.model_copy(update={"text": text}) if text.strip() and count(text) <= tokens else None
