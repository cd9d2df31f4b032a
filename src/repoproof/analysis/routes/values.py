"""What evaluating code without running it yields, in whatever language.

Texts, numbers and collections stand for themselves; each language has classes of its own for the rest. What cannot be told is `UNKNOWN`,
of which nothing follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

Value = Any


class Site(NamedTuple):
    """Where in the source something happens."""

    file: str
    line: int


class Unknown:
    """A value that cannot be told without running the code."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()


class Reply(NamedTuple):
    """A result, as opposed to no rule for the call."""

    value: Value


@dataclass(eq=False, kw_only=True)
class Names:
    """Names and what they hold, inside others."""

    names: dict[str, Value] = field(default_factory=dict)
    parent: Self | None = None

    def outwards(self) -> Iterator[Self]:
        """These names and those around them, the innermost first."""
        at: Self | None = self
        while at is not None:
            yield at
            at = at.parent

    def holder(self, name: str) -> Self | None:
        """The innermost that has the name."""
        at: Self | None = self
        while at is not None and name not in at.names:
            at = at.parent
        return at


def is_known(value: Value) -> bool:
    """Whether it can be told, and is there."""
    return value is not UNKNOWN and value is not None


def first_known(values: Iterable[Value]) -> Value:
    """The first that can be told, be it None."""
    return next((value for value in values if value is not UNKNOWN), UNKNOWN)


def returned_of(values: Sequence[Value], *, nothing: Value) -> Value:
    """What a function with several returns gives: the last that is known, because early returns are for what goes wrong."""
    return next((value for value in reversed(values) if is_known(value)), values[-1] if values else nothing)


def listed(value: Value) -> list[Value]:
    """A list, or one value in its place; none for None."""
    return list(value) if isinstance(value, list) else [] if value is None else [value]


def leaves(value: Value) -> Iterator[Value]:
    """What is in a list and in the lists in it, in order; one value stands for itself. Each list is opened once: it may be in itself."""
    opened: set[int] = set()
    pending = [value]
    while pending:
        one = pending.pop()
        if not isinstance(one, list):
            yield one
        elif id(one) not in opened:
            opened.add(id(one))
            pending += reversed(one)


def texts(value: Value) -> list[str]:
    """The texts among what is listed."""
    return [one for one in listed(value) if isinstance(one, str)]


def first_two(arguments: Sequence[Value]) -> tuple[Value, Value]:
    first, second = [*arguments, UNKNOWN, UNKNOWN][:2]
    return first, second
