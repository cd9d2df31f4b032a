"""Broken versions of a Java file. All of them are meant to compile; only the compiler knows whether they do."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from tree_sitter import Node

from ....analysis.routes.java_syntax import annotations_in, arguments_of, string_of
from ....analysis.routes.syntax import line_of, named, text_of
from .java_sites import Annotated, Sites, annotation_name, following, is_handled, java_tree
from .java_statuses import status_changes
from .mutant import Mutant, field_mutant, route_mutant, status_mutant
from .sites import Span, span_of, walk

_ANSWERS = frozenset(("json", "body", "bodyValue", "entity", "ok", "created", "accepted", "badRequest", "notFound"))
"""What is given the body of an answer."""
_NAMES_A_FIELD = frozenset(("JsonProperty", "JsonbProperty", "SerializedName"))


def java_mutants(path: Path, name: str, lines: Mapping[int, Collection[str]]) -> Iterator[Mutant]:
    """`lines`: of each line that registers routes, their methods."""
    content = path.read_bytes()
    tree = java_tree(content)
    sites = Sites(tree)
    for line, methods in lines.items():
        yield from _routes_gone(sites, content, name, line, methods)
    for place, status, replacement in status_changes(tree):
        yield status_mutant(name, _line_at(content, place), place, status, replacement)
    for key in _fields(tree):
        field = string_of(key)
        yield field_mutant(name, line_of(key), span_of(key), field, f'"{field}_"')


def _line_at(content: bytes, span: Span) -> int:
    return content.count(b"\n", 0, span.start) + 1


# Routes.


def _routes_gone(sites: Sites, content: bytes, name: str, line: int, methods: Collection[str]) -> Iterator[Mutant]:
    annotated = sites.annotated_at(line)
    for one in annotated:
        gone = _with_its_path(one)
        kept = b"".join(content[a.end_byte : b.start_byte] for a, b in pairwise(gone))
        span = Span(start=gone[0].start_byte, end=gone[-1].end_byte)
        yield route_mutant(name, line, " ".join(map(text_of, gone)), span, kept.decode("utf-8", "replace"))
    for call in sites.calls_at(line, methods) if not annotated else ():
        if (change := _without_call(call, content)) is not None:
            shown = content[_name_of(call).start_byte : call.end_byte].decode("utf-8", "replace")
            yield route_mutant(name, line, shown, *change)


def _with_its_path(one: Annotated) -> list[Node]:
    """The annotation to take away; with it the `@Path` beside a JAX-RS verb, which would mean something else by itself."""
    gone, others = [one.annotation], list(annotations_in(one.method))
    if [other for other in others if annotation_name(other).isupper()] == gone:
        gone += [other for other in others if annotation_name(other) == "Path"]
    return sorted(gone, key=lambda node: node.start_byte)


def _without_call(call: Node, content: bytes) -> tuple[Span, str] | None:
    """What to put in place of a call that registers a route; None where nothing can stand there."""
    owner, first = call.child_by_field_name("object"), next(iter(named(call.child_by_field_name("arguments"))), None)
    whole = call
    if is_handled(call):
        while (above := following(whole)) is not None:
            whole = above
    elif text_of(_name_of(call)) == "route" and first is not None:
        # A router function of its own: there has to be one, but it takes nothing.
        return Span(start=first.end_byte, end=first.end_byte), ".and(gone -> false)"
    above = whole.parent
    is_link = owner is not None and owner.type in ("method_invocation", "object_creation_expression")
    if above is not None and not (is_link and whole == call):
        if above.type == "expression_statement":
            return span_of(above), ";"
        if above.type == "lambda_expression":
            return span_of(whole), "{}"
    if owner is None or whole != call:
        return None
    # The link of a chain, or what is made by it: the rest stands without it.
    return Span(start=owner.end_byte, end=call.end_byte), ""


def _name_of(call: Node) -> Node:
    name = call.child_by_field_name("name")
    assert name is not None
    return name


# Fields.


def _fields(tree: Node) -> Iterator[Node]:
    """The texts that name fields: keys of a `Map.of` that is answered with or returned, and those that annotations give."""
    for node in walk(tree):
        if node.type == "annotation" and annotation_name(node) in _NAMES_A_FIELD:
            keys = [value for value in (arguments_of(node).get("value"),) if value is not None]
        elif node.type == "method_invocation" and _is_map(node) and _is_answered(node):
            keys = named(node.child_by_field_name("arguments"))[::2]
        else:
            continue
        yield from (key for key in keys if key.type == "string_literal" and not text_of(key).startswith('"""'))


def _is_map(call: Node) -> bool:
    return text_of(call.child_by_field_name("object")) == "Map" and text_of(_name_of(call)) == "of"


def _is_answered(value: Node) -> bool:
    """Whether it is returned or given to an answer, by itself or as one of two."""
    above = value.parent
    while above is not None and above.type in ("parenthesized_expression", "ternary_expression"):
        above = above.parent
    if above is None or above.type in ("return_statement", "lambda_expression"):
        return above is not None
    called = above.parent if above.type == "argument_list" else None
    if called is None:
        return False
    if called.type == "object_creation_expression":
        return "Response" in text_of(called.child_by_field_name("type"))
    return called.type == "method_invocation" and text_of(called.child_by_field_name("name")) in _ANSWERS
