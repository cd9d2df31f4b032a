"""Calls: of functions and classes of the tree, of frameworks, and of the methods of the language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from .library import MAX_ELEMENTS, capped
from .node_library import TEXT_METHODS, method_of_array
from .node_syntax import unwrapped
from .node_values import Function, Scope
from .syntax import line_of, named, text_of
from .values import UNKNOWN, Reply, Site, Value

if TYPE_CHECKING:
    from .node_evaluation import Evaluation


def call_expression(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    """`f(...)`, `owner.name(...)`, `super(...)`, `import(...)`."""
    function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or given is None or given.type == "template_string":
        return UNKNOWN
    function = unwrapped(function)
    if function.type == "member_expression":
        owner = evaluation.value(function.child_by_field_name("object"), scope)
        return _call_member(evaluation, owner, function.child_by_field_name("property"), given, scope)
    if function.type == "import":
        arguments = elements(evaluation, named(given), scope)
        return evaluation.require(arguments[0] if arguments else None, scope.module)
    if function.type == "super":
        constructor = scope.look_up("super")
        arguments = elements(evaluation, named(given), scope)
        is_known = isinstance(constructor, Function)
        return evaluation.call_function(constructor, arguments, scope.this) if is_known else UNKNOWN
    target = evaluation.value(function, scope)
    arguments = elements(evaluation, named(given), scope)
    return evaluation.call(target, arguments, Site(scope.module.file, line_of(node)))


def _call_member(evaluation: Evaluation, owner: Value, name: Node | None, given: Node, scope: Scope) -> Value:
    """`owner.name(...)`. Where a chain of calls is spread over lines, each name has its own."""
    if name is None:
        return UNKNOWN
    site = Site(scope.module.file, line_of(name))
    arguments = elements(evaluation, named(given), scope)
    reply = _method(evaluation, owner, text_of(name), arguments, site)
    if reply is not None:
        return reply.value
    return evaluation.call(evaluation.member(owner, text_of(name)), arguments, site, owner)


def new_expression(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    """`new Users(...)`, where a function may be what makes the object, and a promise runs what it is given."""
    constructor, given = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
    target = evaluation.value(constructor, scope)
    arguments = elements(evaluation, named(given), scope)
    site = Site(scope.module.file, line_of(node))
    if isinstance(target, Function):
        instance: dict[str, Value] = {}
        result = evaluation.call_function(target, arguments, instance)
        return result if result not in (None, UNKNOWN) else instance
    if text_of(constructor) == "Promise" and arguments:
        return evaluation.call(arguments[0], [], site)
    return evaluation.call(target, arguments, site)


def elements(evaluation: Evaluation, nodes: Sequence[Node], scope: Scope) -> list[Value]:
    """The elements of an array, or the arguments of a call."""
    found: list[Value] = []
    for node in nodes[:MAX_ELEMENTS]:
        if node.type == "spread_element":
            spread = evaluation.value(named(node)[0], scope)
            found += spread[:MAX_ELEMENTS] if isinstance(spread, list) else [UNKNOWN]
        else:
            found.append(evaluation.value(node, scope))
    return found[:MAX_ELEMENTS]


def _method(evaluation: Evaluation, owner: Value, name: str, arguments: Sequence[Value], site: Site) -> Reply | None:
    """What calling a method of the language gives; None where it is none of them."""
    first = arguments[0] if arguments else None

    def call(function: Value, given: Sequence[Value]) -> Value:
        return evaluation.call(function, given, site)

    if owner is UNKNOWN or (isinstance(owner, dict) and name in owner):
        return None
    match name, owner:
        case "then", _:
            return Reply(call(first, [owner]))
        case "catch" | "finally", _:
            return Reply(owner)
        case "bind", Function():
            return Reply(owner)
        case "call", Function():
            return Reply(evaluation.call_function(owner, list(arguments[1:]), first))
        case "apply", Function():
            given = arguments[1] if len(arguments) > 1 else first
            return Reply(evaluation.call_function(owner, given if isinstance(given, list) else [], first))
        case _, list():
            return Reply(method_of_array(owner, name, arguments, call))
        case _, str():
            made = TEXT_METHODS.get(name)
            return Reply(capped(made(owner, arguments)) if made else UNKNOWN)
        case _:
            return None
