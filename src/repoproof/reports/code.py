"""How large the submitted code is, and how much of it the golden tests reach: numbers that describe it, and no scores."""

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
    "code_coverage": "Coverage",
}
"""Measures of the code -> what they are called for people. Coverage is the share of its statements that ran under the golden tests."""


class CodeFigure(Frozen):
    """One of them, over the submissions whose code was read."""

    known: int
    total: float
    mean: float
    median: float


def shown(name: str, value: float | None, *, decimals: int = 0) -> str:
    """A figure as people read it; a dash for None."""
    if value is None:
        return "-"
    return f"{value:.{2 if name == 'code_coverage' else decimals}f}"


def code_of(rows: Iterable[Scored]) -> dict[str, CodeFigure]:
    """Every figure that some submission has."""
    measured = [row.measures for row in rows]
    figures = {name: [measures[name] for measures in measured if name in measures] for name in CODE}
    return {
        name: CodeFigure(known=len(values), total=sum(values), mean=fmean(values), median=median(values))
        for name, values in figures.items()
        if values
    }
