"""The attacker hands in a tree that is not a program but a trap for whoever reads it.

Links to the golden tests or to the host's files would put secrets before the candidate's code; devices and fifos would stop the
run; a huge tree would fill the disk; a path that leaves the submissions directory would score somebody else's work. Any of them
crashing the run would take the other tasks' scores with it; followed, the first kind would have raised Pass@1.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repoproof.core.base import MiB
from repoproof.core.errors import InfrastructureError
from repoproof.core.submission import Submission
from repoproof.core.submissions import copy_tree, read_submissions
from repoproof.core.tree import Bounds, read_tree

SECRET = "golden tests"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The candidate's folder, with one honest file in it and a secret beside it."""
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "submissions/other").mkdir(parents=True)
    (tmp_path / "submissions/other/app.py").write_text("somebody else's")
    blog = tmp_path / "submissions/blog"
    blog.mkdir()
    (blog / "app.py").write_text("honest")
    return blog


def read(tree: Path) -> Submission:
    found = read_submissions(tree.parent, ("blog",))
    return next(item for item in found.items if item.task == "blog")


def rules(submission: Submission) -> list[tuple[str, str]]:
    return [(violation.rule, violation.evidence) for violation in submission.violations]


def link(path: str, target: str) -> Callable[[Path], None]:
    return lambda tree: (tree / path).symlink_to(target)


def both(*changes: Callable[[Path], None]) -> Callable[[Path], None]:
    def change(tree: Path) -> None:
        for one in changes:
            one(tree)

    return change


def bind(tree: Path) -> None:
    # A socket's whole path may have 107 bytes at most; from a directory's descriptor it is short.
    here = os.open(tree, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{here}/sock")
    os.close(here)


LEFT_OUT: dict[str, tuple[Callable[[Path], None], list[tuple[str, str]]]] = {
    "an absolute link": (link("x", "/etc/passwd"), [("link-out-of-tree", "x -> /etc/passwd")]),
    "a link upwards": (link("x", "../../secret"), [("link-out-of-tree", "x -> ../../secret")]),
    "a link to a neighbour": (link("x", "../other/app.py"), [("link-out-of-tree", "x -> ../other/app.py")]),
    "a link down and up again": (link("x", "nowhere/../../other"), [("link-out-of-tree", "x -> nowhere/../../other")]),
    "a link to a directory": (link("x", "../.."), [("link-out-of-tree", "x -> ../..")]),
    "a link out and back in": (link("x", "../blog/app.py"), [("link-out-of-tree", "x -> ../blog/app.py")]),
    "a link through a link": (
        both(lambda tree: (tree / "a/b").mkdir(parents=True), link("up", "a/b"), link("x", "up/../../../secret")),
        [("link-out-of-tree", "x -> up/../../../secret")],
    ),
    "a link through a directory that is a link": (
        # On paper d/e/../.. is the root of the tree; the kernel goes through e to the root first, and then out.
        both(lambda tree: (tree / "d").mkdir(), link("d/e", ".."), link("x", "d/e/../other/app.py")),
        [("link-out-of-tree", "x -> d/e/../other/app.py")],
    ),
    "a link to a link that leaves": (
        both(link("x", "y"), link("y", "/etc/passwd")),
        [("link-out-of-tree", "x -> y"), ("link-out-of-tree", "y -> /etc/passwd")],
    ),
    "links in a ring": (both(link("x", "y"), link("y", "x")), [("link-loop", "x -> y"), ("link-loop", "y -> x")]),
    "a fifo": (lambda tree: os.mkfifo(tree / "x"), [("fifo-file", "x")]),
    "a socket": (bind, [("socket-file", "sock")]),
    "a name that is not UTF-8": (
        lambda tree: Path(os.fsdecode(os.fsencode(tree) + b"/\xff.py")).touch(),
        [("name-not-utf-8", "\\udcff.py")],
    ),
    "a link to a name that is not UTF-8": (
        lambda tree: (tree / "x").symlink_to(os.fsdecode(b"\xff")),
        [("name-not-utf-8", "x -> \\udcff")],
    ),
    "a link with an escape sequence for the terminal": (
        link("x\x1b[2J", "/etc/passwd"),
        [("link-out-of-tree", "x\\x1b[2J -> /etc/passwd")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_leads_out_of_the_tree_or_is_no_file_is_left_out_with_evidence(
    tree: Path, tmp_path: Path, name: str
) -> None:
    spoil, expected = LEFT_OUT[name]
    honest = read(tree)
    spoil(tree)
    submission = read(tree)
    assert not submission.refused
    assert rules(submission) == expected
    assert submission.hash != honest.hash
    submission.model_dump_json()
    copy_tree(submission, tmp_path / "copy")
    for path in (tmp_path / "copy").rglob("*"):
        assert path.resolve().is_relative_to(tmp_path / "copy")
        assert path.is_dir() or path.is_symlink() or path.is_file()
    assert (tmp_path / "copy/app.py").read_text() == "honest"
    assert SECRET not in {path.read_text() for path in (tmp_path / "copy").rglob("*") if path.is_file()}


@pytest.mark.needs("root")
def test_a_device_is_left_out(tree: Path, tmp_path: Path) -> None:
    os.mknod(tree / "zero", 0o020666, os.makedev(1, 5))
    submission = read(tree)
    assert rules(submission) == [("device-file", "zero")]
    copy_tree(submission, tmp_path / "copy")
    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["app.py"]


STAYS = {
    "a file": "app.py",
    "itself": ".",
    "up and down within": "a/../app.py",
    "nothing": "missing/file",
    "a link": "again",
    "litter": "node_modules/.bin/tool",
}


@pytest.mark.parametrize("name", STAYS)
def test_a_link_that_stays_inside_is_kept_as_a_link(tree: Path, tmp_path: Path, name: str) -> None:
    (tree / "again").symlink_to("app.py")
    (tree / "x").symlink_to(STAYS[name])
    submission = read(tree)
    assert submission.violations == ()
    copy_tree(submission, tmp_path / "copy")
    assert (tmp_path / "copy/x").readlink() == Path(STAYS[name])


def sparse(tree: Path) -> None:
    with (tree / "huge").open("wb") as file:
        file.truncate(600 * MiB)


def deep(tree: Path) -> None:
    fd = os.open(tree, os.O_RDONLY)
    for _ in range(150):
        os.mkdir("d", dir_fd=fd)
        inner = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
    os.close(fd)


REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "huge": (sparse, "more than 512 MiB"),
    "deep": (deep, "more than 100 directories deep"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_tree_beyond_the_limits_is_refused_and_keeps_one_hash(tree: Path, name: str) -> None:
    spoil, expected = REFUSED[name]
    spoil(tree)
    submission = read(tree)
    assert submission.refused.startswith(expected)
    assert rules(submission) == [("oversize", submission.refused)]
    assert submission.hash == read(tree).hash


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        (Bounds(entries=9), "more than 9 files and directories"),
        (Bounds(link_steps=40), "links lead to links beyond any use"),
        (Bounds(depth=0), "more than 0 directories deep"),
    ],
)
def test_every_bound_holds(tree: Path, bounds: Bounds, expected: str) -> None:
    (tree / "d").mkdir()
    for n in range(8):
        (tree / f"link{n}").symlink_to(f"link{n + 1}")
    refused = read_tree(tree, bounds=bounds).refused
    assert refused is not None and refused.evidence.startswith(expected)


def test_links_to_links_without_end_cost_no_more_than_their_bound(tree: Path) -> None:
    """Each of 200 links leads through 39 others of 2,000 steps each: 15 million steps if all were walked."""
    for n in range(200):
        (tree / f"link{n:03}").symlink_to("./" * 2000 + f"link{n + 1:03}")
    submission = read(tree)
    assert rules(submission) == [("oversize", "links lead to links beyond any use")]


def test_evidence_is_bounded(tree: Path) -> None:
    for n in range(500):
        (tree / f"link{n:03}").symlink_to("/etc/passwd")
    submission = read(tree)
    assert len(submission.violations) == 21
    assert rules(submission)[-1] == ("link-out-of-tree", "and 480 more")


def test_an_unreadable_file_is_a_refusal(tree: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (tree / "app.py").chmod(0)
    assert read(tree).refused == "app.py cannot be read (permission denied)"


def indexed(tree: Path, path: str) -> Submission:
    (tree.parent / "submissions.jsonl").write_text(json.dumps({"task": "blog", "path": path}) + "\n")
    return read(tree)


@pytest.mark.parametrize("path", ["../secret", "..", "/etc", "out", "blog/../../secret", "out/there", "loop/x"])
def test_a_path_that_leaves_the_submissions_directory_is_refused(tree: Path, path: str) -> None:
    (tree.parent.parent / "there").mkdir()
    (tree.parent / "out").symlink_to("..")
    (tree.parent / "loop").symlink_to("../submissions/loop/../../there")
    submission = indexed(tree, path)
    assert [violation.rule for violation in submission.violations] == ["path-escape"]
    assert submission.violations[0].denied
    assert submission.refused == "its path leaves the submissions directory"
    assert submission.files == 0


def test_a_folder_that_is_a_link_out_is_refused(tree: Path) -> None:
    (tree / "app.py").unlink()
    tree.rmdir()
    tree.symlink_to("/etc")
    assert [violation.rule for violation in read(tree).violations] == ["path-escape"]


def test_a_file_where_a_directory_should_be_is_refused(tree: Path) -> None:
    submission = indexed(tree, "blog/app.py")
    assert (submission.refused, rules(submission)) == (
        "it is not a directory",
        [("not-a-directory", "it is not a directory")],
    )


@pytest.mark.parametrize("what", ["file", "directory"])
def test_swapping_a_file_for_a_link_while_it_is_copied_gains_nothing(tree: Path, tmp_path: Path, what: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "data").write_text(SECRET)
    honest, trap = tmp_path / "honest", tmp_path / "trap"
    if what == "file":
        honest.write_text("data")
        trap.symlink_to(outside / "data")
    else:
        honest.mkdir()
        (honest / "data").write_text("data")
        trap.symlink_to(outside)
    honest.rename(tree / "x")
    submission = read(tree)
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            (tree / "x").rename(honest)
            trap.rename(tree / "x")
            (tree / "x").rename(trap)
            honest.rename(tree / "x")

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for n in range(300):
            with suppress(InfrastructureError):
                copy_tree(submission, tmp_path / f"copy{n}")
    finally:
        done.set()
        swapping.join()
    copied = {file.read_text() for file in tmp_path.glob("copy*/**/*") if file.is_file()}
    assert copied == {"honest", "data"}


@given(
    links=st.dictionaries(
        st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "d/e/b"]),
        st.lists(st.sampled_from(["..", ".", "a", "b", "d", "e", "file"]), min_size=1, max_size=6).map("/".join),
    )
)
@settings(max_examples=150, deadline=None)
def test_no_kept_link_resolves_outside(tmp_path_factory: pytest.TempPathFactory, links: dict[str, str]) -> None:
    root = tmp_path_factory.mktemp("links")
    (root / "tree/d/e").mkdir(parents=True)
    (root / "file").write_text(SECRET)
    (root / "tree/d/file").touch()
    for path, target in links.items():
        (root / "tree" / path).symlink_to(target)
    found = read_tree(root / "tree")
    kept = {entry.path for entry in found.entries} & links.keys()
    for path in links:
        try:
            inside = Path(os.path.realpath(root / "tree" / path, strict=True)).is_relative_to(root / "tree")
        except OSError:
            continue
        # A link may go out and come back in by the tree's own name; kept or not, what counts is that none ends outside.
        assert inside or path not in kept
