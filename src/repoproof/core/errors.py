"""Errors, each attributed to the one boundary that failed.

A bad *submission* is data (a verdict), never an exception; what is raised is either the user's input (`BadInput`) or our own side
(`InfrastructureError`).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path


class Boundary(StrEnum):
    """The part of the system that a failure belongs to."""

    TASK = "task"
    SUBMISSION = "submission"
    SANDBOX = "sandbox"
    TOOLCHAIN = "toolchain"
    MODEL = "model"
    HARNESS = "harness"


class RepoProofError(Exception):
    """Base of all errors that RepoProof raises on purpose. `str()` is one line, fit for a terminal."""

    boundary: Boundary = Boundary.HARNESS


class BadInput(RepoProofError):
    """What the user gave is wrong. The message names the place, the field and the mend; the command exits with 2."""

    def __init__(
        self,
        problem: str,
        *,
        file: Path | str | None = None,
        line: int | None = None,
        subject: str | None = None,
        field: str | None = None,
        mend: str | None = None,
        boundary: Boundary = Boundary.HARNESS,
    ) -> None:
        self.problem = problem
        self.file = str(file) if file is not None else None
        self.line = line
        self.subject = subject
        self.field = field
        self.mend = mend
        self.boundary = boundary
        place = "" if self.file is None else f"{self.file}:{line}: " if line is not None else f"{self.file}: "
        what = ": ".join(part for part in (subject, field, problem) if part)
        super().__init__(_one_line(f"{place}{what}{f' ({mend})' if mend else ''}"))


class InfrastructureError(RepoProofError):
    """Our side failed, not the candidate. Becomes `Status.INFRASTRUCTURE_ERROR` on a verdict, and is retried."""

    def __init__(self, problem: str, *, boundary: Boundary) -> None:
        self.boundary = boundary
        super().__init__(_one_line(problem))


def _one_line(text: str) -> str:
    return " ".join(text.split())


@contextmanager
def boundary(name: Boundary) -> Generator[None]:
    """Attribute anything raised inside to `name`. RepoProof's own errors pass unchanged: they already know theirs."""
    try:
        yield
    except RepoProofError:
        raise
    except Exception as error:
        raise InfrastructureError(f"{type(error).__name__}: {error}", boundary=name) from error
