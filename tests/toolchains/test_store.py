"""The store: what is published is whole, is built once, and its space is known."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from repoproof.toolchains.store import Store

BUILDER = """
    import sys
    from pathlib import Path
    from repoproof.toolchains.store import Store

    store, log = Store(Path(sys.argv[1])), Path(sys.argv[2])
    with store.slot("things", "one") as slot:
        if store.find("things", "one") is None:
            with log.open("a") as file:
                file.write("built\\n")
            (slot.staging / "tree").mkdir()
            (slot.staging / "tree/file").write_text("whole")
            if "stop" in sys.argv:
                print("building", flush=True)
                sys.stdin.read()
            slot.publish(slot.staging / "tree")
"""


def builder(root: Path, log: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(BUILDER), str(root), str(log), *words]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def build(store: Store, key: str, content: str = "x") -> Path:
    with store.slot("things", key) as slot:
        (slot.staging / "tree").mkdir()
        (slot.staging / "tree/file").write_text(content)
        return slot.publish(slot.staging / "tree")


def test_processes_that_want_the_same_thing_build_it_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    processes = [builder(tmp_path / "store", log) for _ in range(4)]
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    assert log.read_text() == "built\n"


def test_threads_that_want_the_same_thing_build_it_once(tmp_path: Path) -> None:
    store, built = Store(tmp_path), []

    def want(_: int) -> str:
        with store.slot("things", "one") as slot:
            if store.find("things", "one") is None:
                built.append(1)
                (slot.staging / "tree").mkdir()
                slot.publish(slot.staging / "tree")
        return "done"

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(want, range(8))) == {"done"}
    assert len(built) == 1


def test_a_builder_that_is_killed_leaves_nothing_published_and_does_not_block_the_next(tmp_path: Path) -> None:
    root, log = tmp_path / "store", tmp_path / "log"
    first = builder(root, log, "stop")
    assert first.stdout is not None and first.stdout.readline() == "building\n"
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert Store(root).find("things", "one") is None
    second = builder(root, log)
    second.communicate()
    found = Store(root).find("things", "one")
    assert found is not None and (found / "file").read_text() == "whole"


def test_sweeping_removes_what_the_dead_left_and_not_what_the_living_build(tmp_path: Path) -> None:
    root, log = tmp_path / "store", tmp_path / "log"
    dead = builder(root, log, "stop")
    assert dead.stdout is not None and dead.stdout.readline() == "building\n"
    assert Store(root).sweep() == 0
    os.kill(dead.pid, signal.SIGKILL)
    dead.wait()
    assert Store(root).sweep() == 1
    assert list((root / ".staging").iterdir()) == []


def test_a_build_that_raises_publishes_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(ZeroDivisionError), store.slot("things", "one"):
        _ = 1 / 0
    assert store.find("things", "one") is None
    assert list((tmp_path / ".staging").iterdir()) == []


def test_replacing_a_tree_leaves_the_old_one_readable_until_the_sweep(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with (build(store, "one", "old") / "file").open() as still_open:
        build(store, "one", "new")
        found = store.find("things", "one")
        assert found is not None and (found / "file").read_text() == "new"
        assert still_open.read() == "old"
    assert store.sweep() == 1


def test_space_is_counted_once_for_files_with_two_names_and_given_back(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.slot("things", "big") as slot:
        tree = slot.staging / "tree"
        tree.mkdir()
        (tree / "file").write_bytes(b"x" * 1_000_000)
        (tree / "again").hardlink_to(tree / "file")
        slot.publish(tree)
    (entry,) = store.entries()
    assert 1_000_000 <= entry.size_bytes < 1_100_000
    assert (entry.kind, entry.key) == ("things", "big")
    store.remove(entry)
    assert list(store.entries()) == []
    assert store.find("things", "big") is None


def test_every_directory_on_the_way_is_open_to_the_sandbox_user(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        content = build(Store(tmp_path / "a/store"), "one")
    finally:
        os.umask(before)
    places = [place for place in content.parents if place.is_relative_to(tmp_path / "a")]
    assert all(place.stat().st_mode & 0o005 == 0o005 for place in places)


@pytest.mark.needs("root")
def test_a_tree_whose_directories_forbid_writing_can_be_removed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (build(store, "one") / "locked").mkdir(mode=0o500)
    (entry,) = store.entries()
    store.remove(entry)
    assert list((tmp_path / ".retired").iterdir()) == []
