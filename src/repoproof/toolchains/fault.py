"""What went wrong on the candidate's side while preparing: data on its way to a verdict."""

from __future__ import annotations

from ..core.verdict import PhaseName
from ..sandbox.base import ExecResult


class CandidateFault(Exception):
    """The candidate's dependencies or build cannot work. Never leaves `toolchains`: it ends as a phase that is not ok."""

    def __init__(self, phase: PhaseName, reason: str, result: ExecResult | None = None) -> None:
        self.phase = phase
        self.result = result
        """How the process ended that showed it, if one did."""
        self.reason = " ".join(reason.split())[:500]
        super().__init__(self.reason)


class Refused(CandidateFault):
    """The candidate's declaration asks for something that scoring does not do (a URL, another index, a path out of the tree)."""

    def __init__(self, reason: str) -> None:
        super().__init__(PhaseName.FETCH, reason)
