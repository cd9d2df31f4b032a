"""Statements: what they declare, and which values they may return. Each gives those values; none if it only goes on."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tree_sitter import Node

from .java_values import Scope
from .library import MAX_ELEMENTS
from .syntax import branches, named, text_of
from .values import UNKNOWN, Value

if TYPE_CHECKING:
    from .java_evaluation import Evaluation

_PARTED = frozenset(
    (
        *("block", "constructor_body", "synchronized_statement", "labeled_statement"),
        *("for_statement", "while_statement", "do_statement"),
        *("try_statement", "try_with_resources_statement", "resource_specification", "catch_clause", "finally_clause"),
        *("switch_expression", "switch_block", "switch_block_statement_group", "switch_rule"),
    )
)
"""Statements that are made of others. Each is taken once."""


def block(evaluation: Evaluation, node: Node, scope: Scope) -> list[Value]:
    """The statements in order, up to one that always leaves."""
    returned: list[Value] = []
    for one in named(node):
        with suppress(RecursionError):  # a statement nested too deeply is passed over, the next one is not
            returned += statement(evaluation, one, scope)
        if one.type in ("return_statement", "throw_statement"):
            break
    return returned


def statement(evaluation: Evaluation, node: Node, scope: Scope) -> list[Value]:
    """One statement, with those inside it. What it declares is in `scope` afterwards."""
    evaluation.budget.spend()
    match node.type:
        case "return_statement" | "yield_statement":
            return [evaluation.value(inside, scope) for inside in named(node)[:1]]
        case "local_variable_declaration":
            for declarator in node.children_by_field_name("declarator"):
                _declare(evaluation, declarator, scope)
        case "resource":
            _declare(evaluation, node, scope)
        case "expression_statement":
            for child in named(node):
                if child.type == "switch_expression":
                    return statement(evaluation, child, scope)
                evaluation.value(child, scope)
        case "if_statement":
            decided = evaluation.value(node.child_by_field_name("condition"), scope)
            return [one for branch in branches(node, decided) for one in statement(evaluation, branch, scope.inner())]
        case "enhanced_for_statement":
            return _for_each(evaluation, node, scope)
        case kind if kind in _PARTED:
            inner = scope.inner()
            return [one for part in named(node) for one in statement(evaluation, part, inner)]
        case kind if kind.endswith(("_expression", "_invocation")) and kind != "parenthesized_expression":
            evaluation.value(node, scope)
    return []


def _declare(evaluation: Evaluation, declarator: Node, scope: Scope) -> None:
    name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
    scope.names[text_of(name)] = evaluation.value(value, scope)


def _for_each(evaluation: Evaluation, node: Node, scope: Scope) -> list[Value]:
    body = node.child_by_field_name("body")
    if body is None:
        return []
    known = evaluation.value(node.child_by_field_name("value"), scope)
    returned: list[Value] = []
    for element in known[:MAX_ELEMENTS] if isinstance(known, list) else [UNKNOWN]:
        inner = scope.inner()
        if element is UNKNOWN:
            element = evaluation.given(node.child_by_field_name("type"), scope.inside)
        inner.names[text_of(node.child_by_field_name("name"))] = element
        returned += statement(evaluation, body, inner)
    return returned
