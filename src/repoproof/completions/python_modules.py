"""The pieces of an answer read as Python modules: whole, or the statements that can be saved from among prose."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from .candidates import Candidate
from .mending import mended
from .python_scope import Definition, statements
from .python_source import effort_is_left, indent_of, never_ends, parsed, without_unfinished_end


@dataclass(frozen=True)
class Module:
    """A piece of an answer that could be parsed."""

    source: str
    tree: ast.Module
    notes: tuple[str, ...] = ()
    truncated: bool = False
    """Whether the answer ends inside it."""
    fenced: bool = True
    indented: bool = False
    """Whether it stood at a column of its own: the inside of something, then, and no example."""

    def text(self, first: int, last: int) -> str:
        """Lines `first` to `last`, from 1."""
        return "\n".join(self.source.split("\n")[first - 1 : last]) + "\n"


@dataclass(frozen=True)
class Found:
    """A definition with the wanted name."""

    module: Module
    node: Definition | ast.Assign
    """An assignment gives the name a lambda."""
    owner: ast.ClassDef | None
    class_path: str
    """Dotted; empty outside any class."""


def read(piece: Candidate, name: str) -> Module | None:
    """The piece as a module; with a definition of `name`, if there is any way to find one in it."""
    whole = _whole(piece)
    if whole is not None and definitions(whole, name):
        return whole
    if mentions_definition(piece.code, name):
        for code, notes in mended(piece.code):
            saved = _saved(code, name, notes, piece)
            if saved is not None and definitions(saved, name):
                return saved
    if whole is None and piece.fenced and not piece.closed:
        return _cut(piece)
    return whole


def _whole(piece: Candidate) -> Module | None:
    for code, notes in mended(piece.code):
        if (tree := parsed(code)) is not None:
            indented = piece.code.lstrip("\n").startswith((" ", "\t"))
            return Module(code, tree, notes, not piece.closed and piece.fenced, piece.fenced, indented)
    return None


def mentions_definition(code: str, name: str) -> bool:
    return re.search(rf"\bdef[ \t]+{re.escape(name)}[ \t]*[(\[]", code) is not None


def begins_definition(code: str, name: str) -> bool:
    """Whether a line of `code` is meant to begin a definition of `name`, whatever comes of it."""
    return re.search(rf"^[ \t]*(?:async[ \t]+)?def[ \t]+{re.escape(name)}[ \t]*[(\[]", code, re.MULTILINE) is not None


def definitions(module: Module, name: str) -> list[Found]:
    """All that give `name` a function, in the module or in its classes, in their order; none inside functions."""
    found: list[Found] = []

    def look(body: list[ast.stmt], owner: ast.ClassDef | None, path: str) -> None:
        for statement in statements(body):
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name:
                found.append(Found(module, statement, owner, path))
            elif isinstance(statement, ast.ClassDef):
                look(statement.body, statement, f"{path}.{statement.name}".lstrip("."))
            elif _is_lambda(statement, name):
                assert isinstance(statement, ast.Assign)
                found.append(Found(module, statement, owner, path))

    look(module.tree.body, None, "")
    return found


def _is_lambda(statement: ast.stmt, name: str) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Lambda)
        and any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
    )


def _cut(piece: Candidate) -> Module | None:
    for code, notes in mended(piece.code):
        shorter = without_unfinished_end(code)
        if shorter is not None and (tree := parsed(shorter)) is not None:
            return Module(shorter, tree, notes, truncated=True)
    return None


def _saved(code: str, name: str, notes: tuple[str, ...], piece: Candidate) -> Module | None:
    """A module of the statements that can be parsed; what is between them is not code."""
    chunks, truncated = _chunks(code, may_be_cut=not piece.closed)
    if not any(mentions_definition(chunk, name) for chunk in chunks):
        # In the middle of prose, at some column.
        chunks, truncated = _chunks(_from_definition(code, name), may_be_cut=not piece.closed)
    source = "\n".join(chunks)
    tree = parsed(source)
    return None if tree is None else Module(source, tree, notes, truncated, piece.fenced)


_GOES_ON = ("else", "elif", "except", "finally")
_COMPOUND = ("def ", "async ", "class ", "@", "try", "if ", "with ", "for ", "while ", "match ")
_TRIES = 50


def _chunks(code: str, *, may_be_cut: bool) -> tuple[list[str], bool]:
    """The statements at column 0, each as far as it parses, and whether the last was cut off."""
    lines = code.split("\n")
    starts = [at for at, line in enumerate(lines) if line.strip() and line[0] not in " \t"]
    found: list[str] = []
    index = 0
    while index < len(starts) and effort_is_left():
        end = _end_of_statement(lines, starts, index)
        if end is not None:
            found.append("\n".join(lines[starts[index] : end]).rstrip())
            while index < len(starts) and starts[index] < end:
                index += 1
            continue
        is_near_the_end = index + _TRIES >= len(starts)
        if may_be_cut and is_near_the_end and lines[starts[index]].startswith(("def ", "async def ", "class ", "@")):
            shorter = without_unfinished_end("\n".join(lines[starts[index] :]))
            if shorter is not None:
                return [*found, shorter.rstrip()], True
        index += 1
    return found, False


def _end_of_statement(lines: list[str], starts: list[int], index: int) -> int | None:
    """The line behind the statement that begins at `starts[index]`."""
    first = lines[starts[index]]
    for at in range(index + 1, min(index + _TRIES, len(starts)) + 1):
        end = starts[at] if at < len(starts) else len(lines)
        if at < len(starts) and lines[end].startswith(_GOES_ON):
            continue
        statement = "\n".join(lines[starts[index] : end])
        if parsed(statement) is not None:
            return end
        # Prose shows that it is prose at once.
        if not first.startswith(_COMPOUND) and not never_ends(statement):
            return None
    return None


def _from_definition(code: str, name: str) -> str:
    """From the first line that defines `name`, decorators included, to where its indent ends; at column 0."""
    lines = code.split("\n")
    pattern = re.compile(rf"(?P<before>.*?)(?P<definition>(?:async[ \t]+)?def[ \t]+{re.escape(name)}\b.*)")
    for at, line in enumerate(lines):
        matched = pattern.fullmatch(line)
        if matched is None:
            continue
        if matched["before"].strip():
            lines[at] = matched["definition"]
        margin = indent_of(lines[at])
        first = at
        while first and lines[first - 1].startswith(f"{margin}@"):
            first -= 1
        return "\n".join(line.removeprefix(margin) for line in lines[first:])
    return ""
