"""What each kind of expression means. Names are in `java_names.py`, calls in `java_calls.py`, objects in `java_objects.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tree_sitter import Node

from .java_calls import invocation, reference
from .java_names import assign, field_access, identifier
from .java_objects import new
from .java_statements import statement
from .java_syntax import string_of, type_name
from .java_values import Closure, Scope, TypeName
from .library import MAX_ELEMENTS, added
from .syntax import branches, named, text_of
from .values import UNKNOWN, Value, first_known, returned_of

if TYPE_CHECKING:
    from .java_evaluation import Evaluation

Expression = Callable[["Evaluation", Node, Scope], Value]


def _number(_evaluation: Evaluation, node: Node, _scope: Scope) -> Value:
    found = re.fullmatch(r"(\d{1,15})[lL]?", text_of(node).replace("_", ""))
    return int(found[1]) if found else UNKNOWN


def _class_literal(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    return TypeName(evaluation.project.qualified(type_name(named(node)[0]), scope.inside)) if named(node) else UNKNOWN


def _binary(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    operator = text_of(node.child_by_field_name("operator"))
    if operator == "+":
        return _sum(evaluation, node, scope)
    first = evaluation.value(node.child_by_field_name("left"), scope)
    second = evaluation.value(node.child_by_field_name("right"), scope)
    if operator in ("&&", "||"):
        decides = operator == "||"
        if first is decides or second is decides:
            return decides
        return not decides if isinstance(first, bool) and isinstance(second, bool) else UNKNOWN
    known = all(isinstance(one, (int, str)) or one is None for one in (first, second))
    return (first == second) is (operator == "==") if operator in ("==", "!=") and known else UNKNOWN


def _sum(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    """A chain of `+`, which leans to the left and may be long, without going down it."""
    operands: list[Node] = []
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        evaluation.budget.spend()
        right = current.child_by_field_name("right")
        if text_of(current.child_by_field_name("operator")) != "+" or right is None:
            break
        operands.append(right)
        current = current.child_by_field_name("left")
    total = evaluation.value(current, scope)
    for operand in reversed(operands):
        total = added(total, evaluation.value(operand, scope))
    return total


def _unary(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    value = evaluation.value(node.child_by_field_name("operand"), scope)
    match text_of(node.child_by_field_name("operator")):
        case "-" if isinstance(value, int):
            return -value
        case "!" if isinstance(value, bool):
            return not value
        case _:
            return UNKNOWN


def _ternary(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    decided = evaluation.value(node.child_by_field_name("condition"), scope)
    return first_known([evaluation.value(branch, scope) for branch in branches(node, decided)])


def _switch(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    results: list[Value] = []
    for rule in named(node.child_by_field_name("body")):
        for part in named(rule)[1:]:
            inner = scope.inner()
            if part.type == "expression_statement":
                results += [evaluation.value(child, inner) for child in named(part)]
            else:
                results += statement(evaluation, part, inner)
    return returned_of(results, nothing=UNKNOWN)


def _assignment(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return UNKNOWN
    value = evaluation.value(right, scope)
    operator = text_of(node.child_by_field_name("operator"))
    if operator != "=":
        value = added(evaluation.value(left, scope), value) if operator == "+=" else UNKNOWN
    assign(evaluation, left, value, scope)
    return value


def _array(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    return [evaluation.value(element, scope) for element in named(node)[:MAX_ELEMENTS]]


def _new_array(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    value = node.child_by_field_name("value")
    return _array(evaluation, value, scope) if value is not None else []


def _element(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    held = evaluation.value(node.child_by_field_name("array"), scope)
    at = evaluation.value(node.child_by_field_name("index"), scope)
    return held[at] if isinstance(held, list) and isinstance(at, int) and 0 <= at < len(held) else UNKNOWN


def _inside(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    inside = named(node)
    return evaluation.value(inside[-1], scope) if inside else UNKNOWN


def _constant(value: Value) -> Expression:
    return lambda _evaluation, _node, _scope: value


EXPRESSIONS: dict[str, Expression] = {
    "identifier": identifier,
    "string_literal": lambda _evaluation, node, _scope: string_of(node),
    "character_literal": lambda _evaluation, node, _scope: string_of(node),
    "decimal_integer_literal": _number,
    "true": _constant(True),
    "false": _constant(False),
    "null_literal": _constant(None),
    "field_access": field_access,
    "method_invocation": invocation,
    "object_creation_expression": new,
    "lambda_expression": lambda _evaluation, node, scope: Closure(node, scope),
    "method_reference": reference,
    "class_literal": _class_literal,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "ternary_expression": _ternary,
    "switch_expression": _switch,
    "assignment_expression": _assignment,
    "element_value_array_initializer": _array,
    "array_initializer": _array,
    "array_creation_expression": _new_array,
    "array_access": _element,
    "parenthesized_expression": _inside,
    "cast_expression": _inside,
    "this": lambda _evaluation, _node, scope: scope.this,
}
"""By the type of the syntax node."""
