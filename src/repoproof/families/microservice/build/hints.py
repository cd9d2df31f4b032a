"""What the source of a service says of its requests where no schema does: names of fields, of query parameters and headers, and words that
may be values. Only ever tried, never believed: what the running service makes of them decides."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from tree_sitter import Node

from ....analysis.endpoints import Route
from ....analysis.source_files import source_files
from ....core.base import Frozen
from ....sandbox.apart import Unreadable, apart
from .java_hints import java_hints
from .sites import JAVASCRIPT, TYPESCRIPT, Source, javascript_route, javascript_tree, python_route, python_tree, walk

MOST_WORDS = 400
_NAME = re.compile(r"[A-Za-z_][\w-]{0,39}")
_QUERY = re.compile(r"\.(query|args|query_params|GET|searchParams)\b|queryParams?\(")
_HEADERS = re.compile(r"\.(headers?|META)\b", re.IGNORECASE)
_BODY = re.compile(r"\b(body|data|json|payload|content|form)\b", re.IGNORECASE)
_ASKS_FOR_HEADER = re.compile(r"(req|request|ctx|context)\b(\.\w+)*\.(get|header)$")


class Hints(Frozen):
    """Of one route, in the order of the source; or of a whole service."""

    fields: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Texts that could be values."""


def read_hints(tree: Path, routes: Iterable[Route]) -> dict[str, Hints]:
    """By FILE:LINE of the route; what the whole service has is under the empty name. Nothing where the sources cannot be read."""
    places = sorted({f"{route.file}:{route.line}" for route in routes})
    try:
        found = apart(f"{__name__}:hints", str(tree), json.dumps(places))
        return {place: Hints.model_validate(hint) for place, hint in found.items()}
    except (Unreadable, ValidationError):
        return {}


def hints(tree: str, places: str) -> dict[str, Any]:
    by_file: dict[str, list[int]] = {}
    for place in json.loads(places):
        file, _, line = place.rpartition(":")
        by_file.setdefault(file, []).append(int(line))
    whole, found = _Found(), {}
    for path in source_files(Path(tree), (".py", *JAVASCRIPT, *TYPESCRIPT)):
        parts = path.relative_to(tree).parts
        lines, read = by_file.get("/".join(parts), []), None
        read = _python(path, lines) if path.suffix == ".py" else _javascript(path, lines)
        for line, hint in read or ():
            whole.add(hint)
            if line:
                found[f"{'/'.join(parts)}:{line}"] = hint.dumped()
    for place, notes in java_hints(Path(tree), by_file):
        hint = _Found()
        for kind, name in notes:
            hint.note(kind, name)
        whole.add(hint)
        if place:
            found[place] = hint.dumped()
    return {**found, "": whole.dumped()}


class _Found:
    def __init__(self) -> None:
        self.lists: dict[str, dict[str, None]] = {"fields": {}, "query": {}, "headers": {}, "words": {}}

    def note(self, kind: str, name: str) -> None:
        if name and len(self.lists[kind]) < MOST_WORDS and (kind == "words" or _NAME.fullmatch(name)):
            self.lists[kind][name] = None

    def add(self, other: _Found) -> None:
        for kind, names in other.lists.items():
            for name in names:
                self.note(kind, name)

    def access(self, owner: str, name: str) -> None:
        """`owner` is the text of what is asked for `name`."""
        if _QUERY.search(owner):
            self.note("query", name)
        elif _HEADERS.search(owner) or name.lower().startswith("x-") or name == "Authorization":
            self.note("headers", name)
        else:
            self.note("fields", name)

    def dumped(self) -> dict[str, list[str]]:
        return {kind: list(names) for kind, names in self.lists.items()}


def _python(path: Path, lines: list[int]) -> Iterator[tuple[int, _Found]]:
    source = Source(path)
    tree = python_tree(source)
    if tree is None:
        return
    yield 0, _python_names(tree, source)
    for line in lines:
        if route := python_route(tree, line):
            yield line, _python_names(route[1], source)


def _python_names(top: ast.AST, source: Source) -> _Found:
    found = _Found()
    nodes = [node for node in ast.walk(top) if hasattr(node, "lineno")]
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):  # pyright: ignore[reportAttributeAccessIssue]
        match node:
            case ast.Call(
                func=ast.Attribute(value=owner, attr="get" | "pop" | "getlist"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                found.access(source.text(source.span(owner)), name)
            case ast.Call(args=[ast.Name() | ast.Call() as owner, ast.Constant(value=str(name)), *_]):
                found.access(source.text(source.span(owner)), name)
            case ast.Subscript(value=owner, slice=ast.Constant(value=str(name))) if isinstance(node.ctx, ast.Load):
                found.access(source.text(source.span(owner)), name)
            case ast.Constant(value=str(word)) if 0 < len(word) <= 40 and word.isprintable():
                found.note("words", word)
            case _:
                pass
    return found


def _javascript(path: Path, lines: list[int]) -> Iterator[tuple[int, _Found]]:
    content = path.read_bytes()
    tree = javascript_tree(path, content)
    yield 0, _javascript_names(tree)
    for line in lines:
        if (route := javascript_route(tree, line)) is not None:
            yield line, _javascript_names(route)


def _javascript_names(top: Node) -> _Found:
    found = _Found()
    for node in walk(top):
        if node.type == "variable_declarator":
            pattern, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            owner = _text(value)
            if (
                pattern is not None
                and pattern.type == "object_pattern"
                and (_BODY.search(owner) or _QUERY.search(owner))
            ):
                for name in _pattern_names(pattern):
                    found.access(owner, name)
        elif node.type == "member_expression":
            owner, name = _text(node.child_by_field_name("object")), _text(node.child_by_field_name("property"))
            if re.search(r"\.(query|body|headers)$", owner):
                found.access(owner, name)
        elif node.type == "call_expression":
            function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
            first = next(iter(arguments.named_children), None) if arguments is not None else None
            if first is not None and first.type == "string" and _ASKS_FOR_HEADER.match(_text(function)):
                found.note("headers", _text(first)[1:-1])
        elif node.type == "string" and 0 < len(word := _text(node)[1:-1]) <= 40 and word.isprintable():
            found.note("words", word)
    return found


def _pattern_names(pattern: Node) -> Iterator[str]:
    for part in pattern.named_children:
        if part.type == "shorthand_property_identifier_pattern":
            yield _text(part)
        elif part.type == "pair_pattern":
            yield _text(part.child_by_field_name("key")).strip("\"'")
        elif part.type == "object_assignment_pattern":
            yield _text(part.child_by_field_name("left"))


def _text(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def merged(hint: Hints | None, others: Mapping[str, Hints]) -> Hints:
    """What is known of a route, with what the whole service has as a last resort for values."""
    return (hint or Hints()).model_copy(
        update={"words": (*(hint.words if hint else ()), *others.get("", Hints()).words)}
    )
