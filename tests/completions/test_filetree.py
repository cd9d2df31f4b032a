"""A repository as one text, there and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from repoproof.completions.filetree import parse_tree, render_tree

_FENCES = ("```", "````", "~~~~", "```python", "```python:x/y.py")
_NAMES = ("### FILE: other.py", "**app/main.py**", "`a.py`:", "# app/z.py", "\\ No newline at end of file")
_THOUGHTS = ("<think>", "</think>", "<|channel|>final<|message|>")
_SPACES = ("\ufeff", "\r", "\x0c", "\x0b", "\u2028", " ", "\t", "")
_PIECES = st.sampled_from((*_FENCES, *_NAMES, *_THOUGHTS, *_SPACES, "x = 1"))
_CONTENT = st.lists(_PIECES | st.text(st.characters(exclude_categories=["Cs"])), max_size=12).flatmap(
    lambda pieces: st.sampled_from(["\n", "", "\r\n"]).map(lambda joint: joint.join(pieces))
)
_NAME = st.text(st.characters(categories=["L", "N"], include_characters="._-+@ `*'\"#:<>()"), min_size=1, max_size=12)


def _readable(path: str) -> bool:
    from repoproof.core.errors import BadInput

    try:
        render_tree({path: ""})
    except BadInput:
        return False
    return True


_PATH = st.lists(_NAME, min_size=1, max_size=3).map("/".join).filter(_readable)


def _without_clashes(texts: dict[str, str]) -> dict[str, str]:
    return {path: text for path, text in texts.items() if not any(other.startswith(f"{path}/") for other in texts)}


@given(st.dictionaries(_PATH, _CONTENT, max_size=5).map(_without_clashes))
def test_what_is_rendered_is_read_back_exactly(texts: dict[str, str]) -> None:
    tree = parse_tree(render_tree(texts))
    assert {file.path: file.content for file in tree.files} == texts
    assert not tree.truncated
    assert not tree.notes or not texts
