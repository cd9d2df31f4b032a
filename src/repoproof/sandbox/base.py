"""What a sandbox is: the protocol, what a process may use and see, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from pydantic import Field

from ..core.base import Frozen, GiB, MiB
from ..core.outcomes import Cause


class Limits(Frozen):
    """What a sandboxed process may use. Exceeding any of them ends the whole process tree, or makes the call fail inside it."""

    wall_seconds: float = Field(default=60.0, gt=0)
    """Wall-clock time from start to the end of the last descendant."""
    cpu_seconds: float | None = Field(default=None, gt=0)
    """CPU time of the tree; None for no limit beside the wall clock."""
    cpus: float = Field(default=1.0, gt=0)
    """Processors' worth of CPU at any time."""
    memory_bytes: int = Field(default=2 * GiB, gt=0)
    """Memory of the tree. Scratch space is held in memory too, and has a limit of its own: it comes on top, full or not, so that a
    full disk is ENOSPC and not the end."""
    pids: int = Field(default=256, gt=0)
    """Processes and threads alive at once."""
    disk_bytes: int = Field(default=512 * MiB, gt=0)
    """Size of each `Scratch` and of /tmp; more is ENOSPC inside."""
    output_bytes: int = Field(default=16 * MiB, gt=0)
    """stdout + stderr. Reaching it ends the tree with `Cause.OUTPUT_LIMIT`; what came before is kept."""


class ReadOnly(Frozen):
    """A host file or tree, visible and not writable."""

    source: Path
    target: str
    """Absolute path inside."""


class Writable(Frozen):
    """A host directory that the process may write to: for trusted commands only, since its size is not limited.

    If we are root, the directory (not what is in it already) is given to the sandbox's user."""

    source: Path
    target: str


class Scratch(Frozen):
    """A fresh, writable, size-limited tree that is gone afterwards."""

    target: str
    seed: Path | None = None
    """Host tree whose copy it starts as."""
    keep: Path | None = None
    """Host directory (must not exist; its parent must) that receives the tree if the command exits with 0. Extracted safely:
    no device, no owner, no set-uid bit, nothing outside `keep`; links are kept as they are and must never be followed by us.
    A tree larger than `disk_bytes` (sparse files count in full), or one that cannot be read, is `Cause.OUTPUT_LIMIT` and not kept."""


Mount = ReadOnly | Writable | Scratch


class View(Frozen):
    """All that a process sees beside the system's /usr: nothing of the host is there unless named."""

    mounts: tuple[Mount, ...] = ()
    """In mounting order: a later one may lie inside an earlier one."""
    environment: dict[str, str] = Field(default_factory=dict)
    """The whole environment, beside PATH, HOME=/tmp, TMPDIR=/tmp and LANG=C.UTF-8, which it may override."""
    workdir: str = "/tmp"


class Usage(Frozen):
    """What a process tree used. None where it could not be measured here."""

    wall_seconds: float
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None


class ExecResult(Frozen):
    """How a sandboxed process tree ended."""

    cause: Cause
    exit_code: int | None = None
    """Of the command, when `cause` is exited."""
    signal: int | None = None
    """That ended the command, when `cause` is signalled."""
    stdout: bytes = b""
    stderr: bytes = b""
    output_bytes: int = 0
    """How much was written, kept or not."""
    usage: Usage
    notes: tuple[str, ...] = ()
    """Limits that could not be enforced or measured here, in words."""

    @property
    def ok(self) -> bool:
        return self.cause is Cause.EXITED and self.exit_code == 0


class Loopback(Protocol):
    """A private network of its own with nothing but a loopback, for sandboxes that are to meet."""

    @property
    def name(self) -> str: ...


class Service(Protocol):
    """A running sandbox. It lives until nothing runs in it any more: a command that daemonises and exits keeps it alive."""

    @property
    def running(self) -> bool:
        """Whether any process of the candidate's is left."""
        ...

    @property
    def command_exit(self) -> int | None:
        """Exit code of the command itself once it ended (negative: the signal); None while it runs."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait until nothing runs any more; False if `seconds` went by first."""
        ...

    def stop(self) -> ExecResult:
        """End it (at once, whole tree) and say how it had ended, or `Cause.KILLED` if it was still running. Idempotent."""
        ...


class Sandbox(Protocol):
    """A place where untrusted code runs and cannot reach anything that was not named.

    Raises `InfrastructureError` (boundary `sandbox`) if the place itself could not be made; whatever the command does is data.
    Thread-safe: one object serves all workers.
    """

    @property
    def name(self) -> str:
        """`bubblewrap` or `docker`."""
        ...

    def run(
        self,
        command: Sequence[str],
        *,
        view: View,
        limits: Limits,
        stdin: bytes = b"",
        loopback: Loopback | None = None,
    ) -> ExecResult:
        """Run `command` to its end. Without `loopback`, it is alone on a loopback of its own."""
        ...

    def start(
        self,
        command: Sequence[str],
        *,
        view: View,
        limits: Limits,
        loopback: Loopback | None = None,
    ) -> AbstractContextManager[Service]:
        """Start `command` and go on; leaving the context stops it."""
        ...

    def loopback(self) -> AbstractContextManager[Loopback]:
        """A private network that lives as long as the context."""
        ...

    def shell(self, command: Sequence[str], *, view: View, limits: Limits, loopback: Loopback | None = None) -> int:
        """Run `command` with our own terminal attached, for a person to look around; returns its exit code."""
        ...

    def interrupt(self) -> None:
        """End everything that runs here, now, and whatever is started later (`Cause.KILLED`). Idempotent."""
        ...

    def fingerprint(self) -> Mapping[str, str]:
        """What is recorded on each verdict: backend and version, limits mechanism (`cgroup v1`, `cgroup v2`, `rlimits`), kernel, architecture."""
        ...
