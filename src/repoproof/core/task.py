"""A task, as far as all families agree."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, PrivateAttr

from .base import Frozen

TASK_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"


class NamedPath(str):
    """The value of a field that names a file or directory of the suite: how the loader knows what belongs to a task."""


def _named_path(value: str) -> NamedPath:
    parts = value.split("/")
    if value.startswith("/") or ".." in parts:
        raise ValueError(f'"{value}" leaves its half of the suite')
    if "" in parts or "." in parts or "\\" in value or "\0" in value:
        raise ValueError(f'"{value}" is not a plain relative path (like files/blog/README.md)')
    return NamedPath(value)


SuitePath = Annotated[str, AfterValidator(_named_path)]
"""Path of a file or directory, relative to its half of the suite (`public/` or `sealed/`); loading checks that it is there, and
the task's digest covers it."""

OptionalSuitePath = Annotated[str, AfterValidator(lambda value: value and _named_path(value))]
"""The same, or empty for none."""


class Provenance(Frozen):
    """Where a task comes from."""

    source: str
    """Repository, package or author."""
    licence: str
    """SPDX expression."""
    commit: str | None = None
    date: datetime.date | None = None
    """When the solution first became public: what contamination is judged by."""


class Difficulty(Frozen):
    """Size of the reference solution, and the level drawn from it."""

    level: str
    """`easy`, `medium` or `hard`."""
    lines: int
    """Non-blank, non-comment lines."""
    complexity: int
    """Sum of the cyclomatic complexity of all functions."""
    files: int
    endpoints: int
    functions: int


class Task(Frozen):
    """One unit of work: what the solver sees, and, where the sealed half is present, what verifies the answer.

    Families subclass it. A record is read from one line of `public/tasks.jsonl` and, if there, the line of the same id in
    `sealed/tasks.jsonl`, held in the subclass's field `sealed`.
    """

    id: str = Field(pattern=TASK_ID)
    language: str = ""
    """Language of the solution: `python`, `node`, ..."""
    framework: str = ""
    domain: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    provenance: Provenance

    _suite: Path = PrivateAttr(default=Path())
    _digest: str = PrivateAttr(default="")

    @property
    def test_ids(self) -> tuple[str, ...]:
        """Ids of the tests that an answer is expected to pass; none in families without tests, or without the sealed half."""
        return ()

    @property
    def slices(self) -> dict[str, tuple[str, ...]]:
        """What results can be told apart by, beside the language: dimension -> what the task says of it. What it does not say is left out."""
        said = {"framework": self.framework, "domain": self.domain, "category": self.category}
        return {name: (value,) for name, value in said.items() if value} | ({"tag": self.tags} if self.tags else {})

    @property
    def public(self) -> Path:
        """The suite's public half, which paths in the visible part are relative to."""
        return self._suite / "public"

    @property
    def sealed_root(self) -> Path:
        """The suite's sealed half, which paths in the sealed part are relative to."""
        return self._suite / "sealed"

    @property
    def digest(self) -> str:
        """SHA-256 of the record's two lines and every file that they name: changes whenever the task does."""
        return self._digest

    def placed(self, suite: Path, digest: str) -> Self:
        """The task, told where it was read from and what it was then."""
        self._suite = suite
        self._digest = digest
        return self
