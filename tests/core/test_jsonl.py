"""Files of one JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from repoproof.core.base import Frozen
from repoproof.core.errors import BadInput
from repoproof.core.jsonl import Line, parse_object, read_json, read_jsonl, to_record

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), plain, max_size=5)


@given(st.lists(objects, max_size=6), st.sampled_from(["\n", "\r\n", "\n\n"]), st.booleans(), st.booleans())
def test_what_was_written_is_read_with_its_line(
    tmp_path_factory: pytest.TempPathFactory, values: list[dict[str, Any]], end: str, mark: bool, ascii_only: bool
) -> None:
    file = tmp_path_factory.mktemp("jsonl") / "lines.jsonl"
    text = "".join(json.dumps(value, ensure_ascii=ascii_only) + end for value in values)
    file.write_bytes((b"\xef\xbb\xbf" if mark else b"") + text.encode())
    assert list(read_jsonl(file)) == [Line(place * end.count("\n") + 1, value) for place, value in enumerate(values)]


@given(st.integers(1, 19))
def test_a_torn_line_is_named(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    file = tmp_path_factory.mktemp("jsonl") / "lines.jsonl"
    file.write_bytes(b'{"n": 1}\n' + b'{"text": "\xc3\xa4\xc3\xa4 bcd"}'[:cut])
    with pytest.raises(BadInput, match=r"lines\.jsonl:2: not "):
        list(read_jsonl(file))


def test_a_number_that_python_will_not_read_is_a_complaint() -> None:
    with pytest.raises(BadInput, match=r"^x\.jsonl:3: a number of thousands of digits$"):
        parse_object(b'{"n": ' + b"1" * 5000 + b"}", file=Path("x.jsonl"), line=3)


@given(st.binary(max_size=60))
def test_whatever_the_bytes_are_there_is_an_object_or_a_complaint_in_one_line(raw: bytes) -> None:
    try:
        assert isinstance(parse_object(raw, file=Path("x.jsonl"), line=3), dict)
    except BadInput as error:
        assert str(error).startswith("x.jsonl:3: ")
        assert "\n" not in str(error)


def test_a_whole_file_is_complained_about_by_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{\n"a": 1,\n}')
    with pytest.raises(BadInput, match=r"/x\.json:3: not JSON: .* at column 1 \(correct the syntax\)$"):
        read_json(tmp_path / "x.json")


class Inner(Frozen):
    size: int = Field(ge=1, le=9)
    """How big. And more about it."""
    form: str = ""
    """Round, square, ... as it comes. Or none."""


class Outer(Frozen):
    name: str
    inner: Inner
    many: tuple[Inner, ...] = ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"name": "n"}, "f:7: the thing: inner: missing (add it)"),
        ({"name": "n", "inner": {"size": 0}}, "f:7: the thing: inner.size: 0 is not in 1..9 (How big)"),
        ({"name": "n", "inner": {}}, "f:7: the thing: inner.size: missing (How big)"),
        ({"name": "n", "inner": {"size": 1, "form": 3}}, "valid string (Round, square, ... as it comes)"),
        ({"name": "n", "inner": {"siz": 1, "size": 1}}, "inner.siz: unknown field (did you mean 'size'?)"),
        ({"name": "n", "inner": {"size": 1, "q": 1}}, "inner.q: unknown field (known: form, size)"),
        ({"name": 3, "inner": {"size": 1}}, "name: 3: input should be a valid string"),
        ({"name": "n", "inner": {"size": 1}, "many": [{"size": 1}, {"size": 99}]}, "many[1].size: 99 is not in"),
        ({"name": "n" * 200, "inner": "i" * 200}, f'inner: "{"i" * 76}...: input should be'),
        ({}, "name: missing; 1 more: inner (add it)"),
        ({"nam": "n", "inner": {"size": 1}}, "nam: unknown field; 1 more: name (did you mean 'name'?)"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named_with_its_place_and_what_would_be_right(value: dict[str, Any], expected: str) -> None:
    with pytest.raises(BadInput) as raised:
        to_record(Outer, value, file=Path("f"), line=7, subject="the thing")
    assert expected in str(raised.value)
