"""What an answer has to be like: what stays of recordings, what tests expect, what a specification says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .records import Json, Scenario, Step


class Form:
    """What a value has to be like. The kinds are below."""


@dataclass(frozen=True)
class Exactly(Form):
    value: Json


@dataclass(frozen=True)
class Written(Form):
    """A text with the scenario's unique word in it: `name-${unique}`."""

    template: str


@dataclass(frozen=True)
class SameAs(Form):
    """What is at `path` in the body that step `step` was answered with; the whole body for an empty path."""

    step: int
    path: str


@dataclass(frozen=True)
class Some(Form):
    """Any value of a kind: `text`, `integer`, `number`, `flag`, `list`, `object`, `anything`."""

    kind: str


@dataclass(frozen=True)
class Like(Form):
    """A text that a pattern matches as a whole."""

    pattern: str


@dataclass(frozen=True)
class Fields(Form):
    """An object with at least these."""

    fields: tuple[tuple[str, Form], ...]


@dataclass(frozen=True)
class Items(Form):
    """A list of exactly these, in this order."""

    items: tuple[Form, ...]


@dataclass(frozen=True)
class Among(Form):
    """A list that has these in it, among others, in any order."""

    items: tuple[Form, ...]


@dataclass(frozen=True)
class Expected:
    """What a step is answered with."""

    step: Step
    status: int
    body: Form | None
    """None where nothing is said of it; an empty body is `Exactly("")`."""
    content: str = ""
    """Content type of a body that is no JSON."""


@dataclass(frozen=True)
class Stable:
    """A scenario with what is expected of each of its steps."""

    scenario: Scenario
    expected: tuple[Expected, ...]


def telling(form: Form) -> bool:
    """Whether a form says more than what kind of value it is."""
    match form:
        case Some() | Like():
            return False
        case Fields(fields):
            return any(telling(one) for _, one in fields)
        case _:
            return True


def kind_of(value: Json) -> str:
    match value:
        case bool():
            return "flag"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "text"
        case list():
            return "list"
        case dict():
            return "object"
        case _:
            return "anything"


def form_of_kind(values: Sequence[Json]) -> Form:
    """The narrowest of kind and pattern that all the values are of."""
    kinds = {kind_of(value) for value in values}
    if kinds == {"text"}:
        return Like(form_of_texts(values))
    if kinds <= {"integer", "number"}:
        return Some("number" if "number" in kinds else "integer")
    return Some(kinds.pop()) if len(kinds) == 1 else Some("anything")


_FORMS = (
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    r"\d{4}-\d\d-\d\d",
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*",
    r"\d+",
    r"[0-9a-f]+",
)


def form_of_texts(texts: Sequence[str]) -> str:
    """The narrowest pattern of ours that all match: a known form, one behind a common beginning, or any text."""
    for pattern in _FORMS:
        if all(re.fullmatch(pattern, text) for text in texts):
            return pattern
    start = _common_start(texts)
    if start and len(texts) > 1:
        for pattern in (r"\d+", r"[0-9a-f]+"):
            if all(re.fullmatch(start + pattern, text) for text in texts):
                return start + pattern
    return r"(?s).+" if all(texts) else r"(?s).*"


def _common_start(texts: Sequence[str]) -> str:
    """The letters and marks that all begin with, up to the first digit: nothing that a pattern would take for anything else."""
    match = re.match(r"[A-Za-z]+[-_:/]?", texts[0])
    start = match[0] if match else ""
    while start and not all(text.startswith(start) for text in texts):
        start = start[:-1]
    return start
