"""What gets a value: parameters, the names in a pattern, the targets of assignments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from .library import MAX_ELEMENTS
from .node_syntax import key_of, unwrapped
from .node_values import Class, Function, Scope
from .syntax import named, text_of
from .values import UNKNOWN, Value, is_known

if TYPE_CHECKING:
    from .node_evaluation import Evaluation


def bind_parameters(evaluation: Evaluation, function: Node, arguments: Sequence[Value], scope: Scope) -> None:
    """Gives the parameters of a function its arguments. One that is left out, and has no default, may be anything."""
    single = function.child_by_field_name("parameter")
    if single is not None:
        bind(evaluation, single, arguments[0] if arguments else None, scope)
    for at, parameter in enumerate(named(function.child_by_field_name("parameters"))):
        pattern = parameter.child_by_field_name("pattern") or parameter
        if pattern.type == "rest_pattern":
            bind(evaluation, named(pattern)[0], list(arguments[at:]), scope)
            continue
        value = arguments[at] if at < len(arguments) else None
        if value is None:
            value = evaluation.value(parameter.child_by_field_name("value"), scope)
        bind(evaluation, pattern, value, scope)
        is_property = any(child.type in ("accessibility_modifier", "readonly") for child in parameter.children)
        if is_property and isinstance(scope.this, dict):
            scope.this[text_of(pattern)] = value


def bind(evaluation: Evaluation, pattern: Node, value: Value, scope: Scope) -> None:
    """Gives the names in a pattern their parts of the value."""
    match pattern.type:
        case "identifier" | "shorthand_property_identifier_pattern":
            scope.names[text_of(pattern)] = value
        case "object_pattern":
            for part in named(pattern):
                _bind_property(evaluation, part, value, scope)
        case "array_pattern":
            items = value if isinstance(value, list) else []
            for at, part in enumerate(named(pattern)):
                if part.type == "rest_pattern":
                    bind(evaluation, named(part)[0], items[at:] if isinstance(value, list) else UNKNOWN, scope)
                else:
                    bind(evaluation, part, items[at] if at < len(items) else UNKNOWN, scope)
        case "assignment_pattern":
            _bind_or_default(evaluation, pattern, value, scope)
        case "variable_declarator" | "lexical_declaration":
            for child in named(pattern)[:1]:
                bind(evaluation, child, value, scope)
        case _:
            pass


def _bind_property(evaluation: Evaluation, part: Node, value: Value, scope: Scope) -> None:
    match part.type:
        case "shorthand_property_identifier_pattern":
            bind(evaluation, part, evaluation.member(value, text_of(part)), scope)
        case "object_assignment_pattern":
            given = evaluation.member(value, text_of(part.child_by_field_name("left")))
            _bind_or_default(evaluation, part, given, scope)
        case "pair_pattern":
            key, target = part.child_by_field_name("key"), part.child_by_field_name("value")
            if target is not None:
                bind(evaluation, target, evaluation.member(value, key_of(key)), scope)
        case "rest_pattern":
            bind(evaluation, named(part)[0], dict(value) if isinstance(value, dict) else UNKNOWN, scope)
        case _:
            pass


def _bind_or_default(evaluation: Evaluation, pattern: Node, value: Value, scope: Scope) -> None:
    """`left = right`, where `right` stands in for what is not there."""
    left, right = pattern.child_by_field_name("left"), pattern.child_by_field_name("right")
    if left is not None:
        bind(evaluation, left, value if is_known(value) else evaluation.value(right, scope), scope)


def assign(evaluation: Evaluation, target: Node, value: Value, scope: Scope) -> None:
    """Gives a name, a member or an element its value."""
    target = unwrapped(target)
    if target.type == "identifier":
        (scope.holder(text_of(target)) or scope).names[text_of(target)] = value
    elif target.type in ("member_expression", "subscript_expression"):
        index = target.child_by_field_name("index")
        key = text_of(target.child_by_field_name("property")) if index is None else evaluation.value(index, scope)
        holder = evaluation.value(target.child_by_field_name("object"), scope)
        if isinstance(holder, (Function, Class)):
            holder = holder.properties
        if isinstance(holder, dict) and isinstance(key, str) and len(holder) < MAX_ELEMENTS:
            holder[key] = value
    else:
        bind(evaluation, target, value, scope)
