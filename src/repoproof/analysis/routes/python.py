"""Routes of Python services: evaluate the tree once, then ask the reader of each framework."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from ..endpoints import Route
from . import aiohttp, django, eve, fastapi, flask
from .python_evaluation import Evaluation

MAX_ROUTES = 20_000

FRAMEWORKS = (fastapi, flask, django, eve, aiohttp)
"""A module each, with `MENTIONS`, the words without which a file has nothing to do with the framework, and `routes(evaluation)`."""


def find_python_routes(tree: Path) -> tuple[Route, ...]:
    """Routes of all known frameworks that are reachable from an application object of `tree`."""
    with _no_garbage_collection():
        return _routes(tree)


def _routes(tree: Path) -> tuple[Route, ...]:
    evaluation = Evaluation(tree, mentions={word for framework in FRAMEWORKS for word in framework.MENTIONS})
    found: list[Route] = []
    for framework in FRAMEWORKS:
        with suppress(RecursionError), evaluation.budget.allowance():
            found.extend(islice(framework.routes(evaluation), MAX_ROUTES))
    return tuple(found)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Syntax trees are many small objects that all stay: looking through them for garbage again and again takes 3 times as long as the rest."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
