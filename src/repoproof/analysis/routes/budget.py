"""How much work a tree can make us do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

MAX_CALL_DEPTH = 25
"""Calls inside each other, in JavaScript and Java. Python's evaluation looks out for recursion itself."""


class OutOfSteps(Exception):
    """The source asks for more evaluation than any service needs."""


class Budget:
    """Steps of an evaluation: so many for what is asked at once, so many in all."""

    def __init__(self, in_all: int, at_once: int | None = None) -> None:
        self._in_all = in_all
        self._at_once = in_all if at_once is None else at_once
        self.renew()

    def renew(self) -> None:
        """As if nothing had been spent."""
        self._left_in_all, self._left = self._in_all, self._at_once

    def spend(self) -> None:
        """One step."""
        self._left_in_all -= 1
        self._left -= 1
        if self._left < 0 or self._left_in_all < 0:
            raise OutOfSteps

    @contextmanager
    def allowance(self) -> Iterator[None]:
        """Steps for one question. What uses them up ends here, and keeps nothing else from having its own."""
        outer, self._left = self._left, self._at_once
        try:
            yield
        except OutOfSteps:
            pass
        finally:
            self._left = outer
