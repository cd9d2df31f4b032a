"""Classes of the tree: what they are, what is static in them, and what `new` makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from .node_syntax import is_static, key_of, member_name, members_of
from .node_values import Class, Function, Scope
from .syntax import named
from .values import UNKNOWN, Value

if TYPE_CHECKING:
    from .node_evaluation import Evaluation

MAX_LINEAGE = 10


def class_of(evaluation: Evaluation, node: Node, scope: Scope) -> Class:
    """The class that is declared, with what it extends."""
    heritage = next((child for child in node.children if child.type == "class_heritage"), None)
    parent = None
    for inside in named(heritage)[:1]:
        expression = inside.child_by_field_name("value") if inside.type == "extends_clause" else inside
        parent = evaluation.value(expression, scope) if expression is not None else None
    return Class(node, scope, parent)


def enumeration(evaluation: Evaluation, node: Node, scope: Scope) -> dict[str, Value]:
    """The members of an `enum` that are given a value."""
    return {
        key_of(member.child_by_field_name("name")): evaluation.value(value, scope)
        for member in named(node.child_by_field_name("body"))
        if member.type == "enum_assignment" and (value := member.child_by_field_name("value")) is not None
    }


def static_member(evaluation: Evaluation, owner: Class, name: str) -> Value:
    """What `owner.name` holds: what was put there, or what the class declares."""
    if name not in owner.properties:
        for member in members_of(owner.node):
            if is_static(member) and member_name(member) == name:
                scope, value = owner.scope.inner(this=owner), member.child_by_field_name("value")
                is_method = member.type == "method_definition"
                found = evaluation.function(member, scope) if is_method else evaluation.value(value, scope)
                owner.properties[name] = found
                break
    return owner.properties.get(name, UNKNOWN)


def instance(evaluation: Evaluation, made: Class, arguments: Sequence[Value]) -> dict[str, Value]:
    """A dict of the methods, those of the parent class first, and of what the constructor sets."""
    held: dict[str, Value] = {}
    lineage: list[Class] = [made]
    while isinstance(lineage[-1].parent, Class) and len(lineage) < MAX_LINEAGE:
        lineage.append(lineage[-1].parent)
    constructor: Function | None = None
    for member_of in reversed(lineage):
        scope = member_of.scope.inner(this=held)
        for member in members_of(member_of.node):
            if member.type == "method_definition":
                held[member_name(member)] = evaluation.function(member, scope)
            elif not is_static(member):
                value = member.child_by_field_name("value")
                held[member_name(member)] = evaluation.value(value, scope) if value is not None else None
        own = held.pop("constructor", None)
        if isinstance(own, Function):
            own.scope.names["super"] = constructor
            constructor = own
    if constructor is not None:
        evaluation.call_function(constructor, arguments, held)
    return held
