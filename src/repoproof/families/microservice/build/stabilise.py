"""What is the same however often and wherever the reference runs: of the recordings of several deployments, the part that a test may expect.

A value that was the same everywhere is expected as it is. One that differs is expected to be what it was in the request or in an earlier
answer, if it always was; else of the type and form that it always had. An answer whose status differs, or that is the service's own
failure, ends its scenario there, and the reason is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from .records import DIGITS, UNIQUE, Dropped, Exchange, Json, Played, Scenario, Step
from .values import leaves


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
    """A list that has these in it, among others."""

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


def stabilise(
    scenarios: Sequence[Scenario], recordings: Sequence[Sequence[Played]]
) -> tuple[list[Stable], list[Dropped]]:
    """What of `scenarios` can be expected; `recordings` hold, for each deployment, what came of each, in the same order."""
    stable: list[Stable] = []
    dropped: list[Dropped] = []
    for number, scenario in enumerate(scenarios):
        expected, why = _expected(scenario, [recording[number] for recording in recordings])
        if why:
            dropped.append(Dropped(what=scenario.title, why=why))
        # What a scenario was made for is its end: its beginning alone is in others.
        if len(expected) == len(scenario.steps):
            stable.append(Stable(scenario, tuple(expected)))
    return stable, dropped


def _expected(scenario: Scenario, played: Sequence[Played]) -> tuple[list[Expected], str]:
    found: list[Expected] = []
    for at, step in enumerate(scenario.steps):
        answers = [one.exchanges[at] for one in played if at < len(one.exchanges)]
        statuses = sorted({answer.status for answer in answers})
        if len(answers) < len(played) or 0 in statuses:
            why = next((answer.why for answer in answers if answer.why), "a step before it failed")
            return found, f"step {at + 1}: {why}"
        if len(statuses) > 1:
            return found, f"step {at + 1}: the status differs between deployments: {', '.join(map(str, statuses))}"
        if statuses[0] >= 500:
            return found, f"step {at + 1}: the reference fails with {statuses[0]}"
        body, content = _body(step, at, played, answers)
        found.append(Expected(step, statuses[0], body, content))
    return found, ""


def _body(step: Step, at: int, played: Sequence[Played], answers: Sequence[Exchange]) -> tuple[Form | None, str]:
    if all(answer.is_json for answer in answers):
        if answers[0].status >= 400:
            return _refusal([answer.json_ for answer in answers]), ""
        return _Reader(played, at).form([answer.json_ for answer in answers], ""), ""
    if all(answer.text == "" for answer in answers):
        return Exactly(""), ""
    types = {answer.headers.get("content-type", "").partition(";")[0] for answer in answers}
    return None, types.pop() if len(types) == 1 and answers[0].ok else ""


class _Reader:
    """Forms of the body of one step, which may refer to what came before it."""

    def __init__(self, played: Sequence[Played], at: int) -> None:
        self.played, self.at = played, at

    def form(self, values: Sequence[Json], name: str) -> Form:
        if all(isinstance(value, dict) for value in values):
            if (same := self._same_object(values)) is not None:
                return same
            names = [key for key in values[0] if all(key in value for value in values)]
            return Fields(tuple((key, self.form([value[key] for value in values], str(key))) for key in names))
        if all(isinstance(value, list) for value in values):
            return self._list(values, name)
        return self._scalar(values, name)

    def _same_object(self, values: Sequence[Json]) -> Form | None:
        """An earlier body, if it always was that one."""
        if len(values[0]) < 2 or any(_may_be_equal_by_chance(one) for _, one in leaves(values[0])):
            return None
        for before in range(self.at):
            bodies = [one.exchanges[before].json_ for one in self.played]
            if all(body == value for body, value in zip(bodies, values, strict=True)):
                return SameAs(before, "")
        return None

    def _list(self, values: Sequence[list[Json]], name: str) -> Form:
        lengths = {len(value) for value in values}
        if len(lengths) == 1:
            items = tuple(self.form([value[place] for value in values], name) for place in range(len(values[0])))
            # Where the length is the same by chance, what is in it is not told apart from what others left there.
            if all(_telling(item) for item in items):
                return Items(items)
        own = []
        for before in range(self.at):
            bodies = [one.exchanges[before].json_ for one in self.played]
            if any(_may_be_equal_by_chance(one) for _, one in leaves(bodies[0])):
                continue
            if all(isinstance(body, dict) and body in value for body, value in zip(bodies, values, strict=True)):
                own.append(SameAs(before, ""))
        return Among(tuple(own)) if own else Some("list")

    def _scalar(self, values: Sequence[Json], name: str) -> Form:
        first = values[0]
        if any(isinstance(value, float) and not isfinite(value) for value in values):
            return Some("number")
        if all(type(value) is type(first) and value == first for value in values):
            if isinstance(first, str) and _MOMENT.fullmatch(first) and not self._was_sent(first):
                # The same everywhere because it was recorded on one day.
                return Like(form_of_texts([first]))
            if isinstance(first, int) and not isinstance(first, bool) and first > 10**8 and not self._was_sent(first):
                return Some("integer")
            return Exactly(first)
        if all(isinstance(value, str) for value in values):
            templates = {
                value.replace(one.unique, UNIQUE).replace(one.digits, DIGITS)
                for value, one in zip(values, self.played, strict=True)
            }
            if len(templates) == 1:
                return Written(templates.pop())
        if (reference := self._referred(values, name)) is not None:
            return reference
        kinds = {kind_of(value) for value in values}
        if kinds == {"text"}:
            return Like(form_of_texts(list(values)))
        if kinds <= {"integer", "number"}:
            return Some("number" if "number" in kinds else "integer")
        return Some(kinds.pop()) if len(kinds) == 1 else Some("anything")

    def _was_sent(self, value: Json) -> bool:
        sent = [exchange.sent for exchange in self.played[0].exchanges[: self.at + 1]]
        return any(one == value for request in sent for _, one in leaves(request))

    def _referred(self, values: Sequence[Json], name: str) -> Form | None:
        """A place in an earlier answer that always held the value, one of the same name first."""
        if _may_be_equal_by_chance(values[0]):
            return None
        for before in range(self.at):
            bodies = [one.exchanges[before].json_ for one in self.played]
            places = sorted((path for path, _ in leaves(bodies[0])), key=lambda path: path.rsplit(".", 1)[-1] != name)
            for path in places:
                if all(_at(body, path) == value for body, value in zip(bodies, values, strict=True)):
                    return SameAs(before, path)
        return None


def _may_be_equal_by_chance(value: Json) -> bool:
    """Whether it is a moment to the second or the day: two things that are made in one are not the same for that."""
    if isinstance(value, str):
        return _MOMENT.fullmatch(value) is not None and "." not in value
    return isinstance(value, int) and not isinstance(value, bool) and 10**8 < value < 10**11


def _telling(form: Form) -> bool:
    """Whether a form says more than what kind of value it is."""
    match form:
        case Some() | Like():
            return False
        case Fields(fields):
            return any(_telling(one) for _, one in fields)
        case _:
            return True


def _at(value: Any, path: str) -> Json:
    for part in path.split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return _NOWHERE
    return value


_NOWHERE = object()
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?")
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9]*([_.-][A-Za-z0-9]+)*")


def _refusal(values: Sequence[Json]) -> Form:
    """Of a refusal: its fields and codes, not its words, which are nobody's specification."""
    first = values[0]
    if all(isinstance(value, dict) for value in values):
        names = [key for key in first if all(key in value for value in values)]
        return Fields(tuple((str(key), _refusal_part([value[key] for value in values])) for key in names))
    return Some(kind_of(first))


def _refusal_part(values: Sequence[Json]) -> Form:
    first = values[0]
    if all(isinstance(value, dict) for value in values):
        return _refusal(values)
    if all(isinstance(value, str) and value == first and _CODE.fullmatch(value) for value in values):
        return Exactly(first)
    if all(isinstance(value, list) and value == first and all(isinstance(one, str) and _CODE.fullmatch(one) for one in value) for value in values):  # fmt: skip
        return Exactly(first)
    kinds = {kind_of(value) for value in values}
    return Some(kinds.pop()) if len(kinds) == 1 else Some("anything")


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
