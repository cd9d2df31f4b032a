"""Which statements of a tree ran: the record, and for Python, given the lines that did."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..core.base import Frozen
from ..sandbox.apart import Unreadable, apart
from .source_files import source_files

ROOT = "/app/"


class CoveredFile(Frozen):
    """One file of the service's own code."""

    file: str
    """Relative to the tree."""
    statements: int
    ran: int


class CoveredCode(Frozen):
    """All of it, or why that is not known."""

    files: tuple[CoveredFile, ...] = ()
    why_not: str = ""
    """One line; empty if it is known."""

    @property
    def share(self) -> float | None:
        """Of all statements; None where it is not known, which is not 0."""
        statements = sum(file.statements for file in self.files)
        return sum(file.ran for file in self.files) / statements if statements else None


def covered_files(tree: Path, heard: Path) -> CoveredCode:
    """Every Python file of `tree` that has statements, by the lines of `heard`: each a JSON object of a `file` (its path, `tree` being at
    `ROOT`) and the numbers of `lines` that ran."""
    return counted_apart(f"{__name__}:count", tree, heard)


def counted_apart(function: str, *arguments: Path) -> CoveredCode:
    """What a function that counts statements comes to, in a process of its own."""
    try:
        found = CoveredCode.model_validate(apart(function, *map(str, arguments)))
    except Unreadable as problem:
        return CoveredCode(why_not=f"its code could not be read: {problem}")
    return found if found.files or found.why_not else CoveredCode(why_not="it has no statements of its own")


def count(tree: str, heard: str) -> dict[str, object]:
    root, ran_lines = Path(tree), _lines(Path(heard))
    if not ran_lines:
        return {"why_not": "no line of it ran"}
    found: list[dict[str, object]] = []
    for path in source_files(root, (".py",)):
        name = path.relative_to(root).as_posix()
        spans = list(_spans(path.read_bytes()))
        ran = ran_lines.get(name, frozenset())
        if spans:
            found.append(
                {"file": name, "statements": len(spans), "ran": sum(not ran.isdisjoint(span) for span in spans)}
            )
    return {"files": found}


def _lines(heard: Path) -> dict[str, set[int]]:
    """The lines that ran, by path relative to the tree."""
    ran: dict[str, set[int]] = {}
    for said in records(heard):
        match said:
            case {"file": str(file), "lines": list(lines)} if file.startswith(ROOT):
                ran.setdefault(file.removeprefix(ROOT), set()).update(line for line in lines if type(line) is int)
    return ran


def records(heard: Path) -> Iterator[object]:
    """What each line of a file says. Those that are no JSON are left out: whoever was heard said them so."""
    with heard.open("rb") as lines:
        for line in lines:
            with suppress(ValueError, RecursionError):
                yield json.loads(line)


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
