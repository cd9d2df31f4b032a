"""Streams that no tar of ours would write: the sandbox's own is another program's, in another's image."""

from __future__ import annotations

import io
import os
import stat
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.core.base import KiB, MiB
from repoproof.sandbox.extraction import NotATree, TooLarge, extract_tar


def entry(
    name: str, kind: bytes = tarfile.REGTYPE, *, content: bytes = b"", link: str = "", mode: int = 0o644
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname, info.mode = kind, len(content), link, mode
    return info, content


def stream(*entries: tuple[tarfile.TarInfo, bytes]) -> io.BytesIO:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for info, content in entries:
            archive.addfile(info, io.BytesIO(content))
    buffer.seek(0)
    return buffer


def listing(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_files_directories_and_links_come_out(tmp_path):
    tree = stream(
        entry("./", tarfile.DIRTYPE, mode=0o755),
        entry("./a", tarfile.DIRTYPE, mode=0o755),
        entry("./a/file", content=b"text", mode=0o755),
        entry("./link", tarfile.SYMTYPE, link="a/file"),
        entry("./hard", tarfile.LNKTYPE, link="./a/file"),
    )
    extract_tar(tree, tmp_path / "out", limit_bytes=MiB)
    assert listing(tmp_path / "out") == ["a", "a/file", "hard", "link"]
    assert (tmp_path / "out/hard").read_bytes() == (tmp_path / "out/link").read_bytes() == b"text"
    assert (tmp_path / "out/a/file").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(
    "entries",
    [
        [entry("/etc/evil", content=b"x")],
        [entry("../evil", content=b"x")],
        [entry("a/../../evil", content=b"x")],
        [entry("hard", tarfile.LNKTYPE, link="../../secret")],
        [entry("hard", tarfile.LNKTYPE, link="/etc/passwd")],
    ],
    ids=["absolute", "up", "up in between", "link up", "link absolute"],
)
def test_a_name_that_leads_out_ends_it_all(tmp_path, entries):
    with pytest.raises(NotATree):
        extract_tar(stream(*entries), tmp_path / "out", limit_bytes=MiB)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "second",
    [entry("trap/file", content=b"x"), entry("trap", content=b"x"), entry("hard", tarfile.LNKTYPE, link="trap/secret")],
    ids=["below a link", "over a link", "linked through a link"],
)
def test_no_step_goes_through_a_link(tmp_path, second):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    tree = stream(entry("trap", tarfile.SYMTYPE, link=str(outside)), second)
    with pytest.raises(NotATree):
        extract_tar(tree, tmp_path / "out", limit_bytes=MiB)
    assert listing(tmp_path) == ["outside", "outside/secret"]
    assert (outside / "secret").read_text() == "secret"


def test_devices_and_pipes_are_left_out_and_mode_bits_tamed(tmp_path):
    device = entry("device", tarfile.CHRTYPE, mode=0o666)
    device[0].devmajor, device[0].devminor = 1, 3
    tree = stream(
        device,
        entry("pipe", tarfile.FIFOTYPE),
        entry("setuid", mode=0o6777),
        entry("closed", mode=0),
        entry("dir", tarfile.DIRTYPE, mode=0o7000),
    )
    extract_tar(tree, tmp_path / "out", limit_bytes=MiB)
    modes = {path.name: stat.S_IMODE(path.lstat().st_mode) for path in (tmp_path / "out").iterdir()}
    assert modes == {"setuid": 0o777, "closed": 0o400, "dir": 0o700}
    assert {path.lstat().st_uid for path in (tmp_path / "out").rglob("*")} == {os.geteuid()}


@pytest.mark.parametrize(
    "entries",
    [
        [entry("big", content=bytes(64 * KiB))],
        [entry(f"f{n}", content=bytes(KiB)) for n in range(40)],
        [entry(f"d{n}", tarfile.DIRTYPE) for n in range(200)],
    ],
    ids=["one file", "many files", "many entries"],
)
def test_too_large_a_tree_leaves_nothing(tmp_path, entries):
    with pytest.raises(TooLarge):
        extract_tar(stream(*entries), tmp_path / "out", limit_bytes=32 * KiB)
    assert list(tmp_path.iterdir()) == []


def test_a_torn_stream_leaves_nothing(tmp_path):
    whole = stream(entry("file", content=os.urandom(64 * KiB))).getvalue()
    with pytest.raises(NotATree):
        extract_tar(io.BytesIO(whole[: 32 * KiB]), tmp_path / "out", limit_bytes=MiB)
    assert list(tmp_path.iterdir()) == []


@given(st.binary(max_size=4096))
def test_whatever_arrives_nothing_is_written_outside(tmp_path_factory, data):
    place = tmp_path_factory.mktemp("any")
    try:
        extract_tar(io.BytesIO(data), place / "out", limit_bytes=KiB)
    except (NotATree, TooLarge):
        assert list(place.iterdir()) == []
    else:
        assert listing(place) == ["out"]
