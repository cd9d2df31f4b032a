"""Which names a piece of Python needs from outside, and which statements of a module give them."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterable, Iterator

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def names_needed(source: str) -> frozenset[str]:
    """Names that `source`, a whole statement at column 0, reads from the scope around it; builtins among them."""
    tree = ast.parse(source)
    try:
        found = set(_global_names(symtable.symtable(source, "<answer>", "exec"), top=True))
    except (SyntaxError, RecursionError):
        found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(annotation, ast.expr):
                found.update(_names_in_annotation(annotation))
    return frozenset(found)


def attributes_needed(node: ast.AST, owners: Iterable[str]) -> frozenset[str]:
    """Names that are read from one of `owners`: `size` in `self.size`."""
    wanted = set(owners)
    return frozenset(
        part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in wanted
    )


def names_bound(statement: ast.stmt) -> frozenset[str]:
    """Names that the statement gives to the scope it stands in; `*` for all of a module's."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({statement.name})
    if isinstance(statement, ast.Import):
        return frozenset(alias.asname or alias.name.partition(".")[0] for alias in statement.names)
    if isinstance(statement, ast.ImportFrom):
        if statement.module == "__future__":
            return frozenset("*")
        return frozenset(alias.asname or alias.name for alias in statement.names)
    if isinstance(statement, ast.If | ast.Try | ast.With):
        return frozenset().union(*(names_bound(inner) for inner in _statements_of(statement)))
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return frozenset(node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
    return frozenset()


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a scope, those of its `if`, `try` and `with` blocks among them; not those under `if __name__ == ...`."""
    for statement in body:
        if is_main_block(statement):
            continue
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With):
            yield from statements(list(_statements_of(statement)))


def is_main_block(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(statement.test)
    )


def _statements_of(statement: ast.If | ast.Try | ast.With) -> Iterator[ast.stmt]:
    yield from statement.body
    if isinstance(statement, ast.If | ast.Try):
        yield from statement.orelse
    if isinstance(statement, ast.Try):
        for handler in statement.handlers:
            yield from handler.body
        yield from statement.finalbody


def _global_names(table: symtable.SymbolTable, *, top: bool = False) -> Iterator[str]:
    for symbol in table.get_symbols():
        # What the top binds is its own, though it is global as well.
        if symbol.is_referenced() if top else symbol.is_global():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _global_names(child)


def _names_in_annotation(annotation: ast.expr) -> Iterator[str]:
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"[^\W\d]\w*", node.value)
