"""Eve: resources declared in the `DOMAIN` of its settings. Routes added by decorators are Flask's, and read there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..endpoints import Route
from .python_evaluation import Evaluation
from .python_project import Module
from .python_routes import methods, route
from .python_values import Object, Table
from .values import Site, Value

MENTIONS = ("eve", "DOMAIN")

_READ_ONLY = ("GET",)


def routes(evaluation: Evaluation) -> Iterator[Route]:
    for application in evaluation.instances(("eve",), ("Eve",)):
        settings = _settings(evaluation, application)
        parts = [settings.get(key) for key in ("URL_PREFIX", "API_VERSION")]
        prefix = "".join(f"/{part.strip('/')}" for part in parts if isinstance(part, str) and part)
        yield from route("eve", _READ_ONLY, f"{prefix}/", application.site)
        domain = settings.get("DOMAIN")
        if isinstance(domain, Table):
            for name, resource in domain.items():
                yield from _resource(
                    evaluation, settings, prefix, name, resource, domain.sites.get(name, application.site)
                )
        for event in application.events:
            if event.name == "register_resource":
                name, resource = event.argument(0, "resource"), event.argument(1, "settings")
                yield from _resource(evaluation, settings, prefix, name, resource, event.site)


def _settings(evaluation: Evaluation, application: Object) -> Mapping[str, Value]:
    """A dict, or the module that a file name means; by default `settings.py`, nearest to the application."""
    given = evaluation.resolved(application.argument(-1, "settings"))
    if isinstance(given, Table):
        return given
    if isinstance(given, Module):
        return evaluation.scope(given).names
    stem = given.rpartition("/")[2].removesuffix(".py") if isinstance(given, str) else "settings"
    folder = tuple(application.site.file.split("/")[:-1])
    candidates = [
        module
        for module in evaluation.project.modules.values()
        if module.parts[-1:] == (stem,) and module.path is not None
    ]
    candidates.sort(key=lambda module: (module.parts[:-1] != folder, len(module.parts), module.parts))
    return evaluation.scope(candidates[0]).names if candidates else {}


def _resource(
    evaluation: Evaluation, settings: Mapping[str, Value], prefix: str, name: Value, resource: Value, site: Site
) -> Iterator[Route]:
    """The collection, its items, and the additional look-up by another field, each with its own methods. Only GET by default."""
    resource = evaluation.resolved(resource)
    if not isinstance(name, str) or not isinstance(resource, dict) or resource.get("internal_resource") is True:
        return
    given = resource.get("url")
    url = given if isinstance(given, str) else name
    base = f"{prefix}/{url.strip('/')}"

    def allowed(key: str) -> tuple[str, ...]:
        return methods(evaluation, resource.get(key), methods(evaluation, settings.get(key.upper()), _READ_ONLY))

    yield from route("eve", allowed("resource_methods"), base, site)
    if resource.get("item_lookup", settings.get("ITEM_LOOKUP", True)) is not False:
        field = resource.get("item_lookup_field", settings.get("ITEM_LOOKUP_FIELD", "_id"))
        yield from route(
            "eve", allowed("item_methods"), f"{base}/{{{field if isinstance(field, str) else '_id'}}}", site
        )
    additional = resource.get("additional_lookup")
    if isinstance(additional, dict):
        field = additional.get("field")
        yield from route("eve", _READ_ONLY, f"{base}/{{{field if isinstance(field, str) else 'lookup'}}}", site)
