"""Families of tasks. Each is a folder with the same rooms, found by the entry-point group `repoproof.families`.

A family never imports another one: what two of them need lives outside.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

from ..completions.templates import Filled
from ..core.config import RunOptions, ScoreConfig
from ..core.errors import BadInput
from ..core.health import Health
from ..core.submission import Submission
from ..core.task import Task
from ..core.verdict import Verdict
from ..sandbox.base import Sandbox


@dataclass(frozen=True)
class Bench:
    """What verification works with: the place to run things, the folders, the settings."""

    box: Sandbox | None
    """None only for `static_only`."""
    cache: Path
    """Environments by content; shared by runs and processes."""
    logs: Path
    """Directory for this verdict's raw logs (exists, empty); `log_prefix` is its path relative to the run directory."""
    log_prefix: str
    config: ScoreConfig
    config_hash: str
    options: RunOptions = field(default_factory=RunOptions)


@dataclass(frozen=True)
class Metric:
    """A headline number of a family: the mean over tasks of the mean over attempts of `Verdict.measures[name]`; 0 where absent."""

    name: str
    label: str
    static: bool = False
    """Whether it can be had without running anything."""
    column: bool = True
    """Whether it is worth a column in the table of submissions."""
    stages: tuple[str, ...] = ()
    """Measures on the way to it, in order; a submission's column then names the last one that it reached."""


class Family(Protocol):
    """What the engine, the reports and the commands know of a family."""

    name: str
    task_type: type[Task]
    sealed_type: type[Any]
    metrics: tuple[Metric, ...]
    completions: bool
    """Whether a task can be answered with a text in the place of a directory."""
    template: str
    """Name of the prompt's template."""

    def check(self, task: Task) -> None:
        """Hold a loaded task against its files; raises `BadInput` without file and line, which the loader adds."""
        ...

    def verify(self, task: Any, submission: Submission, bench: Bench) -> Verdict:
        """Score one usable submission. Raises `InfrastructureError` for our own failures; anything the candidate does is data."""
        ...

    def validate(self, task: Any, bench: Bench, *, repeat: int) -> Health:
        """Prove the task: reference `repeat` times under varied environments, empty submission, stubs."""
        ...

    def workspace(self, task: Any, destination: Path) -> None:
        """Make `destination` (must not exist) what a solver of the task may see: a Git repository whose one commit is the same wherever
        it is made. `BadInput` where there is no git."""
        ...

    def assert_clean(self, workspace: Path, task: Any) -> None:
        """`BadInput` naming the file, if a workspace has more in it than it must, or the suite's public half gives away what is sealed."""
        ...

    def prompt(self, task: Any, workspace: Path) -> Filled:
        """The newest version of the template, filled with what is in the workspace."""
        ...

    def shell(self, task: Any, submission: Submission, bench: Bench) -> int:
        """A shell where the submission would run, for a person to look around; its exit code."""
        ...

    def scaffold(self, name: str, destination: Path) -> None:
        """Write a task folder to start from (`repoproof new`)."""
        ...

    def adopt(self, source: Path, suite: Path) -> str:
        """Add the task in folder `source` to the unsealed tree at `suite`; returns its id."""
        ...


def family(name: str) -> Family:
    """The family of that name; `BadInput` naming the known ones otherwise."""
    found = {point.name: point for point in entry_points(group="repoproof.families")}
    if name not in found:
        raise BadInput(f"unknown family {name!r}", field="family", mend=f"one of: {', '.join(sorted(found))}")
    return found[name].load()
