"""Routes of Python services: evaluate the tree once, then ask the reader of each framework."""

from __future__ import annotations

from pathlib import Path

from ..endpoints import Route
from . import aiohttp, django, eve, fastapi, flask
from .python_evaluation import Evaluation

FRAMEWORKS = (fastapi, flask, django, eve, aiohttp)
"""A module each, with `MENTIONS`, the words without which a file has nothing to do with the framework, and `routes(evaluation)`."""


def find_python_routes(tree: Path) -> tuple[Route, ...]:
    """Routes of all known frameworks that are reachable from an application object of `tree`."""
    evaluation = Evaluation(tree, mentions={word for framework in FRAMEWORKS for word in framework.MENTIONS})
    found: list[Route] = []
    for framework in FRAMEWORKS:
        with evaluation.allowance():
            found.extend(framework.routes(evaluation))
    return tuple(found)
