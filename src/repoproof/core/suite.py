"""A suite: a named, versioned set of tasks of one family."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from pydantic import Field

from .base import Frozen
from .task import Task

SCHEMA_VERSION = 1


class Digests(Frozen):
    """SHA-256 of each half; times, owners and file modes other than the executable bit are left out."""

    public: str
    sealed: str


class Window(Frozen):
    """Dates between which the sources were created."""

    first: date
    last: date


class SuiteInfo(Frozen):
    """`suite.json`."""

    schema_version: int = SCHEMA_VERSION
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")
    version: str
    """Semantic version or a date."""
    split: str = "test"
    family: str
    licence: str
    """SPDX expression."""
    sources: tuple[str, ...] = ()
    window: Window | None = None
    cutoff: date | None = None
    """Date that dependencies are resolved as of; None for no limit."""
    builder: str = ""
    """What made the suite, with version."""
    digests: Digests | None = None
    """Written by sealing; None only while a suite is being edited."""


class Suite(Frozen):
    """A loaded suite. Loading checks every record and the digests."""

    root: Path
    info: SuiteInfo
    tasks: tuple[Task, ...]
    has_sealed: bool
    """Whether the half that verifies is present: a solver's machine needs only the public one."""
    quarantined: dict[str, str] = Field(default_factory=dict)
    """Task id -> reason, from the health record of the very same task digest."""
    health_version: str = "none"
    """First 12 hex digits of the SHA-256 of `health.jsonl`; `none` where there is no such file."""

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def digest(self) -> str:
        """Of both halves together."""
        from .digest import digest_of_strings

        assert self.info.digests is not None
        return digest_of_strings(self.info.digests.public, self.info.digests.sealed)

    def __iter__(self) -> Iterator[Task]:  # type: ignore[override]
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    def task(self, id: str) -> Task:
        """The task of that id; KeyError if there is none."""
        return {task.id: task for task in self.tasks}[id]
