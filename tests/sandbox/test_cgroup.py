from __future__ import annotations

import errno
from pathlib import Path

import pytest

from repoproof.core.base import MiB
from repoproof.sandbox.cgroup import (
    GroupV1,
    GroupV2,
    HierarchyV1,
    HierarchyV2,
    enable_controllers,
    find_hierarchy,
    own_groups,
    parse_mounts,
)

SYSTEMD = "31 24 0:27 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot"
HYBRID = """\
25 18 0:22 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
26 25 0:23 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
27 25 0:24 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
28 25 0:25 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw"""
IN_A_CONTAINER = r"40 39 0:30 /docker/4f2a /sys/fs/cgroup/with\040blank ro,nosuid - cgroup cgroup rw,memory"


@pytest.mark.parametrize(
    ("mountinfo", "group", "place"),
    [
        (SYSTEMD, "/", "/sys/fs/cgroup"),
        (SYSTEMD, "/user.slice/user-1000.slice", "/sys/fs/cgroup/user.slice/user-1000.slice"),
        (IN_A_CONTAINER, "/docker/4f2a", "/sys/fs/cgroup/with blank"),
        (IN_A_CONTAINER, "/docker/4f2a/below", "/sys/fs/cgroup/with blank/below"),
    ],
)
def test_a_groups_place_is_found_below_its_mount(mountinfo, group, place):
    assert parse_mounts(mountinfo)[0].place_of(group) == Path(place)


def test_version_1_controllers_may_share_a_hierarchy():
    mounts = parse_mounts(HYBRID)
    assert [(m.kind, str(m.point)) for m in mounts] == [
        ("cgroup", "/sys/fs/cgroup/cpu,cpuacct"),
        ("cgroup", "/sys/fs/cgroup/memory"),
        ("cgroup2", "/sys/fs/cgroup/unified"),
    ]
    assert {"cpu", "cpuacct"} <= mounts[0].options


def test_membership_is_read_by_controller_and_the_unified_one_has_no_name():
    assert own_groups("4:memory:/a\n2:cpu,cpuacct:/b:c\n1:name=systemd:/d\n0::/e\n") == {
        "memory": "/a",
        "cpu": "/b:c",
        "cpuacct": "/b:c",
        "name=systemd": "/d",
        "": "/e",
    }


class TestVersion2:
    @pytest.fixture
    def group(self, tmp_path: Path) -> GroupV2:
        files = {
            "memory.events": "low 0\nhigh 0\nmax 41\noom 3\noom_kill 2\noom_group_kill 0\n",
            "memory.peak": "73400320\n",
            "cpu.stat": "usage_usec 1250000\nuser_usec 1000000\nsystem_usec 250000\nnr_periods 0\n",
        }
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        return GroupV2(tmp_path)

    def test_use_is_read_from_its_files(self, group):
        assert (group.out_of_memory(), group.peak_memory_bytes(), group.cpu_seconds()) == (True, 73400320, 1.25)

    def test_reaching_the_limit_without_a_kill_is_not_out_of_memory(self, group):
        (group.path / "memory.events").write_text("low 0\nhigh 0\nmax 41\noom 3\noom_kill 0\n")
        assert not group.out_of_memory()

    def test_a_kernel_without_a_peak_has_none(self, group):
        (group.path / "memory.peak").unlink()
        assert group.peak_memory_bytes() is None

    def test_a_process_enters_by_one_file(self, group):
        assert group.entrances == [group.path / "cgroup.procs"]

    def test_limits_are_written_before_anything_enters(self, tmp_path):
        made = HierarchyV2(tmp_path).make(memory_bytes=64 * MiB, pids=10, cpus=1.5)
        assert isinstance(made, GroupV2)
        assert (made.path / "memory.max").read_text() == str(64 * MiB)
        assert (made.path / "memory.swap.max").read_text() == "0"
        assert int((made.path / "pids.max").read_text()) > 10

    @pytest.mark.parametrize(
        ("available", "enabled", "usable"),
        [
            ("cpuset cpu io memory pids", "memory pids", True),
            ("cpu memory pids", "", True),
            ("cpu memory", "", False),
            ("", "", False),
            (None, "memory pids", False),
        ],
    )
    def test_a_parent_is_usable_if_its_children_can_have_memory_and_pids(self, tmp_path, available, enabled, usable):
        (tmp_path / "cgroup.subtree_control").write_text(enabled)
        (tmp_path / "cgroup.procs").touch()
        if available is not None:
            (tmp_path / "cgroup.controllers").write_text(available)
        assert enable_controllers(AsTheKernel(tmp_path)) is usable

    def test_a_parent_with_processes_in_it_is_left_as_it_was(self, tmp_path):
        (tmp_path / "cgroup.subtree_control").touch()
        (tmp_path / "cgroup.procs").write_text("41\n")
        (tmp_path / "cgroup.controllers").write_text("cpu memory pids")
        assert not enable_controllers(AsTheKernel(tmp_path))
        assert (tmp_path / "cgroup.subtree_control").read_text() == ""


class AsTheKernel(type(Path())):
    """A directory whose cgroup.subtree_control takes all of a request or nothing; memory only while no processes are there."""

    def write_text(self, text: str, *_: object) -> int:
        if "+memory" in text and self.with_name("cgroup.procs").read_text():
            raise OSError(errno.EBUSY, "Device or resource busy")
        return Path(self).write_text(" ".join([self.read_text(), *(word.removeprefix("+") for word in text.split())]))


class TestVersion1:
    @pytest.fixture
    def group(self, tmp_path: Path) -> GroupV1:
        for controller in ("memory", "pids", "cpuacct"):
            (tmp_path / controller).mkdir()
        (tmp_path / "memory/memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
        (tmp_path / "memory/memory.max_usage_in_bytes").write_text("1048576\n")
        (tmp_path / "cpuacct/cpuacct.usage").write_text("2500000000\n")
        return GroupV1({controller: tmp_path / controller for controller in ("memory", "pids", "cpuacct")})

    def test_use_is_read_from_its_files(self, group):
        assert (group.out_of_memory(), group.peak_memory_bytes(), group.cpu_seconds()) == (True, 1048576, 2.5)

    def test_controllers_of_one_hierarchy_are_one_group(self, tmp_path):
        for name in ("memory", "pids", "cpu,cpuacct"):
            (tmp_path / name).mkdir()
        shared = tmp_path / "cpu,cpuacct"
        hierarchy = HierarchyV1(
            {"memory": tmp_path / "memory", "pids": tmp_path / "pids", "cpu": shared, "cpuacct": shared}
        )
        made = hierarchy.make(memory_bytes=MiB, pids=1, cpus=0.5)
        assert len(made.entrances) == 3


@pytest.mark.needs("cgroup")
def test_a_real_group_is_made_entered_and_removed():
    hierarchy = find_hierarchy()
    assert hierarchy is not None
    group = hierarchy.make(memory_bytes=64 * MiB, pids=4, cpus=1)
    directories = [entrance.parent for entrance in group.entrances]
    assert all(directory.is_dir() for directory in directories)
    assert not group.out_of_memory()
    group.remove()
    assert not any(directory.exists() for directory in directories)
    assert not set(directories) & set(hierarchy.orphans())
