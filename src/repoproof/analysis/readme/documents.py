"""Endpoints in YAML and JSON: OpenAPI documents, excerpts of them, and lists of endpoints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from ..endpoints import METHODS
from ..openapi import endpoints_of, join_once, read_document
from .markdown import Fence
from .mention import Mention, Notation
from .phrase import Target, plain, read_methods, read_phrases, read_target
from .words import is_gone, is_setting_up

MAX_DEPTH = 3
"""Of a list of endpoints inside other mappings."""
MAX_ITEMS = 2_000
"""Of one list."""

LANGUAGES = frozenset(("yaml", "yml", "json", "jsonc", "json5", "openapi", "swagger", "raml"))
_DOCUMENT = re.compile(r"^[ \t]*[\"']?(?:paths|/[^\s\"':]*)[\"']?[ \t]*:", re.MULTILINE)
_LIST_NAME = re.compile(
    r"(?:(?:api|http|rest)[ _-]?)?(?:endpoints?|routes?|apis?|operations?|paths|resources?|接口)", re.I
)
_METHOD_KEYS = ("method", "methods", "http_method", "httpMethod", "http-method", "verb", "verbs")
_PATH_KEYS = ("path", "url", "uri", "route", "endpoint", "paths", "urls")
_BASE_KEYS = ("base_path", "basePath", "base-path", "base_url", "baseUrl", "prefix")
# A route that has one of these leads to another service, or says what a stand-in is to answer.
_FORWARDED = frozenset(
    (
        "upstream",
        "upstreams",
        "backend",
        "backends",
        "target",
        "destination",
        "proxy",
        "proxy_pass",
        "forward_to",
        "response",
    )
)
# Said before, or in the heading of, what is sent and answered, or set: not what is promised.
_OTHER_DATA = re.compile(
    r"respon[sd]|return|answer|\bbody|payload|result|repl(?:y|ies)|output|\blogs?\b|antwort|rückgabe|respuesta|réponse|响应|返回|请求体|参数",
    re.I,
)
_KEY = re.compile(
    r"^(?P<indent>[ \t]*)(?:-[ \t]+)?[\"']?(?P<key>/[^\s\"':]*(?::[^\s\"':]+)*|\w+)[\"']?[ \t]*:(?P<value>.*)$"
)


def read_documents(fence: Fence) -> list[Mention]:
    """The mentions of a fence in YAML or JSON, or in no language that it names."""
    if fence.language == "" and not _DOCUMENT.search(fence.text) and not re.match(r"\s*(?:-\s+\w+:|[\[{])", fence.text):
        return []
    lines = _Lines(fence)
    if _DOCUMENT.search(fence.text):
        found = _operations(fence, lines)
        if found:
            return found
    return [] if _is_other_data(fence) else _listed(fence, lines)


def _operations(fence: Fence, lines: _Lines) -> list[Mention]:
    """Of an OpenAPI document, of its `paths` alone, or of path items alone."""
    document = read_document(fence.text)
    if not document:
        return [_mention(method, path, number, fence) for method, path, number in _skimmed(fence)]
    items = {key: item for key, item in document.items() if isinstance(key, str) and key.startswith("/")}
    if "paths" not in document and (len(items) == len(document) or any(map(_has_operation, items.values()))):
        document = {"paths": items}
    paths = document.get("paths")
    if isinstance(paths, Mapping):
        document = {**document, "paths": dict(islice(_flat(paths), MAX_ITEMS))}
    return [
        _mention(endpoint.method, endpoint.path, lines.of(endpoint.path), fence) for endpoint in endpoints_of(document)
    ]


def _flat(paths: Mapping[Any, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Path items under their whole path: RAML nests them. An operation that is left empty is one nevertheless."""
    for path, item in paths.items():
        if not isinstance(path, str) or not path.startswith("/") or not isinstance(item, Mapping):
            continue
        yield prefix + path, {key: _operation(value) if _is_operation(key) else value for key, value in item.items()}
        if depth < MAX_DEPTH:
            yield from _flat(item, (prefix + path).rstrip("/"), depth + 1)


def _has_operation(item: object) -> bool:
    return isinstance(item, Mapping) and any(map(_is_operation, item))


def _is_operation(key: object) -> bool:
    return isinstance(key, str) and key.islower() and key.upper() in METHODS


def _operation(value: object) -> object:
    """What is said about an operation, which may be nothing, or dots for what is left out."""
    return {} if value is None or isinstance(value, str | list) else value


def _skimmed(fence: Fence) -> Iterator[tuple[str, str, int]]:
    """The operations of an excerpt that no parser reads, because dots and comments stand for the rest: told by indentation."""
    paths_indent: int | None = None
    path, path_indent, method_indent, is_first = "", 0, -1, True
    for number, line in enumerate(fence.text.splitlines(), fence.number):
        found = _KEY.match(line)
        if not found:
            continue
        indent, key = len(found["indent"].expandtabs(4)), found["key"]
        if key == "paths":
            paths_indent, path = indent, ""
        elif is_first and key.startswith("/"):
            paths_indent = indent - 1
        is_first = False
        if paths_indent is None or (indent <= paths_indent and key != "paths"):
            path, paths_indent = "", None
        elif key.startswith("/") and (not path or indent <= path_indent):
            path, path_indent, method_indent = key, indent, -1
        elif path and indent <= path_indent:
            path = ""
        elif path and method_indent in (-1, indent):
            method_indent = indent
            if _is_operation(key):
                yield key.upper(), path, number


def _listed(fence: Fence, lines: _Lines) -> list[Mention]:
    """Of lists whose items have a method and a path."""
    text = re.sub(r"\A(?:\s*(?:#[^\n]*)?\n)*(?:---[ \t]*\n)?", "", fence.text)
    if text.lstrip().startswith("-") and fence.language not in ("json", "jsonc", "json5"):
        document = read_document("endpoints:\n" + text)
    else:
        document = read_document(text)
    found: list[Mention] = []
    for base, value in islice(_lists(document, "", set()), MAX_ITEMS):
        for method, target in _items(value):
            path = target.path if target.host else join_once(base, target.path) if base else target.path
            number = lines.of(target.path)
            found.append(Mention(method, Target(path, target.host), number, Notation.DOCUMENT, fence.section))
    return found


def _lists(document: Mapping[Any, Any], base: str, seen: set[int], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The values under the names that lists of endpoints have, each with the base path beside it; an alias is followed once."""
    stated = next((document[key] for key in _BASE_KEYS if isinstance(document.get(key), str)), "")
    if target := read_target(stated):
        base = join_once(base, target.path.rstrip("/"))
    for key, value in document.items():
        if id(value) in seen or not isinstance(value, Mapping | list):
            continue
        seen.add(id(value))
        if isinstance(key, str) and _LIST_NAME.fullmatch(key):
            yield base, value
        if isinstance(value, Mapping) and depth < MAX_DEPTH:
            yield from _lists(value, base, seen, depth + 1)


def _items(value: object) -> Iterator[tuple[str, Target]]:
    if isinstance(value, list):
        for item in islice(value, MAX_ITEMS):
            yield from _item(item)
    elif isinstance(value, Mapping):
        for key, item in islice(value.items(), MAX_ITEMS):
            yield from _named_item(str(key), item)


def _item(item: object) -> Iterator[tuple[str, Target]]:
    if isinstance(item, str):
        for phrase in read_phrases(plain(item)):
            yield from ((method, phrase.target) for method in phrase.methods)
    elif isinstance(item, Mapping) and not _is_gone(item):
        written = next((item[key] for key in _PATH_KEYS if isinstance(item.get(key), str)), "")
        target = read_target(plain(written))
        stated = next((item[key] for key in _METHOD_KEYS if key in item), None)
        if target:
            yield from ((method, target) for method in _methods(stated))
        elif stated is None:
            yield from _item(written)


def _named_item(key: str, item: object) -> Iterator[tuple[str, Target]]:
    """`/items: [GET, POST]`, `GET /items: all of them`, or `listItems: {method: GET, path: /items}`."""
    target = read_target(plain(key))
    if not target:
        if phrases := read_phrases(plain(key)):
            if not (isinstance(item, str) and is_gone(item)) and not (isinstance(item, Mapping) and _is_gone(item)):
                yield from ((method, phrase.target) for phrase in phrases for method in phrase.methods)
        elif isinstance(item, Mapping):
            yield from _item(item)
    elif isinstance(item, Mapping):
        if not _is_gone(item):
            stated = next((item[name] for name in _METHOD_KEYS if name in item), None)
            methods = (
                _methods(stated) if stated is not None else _methods([name for name in item if isinstance(name, str)])
            )
            yield from ((method, target) for method in methods)
    else:
        yield from ((method, target) for method in _methods(item))


def _methods(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return read_methods(value.strip())
    if isinstance(value, list):
        return tuple(method for one in islice(value, 20) if isinstance(one, str) for method in read_methods(one))
    return ()


def _is_gone(item: Mapping[Any, Any]) -> bool:
    """Whether an item says that it is not there, or that it leads elsewhere."""
    if _FORWARDED & {str(key).lower() for key in islice(item, MAX_ITEMS)}:
        return True
    return item.get("deprecated") is True or any(
        isinstance(said := item.get(key), str) and is_gone(said) for key in ("status", "state", "note", "description")
    )


def _is_other_data(fence: Fence) -> bool:
    """Whether the fence shows an answer or settings rather than a contract."""
    is_json = fence.text.lstrip().startswith(("{", "["))
    if _OTHER_DATA.search(plain(fence.introduced_by)):
        return True
    for around in fence.section.path():
        title = plain(around.title)
        if around is fence.section and ((is_json and read_phrases(title)) or _OTHER_DATA.search(title)):
            return True
        if around.level <= 2 and is_setting_up(title):
            return True
    return False


def _mention(method: str, path: str, number: int, fence: Fence) -> Mention:
    return Mention(method, Target(path), number, Notation.OPENAPI, fence.section)


class _Lines:
    """Where a fence writes what."""

    def __init__(self, fence: Fence) -> None:
        self.first = fence.number
        self.written: dict[str, int] = {}
        for number, line in enumerate(fence.text.splitlines(), fence.number):
            for path in re.findall(r"/(?:\{[^{}\s]*\}|[^\s\"',\]}])*", line[:1_000]):
                self.written.setdefault(path.rstrip(":"), number)

    def of(self, path: str) -> int:
        """The line that writes the longest end of `path`: its beginning may come from elsewhere. The first line if none does."""
        at = 0
        while at >= 0:
            if number := self.written.get(path[at:]):
                return number
            at = path.find("/", at + 1)
        return self.first
