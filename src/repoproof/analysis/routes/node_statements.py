"""Statements: what they return, declare, import and export.

Each gives the values that it may return; none for one that only goes on.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tree_sitter import Node

from .library import MAX_ELEMENTS
from .node_classes import class_of, enumeration
from .node_patterns import bind
from .node_syntax import FUNCTIONS, key_of, string_of
from .node_values import Scope
from .syntax import branches, named, text_of
from .values import UNKNOWN, Value

if TYPE_CHECKING:
    from .node_evaluation import Evaluation

_CLASSES = ("class_declaration", "abstract_class_declaration")
_FUNCTIONS = ("function_declaration", "generator_function_declaration")
_LOOPS = ("for_statement", "while_statement", "do_statement", "labeled_statement", "with_statement")
"""Whose body is taken once."""
_PARTED = frozenset(
    (
        *("statement_block", "else_clause", "try_statement", "catch_clause", "finally_clause"),
        *("switch_statement", "switch_body", "switch_case", "switch_default", "internal_module", "module"),
    )
)
"""Statements that are made of others."""


def block(evaluation: Evaluation, node: Node, scope: Scope) -> list[Value]:
    """The statements in order, functions and imports first, up to one that always leaves.

    One that is nested too deeply is passed over, the next one is not.
    """
    statements = named(node)
    for statement in statements:
        inner = statement.child_by_field_name("declaration") if statement.type == "export_statement" else statement
        if inner is not None and inner.type in _FUNCTIONS:
            scope.names[_name_of(inner)] = evaluation.function(inner, scope)
        elif statement.type == "import_statement":
            with suppress(RecursionError):
                _import(evaluation, statement, scope)
    returned: list[Value] = []
    for statement in statements:
        with suppress(RecursionError):
            returned += _statement(evaluation, statement, scope)
        if statement.type in ("return_statement", "throw_statement"):
            break
    return returned


def _statement(evaluation: Evaluation, node: Node, scope: Scope) -> list[Value]:
    evaluation.budget.spend()
    match node.type:
        case "return_statement":
            return [evaluation.value(named(node)[0], scope)] if named(node) else [None]
        case "lexical_declaration" | "variable_declaration":
            for declarator in named(node):
                if declarator.type == "variable_declarator":
                    _declare(evaluation, declarator, scope)
        case "if_statement":
            decided = evaluation.value(node.child_by_field_name("condition"), scope)
            return [one for branch in branches(node, decided) for one in _statement(evaluation, branch, scope)]
        case "for_in_statement":
            return _for_each(evaluation, node, scope)
        case kind if kind in _LOOPS:
            inner = scope.inner()
            parts = (node.child_by_field_name("initializer"), node.child_by_field_name("body"))
            return [one for part in parts if part is not None for one in _statement(evaluation, part, inner)]
        case "statement_block":
            return block(evaluation, node, scope.inner())
        case kind if kind in _PARTED:
            return [one for part in named(node) for one in _statement(evaluation, part, scope)]
        case "export_statement":
            _export(evaluation, node, scope)
        case kind if kind in _CLASSES:
            scope.names[_name_of(node)] = class_of(evaluation, node, scope)
        case "enum_declaration":
            scope.names[_name_of(node)] = enumeration(evaluation, node, scope)
        case "expression_statement":
            for child in named(node):
                evaluation.value(child, scope)
        case kind if kind.endswith("expression"):
            evaluation.value(node, scope)
    return []


def _name_of(declaration: Node) -> str:
    return text_of(declaration.child_by_field_name("name"))


def _declare(evaluation: Evaluation, declarator: Node, scope: Scope) -> None:
    name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
    if name is not None:
        bind(evaluation, name, evaluation.value(value, scope) if value is not None else None, scope)


def _for_each(evaluation: Evaluation, node: Node, scope: Scope) -> list[Value]:
    left, body = node.child_by_field_name("left"), node.child_by_field_name("body")
    if left is None or body is None:
        return []
    collection = evaluation.value(node.child_by_field_name("right"), scope)
    by_key = any(child.type == "in" for child in node.children)
    elements = list(collection) if isinstance(collection, dict if by_key else list) else [UNKNOWN]
    returned: list[Value] = []
    for element in elements[:MAX_ELEMENTS]:
        inner = scope.inner()
        bind(evaluation, left, element, inner)
        returned += _statement(evaluation, body, inner)
    return returned


# Modules.


def _import(evaluation: Evaluation, node: Node, scope: Scope) -> None:
    clauses = [child for child in named(node) if child.type in ("import_clause", "import_require_clause")]
    clause = clauses[0] if clauses else None
    if clause is not None and clause.type == "import_require_clause":  # TypeScript's `import name = require("...")`
        source = string_of(clause.child_by_field_name("source"))
        scope.names[text_of(named(clause)[0])] = evaluation.require(source, scope.module)
        return
    exported = evaluation.require(string_of(node.child_by_field_name("source")), scope.module)
    for part in named(clause):
        if part.type == "identifier":
            scope.names[text_of(part)] = _default(exported)
        elif part.type == "namespace_import":
            scope.names[text_of(named(part)[0])] = exported
        elif part.type == "named_imports":
            for name, alias in _specified(part):
                scope.names[alias] = _exported(evaluation, exported, name)


def _export(evaluation: Evaluation, node: Node, scope: Scope) -> None:
    holder = evaluation.modules[scope.module]
    declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    exported = holder["exports"] if isinstance(holder["exports"], dict) else {}
    is_default = any(child.type == "default" for child in node.children)
    if value is not None and not is_default:  # TypeScript's `export = value`
        holder["exports"] = evaluation.value(value, scope)
    elif is_default and (value or declaration) is not None:
        exported["default"] = _declared(evaluation, value or declaration, scope)
    elif declaration is not None:
        before = set(scope.names)
        _statement(evaluation, declaration, scope)
        own = _name_of(declaration)
        for name in [*(name for name in scope.names if name not in before), *([own] if own else [])]:
            exported[name] = scope.names.get(name, UNKNOWN)
    elif any(child.type == "=" for child in node.children):
        holder["exports"] = evaluation.value(named(node)[0], scope)
    else:
        _export_names(evaluation, node, exported, scope)


def _export_names(evaluation: Evaluation, node: Node, exported: dict[str, Value], scope: Scope) -> None:
    """`export {a, b as c}`, `export * as d`, `export *`, each perhaps `from` another module."""
    source = node.child_by_field_name("source")
    origin = evaluation.require(string_of(source), scope.module) if source is not None else None
    parts = [part for part in named(node) if part.type in ("export_clause", "namespace_export")]
    if not parts and isinstance(origin, dict):
        exported.update({name: value for name, value in origin.items() if name != "default"})
    for part in parts:
        if part.type == "namespace_export":
            exported[text_of(named(part)[0])] = origin
            continue
        for name, alias in _specified(part):
            exported[alias] = scope.look_up(name) if origin is None else _exported(evaluation, origin, name)


def _specified(clause: Node) -> list[tuple[str, str]]:
    """The names in `{a, b as c}`, and what each is called from then on."""
    found: list[tuple[str, str]] = []
    for specifier in named(clause):
        name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
        found.append((key_of(name), key_of(alias or name)))
    return found


def _declared(evaluation: Evaluation, node: Node | None, scope: Scope) -> Value:
    """The value of `export default`: an expression, or a declaration that may have a name."""
    if node is None:
        return UNKNOWN
    name = _name_of(node)
    if node.type in _CLASSES:
        value = class_of(evaluation, node, scope)
    elif node.type in FUNCTIONS:
        value = (scope.names.get(name) if name else None) or evaluation.function(node, scope)
    else:
        return evaluation.value(node, scope)
    if name:
        scope.names[name] = value
    return value


def _exported(evaluation: Evaluation, exported: Value, name: str) -> Value:
    return _default(exported) if name == "default" else evaluation.member(exported, name)


def _default(exported: Value) -> Value:
    """What `import name from` gives: the default export, or all of a CommonJS module."""
    return exported["default"] if isinstance(exported, dict) and "default" in exported else exported
