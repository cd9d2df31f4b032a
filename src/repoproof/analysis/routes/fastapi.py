"""FastAPI and Starlette: decorators, `include_router` chains, mounts and route lists."""

from __future__ import annotations

from collections.abc import Iterator

from ..endpoints import Route
from .paths import VERBS
from .python_evaluation import Evaluation
from .python_routes import call_name, handled, methods, route, text
from .python_values import Class, Member, Object
from .values import UNKNOWN, Value

MENTIONS = ("fastapi", "starlette")

_PACKAGES = ("fastapi", "starlette")
_APPLICATIONS = ("FastAPI", "Starlette")
_ROUTERS = ("APIRouter", "Router")
_LEAVES = ("Route", "APIRoute")


def routes(evaluation: Evaluation) -> Iterator[Route]:
    """Routes of every application that no other one mounts."""
    reader = _Reader(evaluation)
    applications = evaluation.instances(_PACKAGES, _APPLICATIONS)
    mounted = {id(part) for application in applications for part in reader.parts(application)}
    for application in applications:
        if id(application) not in mounted:
            yield from reader.routes(application, "", frozenset())


class _Reader:
    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def parts(self, owner: Object) -> Iterator[Object]:
        """Applications and routers that `owner` mounts or includes itself."""
        for event in owner.events:
            name = call_name(event, "router")
            if name == "mount":
                yield from self._holders(event.argument(1, "app"))
            elif name == "include_router":
                yield from self._holders(event.argument(0, "router"))
        for item in self._listed(owner):
            if isinstance(item, Object) and item.isa(_PACKAGES, ("Mount",)):
                yield from self._holders(item.argument(1, "app"))

    def routes(self, owner: Object, prefix: str, path: frozenset[int], *, included: bool = False) -> Iterator[Route]:
        """Routes of an application or router under `prefix`. `path` is what leads here: a router that includes itself ends.

        A router's own prefix goes before what its FastAPI methods add, and not before what it inherits from Starlette's.
        """
        self.evaluation.budget.spend()
        own = text(owner.argument(-1, "prefix")) if owner.isa(("fastapi",), ("APIRouter",)) else ""
        if id(owner) in path or own is None:
            return
        path |= {id(owner)}
        for event in owner.events:
            name = call_name(event, "router")
            if name in VERBS or name == "api_route":
                default = (VERBS[name],) if name in VERBS else ("GET",)
                if event.applied:
                    yield from self._route(
                        event, prefix + own, methods(self.evaluation, event.argument(-1, "methods"), default)
                    )
            elif name == "route" and event.applied:
                yield from self._route(event, prefix, self._methods(event.argument(-1, "methods"), event.applied[0]))
            elif name == "add_api_route":
                yield from self._route(
                    event, prefix + own, methods(self.evaluation, event.argument(-1, "methods"), ("GET",))
                )
            elif name == "add_route":
                yield from self._route(
                    event, prefix, self._methods(event.argument(2, "methods"), event.argument(1, "route"))
                )
            elif name == "include_router":
                added = text(event.argument(-1, "prefix"))
                for router in self._holders(event.argument(0, "router")):
                    if added is not None:
                        yield from self.routes(router, prefix + own + added, path, included=True)
            elif name == "mount" and not included:
                yield from self._mount(event, event.argument(1, "app"), prefix, path)
        for item in self._listed(owner):
            yield from self._item(item, prefix, path, included=included)

    def _item(self, item: Value, prefix: str, path: frozenset[int], *, included: bool) -> Iterator[Route]:
        """An element of a route list."""
        if isinstance(item, Member) and item.name in ("routes", "router.routes") and isinstance(item.owner, Object):
            yield from self.routes(item.owner, prefix, path)
        elif not isinstance(item, Object):
            return
        elif item.isa(_PACKAGES, _LEAVES):
            endpoint = item.argument(1, "endpoint")
            yield from self._route(item, prefix, self._methods(item.argument(-1, "methods"), endpoint))
        elif item.isa(_PACKAGES, ("Mount",)) and not included:
            yield from self._mount(item, item.argument(1, "app"), prefix, path)

    def _mount(self, site: Object, mounted: Value, prefix: str, path: frozenset[int]) -> Iterator[Route]:
        at = text(site.argument(0, "path"))
        if at is None:
            return
        prefix += at.rstrip("/")
        for holder in self._holders(mounted):
            yield from self.routes(holder, prefix, path)
        for item in self.evaluation.items(site.argument(-1, "routes")):
            yield from self._item(item, prefix, path, included=False)

    def _route(self, call: Object, prefix: str, allowed: tuple[str, ...]) -> Iterator[Route]:
        at = text(call.argument(0, "path", UNKNOWN))
        if at is not None:
            yield from route("fastapi" if self._is_fastapi(call) else "starlette", allowed, prefix + at, call.site)

    def _methods(self, given: Value, endpoint: Value) -> tuple[str, ...]:
        """Methods of a Starlette route: as given, or those of an endpoint class, or GET for a function."""
        endpoint = self.evaluation.resolved(endpoint)
        if isinstance(endpoint, Class):
            return handled(endpoint) if endpoint.isa(_PACKAGES, ("HTTPEndpoint",)) else ("ANY",)
        return methods(self.evaluation, given, ("GET",))

    def _listed(self, owner: Object) -> Iterator[Value]:
        """Elements of the route lists of `owner`: as constructed, and as appended later."""
        yield from self.evaluation.items(
            owner.argument(1 if owner.isa(("starlette",), ("Starlette",)) else 0, "routes")
        )
        for event in owner.events:
            if call_name(event, "router") in ("routes.append", "routes.extend"):
                yield from self.evaluation.items(event.argument(0, "route"))

    def _holders(self, value: Value) -> Iterator[Object]:
        """What `value` contributes routes of: applications, routers, and either of them inside a middleware."""
        value = self.evaluation.resolved(value)
        for _ in range(10):
            if isinstance(value, Member) and value.name == "router":
                value = value.owner
            if not isinstance(value, Object):
                return
            if value.isa(_PACKAGES, (*_APPLICATIONS, *_ROUTERS)):
                yield value
                return
            value = self.evaluation.resolved(value.argument(0, "app"))

    def _is_fastapi(self, call: Object) -> bool:
        owner = call.kind.owner if isinstance(call.kind, Member) else call
        return isinstance(owner, Object) and owner.isa(("fastapi",), (*_APPLICATIONS, *_ROUTERS, *_LEAVES))
