"""Python text: parsed without surprises, moved to another column without touching what stands in strings, cut where an answer was cut."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_CHARACTERS = 300_000
INDENT = "    "

_EFFORT = 4_000_000
_EFFORT_A_TRY = 200
_left: ContextVar[int | None] = ContextVar("_left", default=None)


@contextmanager
def limited_effort() -> Generator[None]:
    """Inside, what is parsed is limited in sum, counted in characters: an answer cannot make its reader try for hours."""
    token = _left.set(_EFFORT)
    try:
        yield
    finally:
        _left.reset(token)


def effort_is_left() -> bool:
    left = _left.get()
    return left is None or left > 0


def parsed(source: str) -> ast.Module | None:
    """The syntax tree, or None: for what is not Python 3, too deep, too long, or more than the effort that is left."""
    return None if isinstance(tree := parsed_or_why(source), str) else tree


def parsed_or_why(source: str) -> ast.Module | str:
    """The syntax tree, or in a few words why there is none."""
    if len(source) > MAX_CHARACTERS:
        return "too long"
    if (left := _left.get()) is not None:
        if left <= 0:
            return "too long to look through"
        _left.set(left - len(source) - _EFFORT_A_TRY)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return type(error).__name__


def compiles(source: str) -> bool:
    """Whether the compiler takes it: more than the parser asks, `return` outside a function among it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<answer>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def shifted(source: str, indent: str) -> str:
    """`source`, which begins at some column, with its first line at `indent` and the others moved along.

    A line that begins inside a string stays as it is, since moving it would change the string.
    """
    lines = source.split("\n")
    old = indent_of(next((line for line in lines if line.strip()), ""))
    inside = _lines_inside_strings(source)
    moved: list[str] = []
    for number, line in enumerate(lines):
        if number in inside:
            moved.append(line)
        elif not line.strip():
            moved.append("")
        else:
            moved.append(indent + (line[len(old) :] if line.startswith(old) else line.lstrip()))
    return "\n".join(moved)


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _lines_inside_strings(source: str) -> frozenset[int]:
    """Indexes of the lines that begin inside a string."""
    inside: set[int] = set()
    starts: list[int] = []
    # A source that begins indented would be an indentation error to the tokenizer.
    indented = source.lstrip("\n")[:1] in (" ", "\t")
    text = f"if 1:\n{source}" if indented else source
    first = 2 if indented else 1
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = tokenize.tok_name[token.type]
            if kind in ("FSTRING_START", "TSTRING_START"):
                starts.append(token.start[0])
            elif kind in ("FSTRING_END", "TSTRING_END"):
                inside.update(range(starts.pop() + 1 - first, token.end[0] - first + 1))
            elif kind == "STRING":
                inside.update(range(token.start[0] + 1 - first, token.end[0] - first + 1))
    except (tokenize.TokenError, SyntaxError):
        pass
    return frozenset(inside)


def without_unfinished_end(source: str, opening: str = "") -> str | None:
    """`source` up to its last whole statement, if all that has to go is one statement that the end of the answer cut off.

    `opening` is put in front to parse it: the header, where `source` is a body. None if that is not why it does not parse.
    """
    if len(source) > MAX_CHARACTERS:
        return None
    lines = source.rstrip().split("\n")
    wrong = _line_of_error(opening + source) - opening.count("\n")
    # No text is right that goes beyond its first error.
    for kept in range(min(len(lines) - 1, wrong), 0, -1):
        if not effort_is_left():
            return None
        if not lines[kept].strip():
            continue
        if parsed(opening + "\n".join(lines[:kept]) + "\n") is None:
            continue
        return "\n".join(lines[:kept]).rstrip() + "\n" if _is_one_statement(lines[kept:]) else None
    return None


def _line_of_error(source: str) -> int:
    found = re.match(r"line (\d+):", why) if isinstance(why := parsed_or_why(source), str) else None
    return int(found[1]) if found else source.count("\n")


_CONTINUATIONS = ("except", "else", "elif", "finally", ")", "]", "}", "case")


def _is_one_statement(lines: list[str]) -> bool:
    first = len(indent_of(lines[0]))
    if never_ends("\n".join(lines)):
        return True
    return all(
        not line.strip()
        or len(indent_of(line)) > first
        or (len(indent_of(line)) == first and line.lstrip().startswith(_CONTINUATIONS))
        for line in lines[1:]
    )


def never_ends(text: str) -> bool:
    """Whether the first logical line of `text` is never finished: a bracket or a string is open at its end."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text.lstrip()).readline):
            if token.type == tokenize.NEWLINE:
                return False
    except (tokenize.TokenError, SyntaxError):
        return True
    return False
