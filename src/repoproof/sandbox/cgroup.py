"""Control groups: the kernel's limits on a whole process tree, and its account of how the tree died.

Version 1 (one hierarchy a controller) and version 2 (one for all). Neither is used unless a group with memory and pids can really
be made here and entered: root can; an ordinary user needs a delegated subtree of version 2.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from .owner import is_orphan, owned_name

_PERIOD_MICROSECONDS = 100_000
_OURS = 2
"""Processes of our own in each group, not charged to the candidate: bwrap's monitor and the supervisor."""


class Group(Protocol):
    """One group, made with its limits before anything enters it."""

    @property
    def entrances(self) -> Sequence[Path]:
        """Files that a process writes `0` to in order to enter."""
        ...

    def out_of_memory(self) -> bool:
        """Whether the kernel ended a process of the group for memory."""
        ...

    def peak_memory_bytes(self) -> int | None: ...

    def cpu_seconds(self) -> float: ...

    def cpu_seconds_before(self) -> float:
        """The part of it that was used before the command, asked for as the command begins."""
        ...

    def remove(self) -> None:
        """Kill what is left and remove the group."""
        ...


class Hierarchy(Protocol):
    """Where groups can be made."""

    @property
    def version(self) -> str:
        """`cgroup v1` or `cgroup v2`."""
        ...

    def make(self, *, memory_bytes: int, pids: int, cpus: float) -> Group: ...

    def orphans(self) -> Sequence[Path]:
        """Groups that processes now dead have left."""
        ...


@dataclass(frozen=True)
class HierarchyV1:
    """Directories, by controller, under which groups are made."""

    parents: Mapping[str, Path]

    version = "cgroup v1"

    def make(self, *, memory_bytes: int, pids: int, cpus: float) -> Group:
        name = owned_name()
        group = GroupV1({controller: parent / name for controller, parent in self.parents.items()})
        try:
            for path in dict.fromkeys(group.paths.values()):
                path.mkdir()
            memory, cpu = group.paths["memory"], group.paths.get("cpu")
            (memory / "memory.limit_in_bytes").write_text(str(memory_bytes))
            with contextlib.suppress(OSError):  # absent where the kernel does not account swap
                (memory / "memory.memsw.limit_in_bytes").write_text(str(memory_bytes))
            (group.paths["pids"] / "pids.max").write_text(str(pids + _OURS))
            if cpu:
                (cpu / "cpu.cfs_period_us").write_text(str(_PERIOD_MICROSECONDS))
                (cpu / "cpu.cfs_quota_us").write_text(str(int(cpus * _PERIOD_MICROSECONDS)))
        except OSError:
            group.remove()
            raise
        return group

    def orphans(self) -> Sequence[Path]:
        return [path for parent in dict.fromkeys(self.parents.values()) for path in _orphans(parent)]


@dataclass(frozen=True)
class GroupV1:
    paths: Mapping[str, Path]

    @property
    def entrances(self) -> Sequence[Path]:
        return [path / "cgroup.procs" for path in dict.fromkeys(self.paths.values())]

    def out_of_memory(self) -> bool:
        return _keyed(self.paths["memory"] / "memory.oom_control").get("oom_kill", 0) > 0

    def peak_memory_bytes(self) -> int | None:
        return _number(self.paths["memory"] / "memory.max_usage_in_bytes")

    def cpu_seconds(self) -> float:
        return (_number(self.paths["cpuacct"] / "cpuacct.usage") or 0) / 1e9

    def cpu_seconds_before(self) -> float:
        return self.cpu_seconds()

    def remove(self) -> None:
        for path in dict.fromkeys(self.paths.values()):
            remove_group(path)


@dataclass(frozen=True)
class HierarchyV2:
    """The directory under which groups are made; its `cgroup.subtree_control` has memory and pids, and cpu if it can be had."""

    parent: Path

    version = "cgroup v2"

    def make(self, *, memory_bytes: int, pids: int, cpus: float) -> Group:
        group = GroupV2(self.parent / owned_name())
        try:
            group.path.mkdir()
            (group.path / "memory.max").write_text(str(memory_bytes))
            with contextlib.suppress(OSError):  # absent where the kernel does not account swap
                (group.path / "memory.swap.max").write_text("0")
            (group.path / "pids.max").write_text(str(pids + _OURS))
            if (group.path / "cpu.max").exists():
                (group.path / "cpu.max").write_text(f"{int(cpus * _PERIOD_MICROSECONDS)} {_PERIOD_MICROSECONDS}")
        except OSError:
            group.remove()
            raise
        return group

    def orphans(self) -> Sequence[Path]:
        return _orphans(self.parent)


@dataclass(frozen=True)
class GroupV2:
    path: Path

    @property
    def entrances(self) -> Sequence[Path]:
        return [self.path / "cgroup.procs"]

    def out_of_memory(self) -> bool:
        return _keyed(self.path / "memory.events").get("oom_kill", 0) > 0

    def peak_memory_bytes(self) -> int | None:
        return _number(self.path / "memory.peak")  # since Linux 5.19

    def cpu_seconds(self) -> float:
        return _keyed(self.path / "cpu.stat").get("usage_usec", 0) / 1e6

    def cpu_seconds_before(self) -> float:
        return self.cpu_seconds()

    def remove(self) -> None:
        remove_group(self.path)


@cache
def find_hierarchy() -> Hierarchy | None:
    """Where this process can make groups, tried by making one; None if nowhere."""
    memberships = Path("/proc/self/cgroup").read_text()
    mounts = Path("/proc/self/mountinfo").read_text()
    for hierarchy in _candidates(memberships, mounts):
        if _usable(hierarchy):
            return hierarchy
    return None


def mechanism() -> str:
    """What holds the limits here: `cgroup v1`, `cgroup v2` or `rlimits`."""
    hierarchy = find_hierarchy()
    return hierarchy.version if hierarchy else "rlimits"


def _candidates(memberships: str, mounts: str) -> Iterator[Hierarchy]:
    """Where groups might be made, best first."""
    own = own_groups(memberships)
    parents: dict[str, Path] = {}
    for mount in parse_mounts(mounts):
        for controller in mount.options & own.keys() & {"memory", "pids", "cpu", "cpuacct"}:
            if mount.kind == "cgroup":
                parents[controller] = mount.place_of(own[controller])
    if {"memory", "pids", "cpuacct"} <= parents.keys():
        yield HierarchyV1(parents)
    for mount in parse_mounts(mounts):
        if mount.kind == "cgroup2" and "" in own:
            here = mount.place_of(own[""])
            above = [place for place in here.parents if place.is_relative_to(mount.point)]
            yield from (HierarchyV2(place) for place in (here, *above) if enable_controllers(place))
            if _move_into_leaf(here) and enable_controllers(here):
                yield HierarchyV2(here)


def _usable(hierarchy: Hierarchy) -> bool:
    """Whether a group can be made there, with its controllers, and entered."""
    try:
        group = hierarchy.make(memory_bytes=64 << 20, pids=8, cpus=1.0)
    except OSError:
        return False
    try:
        return _enterable(group)
    finally:
        group.remove()


def _enterable(group: Group) -> bool:
    enter = 'for entrance; do echo 0 > "$entrance" || exit; done'
    tried = subprocess.run(["sh", "-c", enter, "sh", *map(str, group.entrances)], stderr=subprocess.DEVNULL)
    return tried.returncode == 0


def enable_controllers(parent: Path) -> bool:
    """Give the children of `parent` memory and pids, and cpu if it can be had; whether they now have the first two.

    The kernel refuses memory while processes sit in `parent` itself. It would take pids and cpu alone even then, and no process could
    be moved out into a child any more: so memory and pids are one request, and cpu comes after it.
    """
    control = parent / "cgroup.subtree_control"
    try:
        available = set((parent / "cgroup.controllers").read_text().split())
        missing = {"memory", "pids"} - set(control.read_text().split())
        request = " ".join(f"+{controller}" for controller in sorted(missing))
        if missing and not (missing <= available and _write(control, request)):
            return False
        if "cpu" in available - set(control.read_text().split()):
            _write(control, "+cpu")
        return True
    except OSError:
        return False


def _move_into_leaf(parent: Path) -> bool:
    """Empty a group that was delegated to us (`systemd-run --user --scope -p Delegate=yes`, a container), so that it can have limits."""
    leaf = parent / "repoproof-main"
    try:
        if not {"memory", "pids"} <= set((parent / "cgroup.controllers").read_text().split()):
            return False
        leaf.mkdir(exist_ok=True)
        return all(_write(leaf / "cgroup.procs", pid) for pid in (parent / "cgroup.procs").read_text().split())
    except OSError:
        return False


def _write(path: Path, text: str) -> bool:
    try:
        path.write_text(text)
    except OSError:
        return False
    return True


@dataclass(frozen=True)
class CgroupMount:
    """One line of /proc/self/mountinfo that is about control groups."""

    root: str
    """The group that is seen at `point`."""
    point: Path
    kind: str
    """`cgroup` or `cgroup2`."""
    options: frozenset[str]
    """Among them the controllers of a version 1 hierarchy."""

    def place_of(self, group: str) -> Path:
        """Where a group, named as in /proc/self/cgroup, is in the file system."""
        below = group if self.root == "/" else "/" + os.path.relpath(group, self.root)
        return self.point / below.lstrip("/") if below not in ("/", "/.") else self.point


def parse_mounts(mountinfo: str) -> list[CgroupMount]:
    """The control group mounts of a /proc/PID/mountinfo."""
    mounts: list[CgroupMount] = []
    for line in mountinfo.splitlines():
        before, separator, after = line.partition(" - ")
        if separator and after.startswith("cgroup"):
            fields, (kind, _, options) = before.split(), after.split()[:3]
            mounts.append(
                CgroupMount(_unescaped(fields[3]), Path(_unescaped(fields[4])), kind, frozenset(options.split(",")))
            )
    return mounts


def own_groups(memberships: str) -> dict[str, str]:
    """Controller -> group, of a /proc/PID/cgroup. The unified hierarchy goes by the empty name."""
    groups: dict[str, str] = {}
    for line in memberships.splitlines():
        _, controllers, group = line.split(":", 2)
        groups.update(dict.fromkeys(controllers.split(","), group))
    return groups


def remove_group(path: Path) -> None:
    """Kill what is in a group and remove it. Its last process may be a moment away from its end."""
    deadline = time.monotonic() + 5.0
    while True:
        try:
            path.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            if not _write(path / "cgroup.kill", "1"):  # version 2 since Linux 5.14
                _kill_listed(path / "cgroup.procs")
            time.sleep(0.001)


def _orphans(parent: Path) -> list[Path]:
    try:
        return [path for path in parent.iterdir() if is_orphan(path.name)]
    except OSError:
        return []


def _kill_listed(procs: Path) -> None:
    with contextlib.suppress(OSError):
        for pid in procs.read_text().split():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(pid), signal.SIGKILL)


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _keyed(path: Path) -> dict[str, int]:
    """A file of `key number` lines."""
    try:
        return {key: int(value) for key, value in (line.split() for line in path.read_text().splitlines())}
    except (OSError, ValueError):
        return {}


def _unescaped(field: str) -> str:
    # mountinfo writes blanks and backslashes as octal escapes.
    return field.encode().decode("unicode_escape").encode("latin-1").decode()
