"""Bootstrap intervals: seeded, clustered, and right where the answer is known."""

from __future__ import annotations

from itertools import product
from statistics import NormalDist, fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.stats.bootstrap import Interval, bootstrap_interval


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = [0.1, 0.4, 0.35, 0.8, 0.95, 0.2, 0.6]
    assert bootstrap_interval(values, seed=1) == bootstrap_interval(values, seed=1)
    assert bootstrap_interval(values, seed=1) != bootstrap_interval(values, seed=2)


def test_it_is_the_interval_of_all_resamples_there_are() -> None:
    """Of four values there are only 256 equally likely resamples: the exact quantiles can be counted."""
    values = [0.0, 0.3, 0.6, 1.0]
    means = sorted(fmean(drawn) for drawn in product(values, repeat=4))
    found = bootstrap_interval(values, seed=3, resamples=20_000, level=0.8)
    assert found.low == pytest.approx(means[round(0.1 * 255)], abs=0.03)
    assert found.high == pytest.approx(means[round(0.9 * 255)], abs=0.03)


def test_for_many_values_it_comes_to_the_normal_interval() -> None:
    values = [float(n % 2) for n in range(1000)]
    half = NormalDist().inv_cdf(0.975) * 0.5 / 1000**0.5
    found = bootstrap_interval(values, seed=5)
    assert found.low == pytest.approx(0.5 - half, abs=0.004)
    assert found.high == pytest.approx(0.5 + half, abs=0.004)


def test_values_that_belong_together_are_no_independent_evidence() -> None:
    """Ten tasks from each of ten repositories, equal within one: worth ten values, not a hundred."""
    values = [float(repository % 2) for repository in range(10) for _ in range(10)]
    clusters = [repository for repository in range(10) for _ in range(10)]
    apart, together = bootstrap_interval(values, seed=7), bootstrap_interval(values, clusters=clusters, seed=7)
    ten = bootstrap_interval([float(n % 2) for n in range(10)], seed=7)
    assert together == pytest.approx(ten)
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_a_resample_is_a_mean_over_values_not_over_clusters() -> None:
    # One cluster of three 1s and one of a single 0: a resample is all 1s, all 0s, or 3 of 4.
    found = bootstrap_interval([1.0, 1.0, 1.0, 0.0], clusters=["x", "x", "x", "y"], seed=9, level=0.2)
    assert found == Interval(0.75, 0.75)


def test_the_order_of_clusters_is_of_no_matter() -> None:
    found = bootstrap_interval([1.0, 0.0, 1.0, 0.0], clusters=["x", "y", "x", "y"], seed=11)
    assert found == bootstrap_interval([1.0, 1.0, 0.0, 0.0], clusters=["x", "x", "y", "y"], seed=11)


@pytest.mark.parametrize(("values", "clusters"), [([], None), ([1.0], None), ([1.0, 0.0], ["x", "x"])])
def test_where_nothing_can_be_resampled_there_is_no_interval(values: list[float], clusters: list[str] | None) -> None:
    with pytest.raises(ValueError, match="nothing to resample"):
        bootstrap_interval(values, clusters=clusters, seed=1)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.integers())
def test_an_interval_lies_within_the_values(values: list[float], seed: int) -> None:
    low, high = bootstrap_interval(values, seed=seed, resamples=50)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
