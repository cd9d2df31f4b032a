from __future__ import annotations

from pathlib import Path

import pytest

from repoproof.core.errors import BadInput
from repoproof.core.user_files import read_text, read_toml


def test_newlines_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("é\r\nb\n".encode())
    assert read_text(tmp_path / "a") == "é\r\nb\n"


def test_a_table_is_read_whatever_its_newlines(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"[a]\r\nb = 1\r\n")
    assert read_toml(tmp_path / "a.toml") == {"a": {"b": 1}}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"a = \xff", r"not UTF-8 at byte 5 \(save it as UTF-8\)"),
        (b"a = 1\nb = \n", r"not TOML: .*line 2.* \(correct the syntax\)"),
        (b"a = " + b"[" * 100_000, "not TOML: nested too deep"),
    ],
)
def test_what_is_no_toml_is_said_of_the_file(tmp_path: Path, content: bytes, complaint: str) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes(content)
    with pytest.raises(BadInput, match=rf"a\.toml: {complaint}"):
        read_toml(file)


@pytest.mark.parametrize(("name", "problem"), [("none", "no such file"), (".", "Is a directory")])
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, problem: str) -> None:
    with pytest.raises(BadInput, match=f"{problem} .it must be a file that can be read"):
        read_toml(tmp_path / name)
