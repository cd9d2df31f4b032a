"""Digests: equal for equal things, on any machine, and for nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.core.digest import canonical_json, digest_of_strings

anything = st.text(alphabet=st.characters())
"""Lone surrogates included: names that are not UTF-8 have them."""


@given(st.lists(anything, max_size=4), st.lists(anything, max_size=4))
def test_two_sequences_have_one_digest_only_if_they_are_one(one: list[str], other: list[str]) -> None:
    assert (digest_of_strings(*one) == digest_of_strings(*other)) is (one == other)


def test_joining_strings_makes_another_sequence() -> None:
    digests = {digest_of_strings(*strings) for strings in ([], [""], ["", ""], ["ab"], ["a", "b"], ["1:a"], ["a1:b"])}
    assert len(digests) == 7


def test_a_digest_is_the_same_tomorrow() -> None:
    """Digests are on disk, in suites and in runs: a change would make all of them strangers."""
    assert digest_of_strings("task", "ä") == "82df9b42b2f32f58a3b21897ca8e0844283c5c202c7262e58f2bbfcf5ce9c147"


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none(), max_size=6))
def test_json_has_one_spelling_whatever_the_order_of_keys(value: dict[str, Any]) -> None:
    assert canonical_json(value) == canonical_json(dict(reversed(value.items())))
    assert json.loads(canonical_json(value)) == value


def test_what_is_not_json_has_no_spelling() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"a": float("nan")})
