"""Following one sandboxed process tree from its start to its end: output, limits, and why it ended."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from ..core.errors import Boundary, InfrastructureError
from ..core.outcomes import Cause
from ..core.waiting import SPELL
from .base import ExecResult, Limits, Usage
from .capture import Capture, Stream
from .cgroup import Group
from .supervisor import Event, Report, Reports
from .watchdog import use_of_tree

SETUP_SECONDS = 120.0
"""For preparing a sandbox, seeding included, and again for taking trees out of it. Longer is a fault of ours, not the candidate's."""
_WATCH_SECONDS = 0.05
"""How often memory is looked at where no control group does it."""
_PIECE = 65536


class Monitor(Protocol):
    """What a sandbox ends with, seen from outside: a process of ours, or an engine's container."""

    @property
    def gone(self) -> int:
        """Descriptor that becomes readable once the sandbox has ended and all that it wrote is in the channels."""
        ...

    def kill(self) -> None:
        """End it, all that runs inside included."""
        ...

    def reap(self) -> float | None:
        """Wait for its end; the CPU seconds of all that ran inside, if it knows. Called once, and last."""
        ...


class Channels:
    """Our ends of the pipes to a sandbox. Those that are None do not exist."""

    def __init__(
        self, *, stdin: int | None, stdout: int | None, stderr: int | None, reports: int, status: int | None
    ) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.reports = reports
        self.status = status

    def close(self) -> None:
        for fd in (self.stdin, self.stdout, self.stderr, self.reports, self.status):
            if fd is not None:
                os.close(fd)


class Tree:
    """One sandbox's processes. `follow` does the work, in one thread; the rest may be asked from any."""

    def __init__(
        self,
        monitor: Monitor,
        channels: Channels,
        *,
        limits: Limits,
        group: Group | None,
        stdin: bytes = b"",
        notes: Sequence[str] = (),
        timed: bool = True,
    ) -> None:
        self._monitor = monitor
        self._channels = channels
        self._limits = limits
        self._group = group
        self._stdin = memoryview(stdin)
        self._notes = list(notes)
        self._timed = timed
        self._capture = Capture(limits.output_bytes)
        self._reports = Reports()
        self._status_text = b""
        self._selector = selectors.DefaultSelector()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        # Its number may be another file's once it is closed.
        self._wake_lock = threading.Lock()
        self._closed = False
        self._init: int | None = None
        """pidfd of the sandbox's process 1: with it, everything inside ends."""
        self._init_pid = 0
        self._made = time.monotonic()
        self._begun_at: float | None = None
        self._empty_at: float | None = None
        self._ended_by: Cause | None = None
        self._command_status: int | None = None
        self._failure = ""
        self._cpu_before = 0.0
        self._cpu_after: float | None = None
        self._peak_memory = 0
        self._cpu_seen = 0.0
        self._monitor_gone = False
        self.begun = threading.Event()
        """Set when the command begins to run, or it is clear that it never will."""

    @property
    def command_exit(self) -> int | None:
        return None if self._command_status is None else os.waitstatus_to_exitcode(self._command_status)

    @property
    def has_begun(self) -> bool:
        return self._begun_at is not None

    def request_end(self) -> None:
        """Ask for the end of the tree, as no longer needed; `follow` returns soon after."""
        with self._wake_lock:
            if not self._closed:
                os.eventfd_write(self._wake, 1)

    def follow(self) -> None:
        """Serve the tree until nothing of it is left."""
        try:
            self._watch_channels()
            while not self._monitor_gone:
                for key, _ in self._selector.select(self._patience()):
                    key.data()
                self._enforce()
            self._drain()
        finally:
            self._end_at_all_costs()
            self._selector.close()
            if self._init is not None:
                os.close(self._init)
            self.begun.set()

    def result(self, *, taken: bool = True) -> ExecResult:
        """How it ended. Raises `InfrastructureError` if it never began, or was ended by neither itself nor us.

        `taken` says whether the trees to keep came out whole. If not, the command wrote what it may not: too much, as a rule.
        """
        if self._begun_at is None and self._ended_by is not Cause.KILLED:
            said = self._capture.stderr.decode(errors="replace").strip() or self._failure or "it ended without a word"
            raise InfrastructureError(
                f"the sandbox could not be made: {' '.join(said.split())[-500:]}", boundary=Boundary.SANDBOX
            )
        if self._group is not None and self._group.out_of_memory():
            return self._outcome(Cause.OUT_OF_MEMORY)
        if self._ended_by is not None:
            return self._outcome(self._ended_by)
        if not taken:
            self._notes.append("the tree to keep is too large, or cannot be read")
            return self._outcome(Cause.OUTPUT_LIMIT)
        if self._failure:
            raise InfrastructureError(f"the sandbox failed: {self._failure}", boundary=Boundary.SANDBOX)
        code = self.command_exit
        if code is None or self._empty_at is None:
            raise InfrastructureError("the sandbox was ended from outside", boundary=Boundary.SANDBOX)
        if code < 0:
            return self._outcome(Cause.SIGNALLED, signal_number=-code)
        return self._outcome(Cause.EXITED, exit_code=code)

    def _outcome(self, cause: Cause, *, exit_code: int | None = None, signal_number: int | None = None) -> ExecResult:
        return ExecResult(
            cause=cause,
            exit_code=exit_code,
            signal=signal_number,
            stdout=self._capture.stdout,
            stderr=self._capture.stderr,
            output_bytes=self._capture.written,
            usage=self._usage(),
            notes=tuple(self._notes),
        )

    def close(self) -> None:
        """Requests to end are of no consequence from now on. The rest may still be asked."""
        with self._wake_lock:
            self._closed = True
            os.close(self._wake)

    # One step of the loop for each thing that can happen.

    def _watch_channels(self) -> None:
        channels = self._channels
        self._register(channels.reports, self._on_reports)
        if channels.status is not None:
            self._register(channels.status, partial(self._on_status, channels.status))
        if channels.stdout is not None:
            self._register(channels.stdout, partial(self._on_output, channels.stdout, "stdout"))
        if channels.stderr is not None:
            self._register(channels.stderr, partial(self._on_output, channels.stderr, "stderr"))
        if channels.stdin is not None:
            os.set_blocking(channels.stdin, False)
            self._selector.register(channels.stdin, selectors.EVENT_WRITE, self._on_stdin)
        self._register(self._wake, self._on_wake)
        self._register(self._monitor.gone, self._on_monitor_gone)

    def _register(self, fd: int, action: Callable[[], object]) -> None:
        os.set_blocking(fd, False)
        self._selector.register(fd, selectors.EVENT_READ, action)

    def _on_reports(self) -> None:
        piece = self._read(self._channels.reports)
        for report in self._reports.feed(piece):
            self._on_report(report)

    def _on_report(self, report: Report) -> None:
        match report.event:
            case Event.BEGUN:
                self._begun_at = time.monotonic()
                if self._group is not None:
                    self._cpu_before = self._group.cpu_seconds_before()
                self.begun.set()
            case Event.ENDED:
                self._command_status = report.status
            case Event.EMPTY:
                self._empty_at = time.monotonic()
            case Event.FAILED:
                self._failure = self._failure or "copying a tree in or out failed"

    def _on_status(self, fd: int) -> None:
        self._status_text += self._read(fd)
        if self._init is None and b"\n" in self._status_text:
            first = json.loads(self._status_text.partition(b"\n")[0])
            self._init_pid = int(first["child-pid"])
            with contextlib.suppress(OSError):
                self._init = os.pidfd_open(self._init_pid)

    def _on_output(self, fd: int, stream: Stream) -> bool:
        """Take what there is; whether there was something."""
        piece = self._read(fd)
        self._capture.add(stream, piece)
        return bool(piece)

    def _on_stdin(self) -> None:
        assert self._channels.stdin is not None
        try:
            self._stdin = (
                self._stdin[os.write(self._channels.stdin, self._stdin[:_PIECE]) :] if self._stdin else self._stdin
            )
        except BlockingIOError:
            return
        except OSError:  # nobody reads it any more
            self._stdin = memoryview(b"")
        if not self._stdin:
            self._selector.unregister(self._channels.stdin)
            os.close(self._channels.stdin)
            self._channels.stdin = None

    def _on_wake(self) -> None:
        self._selector.unregister(self._wake)
        if self._empty_at is None:
            self._end(Cause.KILLED)

    def _on_monitor_gone(self) -> None:
        self._monitor_gone = True

    def _read(self, fd: int) -> bytes:
        try:
            piece = os.read(fd, _PIECE)
        except BlockingIOError:
            return b""
        if not piece:
            self._selector.unregister(fd)
        return piece

    # Limits.

    def _patience(self) -> float:
        """How long nothing need be looked at, as far as limits go; never longer than a spell."""
        if not self._timed:
            return SPELL
        now = time.monotonic()
        waits = [SPELL, self._deadline() - now]
        if self._begun_at is not None and self._empty_at is None:
            if self._limits.cpu_seconds is not None and self._group is not None:
                # The earliest moment at which the rest of it could be used up.
                waits.append((self._limits.cpu_seconds - self._cpu_used()) / max(self._limits.cpus, 0.01) + 0.001)
            if self._group is None:
                waits.append(_WATCH_SECONDS)
        return max(0.0, min(waits))

    def _deadline(self) -> float:
        if self._begun_at is None:
            return self._made + SETUP_SECONDS
        if self._empty_at is not None:
            return self._empty_at + SETUP_SECONDS
        return self._begun_at + self._limits.wall_seconds

    def _enforce(self) -> None:
        if not self._timed or self._ended_by is not None or self._monitor_gone:
            return
        if time.monotonic() >= self._deadline():
            if self._begun_at is None or self._empty_at is not None:
                self._failure = f"preparing or clearing it took longer than {SETUP_SECONDS:.0f} s"
                self._kill()
            else:
                self._end(Cause.TIMED_OUT)
        elif self._capture.full:
            self._end(Cause.OUTPUT_LIMIT)
        elif self._begun_at is not None and self._empty_at is None:
            self._enforce_usage()

    def _enforce_usage(self) -> None:
        if self._group is None and self._init_pid:
            memory, cpu = use_of_tree(self._init_pid)
            self._peak_memory = max(self._peak_memory, memory)
            self._cpu_seen = max(self._cpu_seen, cpu)
            if memory > self._limits.memory_bytes:
                self._notes.append("memory limit enforced by watching, without the kernel")
                self._end(Cause.OUT_OF_MEMORY)
            elif self._limits.cpu_seconds is not None and cpu >= self._limits.cpu_seconds:
                self._end(Cause.TIMED_OUT)
        elif self._limits.cpu_seconds is not None and self._cpu_used() >= self._limits.cpu_seconds:
            self._end(Cause.TIMED_OUT)

    def _cpu_used(self) -> float:
        return 0.0 if self._group is None else self._group.cpu_seconds() - self._cpu_before

    def _end(self, cause: Cause) -> None:
        if self._ended_by is None:
            self._ended_by = cause
            self._kill()

    def _kill(self) -> None:
        # The kernel ends all of a process namespace with its process 1. Before that is known, nothing of the candidate's runs, and
        # bwrap takes it along.
        if self._init is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init, signal.SIGKILL)
        else:
            self._monitor.kill()

    def _drain(self) -> None:
        """Read what is still in the pipes of a tree that is gone."""
        channels, registered = self._channels, self._selector.get_map()
        if channels.reports in registered:
            self._on_reports()
        streams: tuple[tuple[int | None, Stream], ...] = ((channels.stdout, "stdout"), (channels.stderr, "stderr"))
        for fd, stream in streams:
            while fd is not None and fd in registered and self._on_output(fd, stream):
                pass
        if self._capture.full and self._ended_by is None:
            self._ended_by = Cause.OUTPUT_LIMIT

    def _end_at_all_costs(self) -> None:
        if not self._monitor_gone:
            self._kill()
        told = self._monitor.reap()
        # Processes that we killed may be missing in it: what the watch saw last is the better answer then.
        by_itself = None if told is None else max(told, self._cpu_seen)
        self._cpu_after = self._group.cpu_seconds() if self._group is not None else by_itself

    def _usage(self) -> Usage:
        begun = self._begun_at or self._made
        peak = self._group.peak_memory_bytes() if self._group is not None else self._peak_memory or None
        cpu = None if self._cpu_after is None else max(0.0, self._cpu_after - self._cpu_before)
        return Usage(wall_seconds=(self._empty_at or time.monotonic()) - begun, cpu_seconds=cpu, peak_memory_bytes=peak)
