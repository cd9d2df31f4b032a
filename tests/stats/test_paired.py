"""Paired comparison of two runs, against numbers worked out by hand."""

from __future__ import annotations

import pytest

from repoproof.stats.bootstrap import bootstrap_interval
from repoproof.stats.paired import compare_paired

A = {"one": 0.0, "two": 0.5, "three": 1.0, "four": 0.25}
B = {"one": 1.0, "two": 0.5, "three": 0.5, "four": 0.5}


def test_the_difference_is_the_mean_over_tasks_with_its_signs_counted() -> None:
    found = compare_paired(A, B, seed=1)
    assert (found.tasks, found.better, found.worse, found.equal) == (4, 2, 1, 1)
    assert found.difference == pytest.approx((1.0 + 0.0 - 0.5 + 0.25) / 4)
    assert found.interval == bootstrap_interval([1.0, 0.0, -0.5, 0.25], seed=1)
    assert found.sign_p == 1.0  # 2 of 3: 2 * (1 + 3) / 8


@pytest.mark.parametrize(
    ("better", "worse", "p"), [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (9, 1, 22 / 1024), (1, 9, 22 / 1024)]
)
def test_the_sign_test_is_exact_and_two_sided(better: int, worse: int, p: float) -> None:
    signs = [1.0] * better + [-1.0] * worse + [0.0] * 3
    b = {str(n): sign for n, sign in enumerate(signs)}
    assert compare_paired(dict.fromkeys(b, 0.0), b, seed=1).sign_p == pytest.approx(p)


def test_a_run_compared_with_itself_differs_by_nothing() -> None:
    found = compare_paired(A, A, seed=1)
    assert (found.difference, found.interval, found.equal) == (0.0, (0.0, 0.0), 4)


def test_pairing_tells_apart_what_two_intervals_cannot() -> None:
    a = {str(n): n / 100 for n in range(90)}
    b = {task: score + 0.05 for task, score in a.items()}
    ours, theirs = bootstrap_interval(list(a.values()), seed=1), bootstrap_interval(list(b.values()), seed=1)
    assert ours.high > theirs.low
    paired = compare_paired(a, b, seed=1).interval
    assert paired is not None and paired.low == pytest.approx(0.05)


def test_clusters_are_resampled_whole() -> None:
    clusters = {"one": "x", "two": "x", "three": "y", "four": "y"}
    expected = bootstrap_interval([1.0, 0.0, -0.5, 0.25], clusters=["x", "x", "y", "y"], seed=1)
    assert compare_paired(A, B, clusters=clusters, seed=1).interval == expected
    assert compare_paired(A, B, clusters=dict.fromkeys(A, "x"), seed=1).interval is None


@pytest.mark.parametrize("b", [{}, {"one": 1.0}, {**B, "five": 0.0}])
def test_runs_over_different_tasks_are_not_compared(b: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="not the same tasks"):
        compare_paired(A, b, seed=1)
