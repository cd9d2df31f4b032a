"""What each kind of expression means. Calls are in `node_calls.py`, classes in `node_classes.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tree_sitter import Node

from .library import as_text, text_joined
from .node_calls import call_expression, elements, new_expression
from .node_classes import class_of
from .node_library import GLOBALS, combined
from .node_patterns import assign
from .node_syntax import key_of, string_of, unescaped
from .node_values import UNKNOWN_TEXT, Builtin, Scope
from .syntax import branches, named, text_of
from .values import UNKNOWN, Value, first_known

if TYPE_CHECKING:
    from .node_evaluation import Evaluation

Expression = Callable[["Evaluation", Node, Scope], Value]


def _identifier(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    name = text_of(node)
    holder = scope.holder(name)
    if holder is not None:
        return holder.names[name]
    if name == "require":
        return Builtin(
            lambda arguments, _site, _interpreter: evaluation.require(arguments[0] if arguments else None, scope.module)
        )
    return GLOBALS.get(name, UNKNOWN)


def _number(_evaluation: Evaluation, node: Node, _scope: Scope) -> Value:
    return int(text_of(node)) if re.fullmatch(r"\d{1,15}", text_of(node)) else UNKNOWN


def _template(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    pieces: list[Value] = []
    for child in named(node):
        is_code = child.type == "template_substitution"
        pieces.append(evaluation.value(named(child)[0], scope) if is_code else unescaped(child))
        if as_text(pieces[-1]) is None:
            return UNKNOWN_TEXT
    return text_joined(pieces)


def _array(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    return elements(evaluation, named(node), scope)


def _object(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    made: dict[str, Value] = {}
    for part in named(node):
        match part.type:
            case "pair":
                key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
                if key is not None and value is not None:
                    is_computed = key.type == "computed_property_name"
                    name = evaluation.value(named(key)[0], scope) if is_computed else key_of(key)
                    if isinstance(name, str):
                        made[name] = evaluation.value(value, scope)
            case "shorthand_property_identifier":
                made[text_of(part)] = _identifier(evaluation, part, scope)
            case "method_definition":
                made[key_of(part.child_by_field_name("name"))] = evaluation.function(part, scope)
            case "spread_element":
                spread = evaluation.value(named(part)[0], scope)
                made.update(spread if isinstance(spread, dict) else {})
            case _:
                pass
    return made


def _member_expression(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    owner = evaluation.value(node.child_by_field_name("object"), scope)
    return evaluation.member(owner, text_of(node.child_by_field_name("property")))


def _subscript(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    owner = evaluation.value(node.child_by_field_name("object"), scope)
    key = evaluation.value(node.child_by_field_name("index"), scope)
    if isinstance(owner, list) and isinstance(key, int):
        return owner[key] if 0 <= key < len(owner) else None
    return evaluation.member(owner, key) if isinstance(key, str) else UNKNOWN


def _assignment(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return UNKNOWN
    value = evaluation.value(right, scope)
    if node.type == "augmented_assignment_expression":
        operator = text_of(node.child_by_field_name("operator")).removesuffix("=")
        value = combined(operator, evaluation.value(left, scope), value)
    assign(evaluation, left, value, scope)
    return value


def _binary(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    left = evaluation.value(node.child_by_field_name("left"), scope)
    right = evaluation.value(node.child_by_field_name("right"), scope)
    return combined(text_of(node.child_by_field_name("operator")), left, right)


def _ternary(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    decided = evaluation.value(node.child_by_field_name("condition"), scope)
    return first_known([evaluation.value(branch, scope) for branch in branches(node, decided)])


def _unary(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    value = evaluation.value(node.child_by_field_name("argument"), scope)
    match text_of(node.child_by_field_name("operator")):
        case "!" if isinstance(value, bool):
            return not value
        case "void":
            return None
        case _:
            return UNKNOWN


def _first_inside(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    inside = named(node)
    return evaluation.value(inside[0], scope) if inside else UNKNOWN


def _last_inside(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    values = [evaluation.value(child, scope) for child in named(node)]
    return values[-1] if values else UNKNOWN


def _constant(value: Value) -> Expression:
    return lambda _evaluation, _node, _scope: value


EXPRESSIONS: dict[str, Expression] = {
    "identifier": _identifier,
    "string": lambda _evaluation, node, _scope: string_of(node),
    "number": _number,
    "true": _constant(True),
    "false": _constant(False),
    "null": _constant(None),
    "undefined": _constant(None),
    "template_string": _template,
    "array": _array,
    "object": _object,
    "member_expression": _member_expression,
    "subscript_expression": _subscript,
    "call_expression": call_expression,
    "new_expression": new_expression,
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _assignment,
    "binary_expression": _binary,
    "ternary_expression": _ternary,
    "unary_expression": _unary,
    "await_expression": _first_inside,
    "parenthesized_expression": _first_inside,
    "as_expression": _first_inside,
    "satisfies_expression": _first_inside,
    "non_null_expression": _first_inside,
    "type_assertion": _last_inside,
    "sequence_expression": _last_inside,
    "class": class_of,
    "this": lambda _evaluation, _node, scope: scope.this,
}
"""By the type of the syntax node. Functions are not here: `Evaluation.value` knows them by `FUNCTIONS`."""
