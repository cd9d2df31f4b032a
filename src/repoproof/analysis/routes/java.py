"""Routes of Java services: evaluate what the entry points do, then ask the reader of each framework."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from pathlib import Path

from ..endpoints import Route
from . import javalin, jaxrs, micronaut, spark, spring
from .java_evaluation import Evaluation
from .java_library import LIBRARY
from .java_project import JavaProject
from .java_routes import Application
from .java_values import TypeName
from .values import UNKNOWN

MAX_ROUTES = 20_000

FRAMEWORKS = (javalin, spark, spring, micronaut, jaxrs)
"""A module each, with `NAMES`, the annotations and types that it looks for, `packages()`, what it makes of calls to the framework,
and `routes(evaluation)`."""


def find_java_routes(tree: Path) -> tuple[Route, ...]:
    """The routes of all known frameworks that an application in `tree` serves, in order of file and line.

    Tests and build results are not read. A file that does not parse gives what can still be read of it.
    """
    packages = {**LIBRARY, **{name: made for framework in FRAMEWORKS for name, made in framework.packages().items()}}
    project = JavaProject(tree, {*packages, *(name for framework in FRAMEWORKS for name in framework.NAMES)})
    evaluation = Evaluation(project, packages)
    _start(evaluation)
    found: list[Route] = []
    for framework in FRAMEWORKS:
        with suppress(RecursionError):
            found.extend(islice(framework.routes(evaluation), MAX_ROUTES))
    return tuple(sorted(dict.fromkeys(found), key=lambda route: (route.file, route.line, route.path, route.method)))


def _start(evaluation: Evaluation) -> None:
    """Runs every `main`; where none of them makes an application with routes, whatever nothing else calls."""
    types = list(evaluation.project.types.values())
    for made_of in types:
        for method in made_of.methods:
            if method.name == "main" and len(method.parameters) < 2:
                this = UNKNOWN if "static" in method.modifiers else evaluation.instance(made_of)
                evaluation.run_method(method, this)
    if any(isinstance(one, Application) and one.registered for one in evaluation.applications):
        return
    if not evaluation.project.imports("io.javalin", "spark"):
        return
    for made_of in [one for one in types if not one.is_abstract]:
        uncalled = [method for method in made_of.methods if not evaluation.was_called(method)]
        this = evaluation.instance(made_of) if uncalled else UNKNOWN
        for method in uncalled:
            owner = TypeName(made_of.name) if "static" in method.modifiers else this
            evaluation.run_method(method, owner)
