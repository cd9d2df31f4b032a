"""Reading the nodes of a Java syntax tree."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from tree_sitter import Node

from .syntax import named, text_of

TYPE_DECLARATIONS = frozenset(
    (
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    )
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " ", "\n": ""}


def string_of(literal: Node) -> str:
    """What a string or character literal or a text block stands for."""
    text = text_of(literal)
    if text.startswith('"""'):
        return _unescaped(textwrap.dedent(text[3:-3].partition("\n")[2]))
    return _unescaped(text[1:-1])


def _unescaped(text: str) -> str:
    return re.sub(r"\\(?:u+([0-9a-fA-F]{4})|(.|\n))", lambda escape: _escape(escape[1], escape[2]), text)


def _escape(code: str | None, char: str) -> str:
    return chr(int(code, 16)) if code else _ESCAPES.get(char, char)


def type_name(node: Node | None) -> str:
    """`a.B` of `a.B<C>[]` or `@X B`; what an array or a generic type holds is not looked at."""
    while node is not None and node.type in ("generic_type", "array_type", "annotated_type"):
        inside = [child for child in named(node) if not child.type.endswith("annotation")]
        node = inside[0] if inside else None
    return re.sub(r"<.*?>|@\w+|\s", "", text_of(node))


def type_arguments(node: Node | None) -> list[Node]:
    """The `X` and `Y` of `List<X, Y>`."""
    arguments = next((child for child in named(node) if child.type == "type_arguments"), None)
    return named(arguments)


def modifiers_of(declaration: Node) -> frozenset[str]:
    """The words in front of a declaration: `public`, `static`, ..."""
    holder = next((child for child in declaration.children if child.type == "modifiers"), None)
    return frozenset(text_of(child) for child in holder.children if not child.is_named) if holder else frozenset()


def annotations_in(declaration: Node) -> Iterator[Node]:
    """The annotations in front of a declaration or a parameter."""
    holder = next((child for child in declaration.children if child.type == "modifiers"), None)
    yield from (child for child in named(holder) if child.type in ("annotation", "marker_annotation"))


def arguments_of(annotation: Node) -> dict[str, Node]:
    """The elements of an annotation; the one without a name is `value`."""
    elements: dict[str, Node] = {}
    for child in named(annotation.child_by_field_name("arguments")):
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if child.type == "element_value_pair" and key is not None and value is not None:
            elements[text_of(key)] = value
        elif child.type != "element_value_pair":
            elements["value"] = child
    return elements


def parameters_of(declaration: Node) -> list[Node]:
    """The parameters of a method, constructor, record or lambda, without a receiver."""
    holder = declaration.child_by_field_name("parameters")
    return [child for child in named(holder) if child.type in ("formal_parameter", "spread_parameter")]


def parameter_name(parameter: Node) -> str:
    name = parameter.child_by_field_name("name")
    if name is None:
        declarator = next((child for child in named(parameter) if child.type == "variable_declarator"), None)
        name = declarator.child_by_field_name("name") if declarator is not None else None
    return text_of(name)


def parameter_type(parameter: Node) -> Node | None:
    typed = parameter.child_by_field_name("type")
    return typed or next(
        (child for child in named(parameter) if child.type not in ("modifiers", "variable_declarator")), None
    )
