"""pass@k, against counting and against the definition."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.stats.passk import mean_pass_at_k, pass_at_k


@pytest.mark.parametrize(
    ("attempts", "successes", "k", "expected"),
    [
        (1, 0, 1, 0.0),
        (1, 1, 1, 1.0),
        (5, 2, 1, 0.4),
        (5, 2, 2, 0.7),  # 1 - C(3,2)/C(5,2) = 1 - 3/10
        (5, 2, 4, 1.0),  # four of five cannot miss both
        (10, 3, 5, 1 - 21 / 252),
        (200, 1, 100, 0.5),
    ],
)
def test_it_is_one_minus_the_chance_that_all_k_fail(attempts: int, successes: int, k: int, expected: float) -> None:
    assert pass_at_k(attempts, successes, k) == pytest.approx(expected)


@given(st.data())
def test_it_is_the_share_of_all_choices_of_k_attempts_with_a_success(data: st.DataObject) -> None:
    attempts = data.draw(st.integers(1, 9))
    successes, k = data.draw(st.integers(0, attempts)), data.draw(st.integers(1, attempts))
    chosen = [min(choice) < successes for choice in combinations(range(attempts), k)]
    assert pass_at_k(attempts, successes, k) == pytest.approx(sum(chosen) / len(chosen))


@pytest.mark.parametrize(("attempts", "successes", "k"), [(3, 1, 4), (3, 1, 0), (3, 4, 1), (0, 0, 1), (3, -1, 1)])
def test_what_the_attempts_cannot_tell_is_an_error(attempts: int, successes: int, k: int) -> None:
    with pytest.raises(ValueError, match="attempts"):
        pass_at_k(attempts, successes, k)


def test_the_mean_is_over_tasks_however_many_attempts_each_has() -> None:
    assert mean_pass_at_k([(5, 2), (1, 1), (10, 0)], 1) == pytest.approx(1.4 / 3)
    with pytest.raises(ValueError, match="no tasks"):
        mean_pass_at_k([], 1)
