"""What differed though the same was asked: by chance, by the clock, by what others had done. A field that did in one test is left open in all.

A coin that fell on the same side in every recording of one request fell on the other in some recording of another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .forms import Among, Fields, Form, Items, Like, Some, form_of_kind
from .records import Json, Played, Step
from .values import same

Path = tuple[str, ...]
"""Of a value in a body: names, and `*` for any item of a list."""

MOST_VALUES = 60
"""Of one place that are kept."""


@dataclass(frozen=True)
class Place:
    """Where in the answers to an endpoint a value is.

    What a query selects is the test's own in one request and everybody's in another: answers to other query parameters are another place.
    """

    endpoint: str
    query: tuple[str, ...]
    refused: bool
    path: Path

    def __str__(self) -> str:
        query = f" by {', '.join(self.query)}" if self.query else ""
        return f"{self.endpoint}{query}{' refused' if self.refused else ''}: {'.'.join(self.path)}"


def place_of(step: Step, path: Path, *, refused: bool = False) -> Place:
    return Place(step.endpoint, tuple(sorted(step.query)), refused, path)


@dataclass
class Unsteady:
    """The places whose values differed with nothing to explain it."""

    values: dict[Place, list[Json]] = field(default_factory=dict)
    """All that were seen there in requests where they differed."""
    orders: set[Place] = field(default_factory=set)
    """Of lists that had the same in another order."""
    absent: set[Place] = field(default_factory=set)
    """Of fields that were there at one time and not at another."""
    shared: dict[tuple[str, str], list[Json]] = field(default_factory=dict)
    """Collection and field -> values: what differs where a thing is made is not the thing's own where it is read."""

    def note(self, step: Step, form: Form, played: Sequence[Played], at: int) -> None:
        """Remember what `form` leaves open of the bodies that step `at` was answered with."""
        answers = [one.exchanges[at] for one in played]
        refused = answers[0].status >= 400
        for path, values, what in _differing(form, [one.json_ for one in answers], ()):
            place = place_of(step, path, refused=refused)
            if _has_words(values, played):
                pass
            elif what == "order":
                self.orders.add(place)
            elif what == "absent":
                self.absent.add(place)
            else:
                _keep(self.values.setdefault(place, []), values)
                if not refused and path and "*" not in path and _is_of_one(step.endpoint):
                    _keep(self.shared.setdefault((collection_of(step.endpoint), path[-1]), []), values)

    def form(self, place: Place, values: Sequence[Json]) -> Form | None:
        """What can be said of a value at a place that is not steady; None for one that is."""
        seen = self.values.get(place)
        return None if seen is None else form_of_kind([*seen, *values])

    def elsewhere(self, place: Place, value: Json) -> list[Json]:
        """The values that the field had in answers about the same kind of thing, where `value` is one that came and went there."""
        seen = self.shared.get((collection_of(place.endpoint), place.path[-1]), []) if place.path else []
        return seen if any(same(value, one) for one in seen) else []

    def said(self) -> tuple[str, ...]:
        """The places, as people read them; not the words of refusals, which nobody expects anyway."""
        values = (place for place in self.values if not place.refused)
        return tuple(sorted({str(place) for place in (*values, *self.orders, *self.absent)}))


def _keep(kept: list[Json], values: Iterable[Json]) -> None:
    for value in values:
        if len(kept) < MOST_VALUES and not any(same(value, one) for one in kept):
            kept.append(value)


def _has_words(values: Sequence[Json], played: Sequence[Played]) -> bool:
    """Whether each value has the unique word of its recording in it, in whatever case: then it differs with what was sent."""
    pairs = zip(values, played, strict=False)
    return bool(values) and all(isinstance(value, str) and one.unique in value.lower() for value, one in pairs)


def _differing(form: Form, values: Sequence[Json], path: Path) -> Iterator[tuple[Path, Sequence[Json], str]]:
    """Path, values and `value`, `order` or `absent`, for each part that the form leaves open though it differs."""
    match form:
        case Fields(fields):
            for name in dict.fromkeys(key for value in values for key in value):
                if any(name not in value for value in values):
                    yield (*path, str(name)), (), "absent"
            for name, one in fields:
                yield from _differing(one, [value[name] for value in values], (*path, name))
        case Items(items):
            for number, one in enumerate(items):
                yield from _differing(one, [value[number] for value in values], (*path, "*"))
        case Among() if all(isinstance(value, list) and len(value) == len(form.items) for value in values):
            yield path, (), "order"
        case Some(kind="list" | "object"):
            pass
        case Some() | Like() if any(not same(value, values[0]) for value in values):
            yield path, values, "value"
        case _:
            pass


def _is_of_one(endpoint: str) -> bool:
    """Whether it answers with one thing, and not with all that there are of it."""
    return not endpoint.startswith("GET ") or endpoint.rstrip("/").endswith("}")


def collection_of(endpoint: str) -> str:
    """What an endpoint is about: `/books` for `POST /books` and `GET /books/{id}`."""
    path = re.sub(r"\{[^}]*\}", "{}", endpoint.partition(" ")[2])
    return path.rstrip("/").removesuffix("/{}")
