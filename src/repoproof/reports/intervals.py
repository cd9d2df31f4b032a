"""Intervals of means over tasks: always the same for the same run."""

from __future__ import annotations

from collections.abc import Sequence

from ..stats.bootstrap import bootstrap_interval
from .report import Interval

SEED = 20240229
"""Of the bootstrap."""


def interval_of(values: Sequence[float], sources: Sequence[str]) -> Interval | None:
    """Of the mean of `values`, one a task, where `sources` says what each task comes from; None where there is nothing to resample."""
    if len(values) < 2:
        return None
    low, high = bootstrap_interval(values, clusters=clusters_of(sources), seed=SEED)
    return Interval(low=low, high=high)


def clusters_of(sources: Sequence[str]) -> Sequence[str] | None:
    """What to resample by: the sources, or the tasks themselves where all are of one source, since that is no cluster to resample."""
    return sources if len(set(sources)) > 1 else None
