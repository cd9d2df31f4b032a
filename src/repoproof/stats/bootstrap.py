"""Intervals by resampling (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13: the percentile interval)."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from math import ceil, floor
from typing import NamedTuple


class Interval(NamedTuple):
    low: float
    high: float


def bootstrap_interval(
    values: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    seed: int,
    resamples: int = 2000,
    level: float = 0.95,
) -> Interval:
    """Percentile interval of the mean of `values` (one per task), resampled with replacement.

    With `clusters` (one key per value), whole clusters are drawn, as many as there are: values of one cluster are no independent
    evidence (Davison & Hinkley, Bootstrap Methods and their Application, 1997, section 3.8). A resample's mean is over its values,
    however many its clusters hold. With fewer than two values or clusters, there is nothing to resample: `ValueError`.
    """
    totals = _totals(values, clusters)
    if len(totals) < 2:
        raise ValueError(f"nothing to resample: {len(values)} values in {len(totals)} clusters")
    draw = random.Random(seed).choices
    if all(count == 1 for _, count in totals):
        singles = [total for total, _ in totals]
        means = sorted(sum(draw(singles, k=len(singles))) / len(singles) for _ in range(resamples))
    else:
        means = sorted(_mean(draw(totals, k=len(totals))) for _ in range(resamples))
    return Interval(_quantile(means, (1 - level) / 2), _quantile(means, (1 + level) / 2))


def _totals(values: Sequence[float], clusters: Sequence[Hashable] | None) -> list[tuple[float, int]]:
    """Sum and number of the values of each cluster, in the order in which the clusters first occur."""
    if clusters is None:
        return [(value, 1) for value in values]
    found: dict[Hashable, tuple[float, int]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        total, count = found.get(cluster, (0.0, 0))
        found[cluster] = (total + value, count + 1)
    return list(found.values())


def _mean(drawn: list[tuple[float, int]]) -> float:
    totals, counts = zip(*drawn, strict=True)
    return sum(totals) / sum(counts)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear between the two nearest of `ordered` (definition 7 of Hyndman & Fan, The American Statistician 50, 1996)."""
    place = share * (len(ordered) - 1)
    below, above = ordered[floor(place)], ordered[ceil(place)]
    return below + (above - below) * (place - floor(place))
