"""Routes of a Node service, in JavaScript or TypeScript."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ..endpoints import Route
from . import express, fastify, koa, nest
from .budget import OutOfSteps
from .node_evaluation import Evaluation
from .node_project import Project
from .node_routers import routes_of
from .syntax import line_of
from .values import UNKNOWN, Site

_FRAMEWORKS = {"express": express, "fastify": fastify, "koa": koa, "nest": nest}


def find_node_routes(tree: Path) -> tuple[Route, ...]:
    """The routes of every Express, Fastify, Koa and Nest application in `tree`, in order of file and line.

    A route counts if it hangs on an application: an unused router, an HTTP client's `get('/x')`, a comment or a string give nothing.
    Tests, dependencies, and compiled copies are not read. A file that does not parse gives what can still be read of it.
    """
    project = Project(tree)
    evaluation = Evaluation(
        project, {name: made for framework in _FRAMEWORKS.values() for name, made in framework.PACKAGES.items()}
    )
    for module in project.modules:
        evaluation.exports(module)
    applications = evaluation.applications
    if not any(application.routes or application.mounts for application in applications):
        _call_the_uncalled(evaluation)
    found = {
        route: None
        for application in applications
        if not application.mounted
        for route in routes_of(application, _FRAMEWORKS[application.framework].join)
    }
    return tuple(sorted(found, key=lambda route: (route.file, route.line, route.path, route.method)))


def _call_the_uncalled(evaluation: Evaluation) -> None:
    """An application that is made in a function which nothing in the tree calls, as where only a test or a launcher does."""
    for function in [function for function in evaluation.functions if not function.calls]:
        with suppress(OutOfSteps, RecursionError):
            evaluation.call(function, [UNKNOWN] * 3, Site(function.scope.module.file, line_of(function.node)))
