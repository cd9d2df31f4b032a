"""What Java sources say of the requests that a service takes: names that handlers ask for, fields of what bodies are read into."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tree_sitter import Node

from ....analysis.endpoints import METHODS
from ....analysis.routes.java_project import java_files
from ....analysis.routes.java_syntax import (
    TYPE_DECLARATIONS,
    annotations_in,
    arguments_of,
    parameter_name,
    parameter_type,
    parameters_of,
    string_of,
    type_arguments,
    type_name,
)
from ....analysis.routes.syntax import named, text_of
from .java_sites import Sites, annotation_name, java_tree
from .sites import walk

Note = tuple[str, str]
"""`fields`, `query`, `headers` or `words`, and a name."""

MOST_METHODS = 40
"""That one handler is followed into."""
DEEPEST = 4

_QUERY = re.compile(r"query|parameter", re.IGNORECASE)
_HEADER = re.compile(r"header", re.IGNORECASE)
_ASKS_FOR_NO_FIELD = re.compile(
    r"of|entry|ofEntries|equals\w*|contains\w*|startsWith|endsWith|matches|split|replace\w*|format\w*|concat|join|append|put\w*|add\w*"
    r"|info|debug|warn|error|trace|print\w*|params|path(Param|Variable)\w*|result|render|valueOf|compile|ofPattern|parse\w*|create|getenv"
    r"|getProperty|getOrDefault|as[A-Z]\w*|status|halt|redirect|attribute|cookie|type|contentType|exception"
)
_QUERY_PARAMETERS = frozenset(("RequestParam", "QueryParam", "QueryValue", "RestQuery", "DefaultValue"))
_HEADER_PARAMETERS = frozenset(("RequestHeader", "HeaderParam", "Header", "RestHeader"))
_OTHER_PARAMETERS = frozenset(
    ("PathVariable", "PathParam", "RestPath", "Context", "CookieValue", "CookieParam", "Observes")
)


def java_hints(tree: Path, places: Mapping[str, Sequence[int]]) -> Iterator[tuple[str, list[Note]]]:
    """Of each route, FILE:LINE and its names; under the empty name, those of all sources."""
    sources = {path.relative_to(tree).as_posix(): java_tree(path.read_bytes()) for path in java_files(tree)}
    project = _Project(list(sources.values()))
    for file, lines in places.items():
        if file in sources:
            sites = Sites(sources[file])
            yield from ((f"{file}:{line}", list(project.of_route(sites, line))) for line in lines)
    for source in sources.values():
        yield "", [note for node in walk(source) for note in (*project.asked(node), *_words(node))]


class _Project:
    """The types of a tree, by their simple names."""

    def __init__(self, sources: Sequence[Node]) -> None:
        types = [node for source in sources for node in walk(source) if node.type in TYPE_DECLARATIONS]
        self.types = {text_of(node.child_by_field_name("name")): node for node in types}
        self._declared: dict[int, dict[str, str]] = {}
        self._methods: dict[int, dict[str, list[Node]]] = {}

    def of_route(self, sites: Sites, line: int) -> Iterator[Note]:
        handlers = [one.method for one in sites.annotated_at(line)] or sites.calls_at(line, METHODS)
        for handler in handlers:
            yield from (note for parameter in parameters_of(handler) for note in self._given(parameter))
            for part in self._followed(handler):
                for node in walk(part):
                    yield from self.asked(node)
                    yield from _words(node)

    def _followed(self, handler: Node) -> list[Node]:
        """The handler and the methods of the tree that it calls or refers to, and those that they do."""
        found, front = [handler], [handler]
        for _ in range(DEEPEST):
            called = [method for part in front for node in walk(part) for method in self._called(node)]
            front = [one for one in dict.fromkeys(called) if one not in found][: MOST_METHODS - len(found)]
            found += front
        return found

    def _called(self, node: Node) -> Iterator[Node]:
        if node.type == "method_invocation":
            owner, name = node.child_by_field_name("object"), text_of(node.child_by_field_name("name"))
        elif node.type == "method_reference" and len(named(node)) > 1:
            owner, name = named(node)[0], text_of(named(node)[-1])
        else:
            return
        holder = _type_around(node) if owner is None or owner.type == "this" else self._type_of(owner)
        if holder is not None:
            yield from self._methods_of(holder).get(name, ())

    def _methods_of(self, holder: Node) -> dict[str, list[Node]]:
        if holder.id not in self._methods:
            found = self._methods[holder.id] = {}
            for member in named(holder.child_by_field_name("body")):
                if member.type == "method_declaration":
                    found.setdefault(text_of(member.child_by_field_name("name")), []).append(member)
        return self._methods[holder.id]

    def _type_of(self, owner: Node) -> Node | None:
        """The type that a name stands for, or that a variable or field of that name has."""
        name, around = text_of(owner).removeprefix("this."), _type_around(owner)
        if name in self.types or around is None or owner.type not in ("identifier", "field_access"):
            return self.types.get(name)
        return self.types.get(self._declared_in(around).get(name, ""))

    def _declared_in(self, holder: Node) -> dict[str, str]:
        """Field, variable or parameter -> its type."""
        if holder.id not in self._declared:
            found = self._declared[holder.id] = {}
            for node in walk(holder):
                declared = type_name(node.child_by_field_name("type")).rpartition(".")[2]
                if node.type in ("field_declaration", "local_variable_declaration"):
                    for one in node.children_by_field_name("declarator"):
                        found.setdefault(text_of(one.child_by_field_name("name")), declared)
                elif node.type == "formal_parameter":
                    found.setdefault(parameter_name(node), declared)
        return self._declared[holder.id]

    # What a node says.

    def asked(self, node: Node) -> Iterator[Note]:
        """A name that a call asks for; the fields of the type that a body is read into."""
        if node.type == "class_literal":
            yield from self._fields(text_of(named(node)[0]) if named(node) else "")
        if node.type != "method_invocation":
            return
        arguments = named(node.child_by_field_name("arguments"))
        name, owner = text_of(node.child_by_field_name("name")), text_of(node.child_by_field_name("object"))
        if not arguments or arguments[0].type != "string_literal" or _ASKS_FOR_NO_FIELD.fullmatch(name):
            return
        text = string_of(arguments[0])
        if _HEADER.search(name) or _HEADER.search(owner):
            yield "headers", text
        elif _QUERY.search(name) or _QUERY.search(owner):
            yield "query", text
        else:
            yield "fields", text

    def _given(self, parameter: Node) -> Iterator[Note]:
        """What a parameter of an annotated method says."""
        written = {annotation_name(one): one for one in annotations_in(parameter)}
        for kind, names in (("query", _QUERY_PARAMETERS), ("headers", _HEADER_PARAMETERS)):
            for annotation in (one for name, one in written.items() if name in names):
                elements = arguments_of(annotation)
                value = elements.get("value", elements.get("name"))
                if not type_name(parameter_type(parameter)).endswith("Map"):
                    yield kind, _name_in(value) if value is not None else parameter_name(parameter)
                return
        if not written.keys() & _OTHER_PARAMETERS:
            yield from self._fields(type_name(parameter_type(parameter)))

    def _fields(self, name: str, above: tuple[Node, ...] = ()) -> Iterator[Note]:
        """The fields of a type that bodies are read into, and of what it has lists of."""
        declaration = self.types.get(name.rpartition(".")[2])
        if declaration is None or declaration in above or len(above) > DEEPEST:
            return
        if declaration.type == "record_declaration":
            members = [(parameter_name(one), parameter_type(one), one) for one in parameters_of(declaration)]
        elif declaration.type == "class_declaration":
            members = [
                (text_of(one.child_by_field_name("name")), member.child_by_field_name("type"), member)
                for member in named(declaration.child_by_field_name("body"))
                if member.type == "field_declaration" and "static" not in text_of(member).partition("=")[0]
                for one in member.children_by_field_name("declarator")
            ]
        else:
            return
        for field, _, member in members:
            renamed = [arguments_of(one).get("value") for one in annotations_in(member) if annotation_name(one) == "JsonProperty"]  # fmt: skip
            yield "fields", next((string_of(one) for one in renamed if one is not None), field)
        inside = dict.fromkeys(type_name(inner) for _, typed, _ in members for inner in type_arguments(typed))
        for inner in inside:
            yield from self._fields(inner, (*above, declaration))


def _words(node: Node) -> Iterator[Note]:
    if node.type == "string_literal" and 0 < len(word := string_of(node)) <= 40 and word.isprintable():
        yield "words", word
    elif node.type == "enum_constant":
        word = text_of(node.child_by_field_name("name"))
        yield from (("words", one) for one in dict.fromkeys((word, word.lower())))


def _name_in(value: Node) -> str:
    """A text, or what a constant like `HttpHeaders.IF_MATCH` stands for."""
    if value.type == "string_literal":
        return string_of(value)
    return text_of(value).rpartition(".")[2].replace("_", "-").title()


def _type_around(node: Node) -> Node | None:
    around = node.parent
    while around is not None and around.type not in TYPE_DECLARATIONS:
        around = around.parent
    return around
