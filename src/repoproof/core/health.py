"""What `validate` found out about a task. Kept beside the suite, keyed by task digest, never inside the task."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from .base import Frozen


class Reference(StrEnum):
    """Whether there was a solution to hold the task's tests against."""

    GIVEN = "given"
    NONE = "none"
    """Published without one: that the tests can be passed at all is not shown."""


class Defect(Frozen):
    """One thing that is wrong with a task."""

    code: str
    """Kebab-case name of the kind, of a closed set of the family's."""
    words: str
    quarantines: bool = True
    """Whether the task cannot be scored fairly. If not, it is named here, and counts."""


class Health(Frozen):
    """One line of `health.jsonl`."""

    task: str
    digest: str
    """Digest of the task that was checked; a record for another digest says nothing."""
    healthy: bool
    reasons: tuple[str, ...] = ()
    """Why it is quarantined; empty when healthy."""
    defects: tuple[Defect, ...] = ()
    """Everything that was found wrong, whether or not it quarantines."""
    reference: Reference = Reference.GIVEN
    reference_passed: bool
    """In every repeat; false where there is no reference."""
    repeats: int
    empty_passed: bool
    stub_passed: bool
    """Whether any stub passed the whole task."""
    non_discriminating: tuple[str, ...] = ()
    """Expected tests that some stub passes."""
    flaky: tuple[str, ...] = ()
    """Expected tests whose outcome differed between repeats of the reference."""
    checked: datetime
    environment: dict[str, str] = {}
