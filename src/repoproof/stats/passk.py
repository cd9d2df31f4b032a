"""pass@k: the chance that at least one of k attempts succeeds (Chen et al., Evaluating Large Language Models Trained on Code, 2021)."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from statistics import fmean


def pass_at_k(attempts: int, successes: int, k: int) -> float:
    """Unbiased estimate from n attempts of which c succeeded: 1 - C(n-c, k) / C(n, k) (their equation 1).

    `ValueError` where k is not in 1..n: fewer attempts than k say nothing about k.
    """
    if not 0 <= successes <= attempts:
        raise ValueError(f"{successes} successes in {attempts} attempts")
    if not 1 <= k <= attempts:
        raise ValueError(f"pass@{k} cannot be estimated from {attempts} attempts")
    if attempts - successes < k:
        return 1.0
    return 1.0 - prod(1.0 - k / n for n in range(attempts - successes + 1, attempts + 1))


def mean_pass_at_k(tasks: Iterable[tuple[int, int]], k: int) -> float:
    """Mean over tasks, given as (attempts, successes); `ValueError` if any has fewer than k attempts, or there is none."""
    values = [pass_at_k(attempts, successes, k) for attempts, successes in tasks]
    if not values:
        raise ValueError("no tasks")
    return fmean(values)
