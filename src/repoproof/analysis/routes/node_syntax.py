"""Reading the nodes of a JavaScript syntax tree."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node


def named(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment"]


def text_of(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


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
    body = node.child_by_field_name("body")
    for member in named(body) if body is not None else ():
        if member.type in ("method_definition", "field_definition", "public_field_definition"):
            yield member


def is_static(member: Node) -> bool:
    return any(child.type == "static" for child in member.children)
