"""What a scoring run is asked to do."""

from __future__ import annotations

from datetime import date

from .base import Frozen

SCORER_VERSION = "2"
"""Raised whenever the same submission could get another verdict: makes old verdicts be scored anew."""


class ScoreConfig(Frozen):
    """The part of a run's settings that can change a verdict. Hashed, with the task's digest, into each verdict's key."""

    sandbox: str
    """Backend that was used: `bubblewrap` or `docker` (never `auto`)."""
    limits: str = ""
    """What holds the limits there: `cgroup` or `rlimits`, which can end a service differently. Empty where nothing is run."""
    runner: str = ""
    """SHA-256 of the pins of the bundled test runner. Empty where nothing is run."""
    static_only: bool = False
    """Read the code only: no sandbox, no tests, only the static measures."""
    task_seconds: float | None = None
    """Wall-clock limit of all of a candidate's own steps (installing to testing); None for the family's own."""
    coverage: bool = False
    """Run the golden tests once more against a service whose lines are counted: nothing but the coverage comes of that."""
    cutoff: date | None = None
    """The suite's: dependencies are resolved as of that day."""
    scorer_version: str = SCORER_VERSION


class RunOptions(Frozen):
    """The rest: how to go about it, and what to call it. Changes no verdict."""

    workers: int = 1
    fresh: bool = False
    """Ignore cached environments (`--no-cache`)."""
    keep: bool = False
    """Keep work files of each task in the run directory, to look into."""
    tasks: tuple[str, ...] = ()
    """Only these; empty for all. The report says that it is a subset."""
    language: str = ""
    """Only tasks of this language."""
    model_name: str = ""
    agent_name: str = ""
    infrastructure_tries: int = 3
    """How often something is tried before an infrastructure error is recorded."""
    infrastructure_threshold: float = 0.01
    """Share of verdicts that may be infrastructure errors before headline numbers carry a warning and the exit code is 3."""
