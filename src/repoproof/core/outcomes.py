"""The closed sets of outcomes: of a process, of a test, of a submission."""

from __future__ import annotations

from enum import StrEnum


class Cause(StrEnum):
    """Why a sandboxed process tree ended."""

    EXITED = "exited"
    """On its own, with an exit code."""
    SIGNALLED = "signalled"
    """By a signal that nobody on our side sent."""
    TIMED_OUT = "timed_out"
    """We ended it: wall-clock or CPU time was used up."""
    OUT_OF_MEMORY = "out_of_memory"
    """The kernel ended a process of the tree for memory (`oom_kill` of its control group rose)."""
    OUTPUT_LIMIT = "output_limit"
    """We ended it: it wrote more than it may."""
    KILLED = "killed"
    """We ended it because it was no longer needed (a service after its tests, an interrupted run)."""


class TestOutcome(StrEnum):
    """What became of one expected test. Only `passed` counts as passed."""

    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    SKIPPED = "skipped"
    MISSING = "missing"
    """Expected by the task, but never reported: not collected, or lost to a time limit."""


class Status(StrEnum):
    """What became of a submission. The first nine are the solver's; the last two are ours."""

    PASSED = "passed"
    FAILED = "failed"
    BUILD_FAILED = "build_failed"
    START_FAILED = "start_failed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"
    CHEATED = "cheated"
    MISSING = "missing"
    INFRASTRUCTURE_ERROR = "infrastructure_error"
    INVALID_TASK = "invalid_task"

    @property
    def is_ours(self) -> bool:
        """Whether this is a failure of our side: counted in strict scores, left out of conditional ones."""
        return self in (Status.INFRASTRUCTURE_ERROR, Status.INVALID_TASK)

    @property
    def counts_as_zero(self) -> bool:
        """Whether every measure is 0, whatever was measured before: there is no answer, or none that may count."""
        return self.is_ours or self in (Status.CHEATED, Status.MISSING)

    @property
    def is_final(self) -> bool:
        """Whether scoring the same thing again could not change it: everything but an infrastructure error."""
        return self is not Status.INFRASTRUCTURE_ERROR
