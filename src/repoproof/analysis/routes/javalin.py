"""Javalin 3 to 7: applications, `ApiBuilder` and its groups, `CrudHandler`s, and routes declared in the configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..endpoints import Route
from .java_evaluation import Evaluation
from .java_routes import METHOD_ENUM, Application
from .java_values import Bound, Closure, Interpreter, Made, Native, NativeClass, is_code
from .paths import VERBS, slashed
from .values import UNKNOWN, Site, Value, first_two

NAMES = ()


class JavalinApp(Application):
    """`Javalin.create()`, and its configuration, which takes routes as well."""

    def __init__(self, builder: ApiBuilder) -> None:
        super().__init__("javalin")
        self.builder = builder
        self.configuration = Configuration(self)

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        first, second = first_two(arguments)
        if name in VERBS or name == "sse":
            if len(arguments) > 1:
                self.add(VERBS.get(name, "GET"), first, site)
        elif name in ("addHandler", "addHttpHandler"):
            self.add(first, second, site)
        elif name == "addEndpoint" and isinstance(first, Endpoint):
            self.add(first.method, first.path, site)
        elif name in ("routes", "apiBuilder"):
            self.builder.group(self, first, site, interpreter)
        elif name == "mount":
            interpreter.run(first, [self], site)
        elif name in ("unsafeConfig", "config"):
            return self.configuration
        return self

    def field(self, name: str) -> Value:
        return self.configuration if name in ("config", "cfg", "unsafe") else UNKNOWN


class Configuration(Native):
    """`JavalinConfig` and the parts of it that have to do with routes."""

    def __init__(self, app: JavalinApp) -> None:
        self.app = app

    def field(self, name: str) -> Value:
        return self if name in ("router", "routing", "routes") else UNKNOWN

    def assign(self, name: str, value: Value) -> None:
        if name == "contextPath":
            self.app.prefix = value

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        if name in ("registerPlugin", "register") and arguments:
            for start in ("onInitialize", "onStart", "apply"):
                for count, given in ((1, self), (2, self.app)):
                    found = interpreter.method(arguments[0], start, count)
                    if found is not None:
                        interpreter.invoke(arguments[0], start, [given, *arguments[1:]][:count], site)
            return self
        self.app.invoke(name, arguments, site, interpreter)
        return self


class Endpoint(Native):
    """`new Endpoint(HandlerType.GET, "/x", handler)`, or one being built."""

    def __init__(self, method: Value, path: Value) -> None:
        self.method = method
        self.path = path

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        return self


class ApiBuilder(NativeClass):
    """The static methods that mean whatever application and group they are called in."""

    def __init__(self) -> None:
        super().__init__()
        self.app: JavalinApp | None = None
        self.path: Value = ""

    def knows(self, name: str) -> bool:
        return name in VERBS or name in ("path", "crud", "sse", "before", "after", "ws")

    def group(self, app: JavalinApp, group: Value, site: Site, interpreter: Interpreter) -> None:
        with self._inside(app, ""):
            _add_endpoints(group, site, interpreter)

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        if self.app is None:
            return UNKNOWN
        has_path = bool(arguments) and not is_code(arguments[0]) and len(arguments) > 1
        path = self._below(arguments[0]) if has_path else self.path
        if name == "path" and has_path:
            with self._inside(self.app, path):
                _add_endpoints(arguments[1], site, interpreter)
        elif name == "crud" and isinstance(path, str):
            for method, below in _crud(path):
                self.app.add(method, below, site)
        elif name in VERBS or name == "sse":
            self.app.add(VERBS.get(name, "GET"), path, site)
        return UNKNOWN

    @contextmanager
    def _inside(self, app: JavalinApp, path: Value) -> Iterator[None]:
        before = self.app, self.path
        self.app, self.path = app, path
        try:
            yield
        finally:
            self.app, self.path = before

    def _below(self, path: Value) -> Value:
        return slashed(self.path, path) if isinstance(path, str) and isinstance(self.path, str) else UNKNOWN


def _add_endpoints(group: Value, site: Site, interpreter: Interpreter) -> None:
    """Runs an `EndpointGroup`: a lambda, a method reference, or an object."""
    if isinstance(group, (Closure, Bound)):
        interpreter.run(group, (), site)
    elif isinstance(group, Made):
        interpreter.invoke(group, "addEndpoints", (), site)


def _crud(path: str) -> Iterator[tuple[str, str]]:
    """What a `CrudHandler` at `/users/{id}` answers to; Javalin refuses one whose path does not end so."""
    collection, _, resource = path.rpartition("/")
    if not resource.startswith(("{", ":", "<")) or not collection:
        return
    yield from (("GET", collection), ("POST", collection))
    yield from ((method, path) for method in ("GET", "PATCH", "DELETE"))


def packages() -> dict[str, NativeClass]:
    """The classes of one evaluation; an `ApiBuilder` remembers where it is."""
    builder = ApiBuilder()

    def create(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        app = JavalinApp(builder)
        interpreter.applications.append(app)
        for argument in arguments:
            interpreter.run(argument, [app.configuration], site)
        return app

    def endpoint(arguments: Sequence[Value], *_: Any) -> Value:
        return Endpoint(*arguments[:2]) if len(arguments) > 1 else UNKNOWN

    endpoints = NativeClass({"create": lambda _, arguments, *rest: endpoint(arguments, *rest)}, make=endpoint)
    return {
        "io.javalin.Javalin": NativeClass({"create": create, "createAndStart": create, "start": create}),
        "io.javalin.apibuilder.ApiBuilder": builder,
        "io.javalin.http.HandlerType": METHOD_ENUM,
        "io.javalin.router.Endpoint": endpoints,
    }


def routes(evaluation: Evaluation) -> Iterator[Route]:
    for app in evaluation.applications:
        if isinstance(app, JavalinApp):
            yield from app.routes()
