"""The readings of one sensor, in order of time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from itertools import groupby


class Outcome(Enum):
    STORED = "stored"
    REPEATED = "repeated"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class Bucket:
    start: datetime
    values: tuple[float, ...]


@dataclass
class Series:
    _times: list[datetime] = field(default_factory=list)
    _values: dict[datetime, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._times)

    def add(self, at: datetime, value: float) -> Outcome:
        if at in self._values:
            return Outcome.REPEATED if self._values[at] == value else Outcome.CONFLICT
        insort(self._times, at)
        self._values[at] = value
        return Outcome.STORED

    def between(
        self, first: datetime | None, end: datetime | None, *, after: datetime | None = None
    ) -> list[tuple[datetime, float]]:
        """Readings at or after `first`, before `end` and, beyond that, later than `after`."""
        low = 0 if first is None else bisect_left(self._times, first)
        if after is not None:
            low = max(low, bisect_right(self._times, after))
        high = len(self._times) if end is None else bisect_left(self._times, end)
        return [(at, self._values[at]) for at in self._times[low:high]]

    def buckets(self, first: datetime | None, end: datetime | None, size: str) -> Iterator[Bucket]:
        def start(reading: tuple[datetime, float]) -> datetime:
            hour = reading[0].replace(minute=0, second=0)
            return hour if size == "hour" else hour.replace(hour=0)

        for at, readings in groupby(self.between(first, end), key=start):
            yield Bucket(at, tuple(value for _, value in readings))
