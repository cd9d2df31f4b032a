"""All that is read of a candidate's code without running it, in a process apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..core.base import Frozen
from ..sandbox.apart import Unreadable, apart
from .endpoints import Route
from .metrics import CodeMetrics, measure_code
from .routes import find_routes


class Reading(Frozen):
    """What the code of a tree says."""

    routes: tuple[Route, ...] = ()
    metrics: CodeMetrics = CodeMetrics()
    problems: tuple[str, ...] = ()
    """Why some of it, or all, could not be told; then it counts as not there."""


READERS_APART = tuple(f"repoproof.analysis.routes.{language}" for language in ("python", "node", "java"))
"""Modules that are imported once for all readings."""


def read_code(tree: Path, *, language: str, framework: str = "") -> Reading:
    """Routes and size of the code in `tree`. Whatever the sources do to the readers is the candidate's own loss."""
    routes: tuple[Route, ...] = ()
    metrics, problems = CodeMetrics(), []
    try:
        routes = tuple(map(Route.model_validate, apart(f"{__name__}:routes", str(tree), language, framework)))
    except (Unreadable, ValidationError) as error:
        problems.append(f"routes: {' '.join(str(error).split())}")
    try:
        metrics = CodeMetrics.model_validate(apart(f"{__name__}:metrics", str(tree)))
    except Unreadable as error:
        problems.append(f"metrics: {error}")
    return Reading(routes=routes, metrics=metrics, problems=tuple(problems))


def routes(tree: str, language: str, framework: str) -> list[dict[str, Any]]:
    return [route.model_dump() for route in find_routes(Path(tree), language=language, framework=framework)]


def metrics(tree: str) -> dict[str, Any]:
    return measure_code(Path(tree)).model_dump()
