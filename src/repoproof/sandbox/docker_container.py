"""One container: what it is made of, and how its two streams become the channels of a `Tree`."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import socket
import struct
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from .base import Limits, ReadOnly, Scratch, View, Writable
from .docker_api import DockerEngine, EngineError, frames
from .rootfs import OPEN_FILES, SHARED_MEMORY_BYTES, tmpfs_bytes
from .supervisor import Content, Event, Frame, Frames, Report, Step
from .tree import Channels

_SUPERVISOR_PIDS = 1
_ALL_PROCESSES = 32768
_PIECE = 65536
_LAST_WORDS_SECONDS = 10.0
"""How long a container that we end may take to send its account of itself before it is simply removed."""

_USAGE_FILES = {
    "memory/memory.oom_control": re.compile(rb"^oom_kill (?P<oom>\d+)$", re.M),
    "memory/memory.max_usage_in_bytes": re.compile(rb"^(?P<peak>\d+)$", re.M),
    "cpuacct/cpuacct.usage": re.compile(rb"^(?P<nanoseconds>\d+)$", re.M),
    "memory.events": re.compile(rb"^oom_kill (?P<oom>\d+)$", re.M),
    "memory.peak": re.compile(rb"^(?P<peak>\d+)$", re.M),
    "cpu.stat": re.compile(rb"^usage_usec (?P<microseconds>\d+)$", re.M),
}
"""Below /sys/fs/cgroup as a container sees it, of version 1 and then of version 2: only one of the two exists."""

_MASKED = [
    *(
        f"/proc/{name}"
        for name in ("asound", "acpi", "interrupts", "kcore", "keys", "latency_stats", "sched_debug", "scsi")
    ),
    *(f"/proc/{name}" for name in ("timer_list", "timer_stats")),
    *(
        f"/sys/{name}"
        for name in ("block", "bus", "class", "dev", "devices", "firmware", "hypervisor", "kernel", "module", "power")
    ),
    *(f"/sys/fs/{name}" for name in ("bpf", "btrfs", "ext4", "fuse", "pstore", "selinux", "smackfs", "xfs")),
]
"""What tells about the machine: the engines' own list, and all of /sys but the control group."""

_VARIABLES_OF_ENGINES = ("HOSTNAME", "TERM", "container")


def supervisor_steps(exchange: Sequence[Step], view: View, guard: bytes) -> list[Step]:
    """All that the supervisor does beside the command, in order."""
    return [
        Step("guard", 0, str(len(guard))),
        *exchange,
        *(Step("unset", 0, f"{name}=") for name in _VARIABLES_OF_ENGINES if name not in view.environment),
        Step("cd", 0, view.workdir),
        *(Step("read", 1, f"/sys/fs/cgroup/{name}") for name in _USAGE_FILES),
    ]


def container_config(
    command: Sequence[str],
    *,
    image: str,
    mounts: Sequence[ReadOnly],
    view: View,
    limits: Limits,
    environment: Mapping[str, str],
    user: tuple[int, int],
    network: str,
    podman: bool,
) -> dict[str, Any]:
    """The body of a create request. `mounts` are the system's, below those of the view."""
    uid, gid = user
    # Two spellings of one wish: that the tree belong to who runs in it.
    owner = "U" if podman else f"uid={uid},gid={gid}"
    tmpfs = {"/tmp": f"size={limits.disk_bytes},mode=1777,exec"}
    # Podman would make these two without a size.
    tmpfs |= {"/run": "size=64k,mode=755", "/var/tmp": "size=64k,mode=755"}
    for mount in view.mounts:
        if isinstance(mount, Scratch):
            tmpfs[mount.target] = f"size={limits.disk_bytes},mode=755,exec,{owner}"
    # Engines make the folders that lead to a mount inside another, and make them root's.
    tmpfs |= dict.fromkeys(folders_between(view), f"size={limits.disk_bytes},mode=755,exec,{owner}")
    binds = [*mounts, *(mount for mount in view.mounts if not isinstance(mount, Scratch))]
    memory = limits.memory_bytes + tmpfs_bytes(view, limits) + len(folders_between(view)) * limits.disk_bytes
    config: dict[str, Any] = {
        "Image": image,
        "Cmd": list(command),
        "User": f"{uid}:{gid}",
        "Env": [f"{name}={value}" for name, value in environment.items()],
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "OpenStdin": True,
        "StdinOnce": True,
        "HostConfig": {
            "NetworkMode": network,
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            # Podman does not know the field `MaskedPaths`, nor Docker the option `mask`.
            "SecurityOpt": ["no-new-privileges", *(["mask=" + ":".join(_MASKED)] if podman else [])],
            "Memory": memory,
            "MemorySwap": memory,
            "PidsLimit": limits.pids + _SUPERVISOR_PIDS,
            "NanoCpus": int(limits.cpus * 1e9),
            "ShmSize": SHARED_MEMORY_BYTES,
            "Ulimits": _ulimits(),
            "Mounts": [_bind(mount) for mount in binds],
            "Tmpfs": tmpfs,
            "LogConfig": {"Type": "none"},
            "MaskedPaths": _MASKED,
        },
    }
    if not network.startswith("container:"):  # which has its own already, and engines refuse to be told
        config["Hostname"] = "sandbox"
    return config


def folders_between(view: View) -> list[str]:
    """Folders of scratch space that lead from its top to a later mount inside it, from the outside in."""
    found: dict[str, None] = {}
    for number, mount in enumerate(view.mounts):
        tops = [other.target for other in view.mounts[:number] if isinstance(other, Scratch)]
        parents = [str(parent) for parent in reversed(PurePosixPath(mount.target).parents)]
        found |= dict.fromkeys(
            parent for parent in parents if any(parent.startswith(f"{top.rstrip('/')}/") for top in tops)
        )
    return list(found)


def _bind(mount: ReadOnly | Writable) -> dict[str, Any]:
    return {
        "Type": "bind",
        "Source": str(mount.source.absolute()),
        "Target": mount.target,
        "ReadOnly": isinstance(mount, ReadOnly),
        "BindOptions": {"Propagation": "rprivate"},
    }


def _ulimits() -> list[dict[str, Any]]:
    # The last is not there to limit (it counts the user's processes in all containers together), but because Podman would ask for
    # more than it has itself where root lacks CAP_SYS_RESOURCE, and start nothing.
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    wanted = {"nofile": OPEN_FILES, "core": 0, "nproc": _ALL_PROCESSES if hard < 0 else min(hard, _ALL_PROCESSES)}
    return [{"Name": name, "Soft": value, "Hard": value} for name, value in wanted.items()]


class ContainerGroup:
    """A container as the `Group` that a `Tree` asks: what it used is what it tells of its own control group, before and after."""

    def __init__(self, engine: DockerEngine, container: str, *, live_cpu: bool) -> None:
        self._engine = engine
        self._container = container
        self._live_cpu = live_cpu
        self._files: list[bytes] = []
        self._piece = b""

    def take(self, data: bytes) -> None:
        """A piece of the next usage file; an empty one ends it."""
        if data:
            self._piece += data
        else:
            self._files.append(self._piece)
            self._piece = b""

    def _account(self, number: int) -> dict[str, int]:
        """What was told before the command (0) or after it (1)."""
        files = self._files[number * len(_USAGE_FILES) : (number + 1) * len(_USAGE_FILES)]
        found: dict[str, int] = {}
        for pattern, text in zip(_USAGE_FILES.values(), files, strict=False):
            if match := pattern.search(text):
                found |= {name: int(value) for name, value in match.groupdict().items()}
        return found

    @property
    def entrances(self) -> Sequence[Path]:
        return ()

    def out_of_memory(self) -> bool:
        if (killed := self._account(1).get("oom")) is not None:
            return killed > 0
        # Nothing was told at the end: the supervisor itself was killed, by the kernel or by us.
        try:
            return bool(self._engine.state(self._container)["OOMKilled"])
        except EngineError as error:
            if error.absent:  # by us, and removed
                return False
            raise

    def peak_memory_bytes(self) -> int | None:
        return self._account(1).get("peak")

    def cpu_seconds(self) -> float:
        after = self._account(1)
        if not after and self._live_cpu:
            return self._engine.cpu_seconds(self._container)
        return _seconds(after)

    def cpu_seconds_before(self) -> float:
        return _seconds(self._account(0))

    def kill(self) -> None:
        self._engine.remove(self._container)

    def remove(self) -> None:
        self._engine.remove(self._container)


def _seconds(account: Mapping[str, int]) -> float:
    return account.get("nanoseconds", 0) / 1e9 + account.get("microseconds", 0) / 1e6


class Attachment:
    """Pumps between a container's two streams and the pipes that a `Tree` and an `Exchange` work with; ends when the container does."""

    def __init__(
        self,
        engine: DockerEngine,
        container: str,
        stream: socket.socket,
        group: ContainerGroup,
        *,
        guard: bytes,
        steps: Sequence[Step],
    ) -> None:
        self._engine = engine
        self._container = container
        self._stream = stream
        self._group = group
        self._guard = guard
        self._inputs = [os.dup(step.fd) for step in steps if step.when == "in"]
        self._trees = [os.dup(step.fd) for step in steps if step.when == "out"]
        self._stdin, stdin = os.pipe2(os.O_CLOEXEC)
        stdout, self._stdout = os.pipe2(os.O_CLOEXEC)
        stderr, self._stderr = os.pipe2(os.O_CLOEXEC)
        reports, self._reports = os.pipe2(os.O_CLOEXEC)
        self.channels = Channels(stdin=stdin, stdout=stdout, stderr=stderr, reports=reports, status=None)
        self.gone = os.eventfd(0, os.EFD_CLOEXEC)
        """Readable once the container has ended, and all that it said is in the channels."""
        self._begun = False
        self._removal: threading.Thread | None = None
        self._last_words: threading.Timer | None = None
        self._threads = [threading.Thread(target=pump, daemon=True) for pump in (self._feed, self._follow)]
        for thread in self._threads:
            thread.start()

    def kill(self) -> None:
        """End all that runs inside; what it used is still told."""
        self._last_words = threading.Timer(_LAST_WORDS_SECONDS, self._remove)
        self._last_words.daemon = True
        self._last_words.start()
        self._engine.signal(self._container, "SIGTERM")

    def _refuse(self) -> None:
        """End a container whose tree is not wanted: too large, as a rule, and perhaps endless. All else has been told by now."""
        # In a thread of its own: the engine waits for us to take what is on its way.
        if self._removal is None:
            self._removal = threading.Thread(target=self._remove, daemon=True)
            self._removal.start()

    def _remove(self) -> None:
        with contextlib.suppress(EngineError):
            self._engine.remove(self._container)

    def reap(self) -> None:
        """Wait for the end."""
        for thread in self._threads:
            thread.join()
        if self._removal:
            self._removal.join()
        if self._last_words:
            self._last_words.cancel()

    def close(self) -> None:
        """Give up the stream and our ends of the channels. If nobody followed the container to its end, this is its end."""
        with contextlib.suppress(OSError):
            self._stream.shutdown(socket.SHUT_RDWR)
        self.channels.close()
        self.reap()
        self._stream.close()
        os.close(self.gone)

    def _feed(self) -> None:
        try:
            self._stream.sendall(self._guard)
            for source in self._inputs:
                while piece := os.read(source, _PIECE):
                    self._stream.sendall(struct.pack("=i", len(piece)) + piece)
                self._stream.sendall(struct.pack("=i", 0))
            while piece := os.read(self._stdin, _PIECE):
                self._stream.sendall(piece)
            self._stream.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the container ended without reading all of it
        finally:
            _close(*self._inputs, self._stdin)

    def _follow(self) -> None:
        incoming = Frames()
        try:
            for stream, data in frames(self._stream):
                if stream == 1:
                    for item in incoming.feed(data):
                        self._pass_on(item)
                elif not self._begun:  # later, only the engine and our own steps have something to say here
                    _write(self._stderr, data)
        except OSError:
            pass  # the engine went away; that nothing told the end is what counts
        finally:
            # A feeder that still waits, for the container or for us, has nobody to write to any more.
            with contextlib.suppress(OSError):
                self._stream.shutdown(socket.SHUT_RDWR)
            _close(*self._trees, self._stdout, self._stderr, self._reports)
            os.eventfd_write(self.gone, 1)

    def _pass_on(self, item: Report | Frame) -> None:
        match item:
            case Report():
                self._begun = self._begun or item.event is Event.BEGUN
                _write(self._reports, item.packed())
            case Frame(content=Content.STDOUT):
                _write(self._stdout, item.data)
            case Frame(content=Content.STDERR):
                _write(self._stderr, item.data)
            case Frame(content=Content.TREE, data=b""):
                _close(self._trees.pop(0))
            case Frame(content=Content.TREE):
                if not _write(self._trees[0], item.data):
                    self._refuse()
            case Frame():
                self._group.take(item.data)


def _write(fd: int, data: bytes) -> bool:
    """Write all of it; False if nobody reads it any more."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except BrokenPipeError:
        return False
    return True


def _close(*fds: int) -> None:
    for fd in fds:
        with contextlib.suppress(OSError):
            os.close(fd)
