"""How large the submitted code is: counts that describe it, and no scores."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean, median

from ..core.base import Frozen
from ..stats.means import Scored

CODE = {
    "code_lines": "Lines",
    "code_complexity": "Complexity",
    "code_files": "Files",
    "code_functions": "Functions",
    "code_endpoints": "Routes",
}
"""Measures that are counts over the code -> what they are called for people."""


class CodeFigure(Frozen):
    """One count, over the submissions whose code was read."""

    known: int
    total: float
    mean: float
    median: float


def code_of(rows: Iterable[Scored]) -> dict[str, CodeFigure]:
    """Every figure that some submission has."""
    measured = [row.measures for row in rows]
    figures = {name: [measures[name] for measures in measured if name in measures] for name in CODE}
    return {
        name: CodeFigure(known=len(values), total=sum(values), mean=fmean(values), median=median(values))
        for name, values in figures.items()
        if values
    }
