"""Folders and logs of one verification: the copied submission, what goes into the test-side sandbox, phase records."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path

from ...core.outcomes import Cause
from ...core.paths import cache_root
from ...core.verdict import Phase, PhaseName
from ...sandbox.base import ExecResult
from ...sandbox.owner import own_folder
from .. import Bench


@dataclass
class Record:
    """What is noted down on the way to a verdict."""

    bench: Bench
    phases: list[Phase] = field(default_factory=list)
    logs: dict[str, str] = field(default_factory=dict)

    def log(self, name: str, content: bytes) -> None:
        """Keep a raw log; a later one of the same name is appended."""
        with (self.bench.logs / f"{name}.log").open("ab") as file:
            file.write(content)
        self.logs[name] = f"{self.bench.log_prefix}/{name}.log"

    def log_output(self, name: str, result: ExecResult) -> None:
        """Keep what a sandboxed process printed, stderr after stdout."""
        self.log(name, result.stdout + (b"\n--- stderr ---\n" if result.stderr else b"") + result.stderr)

    def phase(
        self,
        name: PhaseName,
        result: ExecResult,
        *,
        ok: bool,
        limit_seconds: float,
        reason: str = "",
        seconds: float | None = None,
    ) -> None:
        """Note how a phase's process ended and what it used; `seconds` where the phase was over before its process was."""
        self.phases.append(
            Phase(
                name=name,
                ok=ok,
                cause=result.cause,
                exit_code=result.exit_code,
                seconds=result.usage.wall_seconds if seconds is None else seconds,
                cpu_seconds=result.usage.cpu_seconds,
                peak_memory_bytes=result.usage.peak_memory_bytes,
                limit_seconds=limit_seconds,
                reason=reason,
                notes=result.notes,
            )
        )


@contextmanager
def reachable_folder() -> Iterator[Path]:
    """A fresh folder that the sandbox can reach (not below anyone's home), removed at the end."""
    with own_folder(cache_root() / "work") as folder:
        folder.chmod(0o755)
        yield folder


@contextmanager
def work_folder(bench: Bench) -> Iterator[Path]:
    """The same, with a copy of it among the logs where work files are kept."""
    with reachable_folder() as folder:
        try:
            yield folder
        finally:
            if bench.options.keep:
                shutil.copytree(folder, bench.logs / "work", symlinks=True, dirs_exist_ok=True)


def lay_out(folder: Path, tests: Path) -> tuple[Path, Path, Path]:
    """Copies of our runner and of the golden tests, and an empty results folder: the test side's view."""
    runner, golden, results = folder / "runner", folder / "tests", folder / "results"
    with as_file(files("repoproof.families.microservice") / "inside") as inside:
        shutil.copytree(inside, runner, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(tests, golden, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    results.mkdir()
    results.chmod(0o777)  # written by the sandbox's unprivileged user
    return runner, golden, results


def ended(result: ExecResult) -> str:
    """How a process ended, in words for a reason line."""
    match result.cause:
        case Cause.EXITED:
            return f"exited with {result.exit_code}"
        case Cause.SIGNALLED:
            return f"ended by signal {result.signal}"
        case Cause.TIMED_OUT:
            return "time limit reached"
        case Cause.OUT_OF_MEMORY:
            return "out of memory"
        case Cause.OUTPUT_LIMIT:
            return f"output limit reached ({result.output_bytes} bytes)"
        case Cause.KILLED:
            return "still running"
