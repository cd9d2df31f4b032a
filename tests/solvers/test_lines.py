from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from repoproof.core.base import Frozen
from repoproof.solvers.lines import Lines


class Said(Frozen):
    text: str = "nothing"
    number: int | None = None


def test_what_was_added_is_read_in_order_and_defaults_are_not_written(tmp_path):
    lines = Lines(tmp_path / "said.jsonl", Said)
    assert list(lines) == []
    said = [Said(text="a\nb"), Said(), Said(text="nothing", number=None)]
    for one in said:
        lines.append(one)
    assert list(lines) == said
    assert lines.file.read_text() == '{"text":"a\\nb"}\n{}\n{"text":"nothing"}\n'


@given(cut=st.integers(min_value=0), text=st.text())
def test_a_line_that_was_cut_off_anywhere_costs_nothing_but_itself(tmp_path_factory, cut, text):
    lines = Lines(tmp_path_factory.mktemp("lines") / "said.jsonl", Said)
    lines.append(Said(text="before"))
    whole = lines.file.read_bytes()
    lines.append(Said(text=text, number=1))
    last = len(lines.file.read_bytes()) - len(whole)
    with lines.file.open("r+b") as file:
        file.truncate(len(whole) + cut % last)
    lines.append(Said(text="after"))
    texts = [one.text for one in lines]
    # Without its line break alone it is still whole.
    assert texts in (["before", "after"], ["before", text, "after"])
    assert len(texts) == 2 or cut % last == last - 1
