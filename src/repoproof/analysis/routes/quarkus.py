"""What Quarkus adds to JAX-RS: methods annotated with `@Route`, and routes put on its router when it starts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..endpoints import Route
from .java_annotations import among, place_of
from .java_evaluation import Evaluation
from .java_project import JavaProject
from .java_routes import METHOD_ENUM, Application
from .java_syntax import parameter_type, type_name
from .java_types import Annotation, JavaType
from .java_values import Interpreter, Native, NativeClass
from .paths import VERBS, made, slashed
from .syntax import text_of
from .values import UNKNOWN, Site, Value, first_two

_WEB = "io.quarkus.vertx.web."
_ROUTES = {f"{_WEB}Route", f"{_WEB}Route.Routes"}
_BASE = {f"{_WEB}RouteBase"}
_ROUTER = "io.vertx.ext.web.Router"
NAMES = {*_ROUTES, *_BASE, _ROUTER}


def packages() -> dict[str, NativeClass]:
    return {f"{_WEB}Route.HttpMethod": METHOD_ENUM, "io.vertx.core.http.HttpMethod": METHOD_ENUM}


def is_used(project: JavaProject) -> bool:
    return project.imports("io.quarkus.") or any("io.quarkus" in text for text in project.build.values())


def routes(evaluation: Evaluation) -> Iterator[Route]:
    for one in list(evaluation.project.types.values()):
        root = evaluation.project.settings_of(one.source).get("quarkus.http.root-path")
        if root is None or one.is_abstract:
            continue
        for method, path, site in (*_annotated(one, evaluation), *_observed(one, evaluation)):
            yield from made(method, slashed(root, path), site, "quarkus")


def _annotated(made_of: JavaType, evaluation: Evaluation) -> Iterator[tuple[str, str, Site]]:
    base = next(iter(among(made_of.annotations, _BASE)), None)
    prefix = _text(base, "path", evaluation, _hyphened(made_of.simple_name)) if base is not None else ""
    for method in made_of.methods:
        for annotation in among(method.annotations, {f"{_WEB}Route"}):
            path = _text(annotation, "path", evaluation, _hyphened(method.name))
            if prefix is None or path is None or "regex" in annotation.elements:
                continue
            for verb in evaluation.texts(annotation, "methods") or ["ANY"]:
                yield verb or "", slashed(prefix, path), place_of(annotation)


def _observed(made_of: JavaType, evaluation: Evaluation) -> Iterator[tuple[str, str, Site]]:
    """What the methods of a bean put on the router that they are handed when the application starts."""
    for method in made_of.methods:
        types = [evaluation.project.qualified(type_name(parameter_type(one)), made_of) for one in method.parameters]
        if _ROUTER in types and any("Observes" in text for text in map(text_of, method.parameters)):
            router = Router("quarkus")
            given = [router if name == _ROUTER else UNKNOWN for name in types]
            evaluation.run_method(method, evaluation.instance(made_of), given)
            yield from router.registered


class Router(Application):
    """The router of Vert.x."""

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        first, second = first_two(arguments)
        if name in VERBS and arguments:
            self.add(VERBS[name], first, site)
        elif name == "route" and len(arguments) == 2:
            self.add(first, second, site)
        elif name == "route" and arguments:
            return _Unlimited(self, first, site)
        return UNKNOWN


class _Unlimited(Native):
    """`router.route("/x")`, which takes all methods unless some are named; what does not answer is a filter."""

    def __init__(self, router: Router, path: Value, site: Site) -> None:
        self.router = router
        self.path = path
        self.site = site
        self.methods: list[Value] = []

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        if name == "method":
            self.methods += arguments[:1]
        elif name in ("handler", "blockingHandler", "respond"):
            for method in self.methods or ["ANY"]:
                self.router.add(method, self.path, self.site)
        return self


def _text(annotation: Annotation, element: str, evaluation: Evaluation, default: str) -> str | None:
    value = evaluation.element(annotation, element) if element in annotation.elements else default
    return value if isinstance(value, str) else None


def _hyphened(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
