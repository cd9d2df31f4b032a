"""What `validate` found out about a task. Kept beside the suite, keyed by task digest, never inside the task."""

from __future__ import annotations

from datetime import datetime

from .base import Frozen


class Health(Frozen):
    """One line of `health.jsonl`."""

    task: str
    digest: str
    """Digest of the task that was checked; a record for another digest says nothing."""
    healthy: bool
    reasons: tuple[str, ...] = ()
    """Why it is quarantined; empty when healthy."""
    reference_passed: bool
    """In every repeat."""
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
