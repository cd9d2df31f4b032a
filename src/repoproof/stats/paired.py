"""Two runs over the same tasks, compared task by task: what the tasks differ in cancels out (Miller, Adding Error Bars to Evals,
2024, section 4)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import comb
from statistics import fmean
from typing import NamedTuple

from .bootstrap import Interval, bootstrap_interval


class PairedComparison(NamedTuple):
    """How b differs from a."""

    tasks: int
    difference: float
    """Mean over tasks of b - a: above 0, b is better."""
    interval: Interval | None
    """Of the difference, the tasks resampled in pairs; None where there are fewer than two tasks or clusters."""
    better: int
    """Tasks that b scores higher on."""
    worse: int
    equal: int
    sign_p: float
    """Two-sided exact sign test of better against worse, ties left out: the chance of a split at least so uneven if neither run were
    better. 1 where there is nothing but ties."""


def compare_paired(
    a: Mapping[str, float],
    b: Mapping[str, float],
    *,
    clusters: Mapping[str, Hashable] | None = None,
    seed: int,
    resamples: int = 2000,
    level: float = 0.95,
) -> PairedComparison:
    """Compare two runs' scores by task; `clusters` gives each task's cluster. `ValueError` if they are not over the same tasks."""
    if a.keys() != b.keys() or not a:
        differing = sorted(a.keys() ^ b.keys())
        raise ValueError(f"not the same tasks: {', '.join(differing[:5])}" if differing else "no tasks")
    gaps = [b[task] - a[task] for task in a]
    groups = None if clusters is None else [clusters[task] for task in a]
    interval = None
    if len(set(a if groups is None else groups)) > 1:
        interval = bootstrap_interval(gaps, clusters=groups, seed=seed, resamples=resamples, level=level)
    better, worse = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    return PairedComparison(
        tasks=len(gaps),
        difference=fmean(gaps),
        interval=interval,
        better=better,
        worse=worse,
        equal=len(gaps) - better - worse,
        sign_p=_sign_test(better, worse),
    )


def _sign_test(better: int, worse: int) -> float:
    """Twice the binomial tail of the rarer sign under chance 1/2 (Conover, Practical Nonparametric Statistics, section 3.4)."""
    n = better + worse
    return min(1.0, 2 * sum(comb(n, k) for k in range(min(better, worse) + 1)) / 2**n)
