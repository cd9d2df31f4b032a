"""Reading the nodes of a tree-sitter syntax tree, of whatever language."""

from __future__ import annotations

from tree_sitter import Node

_COMMENTS = frozenset(("comment", "line_comment", "block_comment"))


def named(node: Node | None) -> list[Node]:
    """The children that mean something: no punctuation, no comments."""
    return [child for child in node.named_children if child.type not in _COMMENTS] if node is not None else []


def text_of(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def line_of(node: Node) -> int:
    """1-based."""
    return node.start_point[0] + 1


def branches(conditional: Node, decided: object) -> list[Node]:
    """What an `if` or a `?:` may lead to, given its condition's value: both branches unless that is certain, as far as they are there."""
    found = (
        conditional.child_by_field_name(name)
        for name, without in (("consequence", False), ("alternative", True))
        if decided is not without
    )
    return [branch for branch in found if branch is not None]
