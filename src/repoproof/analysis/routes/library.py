"""What the libraries of JavaScript and Java have in common where paths of routes are concerned: texts, and how large things may grow."""

from __future__ import annotations

from collections.abc import Iterable

from .values import UNKNOWN, Value

MAX_TEXT = 5_000
MAX_ELEMENTS = 1_000


def as_text(value: Value) -> str | None:
    """What a value adds to a text; None if that cannot be told."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def capped(text: Value) -> Value:
    """No path is longer; a text that doubles itself is not worth following."""
    return text if not isinstance(text, str) or len(text) <= MAX_TEXT else UNKNOWN


def added(left: Value, right: Value) -> Value:
    """What `+` gives. No number that a path is made of has more than 64 bits."""
    if isinstance(left, int) and isinstance(right, int):
        return left + right if abs(left + right) < 1 << 63 else UNKNOWN
    return text_joined((left, right))


def text_joined(values: Iterable[Value], glue: str = "") -> Value:
    """The texts of the values, one after another; `UNKNOWN` if one of them cannot be told."""
    texts = [as_text(value) for value in values]
    known = [text for text in texts if text is not None]
    return capped(glue.join(known)) if len(known) == len(texts) else UNKNOWN
