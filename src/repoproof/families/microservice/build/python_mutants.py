"""Broken versions of a Python file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from .mutant import Mutant, field_mutant, route_mutant, status_mutant
from .sites import Source, Span, python_route, python_tree


def python_mutants(path: Path, name: str, lines: Iterable[int]) -> Iterator[Mutant]:
    """Each breaks one place of the file at `path`, called `name` in its tree: a route that begins on one of `lines`, a status, a field."""
    source = Source(path)
    tree = python_tree(source)
    if tree is None:
        return
    for line in lines:
        if route := python_route(tree, line):
            yield _route_gone(source, name, line, route[0])
    for node in ast.walk(tree):
        yield from _statuses(source, name, node)
        yield from _fields(source, name, node)


def _route_gone(source: Source, name: str, line: int, site: ast.AST) -> Mutant:
    assert isinstance(site, ast.expr | ast.stmt)
    span, replacement = source.span(site), "pass"
    shown = source.text(span)
    if isinstance(site, ast.stmt):
        pass
    elif source.content[: span.start].rstrip(b" \t").endswith(b"@"):
        # A decorator that leaves its function as it is.
        replacement = "(lambda handler: handler)"
    else:
        # The element of a list, with the comma after it.
        after = re.match(rb"\s*,", source.content[span.end :])
        span, replacement = Span(start=span.start, end=span.end + (len(after[0]) if after else 0)), ""
    return route_mutant(name, line, shown, span, replacement)


def _statuses(source: Source, name: str, node: ast.AST) -> Iterator[Mutant]:
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
        if (status := _number(place)) is not None and 200 <= status < 500:
            yield status_mutant(name, place.lineno, source.span(place), status)


def _number(node: ast.expr) -> int | None:
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


def _fields(source: Source, name: str, node: ast.AST) -> Iterator[Mutant]:
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
                yield field_mutant(name, key.lineno, source.span(key), key.value, f'"{key.value}_"')
