"""Reading the nodes of a JavaScript syntax tree."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from .syntax import named, text_of

FUNCTIONS = frozenset(
    (
        "arrow_function",
        "function_expression",
        "function_declaration",
        "generator_function",
        "generator_function_declaration",
    )
)


def key_of(node: Node | None) -> str:
    return string_of(node) if node is not None and node.type == "string" else text_of(node)


def string_of(node: Node | None) -> str:
    return "".join(unescaped(child) for child in node.named_children) if node is not None else ""


def unescaped(node: Node) -> str:
    text = text_of(node)
    return text[1:] if node.type == "escape_sequence" and len(text) == 2 else text


def unwrapped(node: Node) -> Node:
    """Without the parentheses and type assertions around it."""
    while node.type in (
        "parenthesized_expression",
        "as_expression",
        "non_null_expression",
        "satisfies_expression",
    ) and named(node):
        node = named(node)[0]
    return node


def members_of(node: Node) -> Iterator[Node]:
    """The methods and fields of a class."""
    for member in named(node.child_by_field_name("body")):
        if member.type in ("method_definition", "field_definition", "public_field_definition"):
            yield member


def member_name(member: Node) -> str:
    return key_of(member.child_by_field_name("name") or member.child_by_field_name("property"))


def is_static(member: Node) -> bool:
    return any(child.type == "static" for child in member.children)
