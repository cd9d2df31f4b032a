"""Which statements of a tree's Python ran, given the lines that did."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..core.base import Frozen
from ..sandbox.apart import Unreadable, apart
from .source_files import source_files


class CoveredFile(Frozen):
    """One file of the service's own code."""

    file: str
    """Relative to the tree."""
    statements: int
    ran: int


def covered_files(tree: Path, lines: Mapping[str, Sequence[int]]) -> tuple[CoveredFile, ...]:
    """Every Python file of `tree` that has statements; `lines` are those that ran, by path relative to it. None where it cannot be read."""
    given = tree.parent / "lines.json"
    given.write_text(json.dumps(dict(lines)), encoding="utf-8")
    try:
        return tuple(map(CoveredFile.model_validate, apart(f"{__name__}:count", str(tree), str(given))))
    except Unreadable:
        return ()


def count(tree: str, given: str) -> list[dict[str, object]]:
    root, lines = Path(tree), json.loads(Path(given).read_text(encoding="utf-8"))
    found: list[dict[str, object]] = []
    for path in source_files(root, (".py",)):
        name = path.relative_to(root).as_posix()
        spans = list(_spans(path.read_bytes()))
        ran = set(lines.get(name, ()))
        if spans:
            found.append(
                {"file": name, "statements": len(spans), "ran": sum(not ran.isdisjoint(span) for span in spans)}
            )
    return found


def _spans(source: bytes) -> Iterator[range]:
    """The lines of each statement; of one with a body, those before its body."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not _is_silent(node):
            decorators = [decorator.lineno for decorator in getattr(node, "decorator_list", ())]
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno or node.lineno
            first = min((node.lineno, *decorators))
            yield range(first, max(node.lineno, end) + 1)


def _is_silent(node: ast.stmt) -> bool:
    """Whether the interpreter does nothing for it: a docstring or other constant, a declaration of names."""
    return isinstance(node, ast.Global | ast.Nonlocal) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )
