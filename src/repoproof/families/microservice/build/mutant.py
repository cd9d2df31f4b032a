"""One change of a service: which there are, and what they are called."""

from __future__ import annotations

from typing import Literal

from ....core.base import Frozen
from .sites import Span

Kind = Literal["route", "status", "field"]
KINDS: tuple[Kind, ...] = ("route", "status", "field")


class Mutant(Frozen):
    """One change of one place in one file."""

    kind: Kind
    file: str
    line: int
    words: str
    """What was changed: `404 -> 200`."""
    span: Span
    replacement: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


def route_mutant(name: str, line: int, shown: str, span: Span, replacement: str) -> Mutant:
    """Without the route that is registered by what `shown` begins with."""
    words = f"without {' '.join(shown.split())[:80]}"
    return Mutant(kind="route", file=name, line=line, words=words, span=span, replacement=replacement)


def other_status(status: int) -> int:
    """200 for any other status; for 200, another success."""
    return 202 if status == 200 else 200


def status_mutant(name: str, line: int, span: Span, status: int, replacement: str = "") -> Mutant:
    """With the other status, written as `replacement` where that is no number."""
    other = other_status(status)
    words = f"{status} -> {other}"
    return Mutant(kind="status", file=name, line=line, words=words, span=span, replacement=replacement or str(other))


def field_mutant(name: str, line: int, span: Span, field: str, replacement: str) -> Mutant:
    return Mutant(kind="field", file=name, line=line, words=f"{field} -> {field}_", span=span, replacement=replacement)
