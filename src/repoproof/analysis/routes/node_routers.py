"""Routers and what hangs under them, whatever framework made them: the graph from which the routes of an application are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ..endpoints import Route
from .node_values import Builtin, Interpreter, Native
from .paths import VERBS, made
from .values import Site, Value

MAX_ROUTES = 5_000
MAX_MOUNT_DEPTH = 20
MAX_PLACES = 20_000
"""Where routers are mounted, those of one router counted each time."""

METHODS_BY_NAME = {**VERBS, "all": "ANY"}
"""What the functions of a router are called, and the methods that they take."""


@dataclass(eq=False)
class Router(Native):
    """Routes and mounted routers, in order."""

    framework: str
    prefix: str = ""
    routes: list[tuple[str, str, Site]] = field(default_factory=list)
    """Method, path below this router, place."""
    mounts: list[tuple[str, Router]] = field(default_factory=list)
    mounted: bool = False
    """Somewhere under another router: then it is not where requests arrive."""

    def add(self, method: str, path: str, site: Site) -> None:
        if len(self.routes) < MAX_ROUTES:
            self.routes.append((method, path, site))

    def mount(self, prefix: str, router: Router) -> None:
        if len(self.mounts) < MAX_ROUTES:
            router.mounted = True
            self.mounts.append((prefix, router))


def makes_application(make: Callable[[], Router]) -> Builtin:
    """What gives a new application, where requests arrive."""

    def call(arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        application = make()
        interpreter.applications.append(application)
        return application

    return Builtin(call)


Join = Callable[[str, str], str]
"""How a framework puts a prefix and a path together."""


def routes_of(application: Router, join: Join) -> Iterator[Route]:
    """The routes that a request to `application` can reach, as many as count."""
    return islice(_reachable(application, join), MAX_ROUTES)


def _reachable(application: Router, join: Join) -> Iterator[Route]:
    """A router mounted inside itself is followed once."""
    pending: list[tuple[str, Router, tuple[Router, ...]]] = [("", application, ())]
    for _ in range(MAX_PLACES):
        if not pending:
            return
        prefix, router, above = pending.pop()
        prefix = join(prefix, router.prefix) if router.prefix else prefix
        for method, path, site in router.routes:
            yield from made(method, join(prefix, path), site, router.framework)
        if len(above) < MAX_MOUNT_DEPTH:
            pending += [
                (join(prefix, under), child, (*above, router))
                for under, child in router.mounts
                if child not in (*above, router)
            ]
