"""Where a Java file registers routes: annotations of methods, and calls on what takes routes."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from ....analysis.routes.java_syntax import annotations_in
from ....analysis.routes.syntax import line_of, named, text_of
from .sites import walk

_MAPPING = re.compile(
    r"((Request|Get|Post|Put|Patch|Delete)Mapping|(Http|Get|Post|Put|Patch|Delete)Exchange"
    r"|Get|Post|Put|Patch|Delete|Head|Options|Trace|CustomHttpMethod|GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Route)"
)
_TAKES_ROUTES = frozenset(
    ("sse", "crud", "addHandler", "addHttpHandler", "addEndpoint", "addRoute", "route", "andRoute")
)
"""Beside what is named like the method that is asked for."""
_HANDLED = frozenset(("handler", "blockingHandler", "respond", "method", "produces", "consumes", "order"))
"""What is called on a route of Vert.x, which has no handler yet."""


@dataclass(frozen=True)
class Annotated:
    """A method that an annotation makes a route of."""

    annotation: Node
    method: Node


def java_tree(content: bytes) -> Node:
    return Parser(Language(tree_sitter_java.language())).parse(content).root_node


def simple_name(node: Node | None) -> str:
    """`C` of `a.b.C` or `C<D>`."""
    return re.sub(r"<.*", "", text_of(node), flags=re.DOTALL).rpartition(".")[2].strip()


def annotation_name(annotation: Node) -> str:
    return simple_name(annotation.child_by_field_name("name"))


class Sites:
    """What may register routes in a source, by its line."""

    def __init__(self, tree: Node) -> None:
        self._annotated: dict[int, list[Annotated]] = {}
        self._calls: dict[int, list[Node]] = {}
        for node in walk(tree):
            if node.type == "method_declaration":
                for annotation in annotations_in(node):
                    self._annotated.setdefault(line_of(annotation), []).append(Annotated(annotation, node))
            elif node.type == "method_invocation" and (name := node.child_by_field_name("name")) is not None:
                self._calls.setdefault(line_of(name), []).append(node)

    def annotated_at(self, line: int) -> list[Annotated]:
        """The annotations that begin at the line and make a route of their method. One that nobody knows, the tree's own, counts where it
        is the only one."""
        found = self._annotated.get(line, [])
        known = [one for one in found if _MAPPING.fullmatch(annotation_name(one.annotation))]
        return known or (found if len(found) == 1 else [])

    def calls_at(self, line: int, methods: Collection[str]) -> list[Node]:
        """The calls whose name is at the line and that register a route for one of `methods`; not those in a handler of another one."""
        names = {method.lower() for method in methods}
        found: list[Node] = []
        for call in self._calls.get(line, ()):
            name = text_of(call.child_by_field_name("name"))
            is_one = (name in _TAKES_ROUTES or name.lower() in names) and _registers(call, name)
            if is_one and not any(_is_within(call, other.child_by_field_name("arguments")) for other in found):
                found.append(call)
        return found


def _registers(call: Node, name: str) -> bool:
    """Whether it is called as what takes a route is, and not as `map.get("x")`."""
    arguments, owner = named(call.child_by_field_name("arguments")), call.child_by_field_name("object")
    if len(arguments) != 1:
        return len(arguments) > 1
    is_static = owner is None or text_of(owner) == "ApiBuilder"
    return is_static or name.isupper() or name in _TAKES_ROUTES or is_handled(call)


def is_handled(call: Node) -> bool:
    """Whether the call is one of Vert.x, and what comes after it says who handles the route."""
    above = following(call)
    return above is not None and text_of(above.child_by_field_name("name")) in _HANDLED


def following(call: Node) -> Node | None:
    """The next call of the chain: `a.b().c()` of `a.b()`."""
    above = call.parent
    is_next = above is not None and above.type == "method_invocation" and above.child_by_field_name("object") == call
    return above if is_next else None


def _is_within(node: Node, other: Node | None) -> bool:
    return other is not None and other.start_byte <= node.start_byte and node.end_byte <= other.end_byte
