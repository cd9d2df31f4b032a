"""Broken versions of a service, made by its syntax tree: without a route, with another status, with a field left out of an answer."""

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError
from tree_sitter import Node

from ....analysis.endpoints import Route
from ....analysis.source_files import source_files
from ....core.base import Frozen
from ....core.tree import copy_tree
from ....sandbox.apart import Unreadable, apart
from .sites import (
    JAVASCRIPT,
    TYPESCRIPT,
    Source,
    Span,
    javascript_route,
    javascript_tree,
    python_route,
    python_tree,
    walk,
)

Kind = Literal["route", "status", "field"]
KINDS: tuple[Kind, ...] = ("route", "status", "field")


class Mutant(Frozen):
    """One change of one place in one file."""

    kind: Kind
    file: str
    line: int
    words: str
    """What was changed: `404 -> 200`."""
    span: Span
    replacement: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


def find_mutants(tree: Path, routes: Iterable[Route]) -> list[Mutant]:
    """All of them, in the order of the source; none where it cannot be read."""
    places = sorted({f"{route.file}:{route.line}" for route in routes})
    try:
        return [Mutant.model_validate(one) for one in apart(f"{__name__}:mutants", str(tree), json.dumps(places))]
    except (Unreadable, ValidationError):
        return []


def sampled(mutants: list[Mutant], most: int, seed: int) -> list[Mutant]:
    """At most so many, drawn by `seed`: as many of each kind as there are, routes first where they do not all fit."""
    if len(mutants) <= most:
        return mutants
    draw = random.Random(seed)
    by_kind = {kind: draw.sample(of, len(of)) for kind in KINDS if (of := [one for one in mutants if one.kind == kind])}
    chosen: list[Mutant] = []
    while len(chosen) < most:
        for of in by_kind.values():
            if of and len(chosen) < most:
                chosen.append(of.pop())
    return [one for one in mutants if one in chosen]


def write_mutant(tree: Path, mutant: Mutant, destination: Path) -> None:
    """A copy of `tree` with the change made."""
    copy_tree(tree, destination)
    path = destination / mutant.file
    content = path.read_bytes()
    path.write_bytes(content[: mutant.span.start] + mutant.replacement.encode() + content[mutant.span.end :])


def mutants(tree: str, places: str) -> list[dict[str, Any]]:
    """Called in a process apart."""
    by_file: dict[str, list[int]] = {}
    for place in json.loads(places):
        file, _, line = place.rpartition(":")
        by_file.setdefault(file, []).append(int(line))
    found: list[Mutant] = []
    for path in source_files(Path(tree), (".py", *JAVASCRIPT, *TYPESCRIPT)):
        name = path.relative_to(tree).as_posix()
        if path.suffix == ".py":
            found += _python(path, name, by_file.get(name, []))
        else:
            found += _javascript(path, name, by_file.get(name, []))
    distinct = {(one.file, one.span.start, one.span.end, one.replacement): one for one in found}
    return [one.model_dump() for one in sorted(distinct.values(), key=lambda one: (one.file, one.span.start))]


# Python.


def _python(path: Path, name: str, lines: list[int]) -> Iterator[Mutant]:
    source = Source(path)
    tree = python_tree(source)
    if tree is None:
        return
    for line in lines:
        if route := python_route(tree, line):
            yield _python_route_gone(source, name, line, route[0])
    for node in ast.walk(tree):
        yield from _python_status(source, name, node)
        yield from _python_field(source, name, node)


def _python_route_gone(source: Source, name: str, line: int, site: ast.AST) -> Mutant:
    assert isinstance(site, ast.expr | ast.stmt)
    span, replacement = source.span(site), "pass"
    shown = " ".join(source.text(span).split())[:80]
    if isinstance(site, ast.stmt):
        pass
    elif source.content[: span.start].rstrip(b" \t").endswith(b"@"):
        # A decorator that leaves its function as it is.
        replacement = "(lambda handler: handler)"
    else:
        # The element of a list, with the comma after it.
        after = re.match(rb"\s*,", source.content[span.end :])
        span, replacement = Span(start=span.start, end=span.end + (len(after[0]) if after else 0)), ""
    return Mutant(kind="route", file=name, line=line, words=f"without {shown}", span=span, replacement=replacement)


def _python_status(source: Source, name: str, node: ast.AST) -> Iterator[Mutant]:
    """Numbers that are statuses where they stand: an argument, a returned pair, an exception's, an assigned or compared status."""
    places: list[ast.expr] = []
    match node:
        case ast.Call(func=called, args=arguments, keywords=keywords):
            places += [word.value for word in keywords if word.arg in ("status_code", "status", "code")]
            if re.search(
                r"Exception|Error|Refusal|abort|Response|respond|reply|problem|fail|reject|raise", _called(called)
            ):
                places += arguments
        case ast.Return(value=ast.Tuple(elts=[_, *rest])):
            places += rest
        case ast.Assign(targets=[ast.Attribute(attr="status_code" | "status"), *_], value=value):
            places.append(value)
        case ast.AnnAssign(target=ast.Name(id=field), value=ast.expr() as value) if re.search(r"status|code", field):
            places.append(value)
        case _:
            pass
    for place in places:
        if (status := _python_number(place)) is not None and 200 <= status < 500:
            yield _status(name, place.lineno, source.span(place), status)


def _python_number(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.Attribute(attr=name) if constant := re.fullmatch(r"HTTP_(\d{3})_\w+", name):
            return int(constant[1])
        case _:
            return None


def _called(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _python_field(source: Source, name: str, node: ast.AST) -> Iterator[Mutant]:
    """Entries of dictionaries that are answered with, returned or given to a response."""
    dictionaries: list[ast.expr] = []
    match node:
        case ast.Return(value=ast.Dict() as value):
            dictionaries.append(value)
        case ast.Return(value=ast.Tuple(elts=[ast.Dict() as value, *_])):
            dictionaries.append(value)
        case ast.Call(func=called, args=[ast.Dict() as value, *_]) if re.search(
            r"Response|jsonify|json", _called(called)
        ):
            dictionaries.append(value)
        case _:
            pass
    for dictionary in dictionaries:
        assert isinstance(dictionary, ast.Dict)
        for key in dictionary.keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield _field(name, key.lineno, source.span(key), key.value, f'"{key.value}_"')


# JavaScript and TypeScript.


def _javascript(path: Path, name: str, lines: list[int]) -> Iterator[Mutant]:
    content = path.read_bytes()
    tree = javascript_tree(path, content)
    for line in lines:
        if (route := javascript_route(tree, line)) is not None:
            shown = " ".join(_text(route).split())[:80]
            yield Mutant(
                kind="route", file=name, line=line, words=f"without {shown}", span=_span(route), replacement=";"
            )
    for node in walk(tree):
        yield from _javascript_status(name, node)
        yield from _javascript_field(name, node)


def _javascript_status(name: str, node: Node) -> Iterator[Mutant]:
    called = ""
    if node.type == "call_expression":
        called = _text(node.child_by_field_name("function")).rsplit(".", 1)[-1]
        fits = re.search(
            r"^(status|sendStatus|code|writeHead|abort|fail|reject|problem|error)$|Error|Exception", called
        )
    elif node.type == "new_expression":
        called = _text(node.child_by_field_name("constructor"))
        fits = re.search(r"Error|Exception|Refusal|Problem|Fault|Response", called)
    elif node.type == "pair" and _text(node.child_by_field_name("key")) in ("status", "statusCode"):
        value = node.child_by_field_name("value")
        if value is not None and (status := _javascript_number(value)) is not None:
            yield _status(name, value.start_point[0] + 1, _span(value), status)
        return
    else:
        return
    arguments = node.child_by_field_name("arguments")
    for argument in arguments.named_children if fits and arguments is not None else ():
        if (status := _javascript_number(argument)) is not None:
            yield _status(name, argument.start_point[0] + 1, _span(argument), status)


def _javascript_number(node: Node) -> int | None:
    text = _text(node)
    return int(text) if node.type == "number" and re.fullmatch(r"[234]\d\d", text) else None


def _javascript_field(name: str, node: Node) -> Iterator[Mutant]:
    """Entries of objects that are answered with or returned."""
    objects: list[Node] = []
    if node.type == "call_expression" and re.search(r"\.(json|send)$", _text(node.child_by_field_name("function"))):
        arguments = node.child_by_field_name("arguments")
        objects += [one for one in arguments.named_children if one.type == "object"] if arguments is not None else []
    elif node.type == "return_statement":
        objects += [one for one in node.named_children if one.type == "object"]
    for one in objects:
        for entry in one.named_children:
            if entry.type == "pair":
                key = entry.child_by_field_name("key")
                if key is not None and key.type in ("property_identifier", "string"):
                    plain = _text(key).strip("\"'")
                    yield _field(name, key.start_point[0] + 1, _span(key), plain, f'"{plain}_"')
            elif entry.type == "shorthand_property_identifier":
                plain = _text(entry)
                yield _field(name, entry.start_point[0] + 1, _span(entry), plain, f"{plain}_: {plain}")


def _status(name: str, line: int, span: Span, status: int) -> Mutant:
    """200 for any other status; for 200, another success."""
    other = 202 if status == 200 else 200
    return Mutant(kind="status", file=name, line=line, words=f"{status} -> {other}", span=span, replacement=str(other))


def _field(name: str, line: int, span: Span, field: str, replacement: str) -> Mutant:
    return Mutant(kind="field", file=name, line=line, words=f"{field} -> {field}_", span=span, replacement=replacement)


def _span(node: Node) -> Span:
    return Span(start=node.start_byte, end=node.end_byte)


def _text(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""
