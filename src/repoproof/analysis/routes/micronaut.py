"""Micronaut: the mapped methods of its controllers, and URI templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from ..endpoints import METHODS, Route
from .java_annotations import among, filled, methods_of, nearest, place_of
from .java_evaluation import Evaluation
from .java_settings import Settings
from .java_types import Annotation, JavaType
from .java_values import NativeClass
from .paths import made, slashed

_HTTP = "io.micronaut.http.annotation."
_MAPPINGS = {f"{_HTTP}{method.title()}": method for method in METHODS} | {f"{_HTTP}CustomHttpMethod": ""}
_CONTROLLER = {f"{_HTTP}Controller"}
_CLIENT = {"io.micronaut.http.client.annotation.Client"}
_RUNTIME = "io.micronaut.runtime.Micronaut"
NAMES = {*_MAPPINGS, *_CONTROLLER, *_CLIENT, _RUNTIME}

# `{/section}` and `{.ending}` may be left out; `{?page,size}`, `{&more}` and `{#part}` belong to no path.
_QUERY = re.compile(r"\{[?&#][^{}]*\}")
_OPTIONAL = re.compile(r"\{([/.])(\w+)(?::[^{}]*)?\}")
MAX_OPTIONAL = 4


def packages() -> dict[str, NativeClass]:
    return {_RUNTIME: NativeClass()}


def routes(evaluation: Evaluation) -> Iterator[Route]:
    """The routes of all controllers: which of them are beans is settled when they are compiled, wherever they are."""
    if not evaluation.project.imports(_RUNTIME, "io.micronaut.runtime.*"):
        sources = evaluation.project.sources
        if not any(evaluation.project.build_mentions(source, _RUNTIME) for source in sources):
            return
    for controller in list(evaluation.project.types.values()):
        annotations = among(controller.annotations, _CONTROLLER)
        if annotations and not controller.is_interface and not controller.is_abstract:
            yield from _mapped(controller, annotations[0], evaluation)


def _mapped(controller: JavaType, annotation: Annotation, evaluation: Evaluation) -> Iterator[Route]:
    settings = evaluation.project.settings_of(controller.source)
    base = settings.get("micronaut.server.context-path")
    prefixes = _paths(annotation, evaluation, settings)
    if base is None:
        return
    for chain in methods_of(controller):
        for mapping in nearest(chain, _MAPPINGS):
            method = _MAPPINGS[mapping.name] or next(iter(evaluation.texts(mapping, "method")), None)
            for prefix, path in product(prefixes, _paths(mapping, evaluation, settings)):
                for whole in _expanded(slashed(base, prefix), path):
                    yield from made(method or "", whole, place_of(mapping), "micronaut")


def _expanded(prefix: str, path: str) -> list[str]:
    """The paths that a template stands for: with and without each section that may be left out."""
    path = _QUERY.sub("", path)
    without = path.startswith("{/")
    found = [path if without else "/" + path.lstrip("/")]
    for _ in range(MAX_OPTIONAL):
        found = [
            shape
            for one in found
            for shape in (
                (_OPTIONAL.sub("", one, 1), _OPTIONAL.sub(r"\1{\2}", one, 1)) if _OPTIONAL.search(one) else (one,)
            )
        ]
    return [slashed(prefix, one) for one in found]


def _paths(annotation: Annotation, evaluation: Evaluation, settings: Settings) -> list[str]:
    """The templates of an annotation, its placeholders filled in; `/` where it has none."""
    return filled(evaluation.texts(annotation, "value", "uri", "uris"), settings, default="/")
