from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.core.durable import append_lines


def test_lines_begin_where_it_is_said(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    added = [b"one\n", b"two\nthree\n", b"", b"four\n"]
    begins = [append_lines(file, lines) for lines in added]
    content = file.read_bytes()
    assert content == b"".join(added)
    assert begins == [0, 4, 14, 14]


@given(before=st.binary().filter(lambda content: not content.endswith(b"\n")))
def test_what_was_left_of_a_line_stays_a_line_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, before: bytes
) -> None:
    file = tmp_path_factory.mktemp("torn") / "lines"
    file.write_bytes(before)
    begins = append_lines(file, b"whole\n")
    append_lines(file, b"next\n")
    content = file.read_bytes()
    assert content == before + (b"\n" if before else b"") + b"whole\nnext\n"
    assert content[begins:] == b"whole\nnext\n"


def test_threads_that_add_to_a_torn_file_keep_their_lines_together(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"torn")
    added = {b"%d first\n%d second\n" % (number, number) for number in range(50)}
    begins: dict[int, bytes] = {}

    def add(lines: bytes) -> None:
        begins[append_lines(file, lines)] = lines

    threads = [threading.Thread(target=add, args=(lines,)) for lines in added]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    content = file.read_bytes()
    assert content.startswith(b"torn\n")
    assert {content[at : at + len(lines)] for at, lines in begins.items()} == added
    assert len(content) == len(b"torn\n") + sum(map(len, added))


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"none/lines"):
        append_lines(tmp_path / "none" / "lines", b"one\n")


def test_nothing_is_added_through_a_link(tmp_path):
    (tmp_path / "elsewhere").write_text("ours\n")
    (tmp_path / "lines").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="lines"):
        append_lines(tmp_path / "lines", b"theirs\n")
    assert (tmp_path / "elsewhere").read_text() == "ours\n"
