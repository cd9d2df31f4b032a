"""What each kind of expression means, and what its value is bound to. Names are in `python_names.py`, calls in `python_calls.py`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .python_builtins import MAX_BITS, MAX_ITEMS, MAX_TEXT, bounded, percent, total
from .python_calls import call
from .python_names import attribute, look_up, super_of
from .python_project import Module
from .python_values import Class, External, Function, Object, Scope, Table
from .values import UNKNOWN, Site, Value, is_known

if TYPE_CHECKING:
    from .python_evaluation import Evaluation


def value(evaluation: Evaluation, node: ast.expr | None, scope: Scope) -> Value:
    """What an expression means. Whatever is called in it is called, even where its own value cannot be told."""
    evaluation.budget.spend()
    match node:
        case ast.Constant(value=constant):
            is_large = isinstance(constant, str) and len(constant) > MAX_TEXT
            is_large = is_large or (isinstance(constant, int) and constant.bit_length() > MAX_BITS)
            return UNKNOWN if is_large else constant
        case ast.Name(id=name):
            return evaluation.resolved(look_up(evaluation, name, scope))
        case ast.Attribute(value=inner, attr=name):
            return evaluation.resolved(attribute(evaluation, value(evaluation, inner, scope), name))
        case ast.Call():
            return _call(evaluation, node, scope)
        case ast.JoinedStr(values=values):
            return _joined(evaluation, values, scope)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return total(value(evaluation, left, scope), value(evaluation, right, scope))
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            return percent(value(evaluation, left, scope), value(evaluation, right, scope))
        case ast.List(elts=elts):
            return _elements(evaluation, elts, scope)
        case ast.Tuple(elts=elts) | ast.Set(elts=elts):
            # Of a set too: members need not be hashable, and the order of a set literal is the order of its routes.
            return tuple(_elements(evaluation, elts, scope))
        case ast.Dict(keys=keys, values=values):
            return _table(evaluation, keys, values, scope)
        case ast.Subscript(value=inner, slice=index):
            return _item(evaluation, value(evaluation, inner, scope), index, scope)
        case ast.BoolOp(values=values):
            results = [value(evaluation, one, scope) for one in values]
            return next((one for one in results if is_known(one)), UNKNOWN)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            value(evaluation, test, scope)
            other, one = value(evaluation, orelse, scope), value(evaluation, body, scope)
            return one if is_known(one) else other
        case ast.NamedExpr(target=target, value=inner):
            result = value(evaluation, inner, scope)
            bind(evaluation, target, result, scope)
            return result
        case ast.Await(value=inner):
            return value(evaluation, inner, scope)
        case ast.Lambda():
            return Function(node, scope)
        case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element) | ast.SetComp(elt=element):
            return _comprehended(evaluation, element, node.generators, scope)
        case ast.Compare(left=left, comparators=comparators):
            for one in (left, *comparators):
                value(evaluation, one, scope)
            return UNKNOWN
        case _:
            return UNKNOWN


def _call(evaluation: Evaluation, node: ast.Call, scope: Scope) -> Value:
    args = tuple(_elements(evaluation, node.args, scope))
    keywords: dict[str, Value] = {}
    for one in node.keywords:
        result = value(evaluation, one.value, scope)
        if one.arg is not None:
            keywords[one.arg] = result
        elif isinstance(result, dict):
            keywords.update({key: inner for key, inner in result.items() if isinstance(key, str)})
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return super_of(scope)
    return call(evaluation, value(evaluation, node.func, scope), args, keywords, site_of(node, scope))


def _joined(evaluation: Evaluation, values: list[ast.expr], scope: Scope) -> Value:
    parts: list[str] = []
    for one in values:
        plain = not isinstance(one, ast.FormattedValue) or (one.format_spec is None and one.conversion == -1)
        part = value(evaluation, one.value if isinstance(one, ast.FormattedValue) else one, scope)
        if not plain or not isinstance(part, str | int):
            return UNKNOWN
        parts.append(str(part))
    return bounded("".join(parts))


def _elements(evaluation: Evaluation, elts: list[ast.expr], scope: Scope) -> list[Value]:
    items: list[Value] = []
    for one in elts[:MAX_ITEMS]:
        if isinstance(one, ast.Starred):
            inner = value(evaluation, one.value, scope)
            items.extend(inner if isinstance(inner, list | tuple) else [inner])
        else:
            items.append(value(evaluation, one, scope))
    return items[:MAX_ITEMS]


def _table(evaluation: Evaluation, keys: Sequence[ast.expr | None], values: list[ast.expr], scope: Scope) -> Table:
    table = Table()
    for key_node, value_node in zip(keys, values, strict=True):
        result = value(evaluation, value_node, scope)
        if key_node is None:
            if isinstance(result, Table):
                table.update(result)
                table.sites.update(result.sites)
        else:
            key = value(evaluation, key_node, scope)
            if isinstance(key, str | int):
                table[key] = result
                table.sites[key] = site_of(key_node, scope)
    return table


def _item(evaluation: Evaluation, owner: Value, index: ast.expr, scope: Scope) -> Value:
    if isinstance(owner, External) and owner.name == "os.environ":
        return UNKNOWN
    if isinstance(index, ast.Slice):
        parts = (index.lower, index.upper, index.step)
        bounds = [None if one is None else value(evaluation, one, scope) for one in parts]
        can_tell = all(one is None or (isinstance(one, int) and one) for one in bounds)
        return owner[slice(*bounds)] if isinstance(owner, str | list | tuple) and can_tell else UNKNOWN
    key = value(evaluation, index, scope)
    if isinstance(owner, list | tuple) and isinstance(key, int) and -len(owner) <= key < len(owner):
        return owner[key]
    if isinstance(owner, Table) and isinstance(key, str | int):
        return owner.get(key, UNKNOWN)
    return UNKNOWN


def _comprehended(
    evaluation: Evaluation, element: ast.expr, generators: list[ast.comprehension], scope: Scope
) -> list[Value]:
    inner = Scope(scope.module, parent=scope)
    results: list[Value] = []

    def loop(remaining: list[ast.comprehension]) -> None:
        if not remaining:
            if len(results) < MAX_ITEMS:
                results.append(value(evaluation, element, inner))
            return
        for item in iterated(value(evaluation, remaining[0].iter, inner)):
            bind(evaluation, remaining[0].target, item, inner)
            loop(remaining[1:])

    loop(generators)
    return results


def iterated(collection: Value) -> list[Value]:
    """What a loop goes over; a loop over something unknown is gone through once."""
    return list(collection)[:MAX_ITEMS] if isinstance(collection, list | tuple | dict) else [UNKNOWN]


def bind(evaluation: Evaluation, target: ast.expr, given: Value, scope: Scope) -> None:
    """Gives a target of an assignment, a loop or a `with` its value."""
    match target:
        case ast.Name(id=name):
            at = evaluation.scope(scope.module) if name in scope.globals else scope
            at.names[name] = given
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            items = list(given) if isinstance(given, list | tuple) else []
            for position, one in enumerate(elts):
                bind(evaluation, one, items[position] if position < len(items) else UNKNOWN, scope)
        case ast.Starred(value=inner):
            bind(evaluation, inner, UNKNOWN, scope)
        case ast.Attribute(value=inner, attr=name):
            owner = value(evaluation, inner, scope)
            if isinstance(owner, Object | Class):
                owner.attributes[name] = given
            elif isinstance(owner, Module):
                evaluation.scope(owner).names[name] = given
        case ast.Subscript(value=inner, slice=index):
            owner, key = value(evaluation, inner, scope), value(evaluation, index, scope)
            if isinstance(owner, Table) and isinstance(key, str | int) and len(owner) < MAX_ITEMS:
                owner[key] = given
                owner.sites[key] = site_of(target, scope)
        case _:
            pass


def site_of(node: ast.expr | ast.stmt, scope: Scope) -> Site:
    return Site(scope.module.file, node.lineno)
