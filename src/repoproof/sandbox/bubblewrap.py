"""The bubblewrap sandbox: namespaces and control groups of the kernel, no daemon, some fifteen milliseconds a start."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import platform
import shlex
import shutil
import signal
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..core.base import GiB
from ..core.errors import Boundary, InfrastructureError, boundary
from .base import ExecResult, Limits, Loopback, Scratch, Service, View
from .cgroup import Group, find_hierarchy, mechanism
from .exchange import Exchange
from .guard import guard_program
from .live import LiveTrees
from .rootfs import (
    ENVIRONMENT,
    NOBODY,
    OPEN_FILES,
    SUPERVISOR_INSIDE,
    needs_staging,
    source_for_nobody,
    staging_place,
    system_arguments,
    tmpfs_bytes,
    view_arguments,
)
from .service import followed, left_running
from .spawn import ProcessMonitor, spawn
from .supervisor import supervised
from .tree import Channels, Tree

log = logging.getLogger(__name__)

_ENTER = 'ulimit -c 0; ulimit -n "$1" || :; shift; while [ "$1" != -- ]; do echo 0 > "$1" || exit 1; shift; done; shift; exec "$@"'
"""Shell: FILES GROUP... -- COMMAND. Enters the control groups before anything else happens, so that all is counted."""

_STAGE = (
    'stage=$1; shift; mount -t tmpfs -o mode=755,size=1m repoproof "$stage" || exit 1; n=0; while [ "$1" != -- ]; do '
    'if [ -d "$1" ]; then mkdir "$stage/$n"; else : > "$stage/$n"; fi; '
    'mount --rbind "$1" "$stage/$n" || exit 1; n=$((n+1)); shift; done; shift; exec "$@"'
)
"""Shell, as root in a mount namespace of its own: DIRECTORY SOURCE... -- COMMAND. Shows each source where anyone may go."""


_AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
"""Before bwrap, not by it: root's sandbox would otherwise still read what root can."""


@dataclass(frozen=True)
class BubblewrapLoopback:
    """A user and a network namespace, kept alive by a process that does nothing."""

    holder: subprocess.Popen[bytes]
    lifeline: int
    user: int
    net: int

    @property
    def name(self) -> str:
        return f"loopback-{self.holder.pid}"

    @property
    def fds(self) -> Sequence[int]:
        return (self.user, self.net)

    @property
    def entrances(self) -> Sequence[str]:
        return (f"--user=/proc/self/fd/{self.user}", f"--net=/proc/self/fd/{self.net}")

    def close(self) -> None:
        for fd in (self.lifeline, self.user, self.net):
            os.close(fd)
        self.holder.kill()
        self.holder.wait()


class BubblewrapSandbox:
    """A `Sandbox` made of Linux namespaces by bwrap."""

    name = "bubblewrap"

    def __init__(self, bwrap: str | None = None) -> None:
        found = bwrap or shutil.which("bwrap")
        if found is None:
            raise InfrastructureError("bwrap is not installed (apt-get install bubblewrap)", boundary=Boundary.SANDBOX)
        self._bwrap = found
        self._as_root = os.geteuid() == 0
        self._guard = guard_program()
        self._live = LiveTrees()

    def run(
        self,
        command: Sequence[str],
        *,
        view: View,
        limits: Limits,
        stdin: bytes = b"",
        loopback: Loopback | None = None,
    ) -> ExecResult:
        with (
            boundary(Boundary.SANDBOX),
            self._launched(command, view, limits, loopback, stdin=stdin) as (tree, exchange),
        ):
            return followed(tree, exchange)

    @contextmanager
    def start(
        self, command: Sequence[str], *, view: View, limits: Limits, loopback: Loopback | None = None
    ) -> Generator[Service]:
        with contextlib.ExitStack() as stack:
            with boundary(Boundary.SANDBOX):
                tree, exchange = stack.enter_context(self._launched(command, view, limits, loopback))
                service = stack.enter_context(left_running(tree, exchange))
            yield service

    @contextmanager
    def loopback(self) -> Generator[Loopback]:
        with boundary(Boundary.SANDBOX):
            network = self._hold_network()
        try:
            yield network
        finally:
            network.close()

    def shell(self, command: Sequence[str], *, view: View, limits: Limits, loopback: Loopback | None = None) -> int:
        with (
            boundary(Boundary.SANDBOX),
            _terminal_lent(),
            self._launched(command, view, limits, loopback, terminal=True) as (tree, exchange),
        ):
            result = followed(tree, exchange)
        if result.exit_code is not None:
            return result.exit_code
        return 128 + (result.signal or 9)

    def interrupt(self) -> None:
        self._live.interrupt()

    def fingerprint(self) -> Mapping[str, str]:
        return {
            "sandbox": self.name,
            "sandbox_version": self._version,
            "limits": mechanism(),
            "kernel": platform.release(),
            "architecture": platform.machine(),
        }

    @cached_property
    def _version(self) -> str:
        said = subprocess.run([self._bwrap, "--version"], capture_output=True, text=True, check=True)
        return said.stdout.split()[-1]

    @contextmanager
    def _launched(
        self,
        command: Sequence[str],
        view: View,
        limits: Limits,
        loopback: Loopback | None,
        *,
        stdin: bytes = b"",
        terminal: bool = False,
    ) -> Generator[tuple[Tree, Exchange]]:
        if not command:
            raise InfrastructureError("an empty command", boundary=Boundary.SANDBOX)
        if loopback is not None and not isinstance(loopback, BubblewrapLoopback):
            raise InfrastructureError("the loopback is of another sandbox", boundary=Boundary.SANDBOX)
        log.debug("%s; environment: %s; %s", shlex.join(command), ", ".join(sorted(view.environment)) or "-", limits)
        network = loopback
        with contextlib.ExitStack() as stack:
            group = self._group(view, limits)
            if group is not None:
                stack.callback(group.remove)
            exchange = stack.enter_context(Exchange.opened(view, limits))
            handed = stack.enter_context(_Handed.opened(guard=self._guard, terminal=terminal, stdin=bool(stdin)))
            inner = supervised(SUPERVISOR_INSIDE, handed.reports, exchange.steps, command)
            if group is None:
                inner = [*_rlimits(limits), *inner]
            places, staged = self._shown(view)
            boxed = self._boxed(
                view, limits, places, handed, shared_network=network is not None, terminal=terminal, command=inner
            )
            outer = self._outer(group, staged, network, boxed)
            monitor = spawn(
                outer,
                stdin=handed.stdin,
                stdout=handed.stdout,
                stderr=handed.stderr,
                pass_fds=[*handed.passed, *exchange.fds, *(network.fds if network else ())],
            )
            handed.release()
            exchange.release()
            notes = (
                () if group is not None else ("no writable control group: memory, pids and CPU limits are approximate",)
            )
            tree = Tree(
                ProcessMonitor(monitor),
                handed.ours,
                limits=limits,
                group=group,
                stdin=stdin,
                notes=notes,
                timed=not terminal,
            )
            stack.callback(tree.close)
            stack.enter_context(self._live.holding(tree))
            yield tree, exchange

    def _group(self, view: View, limits: Limits) -> Group | None:
        hierarchy = find_hierarchy()
        if hierarchy is None:
            return None
        # Scratch space is memory too, but has a limit of its own: it comes on top, so that a full disk is ENOSPC, not a kill.
        memory = limits.memory_bytes + tmpfs_bytes(view, limits)
        return hierarchy.make(memory_bytes=memory, pids=limits.pids, cpus=limits.cpus)

    def _shown(self, view: View) -> tuple[dict[Path, Path], list[Path]]:
        """Where bwrap is to take each source from, and those that it can only be shown at a stage: the n-th at its place `n`.

        Only root has sandboxes of another user, who may not get everywhere."""
        places: dict[Path, Path] = {}
        staged: list[Path] = []
        for mount in view.mounts if self._as_root else ():
            if isinstance(mount, Scratch):
                continue
            source = source_for_nobody(mount)
            if needs_staging(source):
                places[mount.source] = staging_place() / str(len(staged))
                staged.append(source)
            else:
                places[mount.source] = source
        return places, staged

    def _boxed(
        self,
        view: View,
        limits: Limits,
        places: dict[Path, Path],
        handed: _Handed,
        *,
        shared_network: bool,
        terminal: bool,
        command: Sequence[str],
    ) -> list[str]:
        """bwrap and all its arguments."""
        arguments = [self._bwrap, "--unshare-all", *(["--share-net"] if shared_network else [])]
        arguments += ["--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox"]
        arguments += [*system_arguments(limits), *view_arguments(view, limits, places), "--remount-ro", "/"]
        arguments += ["--cap-drop", "ALL", "--die-with-parent", *([] if terminal else ["--new-session"]), "--as-pid-1"]
        arguments += ["--json-status-fd", str(handed.status), "--seccomp", str(handed.guard), "--clearenv"]
        for name, value in (ENVIRONMENT | view.environment).items():
            arguments += ["--setenv", name, value]
        return [*arguments, "--chdir", view.workdir, "--", *command]

    def _outer(
        self, group: Group | None, staged: Sequence[Path], network: BubblewrapLoopback | None, boxed: Sequence[str]
    ) -> list[str]:
        """What surrounds bwrap: each layer executes the next, so that all of it is one process."""
        command = list(boxed)
        if network is not None:
            command = ["nsenter", *network.entrances, "--preserve-credentials", "--", *command]
        if self._as_root:
            command = [*_AS_NOBODY, *command]
        if staged:
            command = [
                "unshare",
                "--mount",
                "sh",
                "-c",
                _STAGE,
                "sh",
                str(staging_place()),
                *map(str, staged),
                "--",
                *command,
            ]
        entrances = group.entrances if group is not None else ()
        return ["sh", "-c", _ENTER, "sh", str(OPEN_FILES), *map(str, entrances), "--", *command]

    def _hold_network(self) -> BubblewrapLoopback:
        """Start a process that does nothing but own a network namespace whose loopback is up."""
        theirs, lifeline = os.pipe()
        said, say = os.pipe()
        # bwrap brings the loopback up, and then runs what tells us so. That ends with us, should --die-with-parent not be enough:
        # its input ends.
        command = [self._bwrap, "--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "--die-with-parent"]
        command += ["--json-status-fd", str(say), "sh", "-c", "echo up; exec cat"]
        holder = spawn(
            [*(_AS_NOBODY if self._as_root else ()), *command], stdin=theirs, stdout=say, stderr=say, pass_fds=[say]
        )
        os.close(theirs)
        os.close(say)
        with open(said, "rb") as stream:
            status, up = stream.readline(), stream.readline()
        try:
            if up != b"up\n":
                raise ValueError((status + up).decode(errors="replace").strip())
            pid = json.loads(status)["child-pid"]
            user = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
            net = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        except (ValueError, KeyError, OSError) as error:
            holder.kill()
            holder.wait()
            os.close(lifeline)
            raise InfrastructureError(
                f"no private network could be made: {error}", boundary=Boundary.SANDBOX
            ) from error
        return BubblewrapLoopback(holder=holder, lifeline=lifeline, user=user, net=net)


@dataclass
class _Handed:
    """Descriptors that a sandbox gets, and our ends of them."""

    stdin: int | None
    stdout: int | None
    stderr: int | None
    reports: int
    status: int
    guard: int
    ours: Channels

    @staticmethod
    @contextmanager
    def opened(*, guard: bytes, terminal: bool, stdin: bool) -> Generator[_Handed]:
        reports, their_reports = os.pipe()
        status, their_status = os.pipe()
        filter_file = os.memfd_create("guard")
        os.write(filter_file, guard)
        os.lseek(filter_file, 0, os.SEEK_SET)
        if terminal:
            ours = Channels(stdin=None, stdout=None, stderr=None, reports=reports, status=status)
            handed = _Handed(None, None, None, their_reports, their_status, filter_file, ours)
        else:
            stdout, their_stdout = os.pipe()
            stderr, their_stderr = os.pipe()
            their_stdin, our_stdin = os.pipe() if stdin else (os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC), None)
            ours = Channels(stdin=our_stdin, stdout=stdout, stderr=stderr, reports=reports, status=status)
            handed = _Handed(their_stdin, their_stdout, their_stderr, their_reports, their_status, filter_file, ours)
        try:
            yield handed
        finally:
            handed.release()
            handed.ours.close()

    @property
    def passed(self) -> Sequence[int]:
        """Those that are not standard input, output or error."""
        return (self.reports, self.status, self.guard)

    def release(self) -> None:
        """The sandbox has them: give our copies up, so that ends of streams show."""
        for fd in (self.stdin, self.stdout, self.stderr, self.reports, self.status, self.guard):
            if fd is not None and fd >= 0:
                os.close(fd)
        self.stdin = self.stdout = self.stderr = self.reports = self.status = self.guard = -1


@contextmanager
def _terminal_lent() -> Generator[None]:
    """A shell makes itself the terminal's foreground; become that again after it, or our next word stops us."""
    try:
        yield
    finally:
        if os.isatty(0):
            before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
            with contextlib.suppress(OSError):  # a terminal, but not the one that controls us
                os.tcsetpgrp(0, os.getpgrp())
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _rlimits(limits: Limits) -> list[str]:
    """Limits of single processes, in place of a control group; inside, since the kernel counts processes by user namespace.

    The one on memory is a second line: well above what the watchdog allows, or a hog would be refused memory, catch the error and
    pass for a service that merely fails.
    """
    return ["/usr/bin/prlimit", f"--nproc={limits.pids + 1}", f"--data={2 * limits.memory_bytes + GiB}", "--"]
