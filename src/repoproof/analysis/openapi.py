"""Endpoints of an OpenAPI 2 or 3 document, whoever wrote it.

Documents come from READMEs and from running candidates, so nothing in them is trusted: a wrong type is passed over, a reference that
leads nowhere or in a circle is dropped, and size, aliases and depth are capped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import yaml
from pydantic import ValidationError

from ..core.base import KiB
from .endpoints import METHODS, Endpoint, normalise_path

MAX_DOCUMENT_BYTES = 1024 * KiB
MAX_PATHS = 5_000
MAX_PATH_LENGTH = 1_000
MAX_ALIASES = 1_000
MAX_MERGED_KEYS = 10_000
MAX_REFERENCES = 8


def read_document(text: str) -> dict[str, Any]:
    """The mapping that a JSON or YAML text holds; empty where it holds no mapping, is malformed, or is past the caps."""
    if len(text) > MAX_DOCUMENT_BYTES:
        return {}
    try:
        document = json.loads(text) if text.lstrip().startswith("{") else yaml.load(text, _CappedLoader)
    except (ValueError, TypeError, yaml.YAMLError, RecursionError, OverflowError):
        return {}
    return document if isinstance(document, dict) else {}


def endpoints_of(document: Mapping[str, Any]) -> tuple[Endpoint, ...]:
    """Every operation of the document, in its order, under the path of its first server (OpenAPI 3) or `basePath` (OpenAPI 2).

    `servers` of an operation win over those of its path item, which win over the document's. Deprecated operations count: the document
    says that they are served. Webhooks and callbacks do not: they are served by somebody else.
    """
    found: dict[Endpoint, None] = {}
    for path, declared in islice(_mapping(document.get("paths")).items(), MAX_PATHS):
        if not isinstance(path, str) or not path.startswith("/") or len(path) > MAX_PATH_LENGTH:
            continue
        item = _mapping(followed(document, declared))
        for method in METHODS:
            operation = item.get(method.lower())
            if isinstance(operation, Mapping):
                base = _base_path(operation, item, document)
                with suppress(ValidationError):  # JSON can hold strings that are not Unicode
                    found[Endpoint(method=method, path=join_once(base, normalise_path(path)))] = None
    return tuple(found)


def join_once(base: str, path: str) -> str:
    """`base` in front of `path`, unless `path` already begins with it: authors state a base path and then write it out again."""
    base = base.rstrip("/")
    if not base or path == base or path.startswith(base + "/"):
        return path
    return normalise_path(base) + path


def _base_path(*levels: Mapping[str, Any]) -> str:
    for level in levels:
        servers = level.get("servers")
        if isinstance(servers, list) and servers:
            return _server_path(_mapping(servers[0]))
    base = levels[-1].get("basePath")
    return _path_of(base) if isinstance(base, str) else ""


def _server_path(server: Mapping[str, Any]) -> str:
    url = server.get("url")
    if not isinstance(url, str):
        return ""
    variables = _mapping(server.get("variables"))
    defaults = {name: _mapping(variable).get("default") for name, variable in variables.items()}
    return _path_of(re.sub(r"\{([^{}]*)\}", lambda name: str(defaults.get(name[1], name[0])), url[:MAX_PATH_LENGTH]))


def _path_of(url: str) -> str:
    """The path of an absolute or relative server URL, without a trailing slash."""
    try:
        path = urlsplit(url[:MAX_PATH_LENGTH]).path
    except ValueError:
        return ""
    return normalise_path(path).rstrip("/")


def followed(document: Mapping[str, Any], value: Any, *, most: int = MAX_REFERENCES) -> Any:
    """`value`, up to `most` local references followed; an empty mapping where they lead nowhere."""
    for _ in range(most):
        reference = _mapping(value).get("$ref")
        if not isinstance(reference, str):
            return value
        if not reference.startswith("#/"):
            return {}
        value = document
        for step in reference[2:].split("/"):
            value = _mapping(value).get(step.replace("~1", "/").replace("~0", "~"))
    return {}


def _mapping(value: object) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}


class _CappedLoader(yaml.SafeLoader):
    """A safe loader that also refuses documents whose aliases or merge keys would multiply."""

    aliases = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > MAX_ALIASES:
                raise yaml.YAMLError(f"more than {MAX_ALIASES} aliases")
        return super().compose_node(parent, index)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        if len(node.value) > MAX_MERGED_KEYS:
            raise yaml.YAMLError(f"more than {MAX_MERGED_KEYS} keys in one mapping")
