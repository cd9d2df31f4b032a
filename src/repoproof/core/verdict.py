"""The verdict on one submission, and what it is made of."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from .base import Evidence, Frozen, Text
from .errors import Boundary
from .outcomes import Cause, Status, TestOutcome


class TestResult(Frozen):
    """One expected test."""

    __test__ = False

    id: str
    """As in the task's manifest: `test_orders.py::test_create`, parametrisation included."""
    outcome: TestOutcome
    seconds: float = 0.0
    message: Text = ""
    """First lines of the failure, at most 2 KiB."""

    @property
    def passed(self) -> bool:
        return self.outcome is TestOutcome.PASSED


class PhaseName(StrEnum):
    """The phases that a submission goes through, in order."""

    FETCH = "fetch"
    INSTALL = "install"
    BUILD = "build"
    START = "start"
    TEST = "test"
    PROBE = "probe"


class Phase(Frozen):
    """One phase of verification: what ran, how it ended, what it used."""

    name: PhaseName
    ok: bool
    """Whether the phase did what it is for."""
    cause: Cause | None = None
    """How its process ended; None where none ran (nothing to do, or a cache hit)."""
    exit_code: int | None = None
    cached: bool = False
    """Whether an earlier result was used instead of running anything."""
    seconds: float = 0.0
    """Wall-clock seconds. Of `start`: until the first answer, while the process, its end and what it used are the service's whole life."""
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None
    limit_seconds: float | None = None
    reason: Text = ""
    """One line: why it is not ok."""
    notes: tuple[Text, ...] = ()
    """What the sandbox could not promise or measure here."""


class Violation(Frozen):
    """A rule that the submission broke, with the evidence."""

    rule: str
    """Kebab-case name of the rule: `link-out-of-tree`, `device-file`, `oversize`."""
    evidence: Text
    """What was found and where (path inside the submission, with line where there is one)."""
    denied: bool = True
    """Whether our controls made it have no effect. If not, the status is `cheated`."""


class VerdictKey(Frozen):
    """What makes a verdict the answer to one question. Two verdicts with one key answer the same question."""

    task: str
    attempt: int
    submission_hash: str
    config_hash: str


class Verdict(Frozen):
    """The answer to one submission for one task."""

    task: str
    attempt: int = 0
    submission_hash: str
    """SHA-256 of the submitted tree or completion; `missing` where there is none."""
    config_hash: str
    """SHA-256 of everything else that could change the result: task digest, sandbox, limits, scorer version."""
    status: Status
    reason: Text = ""
    """One line for people: what decided the status."""
    boundary: Boundary | None = None
    """Whose failure it was, for infrastructure errors and invalid tasks."""
    tests: tuple[TestResult, ...] = ()
    """One per expected test id, always all of them, in the manifest's order (empty for families without tests)."""
    measures: dict[str, float] = Field(default_factory=dict)
    """The family's numbers, by documented name; fractions in 0..1."""
    detail: Evidence = Field(default_factory=dict)
    """The family's evidence, JSON only (for a microservice: endpoints with file and line)."""
    violations: tuple[Violation, ...] = ()
    phases: tuple[Phase, ...] = ()
    environment: dict[str, str] = Field(default_factory=dict)
    """Fingerprint: sandbox and version, limits mechanism, interpreter, kernel, architecture."""
    logs: dict[str, str] = Field(default_factory=dict)
    """Name -> path relative to the run directory."""
    tries: int = 1
    """How often it was tried, infrastructure errors included."""
    started: datetime
    seconds: float = 0.0

    @property
    def key(self) -> VerdictKey:
        return VerdictKey(
            task=self.task, attempt=self.attempt, submission_hash=self.submission_hash, config_hash=self.config_hash
        )
