"""What a toolchain is: it turns a submitted tree into something that can be started."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Protocol

from ..core.base import Frozen
from ..core.verdict import Phase
from ..sandbox.base import ExecResult, Mount, Sandbox


class PhaseLimits(Frozen):
    """Wall-clock limits of the phases, in seconds."""

    fetch: float = 300.0
    """Ours, not the candidate's: exceeding it is an infrastructure error."""
    install: float
    build: float
    start: float = 15.0
    test: float = 300.0
    task: float = 900.0
    """All of the candidate's together: install, build, start and test."""


class TimeLeft:
    """What is left of a task's time. Only the candidate's own steps use it up: fetching, waiting for another process and all else that
    is ours cost nothing, so a slow index or a busy machine takes no time from the tests."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    @property
    def is_over(self) -> bool:
        return self.seconds <= 0

    def at_most(self, limit: float) -> float:
        """A limit for the next step; never below a tenth, so that a limit stays a limit."""
        return max(0.1, min(limit, self.seconds))

    def spend(self, step: ExecResult) -> None:
        self.seconds -= step.usage.wall_seconds


class Prepared(Frozen):
    """A tree whose dependencies are there, or not.

    Inside, the tree is at `/app` (the family mounts it, as a `Scratch` seeded from it) and `mounts` come after it.
    """

    ok: bool
    """Whether fetch, install and build succeeded. If not, the last phase says why."""
    phases: tuple[Phase, ...]
    mounts: tuple[Mount, ...] = ()
    """Installed dependencies, read-only (`/env` for Python, `/app/node_modules` for Node), and interpreters outside /usr."""
    environment: dict[str, str] = {}
    """Variables the program needs: PATH, VIRTUAL_ENV, ..."""
    versions: dict[str, str] = {}
    """Fingerprint: interpreter, installer, key of the environment."""
    tree: Path | None = None
    """The built tree to start from instead of the submitted one, where a build changed it. In the cache: never written to."""


class StartCommand(Frozen):
    """How to start a submitted service."""

    command: tuple[str, ...]
    """Run with /app as the current directory, and PORT and HOST in the environment."""
    source: str
    """What it was found by: `start.sh`, `Procfile`, `package.json scripts.start`, `convention: FastAPI in app/main.py`."""


Log = Callable[[str, bytes], None]
"""Keeps a raw log: name (`install`), content."""


class Toolchain(Protocol):
    """Fetch, install, build and start code in one language. One file implements one language."""

    language: str
    limits: PhaseLimits

    def prepare(
        self,
        tree: Path,
        *,
        box: Sandbox,
        cache: Path,
        log: Log,
        fresh: bool = False,
        exclude_newer: date | None = None,
        time: TimeLeft | None = None,
    ) -> Prepared:
        """Fetch (trusted, outside, no candidate code run), install and build (in `box`, offline).

        `tree` is never written to. `fresh` ignores cached environments; `exclude_newer` is the day after which published
        packages do not exist; `time` bounds installing and building beside their own limits. A candidate's fault (a package that does not exist, a
        failing build) is `Prepared.ok = False`; ours (registry unreachable) is an `InfrastructureError` of the toolchain.
        """
        ...

    def start_command(self, tree: Path, *, port: int, framework: str = "") -> StartCommand | None:
        """How to start the service in `tree`; None if nothing was found."""
        ...
