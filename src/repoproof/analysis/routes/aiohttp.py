"""aiohttp.web: the router's `add_*`, route lists, route tables, resources, class views and sub-applications."""

from __future__ import annotations

from collections.abc import Iterator

from ..endpoints import Route
from .paths import VERBS
from .python_evaluation import Evaluation
from .python_routes import call_name, handled, route, text
from .python_values import Class, External, Object
from .values import UNKNOWN, Value

MENTIONS = ("aiohttp",)

_PACKAGE = ("aiohttp",)


def routes(evaluation: Evaluation) -> Iterator[Route]:
    """Routes of every application that is no part of another."""
    reader = _Reader(evaluation)
    applications = evaluation.instances(_PACKAGE, ("Application",))
    parts = {
        id(evaluation.resolved(event.argument(1, "subapp")))
        for application in applications
        for event in application.events
        if event.name == "add_subapp"
    }
    for application in applications:
        if id(application) not in parts:
            yield from reader.application(application, "", frozenset())


class _Reader:
    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def application(self, owner: Object, prefix: str, path: frozenset[int]) -> Iterator[Route]:
        """Routes of an application under `prefix`; `path` is what leads here, so that a cycle ends."""
        self.evaluation.budget.spend()
        if id(owner) in path:
            return
        path |= {id(owner)}
        for event in owner.events:
            name = call_name(event, "router")
            if name == "add_routes":
                for item in self.evaluation.items(event.argument(0, "routes")):
                    yield from self._definition(item, prefix)
            elif name == "add_subapp":
                subapp, at = self.evaluation.resolved(event.argument(1, "subapp")), text(event.argument(0, "prefix"))
                if isinstance(subapp, Object) and at is not None:
                    yield from self.application(subapp, prefix + at.rstrip("/"), path)
            elif name == "add_resource":
                at = event.argument(0, "path", UNKNOWN)
                for inner in event.events:
                    if inner.name == "add_route":
                        yield from self._route(
                            inner, prefix, inner.argument(0, "method"), at, inner.argument(1, "handler")
                        )
            elif name.startswith("add_"):
                yield from self._call(event, name.removeprefix("add_"), prefix)

    def _definition(self, item: Value, prefix: str) -> Iterator[Route]:
        """An element of a route list: `web.get(...)`, or a whole `RouteTableDef`."""
        if not isinstance(item, Object) or not isinstance(item.kind, External):
            return
        if item.isa(_PACKAGE, ("RouteTableDef",)):
            for event in item.events:
                for view in event.applied:
                    yield from self._call(event, event.name, prefix, view)
        elif item.name.startswith("aiohttp."):
            yield from self._call(item, item.name.rpartition(".")[2], prefix)

    def _call(self, call: Object, name: str, prefix: str, view: Value = None) -> Iterator[Route]:
        """`get(path, view)`, `route(method, path, view)` or `view(path, view)`; a decorator is given its view afterwards."""
        if name == "route":
            method, at = call.argument(0, "method"), call.argument(1, "path", UNKNOWN)
            yield from self._route(call, prefix, method, at, view or call.argument(2, "handler"))
        elif name == "view" or name in VERBS:
            yield from self._route(
                call,
                prefix,
                VERBS.get(name, "*"),
                call.argument(0, "path", UNKNOWN),
                view or call.argument(1, "handler"),
            )

    def _route(self, call: Object, prefix: str, method: Value, at: Value, view: Value) -> Iterator[Route]:
        view = self.evaluation.resolved(view)
        if isinstance(method, External):
            method = "*" if method.name.endswith("METH_ANY") else method.name.removeprefix("aiohttp.hdrs.METH_")
        if not isinstance(at, str) or not isinstance(method, str):
            return
        every = handled(view) if isinstance(view, Class) and view.isa(_PACKAGE, ("View",)) else ("ANY",)
        yield from route("aiohttp", every if method == "*" else (method.upper(),), prefix + at, call.site)
