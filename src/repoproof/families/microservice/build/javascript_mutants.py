"""Broken versions of a JavaScript or TypeScript file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tree_sitter import Node

from ....analysis.routes.syntax import text_of
from .mutant import Mutant, field_mutant, route_mutant, status_mutant
from .sites import javascript_route, javascript_tree, span_of, walk


def javascript_mutants(path: Path, name: str, lines: Iterable[int]) -> Iterator[Mutant]:
    """Each breaks one place of the file at `path`, called `name` in its tree: a route that begins on one of `lines`, a status, a field."""
    content = path.read_bytes()
    tree = javascript_tree(path, content)
    for line in lines:
        if (route := javascript_route(tree, line)) is not None:
            yield route_mutant(name, line, text_of(route), span_of(route), ";")
    for node in walk(tree):
        yield from _statuses(name, node)
        yield from _fields(name, node)


def _statuses(name: str, node: Node) -> Iterator[Mutant]:
    called = ""
    if node.type == "call_expression":
        called = text_of(node.child_by_field_name("function")).rsplit(".", 1)[-1]
        fits = re.search(
            r"^(status|sendStatus|code|writeHead|abort|fail|reject|problem|error)$|Error|Exception", called
        )
    elif node.type == "new_expression":
        called = text_of(node.child_by_field_name("constructor"))
        fits = re.search(r"Error|Exception|Refusal|Problem|Fault|Response", called)
    elif node.type == "pair" and text_of(node.child_by_field_name("key")) in ("status", "statusCode"):
        value = node.child_by_field_name("value")
        if value is not None and (status := _number(value)) is not None:
            yield status_mutant(name, value.start_point[0] + 1, span_of(value), status)
        return
    else:
        return
    arguments = node.child_by_field_name("arguments")
    for argument in arguments.named_children if fits and arguments is not None else ():
        if (status := _number(argument)) is not None:
            yield status_mutant(name, argument.start_point[0] + 1, span_of(argument), status)


def _number(node: Node) -> int | None:
    text = text_of(node)
    return int(text) if node.type == "number" and re.fullmatch(r"[234]\d\d", text) else None


def _fields(name: str, node: Node) -> Iterator[Mutant]:
    """Entries of objects that are answered with or returned."""
    objects: list[Node] = []
    if node.type == "call_expression" and re.search(r"\.(json|send)$", text_of(node.child_by_field_name("function"))):
        arguments = node.child_by_field_name("arguments")
        objects += [one for one in arguments.named_children if one.type == "object"] if arguments is not None else []
    elif node.type == "return_statement":
        objects += [one for one in node.named_children if one.type == "object"]
    for one in objects:
        for entry in one.named_children:
            if entry.type == "pair":
                key = entry.child_by_field_name("key")
                if key is not None and key.type in ("property_identifier", "string"):
                    plain = text_of(key).strip("\"'")
                    yield field_mutant(name, key.start_point[0] + 1, span_of(key), plain, f'"{plain}_"')
            elif entry.type == "shorthand_property_identifier":
                plain = text_of(entry)
                yield field_mutant(name, entry.start_point[0] + 1, span_of(entry), plain, f"{plain}_: {plain}")
