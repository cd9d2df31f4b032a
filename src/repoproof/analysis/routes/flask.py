"""Flask and Quart: routes, blueprints, class views; Flask-RESTful, Flask-RESTX and Flask-Smorest on top."""

from __future__ import annotations

from collections.abc import Iterator

from ..endpoints import Route
from .paths import VERBS, joined
from .python_evaluation import Evaluation
from .python_routes import as_view_class, handled, methods, route, text, unwrapped
from .python_values import Class, Function, Member, Object
from .values import UNKNOWN, Value

MENTIONS = ("flask", "quart", "Eve")

_APPLICATION_PACKAGES = ("flask", "quart", "eve", "apiflask", "flask_openapi3")
_APPLICATIONS = ("Flask", "Quart", "Eve", "APIFlask", "OpenAPI")
_BLUEPRINT_PACKAGES = ("flask", "quart", "apiflask", "flask_smorest", "flask_openapi3")
_BLUEPRINTS = ("Blueprint", "APIBlueprint")
_API_PACKAGES = ("flask_restful", "flask_restx", "flask_restplus", "flask_smorest")


def routes(evaluation: Evaluation) -> Iterator[Route]:
    reader = _Reader(evaluation)
    for application in evaluation.instances(_APPLICATION_PACKAGES, _APPLICATIONS):
        for mount in reader.mounts(application):
            yield from reader.application(application, mount)


class _Reader:
    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self._apis = evaluation.instances(_API_PACKAGES, ("Api",))

    def mounts(self, application: Object) -> list[str]:
        """Where a dispatcher puts the application; at the root if none does."""
        found: list[str] = []
        for dispatcher in self.evaluation.instances(("werkzeug",), ("DispatcherMiddleware",)):
            table = dispatcher.argument(1, "mounts")
            if isinstance(table, dict):
                found += [
                    at for at, one in table.items() if isinstance(at, str) and self._unwrapped_app(one) is application
                ]
        return found or [""]

    def application(self, owner: Object, mount: str) -> Iterator[Route]:
        for found in self._owner(owner, None, frozenset()):
            yield found.model_copy(update={"path": joined(mount, found.path)}) if mount else found

    def _owner(self, owner: Object, prefix: str | None, path: frozenset[int]) -> Iterator[Route]:
        """Routes of an application or a blueprint registered at `prefix`; `path` is what leads here, so that a cycle ends."""
        self.evaluation.budget.spend()
        if id(owner) in path:
            return
        path |= {id(owner)}
        for event in owner.events:
            yield from self._event(event, prefix, path)
        for api in self._apis:
            if self._target_of(api) is owner:
                yield from self._api(api, prefix, path)

    def _event(self, event: Object, prefix: str | None, path: frozenset[int]) -> Iterator[Route]:
        rule = text(event.argument(0, "rule", UNKNOWN))
        if event.name == "register_blueprint":
            yield from self._blueprint(event, prefix, path)
        elif rule is None:
            return
        elif event.name in ("route", "add_url_rule"):
            views = event.applied if event.name == "route" else [event.argument(2, "view_func")]
            for view in views:
                yield from self._route(event, rule, prefix, self._methods(event, view))
        elif event.name in VERBS and event.applied:
            yield from self._route(event, rule, prefix, (VERBS[event.name],))

    def _blueprint(self, event: Object, prefix: str | None, path: frozenset[int]) -> Iterator[Route]:
        """A prefix given at registration replaces the blueprint's own; that of an enclosing blueprint goes before either."""
        blueprint = self.evaluation.resolved(event.argument(0, "blueprint"))
        if not isinstance(blueprint, Object) or not blueprint.isa(_BLUEPRINT_PACKAGES, _BLUEPRINTS):
            return
        own = event.argument(-1, "url_prefix")
        own = blueprint.argument(-1, "url_prefix") if own is None else own
        if own is None or isinstance(own, str):
            yield from self._owner(
                blueprint, own if prefix is None else prefix if own is None else joined(prefix, own), path
            )

    def _route(self, call: Object, rule: str, prefix: str | None, allowed: tuple[str, ...]) -> Iterator[Route]:
        full = rule if prefix is None else joined(prefix, rule) if rule else prefix
        package = (
            call.kind.owner.name.partition(".")[0]
            if isinstance(call.kind, Member) and isinstance(call.kind.owner, Object)
            else ""
        )
        yield from route("quart" if package == "quart" else "flask", allowed, full, call.site)

    def _methods(self, event: Object, view: Value) -> tuple[str, ...]:
        """As given; else what the view says of itself; else GET."""
        view = unwrapped(self.evaluation, view)
        view = as_view_class(view) or view
        own = ("GET",)
        if isinstance(view, Class):
            own = methods(self.evaluation, view.lookup("methods"), handled(view) or ("GET",))
        return methods(self.evaluation, event.argument(-1, "methods"), own)

    def _unwrapped_app(self, value: Value) -> Value:
        value = self.evaluation.resolved(value)
        return value.owner if isinstance(value, Member) and value.name == "wsgi_app" else value

    # Extensions: an `Api` sits on an application or a blueprint, and holds resources and namespaces.

    def _target_of(self, api: Object) -> Value:
        target = self.evaluation.resolved(api.argument(0, "app"))
        for event in api.events:
            if event.name == "init_app":
                target = self.evaluation.resolved(event.argument(0, "app"))
        return target

    def _api(self, api: Object, prefix: str | None, path: frozenset[int]) -> Iterator[Route]:
        own = text(api.argument(-1, "prefix"))
        if own is None:
            return
        for event in api.events:
            if event.name == "register_blueprint":
                yield from self._blueprint(event, prefix, path)
            elif event.name == "namespace":
                yield from self._namespace(event, event, prefix, own)
            elif event.name == "add_namespace":
                namespace = self.evaluation.resolved(event.argument(0, "ns"))
                if isinstance(namespace, Object):
                    yield from self._namespace(namespace, event, prefix, own)
            else:
                yield from self._resources(event, prefix, own)

    def _namespace(self, namespace: Object, added: Object, prefix: str | None, before: str) -> Iterator[Route]:
        name = namespace.argument(0, "name")
        at = (added.argument(1, "path") if added is not namespace else None) or namespace.argument(2, "path")
        at = f"/{name}" if at is None else at
        if isinstance(at, str):
            for event in namespace.events:
                yield from self._resources(event, prefix, before + at.rstrip("/"))

    def _resources(self, event: Object, prefix: str | None, before: str) -> Iterator[Route]:
        """`add_resource(Class, "/a", "/b")`, and the decorators `@api.resource("/a")` and `@namespace.route("/a", "/b")`."""
        if event.name == "add_resource":
            views, urls = event.args[:1], event.args[1:]
        elif event.name in ("route", "resource"):
            views, urls = tuple(event.applied), event.args
        else:
            return
        for view in map(self.evaluation.resolved, views):
            for url in urls:
                if isinstance(view, Class | Function) and isinstance(url, str):
                    allowed = (
                        methods(self.evaluation, view.lookup("methods"), handled(view))
                        if isinstance(view, Class)
                        else ("GET",)
                    )
                    yield from self._route(event, before + url, prefix, allowed)
