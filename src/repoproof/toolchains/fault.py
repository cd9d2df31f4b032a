"""What went wrong on the candidate's side while preparing: data on its way to a verdict."""

from __future__ import annotations

import re
from pathlib import Path

from ..core.outcomes import Cause
from ..core.verdict import PhaseName
from ..sandbox.base import ExecResult
from .store import Slot


class CandidateFault(Exception):
    """The candidate's dependencies or build cannot work. Never leaves `toolchains`: it ends as a phase that is not ok."""

    def __init__(self, phase: PhaseName, reason: str, result: ExecResult | None = None) -> None:
        self.phase = phase
        self.result = result
        """How the process ended that showed it, if one did."""
        self.reason = " ".join(reason.split())[:500]
        super().__init__(self.reason)


REFUSAL = "refusal.txt"
"""Kept in a lock's place where the registry's answer was that there can be none: asking again needs no network either."""


def refused_before(place: Path) -> CandidateFault | None:
    """The fault that `place` of the store remembers, if it holds one in place of a lock."""
    file = place / REFUSAL
    return CandidateFault(PhaseName.FETCH, file.read_text(encoding="utf-8")) if file.is_file() else None


def remember(fault: CandidateFault, slot: Slot) -> None:
    """Keep the registry's answer. What a process of the sandbox came to is not kept: another time it may come to something else."""
    if fault.result is None:
        place = slot.staging / "refusal"
        place.mkdir()
        (place / REFUSAL).write_text(fault.reason, encoding="utf-8")
        slot.publish(place)


class Refused(CandidateFault):
    """The candidate's declaration asks for something that scoring does not do (a URL, another index, a path out of the tree)."""

    def __init__(self, reason: str) -> None:
        super().__init__(PhaseName.FETCH, reason)


def failure(phase: PhaseName, what: str, result: ExecResult, words: str = "") -> CandidateFault:
    """The fault of a command that ended badly, in `words` or else in the command's own."""
    match result.cause:
        case Cause.EXITED:
            why = words or _telling(result) or f"exit code {result.exit_code}"
        case Cause.TIMED_OUT:
            why = "the time limit was reached"
        case Cause.OUT_OF_MEMORY:
            why = "the memory limit was reached"
        case Cause.OUTPUT_LIMIT:
            why = "it wrote more output than it may"
        case Cause.SIGNALLED | Cause.KILLED:
            why = f"it was ended by signal {result.signal}"
    return CandidateFault(phase, f"{what} failed: {why}", result)


def _telling(result: ExecResult) -> str:
    """The first line that speaks of an error, else the last one."""
    for output in (result.stderr, result.stdout):
        lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
        errors = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)]
        if lines:
            return errors[0] if errors else lines[-1]
    return ""
