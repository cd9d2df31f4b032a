"""How much of a prompt fits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.completions.tokens import REQUIRED, Cut, Part, estimate_tokens, fit
from repoproof.core.errors import BadInput


# The true numbers are counted with a published vocabulary of 150,000 byte pairs.
@pytest.mark.parametrize(
    ("text", "true", "at_most"),
    [
        ("", 0, 0),
        ("def add(a, b):\n    return a + b\n", 12, 20),
        ("The quick brown fox jumps over the lazy dog.", 10, 15),
        ('{"name": "parcel", "weight": 12.5}', 15, 22),
        ("1234567890", 10, 10),
        ("        if not values:\n            return None\n", 9, 14),
        ("d41d8cd98f00b204e9800998ecf8427e", 30, 32),
        ("这个函数返回两个数的和", 7, 20),
    ],
)
def test_an_estimate_is_not_below_the_true_number(text: str, true: int, at_most: int) -> None:
    assert true <= estimate_tokens(text) <= at_most


@given(st.text(), st.text())
def test_an_estimate_is_at_most_the_bytes_and_that_of_the_parts(text: str, more: str) -> None:
    assert estimate_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))
    assert estimate_tokens(f"{text}\n{more}") <= estimate_tokens(text) + estimate_tokens(more) + 1


def _lines(text: str) -> int:
    return len(text.splitlines())


PARTS = [
    Part(name="above", text="a1\na2\na3\n", priority=2, cut=Cut.BEGINNING),
    Part(name="instruction", text="do it\n", priority=REQUIRED),
    Part(name="below", text="b1\nb2\nb3\n", priority=3, cut=Cut.END),
    Part(name="example", text="e1\ne2\n", priority=1),
]


@pytest.mark.parametrize(
    ("budget", "kept", "left_out", "shortened"),
    [
        (9, ["a1\na2\na3\n", "do it\n", "b1\nb2\nb3\n", "e1\ne2\n"], (), ()),
        (8, ["a1\na2\na3\n", "do it\n", "b1\nb2\n", "e1\ne2\n"], (), ("below",)),
        (6, ["a1\na2\na3\n", "do it\n", "e1\ne2\n"], ("below",), ()),
        (5, ["a2\na3\n", "do it\n", "e1\ne2\n"], ("below",), ("above",)),
        (2, ["a3\n", "do it\n"], ("below", "example"), ("above",)),
        (1, ["do it\n"], ("above", "below", "example"), ()),
    ],
)
def test_the_least_important_goes_first(
    budget: int, kept: list[str], left_out: tuple[str, ...], shortened: tuple[str, ...]
) -> None:
    fitted = fit(PARTS, budget, count=_lines)
    assert [part.text for part in fitted.parts] == kept
    assert fitted.left_out == left_out
    assert fitted.shortened == shortened
    assert fitted.tokens == sum(_lines(text) for text in kept)


def test_an_instruction_that_does_not_fit_is_bad_input() -> None:
    with pytest.raises(BadInput, match="prompt: instruction: does not fit into 0 tokens"):
        fit(PARTS, 0, count=_lines)


_TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=20).map("\n".join)
_PARTS = st.lists(
    st.builds(Part, name=st.text(max_size=3), text=_TEXTS, priority=st.integers(1, 4), cut=st.sampled_from(Cut)),
    max_size=6,
)


@given(_PARTS, st.text(max_size=20), st.integers(0, 200))
def test_what_is_kept_fits_and_is_whole_lines_of_what_was_given(
    parts: list[Part], instruction: str, spare: int
) -> None:
    given_parts = [*parts, Part(name="instruction", text=instruction, priority=REQUIRED)]
    budget = estimate_tokens(given_parts[-1].text) + spare
    fitted = fit(given_parts, budget)
    assert fitted == fit(given_parts, budget)
    assert sum(estimate_tokens(part.text) for part in fitted.parts) == fitted.tokens <= budget
    assert fitted.parts[-1] == given_parts[-1]
    originals = iter(given_parts)
    for part in fitted.parts:
        original = next(one for one in originals if one.name == part.name and part.text in one.text)
        if part.cut is Cut.END:
            assert original.text.startswith(part.text)
        else:
            assert original.text.endswith(part.text)
