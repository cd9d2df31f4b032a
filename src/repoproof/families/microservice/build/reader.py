"""What the bodies that one step was answered with have in common."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from math import isclose, isfinite
from typing import Any

from .forms import (  # fmt: skip
    Among,
    Exactly,
    Fields,
    Form,
    Items,
    Like,
    SameAs,
    Some,
    Written,
    form_of_kind,
    form_of_texts,
    kind_of,
    telling,
)
from .moments import is_measured, is_of_the_moment, may_be_equal_by_chance
from .records import DIGITS, UNIQUE, Json, Played, Step
from .unsteady import Path, Unsteady, place_of
from .values import leaves, same

CHANCE = 1e-3
"""That two places are always the same though they have nothing to do with each other: above it they are not taken for one."""


class Reader:
    """Forms of the body of step `at`, which may refer to what came before it; what `unsteady` knows is left open."""

    def __init__(
        self, played: Sequence[Played], steps: Sequence[Step], at: int, unsteady: Unsteady, now: datetime
    ) -> None:
        self.played, self.steps, self.at, self.unsteady, self.now = played, steps, at, unsteady, now
        self.step = steps[at]

    def form(self, values: Sequence[Json], path: Path = ()) -> Form:
        """The form of what is at `path` in the body: `values`, one for each recording."""
        if all(isinstance(value, dict) for value in values):
            if (whole := self._same_object(values, path)) is not None:
                return whole
            return Fields(tuple((name, self.form([value[name] for value in values], (*path, name))) for name in self.names(values, path)))  # fmt: skip
        if all(isinstance(value, list) for value in values):
            return self._list(values, path)
        return self._scalar(values, path)

    def names(self, values: Sequence[dict[str, Json]], path: Path, *, refused: bool = False) -> list[str]:
        """The fields that are always there."""
        return [
            name
            for name in values[0]
            if all(name in value for value in values)
            and place_of(self.step, (*path, name), refused=refused) not in self.unsteady.absent
        ]

    def is_ordered(self, path: Path, *, refused: bool = False) -> bool:
        return place_of(self.step, path, refused=refused) not in self.unsteady.orders

    def _same_object(self, values: Sequence[dict[str, Json]], path: Path) -> Form | None:
        """An earlier body, if it always was that one."""
        if len(values[0]) < 2 or any(self._is_by_chance(one) for _, one in leaves(values[0])):
            return None
        for before in range(self.at):
            bodies = [one.exchanges[before].json_ for one in self.played]
            if all(body == value for body, value in zip(bodies, values, strict=True)) and self._is_steady(values, path):
                return SameAs(before, "")
        return None

    def _is_steady(self, values: Sequence[dict[str, Json]], path: Path) -> bool:
        """Whether no part of an object that is the same as another one is so by chance alone."""
        for name in dict.fromkeys(name for value in values for name in value):
            parts, place = [value.get(name, _NOWHERE) for value in values], place_of(self.step, (*path, name))
            if all(isinstance(part, dict) for part in parts):
                if not self._is_steady(parts, place.path):
                    return False
            elif (place in self.unsteady.values or place in self.unsteady.absent) and by_chance(parts) > CHANCE:
                return False
        return True

    def _list(self, values: Sequence[list[Json]], path: Path) -> Form:
        if len({len(value) for value in values}) == 1:
            ordered, arranged = self._arranged(values)
            items = tuple(self.form(list(each), (*path, "*")) for each in zip(*arranged, strict=True))
            # Where the length is the same by chance, what is in it is not told apart from what others left there.
            if all(telling(item) for item in items):
                return Items(items) if len(items) < 2 or (ordered and self.is_ordered(path)) else Among(items)
        own = []
        for before in range(self.at):
            bodies = [one.exchanges[before].json_ for one in self.played]
            if any(self._is_by_chance(one) for _, one in leaves(bodies[0])):
                continue
            if all(isinstance(body, dict) and body in value for body, value in zip(bodies, values, strict=True)):
                own.append(SameAs(before, ""))
        return Among(tuple(own)) if own else Some("list")

    def _arranged(self, values: Sequence[list[Json]]) -> tuple[bool, list[list[Json]]]:
        """Whether the order says something, and the lists: in one order where they have the same in another one each time."""
        said = [
            [json.dumps(item, sort_keys=True).replace(one.unique, UNIQUE) for item in value]
            for value, one in zip(values, self.played, strict=True)
        ]
        if all(each == said[0] for each in said) or any(sorted(each) != sorted(said[0]) for each in said):
            return True, list(values)
        return False, [[value[at] for at in sorted(range(len(value)), key=each.__getitem__)] for value, each in zip(values, said, strict=True)]  # fmt: skip

    def _scalar(self, values: Sequence[Json], path: Path) -> Form:
        first, name = values[0], path[-1] if path else ""
        if any(isinstance(value, float) and not isfinite(value) for value in values):
            return Some("number")
        place = place_of(self.step, path)
        left_open = self.unsteady.form(place, values)
        if left_open is None and all(_is_same(value, first) for value in values):
            if is_of_the_moment(first, name, self.now) and not self._was_sent(first):
                # The same everywhere because it was recorded on one day.
                return Like(form_of_texts([first])) if isinstance(first, str) else Some("number" if is_measured(name) else kind_of(first))  # fmt: skip
            if not self._was_sent(first, name):
                if (reference := self._referred(values, name, to_unsteady=True)) is not None:
                    return reference
                if others := self.unsteady.elsewhere(place, first):
                    return form_of_kind([first, *others])
            return Exactly(first)
        if all(isinstance(value, str) for value in values):
            templates = {
                value.replace(one.unique, UNIQUE).replace(one.digits, DIGITS)
                for value, one in zip(values, self.played, strict=True)
            }
            if len(templates) == 1 and (template := templates.pop()) != first:
                return Written(template)
        may_refer = left_open is None or by_chance(values) <= CHANCE
        reference = self._referred(values, name) if may_refer else None
        return reference or left_open or form_of_kind(values)

    def _was_sent(self, value: Json, name: str = "") -> bool:
        """Whether it is in a request so far; with a name, in a field of that name."""
        sent = [exchange.sent for exchange in self.played[0].exchanges[: self.at + 1]]
        return any(same(one, value) and (not name or _last(path) == name) for request in sent for path, one in leaves(request))  # fmt: skip

    def _is_by_chance(self, value: Json) -> bool:
        return may_be_equal_by_chance(value, self.now) and not self._was_sent(value)

    def _referred(self, values: Sequence[Json], name: str, *, to_unsteady: bool = False) -> Form | None:
        """A place in an earlier answer that always held the value, one of the same name first; or only one of the name that is unsteady."""
        if self._is_by_chance(values[0]):
            return None
        for before in range(self.at):
            answers = [one.exchanges[before] for one in self.played]
            places = sorted((path for path, _ in leaves(answers[0].json_)), key=lambda path: _last(path) != name)
            for path in places:
                if to_unsteady and (_last(path) != name or not self._is_unsteady(before, path)):
                    continue
                if all(_at(answer.json_, path) == value for answer, value in zip(answers, values, strict=True)):
                    return SameAs(before, path)
        return None

    def _is_unsteady(self, before: int, path: str) -> bool:
        place = tuple("*" if part.isdecimal() else part for part in path.split("."))
        return place_of(self.steps[before], place) in self.unsteady.values


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def by_chance(values: Sequence[Json]) -> float:
    """How likely it is that as many values drawn from where these are from are all the same as these."""
    counts = Counter((type(value), repr(value)) for value in values)
    pairs = len(values) * (len(values) - 1)
    return (sum(count * (count - 1) for count in counts.values()) / pairs) ** len(values) if pairs else 1.0


def _is_same(one: Json, other: Json) -> bool:
    """Equal; numbers that were added up in another order are."""
    return same(one, other) or (isinstance(one, float) and isinstance(other, float) and isclose(one, other))


def _at(value: Any, path: str) -> Json:
    for part in path.split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return _NOWHERE
    return value


_NOWHERE = object()
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9]*([_.-][A-Za-z0-9]+)*")


def refusal(values: Sequence[Json], reader: Reader, path: Path = ()) -> Form:
    """Of a refusal: its fields and codes, not its words, which are nobody's specification."""
    first = values[0]
    if all(isinstance(value, dict) for value in values):
        names = reader.names(values, path, refused=True)
        return Fields(tuple((name, _refusal_part([value[name] for value in values], reader, (*path, name))) for name in names))  # fmt: skip
    return Some(kind_of(first))


def _refusal_part(values: Sequence[Json], reader: Reader, path: Path) -> Form:
    first = values[0]
    if all(isinstance(value, dict) for value in values):
        return refusal(values, reader, path)
    if all(isinstance(value, str) and value == first and _CODE.fullmatch(value) for value in values):
        return Exactly(first)
    if all(isinstance(value, list) and all(isinstance(one, str) and _CODE.fullmatch(one) for one in value) for value in values):  # fmt: skip
        if all(value == first for value in values) and (reader.is_ordered(path, refused=True) or len(first) < 2):
            return Exactly(first)
        if all(sorted(value) == sorted(first) for value in values):
            return Among(tuple(map(Exactly, sorted(first))))
    kinds = {kind_of(value) for value in values}
    return Some(kinds.pop()) if len(kinds) == 1 else Some("anything")
