"""An answer that is only the function's body: a block, a continuation, an indented part of prose."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import groupby, takewhile

from .candidates import Candidate
from .extraction import Extraction, How, Target
from .mending import mended
from .python_header import Header
from .python_modules import Module
from .python_source import compiles, indent_of, parsed, shifted, without_unfinished_end


def find_body(
    pieces: list[Candidate], modules: list[Module], target: Target, header: Header | None
) -> Extraction | None:
    """The longest of the bodies that there are; None if there is none, or no header to put it under."""
    if header is None:
        return None
    # An example of a function calls it, one of a method makes an object first.
    called = target.class_name.split(".")[-1] or target.name
    fenced = [module for module in modules if module.fenced and _is_body(module, called)]
    raw = [module for piece in pieces if not piece.fenced for module in _raw_bodies(piece.code, called)]
    found = [body for module in (*fenced, *raw) if (body := _under_header(module, header)) is not None]
    return max(found, key=lambda one: (len(one.body.split("\n")), found.index(one)), default=None)


def _under_header(module: Module, header: Header) -> Extraction | None:
    source, notes = _up_to_return(module)
    function = header.with_body(source)
    if not compiles(function):
        return None
    if module.truncated:
        notes = (*notes, "the answer ends inside the code; it is taken up to its last whole statement")
    return Extraction(
        how=How.BODY,
        function=function,
        body=shifted(source.rstrip("\n") + "\n", ""),
        notes=(*module.notes, *notes),
        truncated=module.truncated,
    )


def _up_to_return(module: Module) -> tuple[str, tuple[str, ...]]:
    """The statements up to the first `return` of the body itself: nothing behind it can run."""
    body = module.tree.body
    last = next(
        (at for at, statement in enumerate(body) if isinstance(statement, ast.Return | ast.Raise)), len(body) - 1
    )
    if last == len(body) - 1 or any(isinstance(n, ast.Yield | ast.YieldFrom) for s in body for n in ast.walk(s)):
        return module.source, ()
    end = body[last].end_lineno or body[last].lineno
    return module.text(1, end), ("what follows the body was left out",)


def _is_body(module: Module, called: str) -> bool:
    """Whether the statements can be meant as a body: not as an example, which stands at the margin, calls `called` and returns nothing,
    not as a definition of something else, not as words that happen to parse."""
    if not any(_does_something(statement) for statement in module.tree.body):
        return False
    if module.indented or any(
        isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in _walk_own(module.tree)
    ):
        return True
    calls = (node.func for node in ast.walk(module.tree) if isinstance(node, ast.Call))
    return not any(isinstance(function, ast.Name) and function.id == called for function in calls)


def _walk_own(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of this scope."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from _walk_own(node)


def _does_something(statement: ast.stmt) -> bool:
    if isinstance(
        statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Assert
    ):
        return False
    if isinstance(statement, ast.Expr):
        value = statement.value
        if isinstance(value, ast.Call):
            return not (isinstance(value.func, ast.Name) and value.func.id == "print")
        return isinstance(value, ast.Await | ast.Yield | ast.YieldFrom)
    return not isinstance(statement, ast.AnnAssign) or statement.value is not None


def _raw_bodies(text: str, called: str) -> Iterator[Module]:
    """Bodies in a text that nothing marks as code, the likeliest first; only the first that there is counts."""
    for way in (_continuation, _whole, _indented_parts, _in_backticks):
        found = [module for module in way(text) if _is_body(module, called)]
        if found:
            yield from found
            return


def _whole(text: str) -> Iterator[Module]:
    for code, notes in mended(text):
        if (tree := parsed(code)) is not None:
            yield Module(code, tree, notes, fenced=False)
            return
    shorter = without_unfinished_end(text)
    tree = None if shorter is None else parsed(shorter)
    if (
        shorter is not None
        and tree is not None
        and any(isinstance(n, ast.Assign | ast.If | ast.For) for n in tree.body)
    ):
        yield Module(shorter, tree, truncated=True, fenced=False)


_TRIES = 50


def _continuation(text: str) -> Iterator[Module]:
    """What a base model writes after a header: lines at some column, ended by a line further left."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return
    notes: tuple[str, ...] = ()
    margin = indent_of(lines[first])
    if not margin:
        # The prompt may have ended with the indent of the first line.
        later = [indent_of(line) for line in lines[first + 1 :] if line.strip()]
        if not later or not later[0]:
            return
        margin = min(takewhile(bool, later), key=len)
        lines[first] = margin + lines[first]
        notes = ("the first line was moved to where the others are",)
    told = [at for at, line in enumerate(lines) if line.strip()]
    # Lines that are not further left than the first are in it, unless a string or a bracket ends there.
    ends = [at for at in told if at > first and len(indent_of(lines[at])) < len(margin)][:_TRIES]
    for end in [*ends, len(lines)]:
        following = next((line for line in lines[end:] if line.strip()), None)
        written = "\n".join(lines[first:end]).rstrip() + "\n"
        if parsed(f"if 1:\n{written}") is None:
            continue
        code = shifted(written, "")
        if (tree := parsed(code)) is not None:
            left = ("what follows the body was left out",) if following is not None else ()
            yield Module(code, tree, (*notes, *left), fenced=False, indented=True)
            return
    code = shifted("\n".join(lines[first:]), "")
    shorter = without_unfinished_end(code)
    if shorter is not None and (tree := parsed(shorter)) is not None:
        yield Module(shorter, tree, notes, truncated=True, fenced=False, indented=True)


def _indented_parts(text: str) -> Iterator[Module]:
    """Markdown's other way to mark code: lines that are indented among lines that are not."""
    for indented, group in groupby(
        text.split("\n"), key=lambda line: not line.strip() or line.startswith(("  ", "\t"))
    ):
        part = "\n".join(group)
        if not indented or not part.strip():
            continue
        for code, notes in mended(part):
            if (tree := parsed(code)) is not None:
                yield Module(code.strip("\n") + "\n", parsed(code.strip("\n") + "\n") or tree, notes, fenced=False)
                break


def _in_backticks(text: str) -> Iterator[Module]:
    for span in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text):
        tree = parsed(span.strip() + "\n")
        if tree is not None and any(isinstance(node, ast.Return) for node in tree.body):
            yield Module(span.strip() + "\n", tree, ("taken from within a sentence",), fenced=False)
