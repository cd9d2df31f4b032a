"""Statements: what they bind, define, import and return."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .python_builtins import total
from .python_calls import call
from .python_expressions import bind, iterated, site_of, value
from .python_names import attribute
from .python_project import Module
from .python_values import Bound, Class, External, Function, Member, Object, Scope
from .values import UNKNOWN, Value

if TYPE_CHECKING:
    from .python_evaluation import Evaluation


def run(evaluation: Evaluation, body: Sequence[ast.stmt], scope: Scope, returned: list[Value] | None = None) -> bool:
    """Evaluates statements in order, adding to `returned`; whether what follows them is cut off by a return, raise, break or continue."""
    returned = [] if returned is None else returned
    for statement in body:
        evaluation.budget.spend()
        try:
            if _statement(evaluation, statement, scope, returned):
                return True
        except RecursionError:
            continue
    return False


def _statement(evaluation: Evaluation, node: ast.stmt, scope: Scope, returned: list[Value]) -> bool:
    """As `run`, of one statement."""
    match node:
        case ast.Expr(value=expression):
            value(evaluation, expression, scope)
        case ast.Assign(targets=targets, value=expression):
            result = value(evaluation, expression, scope)
            for target in targets:
                bind(evaluation, target, result, scope)
        case ast.AnnAssign(target=target, value=ast.expr() as expression):
            bind(evaluation, target, value(evaluation, expression, scope), scope)
        case ast.AugAssign(target=target, op=ast.Add(), value=expression):
            result = total(value(evaluation, target, scope), value(evaluation, expression, scope))
            bind(evaluation, target, result, scope)
        case ast.Import(names=names):
            for alias in names:
                _import(evaluation, alias, scope)
        case ast.ImportFrom():
            _import_from(evaluation, node, scope)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            _define_function(evaluation, node, scope)
        case ast.ClassDef():
            _define_class(evaluation, node, scope)
        case ast.Return(value=expression):
            returned.append(None if expression is None else value(evaluation, expression, scope))
            return True
        case ast.Raise() | ast.Break() | ast.Continue():
            return True
        case ast.If():
            return _branch(evaluation, node, scope, returned)
        case ast.For() | ast.AsyncFor():
            for item in iterated(value(evaluation, node.iter, scope)):
                bind(evaluation, node.target, item, scope)
                run(evaluation, node.body, scope, returned)
            run(evaluation, node.orelse, scope, returned)
        case ast.While(test=test, body=body):
            value(evaluation, test, scope)
            run(evaluation, body, scope, returned)
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            for item in items:
                entered = value(evaluation, item.context_expr, scope)
                if item.optional_vars is not None:
                    bind(evaluation, item.optional_vars, entered, scope)
            return run(evaluation, body, scope, returned)
        case ast.Try() | ast.TryStar():
            for handler in node.handlers:
                run(evaluation, handler.body, scope, returned)
            ended = run(evaluation, node.body, scope, returned) or run(evaluation, node.orelse, scope, returned)
            run(evaluation, node.finalbody, scope, returned)
            return ended and all(_ends(handler.body) for handler in node.handlers)
        case ast.Match(subject=subject, cases=cases):
            value(evaluation, subject, scope)
            for case in reversed(cases):
                run(evaluation, case.body, scope, returned)
        case ast.Global(names=names):
            scope.globals.update(names)
        case _:
            pass
    return False


def _branch(evaluation: Evaluation, node: ast.If, scope: Scope, returned: list[Value]) -> bool:
    known = _known_test(node.test)
    if known is not None:
        return run(evaluation, node.body if known else node.orelse, scope, returned)
    value(evaluation, node.test, scope)
    other_ends = run(evaluation, node.orelse, scope, returned)
    return run(evaluation, node.body, scope, returned) and other_ends


def _known_test(test: ast.expr) -> bool | None:
    """What a condition certainly is: only literals and `TYPE_CHECKING`, because a variable may be set from anywhere."""
    match test:
        case ast.Constant(value=constant):
            return bool(constant)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            known = _known_test(operand)
            return None if known is None else not known
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return False
        case _:
            return None


def _ends(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(one, ast.Return | ast.Raise | ast.Continue | ast.Break) for one in body)


# Definitions.


def _define_function(evaluation: Evaluation, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
    function = Function(node, scope)
    if not scope.is_class:
        evaluation.functions.append(function)
    scope.names[node.name] = function
    _decorate(evaluation, function, node.decorator_list, scope)
    scope.names[node.name] = function


def _define_class(evaluation: Evaluation, node: ast.ClassDef, scope: Scope) -> None:
    inner = Scope(scope.module, parent=scope, is_class=True)
    bases = tuple(value(evaluation, base, scope) for base in node.bases)
    defined = Class(node.name, bases, inner.names, site_of(node, scope))
    run(evaluation, node.body, inner)
    for one in list(inner.names.values()):
        if isinstance(one, Function) and one.owner is None:
            one.owner = defined
    scope.names[node.name] = defined
    _decorate(evaluation, defined, node.decorator_list, scope)


def _decorate(evaluation: Evaluation, target: Function | Class, decorators: list[ast.expr], scope: Scope) -> None:
    for expression in reversed(decorators):
        decorator = value(evaluation, expression, scope)
        target.decorations.append(decorator)
        if isinstance(decorator, Object):
            decorator.applied.append(target)
        elif isinstance(decorator, Function | Bound | Member):
            call(evaluation, decorator, (target,), {}, site_of(expression, scope))


# Imports.


def _import(evaluation: Evaluation, alias: ast.alias, scope: Scope) -> None:
    module = evaluation.project.absolute(scope.module, alias.name)
    if module is None:
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        scope.names[alias.asname or name] = External(name)
        return
    evaluation.scope(module)
    depth = alias.name.count(".")
    top = evaluation.project.modules[module.parts[: len(module.parts) - depth]]
    evaluation.scope(top)
    scope.names[alias.asname or alias.name.partition(".")[0]] = module if alias.asname else top


def _import_from(evaluation: Evaluation, node: ast.ImportFrom, scope: Scope) -> None:
    name, project = node.module or "", evaluation.project
    module = project.relative(scope.module, node.level, name) if node.level else project.absolute(scope.module, name)
    for alias in node.names:
        if alias.name == "*":
            scope.names.update(_public(evaluation, module) if module is not None else {})
        elif module is not None:
            scope.names[alias.asname or alias.name] = attribute(evaluation, module, alias.name, pending=True)
        else:
            scope.names[alias.asname or alias.name] = UNKNOWN if node.level else External(f"{name}.{alias.name}")


def _public(evaluation: Evaluation, module: Module) -> dict[str, Value]:
    """What `from module import *` brings."""
    names = evaluation.scope(module).names
    listed = names.get("__all__")
    public = listed if isinstance(listed, list | tuple) else [one for one in names if not one.startswith("_")]
    return {one: names[one] for one in public if isinstance(one, str) and one in names}
