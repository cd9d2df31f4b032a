"""JAX-RS, where Quarkus, Dropwizard, Jersey or RESTEasy serves it: resource classes, and which of them are registered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..endpoints import METHODS, Route
from . import jaxrs_registration, quarkus
from .java_annotations import among, methods_of, nearest, place_of
from .java_evaluation import Evaluation
from .java_routes import METHOD_ENUM
from .java_settings import Settings
from .java_syntax import type_arguments, type_name
from .java_types import Annotation, JavaType, Method
from .java_values import Made, NativeClass, TypeName
from .jaxrs_registration import DROPWIZARD, RESOURCE_CONFIG, Bootstrap, Environment, Registry, dropwizard_prefix
from .paths import made, slashed
from .values import UNKNOWN, Site

MAX_LOCATORS = 5

_SPACES = ("jakarta.ws.rs.", "javax.ws.rs.")
_PATH = {f"{space}Path" for space in _SPACES}
_APPLICATION_PATH = {f"{space}ApplicationPath" for space in _SPACES}
_HTTP_METHOD = {f"{space}HttpMethod" for space in _SPACES}
_VERBS = {f"{space}{method}": method for space in _SPACES for method in METHODS}
_APPLICATIONS = tuple(f"{space}core.Application" for space in _SPACES)
NAMES = {*_PATH, *_APPLICATION_PATH, *_HTTP_METHOD, *_VERBS, *_APPLICATIONS, *DROPWIZARD, *quarkus.NAMES}


def packages() -> dict[str, NativeClass]:
    return {
        **{f"{space}HttpMethod": METHOD_ENUM for space in _SPACES},
        **jaxrs_registration.packages(),
        **quarkus.packages(),
    }


def routes(evaluation: Evaluation) -> Iterator[Route]:
    project = evaluation.project
    resources = [one for one in project.types.values() if not one.is_abstract and nearest(one.lineage, _PATH)]
    by_quarkus = quarkus.is_used(project)
    registries = list(_of_quarkus(evaluation) if by_quarkus else _registries(evaluation))
    for registry in registries:
        for one in resources:
            if registry.prefix is not None and registry.has(one):
                yield from _resource(registry.prefix, one, evaluation, _server(evaluation))
    if by_quarkus:
        yield from quarkus.routes(evaluation)


# Which resources are registered, and below which path.


def _registries(evaluation: Evaluation) -> Iterator[Registry]:
    """What the applications of the tree register, each under its own path."""
    project = evaluation.project
    types = [one for one in project.types.values() if not one.is_abstract]
    for one in types:
        if one.is_a(*DROPWIZARD):
            yield _dropwizard(one, evaluation)
        elif one.is_a(RESOURCE_CONFIG):
            if not any(made.made_as is one for made in evaluation.applications):
                evaluation.instance(one)
        elif one.is_a(*_APPLICATIONS):
            yield _standard(one, evaluation)
    for registry in evaluation.applications:
        if isinstance(registry, Registry):
            path = _application_path(registry.made_as, evaluation) if registry.made_as else ""
            registry.prefix = None if path is None or registry.prefix is None else slashed(registry.prefix, path)
            yield registry
    for source in project.sources[:1]:
        if project.build_mentions(source, "micronaut-jaxrs", "helidon-microprofile"):
            yield _all_below(project.settings_of(source).get("micronaut.server.context-path", "server.base-path"))


def _all_below(prefix: str | None) -> Registry:
    registry = Registry(prefix)
    registry.everything = True
    return registry


def _dropwizard(application: JavaType, evaluation: Evaluation) -> Registry:
    registry, bootstrap = Registry(), Bootstrap()
    this = evaluation.instance(application)
    initialise = evaluation.method(this, "initialize", 1)
    if initialise is not None:
        evaluation.run_method(initialise, this, [bootstrap])
    for runner in (*bootstrap.bundles, this):
        method = evaluation.method(runner, "run", 2)
        if method is not None:
            evaluation.run_method(method, runner, [UNKNOWN, Environment(registry)])
    registry.prefix = dropwizard_prefix(evaluation.project, registry)
    return registry


def _standard(application: JavaType, evaluation: Evaluation) -> Registry:
    """An `Application`: the classes that it names, or all where it names none."""
    registry = Registry(_application_path(application, evaluation))
    this = evaluation.instance(application)
    for name in ("getClasses", "getSingletons"):
        method = evaluation.method(this, name, 0)
        if method is not None:
            registry.register(evaluation.run_method(method, this, []))
    registry.everything = not registry.named and bool(among(application.annotations, _APPLICATION_PATH))
    return registry


def _application_path(application: JavaType, evaluation: Evaluation) -> str | None:
    annotation = next(iter(nearest(application.lineage, _APPLICATION_PATH)), None)
    path = _path(annotation, evaluation) if annotation is not None else ""
    return path.removesuffix("/*") if path is not None else None


def _of_quarkus(evaluation: Evaluation) -> Iterator[Registry]:
    """Quarkus serves every resource, unless the one application there may be names some."""
    project = evaluation.project
    applications = [one for one in project.types.values() if one.is_a(*_APPLICATIONS) and not one.is_abstract]
    settings = next((found for found in project.settings.values() if found.values), Settings())
    root = settings.get("quarkus.http.root-path")
    rest = settings.get("quarkus.rest.path", "quarkus.resteasy-reactive.path", "quarkus.resteasy.path")
    registry = _standard(applications[0], evaluation) if applications else Registry("")
    if applications and among(applications[0].annotations, _APPLICATION_PATH):
        rest = registry.prefix
    registry.everything = not registry.named
    registry.prefix = None if root is None or rest is None else slashed(root, rest)
    yield registry


# What a resource class answers to.


def _resource(prefix: str, resource: JavaType, evaluation: Evaluation, server: str) -> Iterator[Route]:
    annotation = nearest(resource.lineage, _PATH)[0]
    path = _path(annotation, evaluation)
    if path is not None:
        for verb, whole, site in _methods(slashed(prefix, path), resource, evaluation, ()):
            yield from made(verb, whole, site, server)


def _methods(
    prefix: str, resource: JavaType, evaluation: Evaluation, above: Sequence[JavaType]
) -> Iterator[tuple[str, str, Site]]:
    if resource in above or len(above) > MAX_LOCATORS:
        return
    for chain in methods_of(resource):
        method = next((one for one in chain if _is_mapped(one, evaluation)), None)
        if method is None:
            continue
        annotation = next(iter(among(method.annotations, _PATH)), None)
        path = _path(annotation, evaluation) if annotation is not None else ""
        if path is None:
            continue
        verbs = [(verb, one) for one in method.annotations for verb in _verb(one, evaluation)]
        for verb, one in verbs:
            yield verb, slashed(prefix, path), place_of(one)
        if not verbs and annotation is not None:
            located = _located(chain[0], resource, evaluation)
            if located is not None:
                yield from _methods(slashed(prefix, path), located, evaluation, (*above, resource))


def _is_mapped(method: Method, evaluation: Evaluation) -> bool:
    return any(one.name in _PATH or next(_verb(one, evaluation), "") for one in method.annotations)


def _verb(annotation: Annotation, evaluation: Evaluation) -> Iterator[str]:
    """The method that an annotation asks for; one of the tree's own carries `@HttpMethod`, which is read as well."""
    if annotation.name in _VERBS:
        yield _VERBS[annotation.name]
    elif annotation.name in _HTTP_METHOD:
        yield from (verb for verb in evaluation.texts(annotation, "value") if verb)


def _path(annotation: Annotation, evaluation: Evaluation) -> str | None:
    value = evaluation.element(annotation, "value")
    return re.sub(r"\{\s*([\w.-]+)\s*(?=[:}])", r"{\1", value) if isinstance(value, str) else None


def _located(locator: Method, resource: JavaType, evaluation: Evaluation) -> JavaType | None:
    """The class that a sub-resource locator gives: as it is made, or else as it is declared."""
    given = evaluation.run_method(locator, evaluation.instance(resource))
    if isinstance(given, Made):
        return given.type
    if isinstance(given, TypeName):
        return evaluation.project.types.get(given.name)
    declared = locator.node.child_by_field_name("type")
    if type_name(declared) == "Class" and type_arguments(declared):
        declared = type_arguments(declared)[0]
    return evaluation.project.find(type_name(declared), locator.owner)


def _server(evaluation: Evaluation) -> str:
    """Who serves it, as far as the imports say."""
    if quarkus.is_used(evaluation.project):
        return "quarkus"
    return "dropwizard" if evaluation.project.imports("io.dropwizard") else "jax-rs"
