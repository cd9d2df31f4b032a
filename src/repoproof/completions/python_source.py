"""Python text: parsed without surprises, moved to another column without touching what stands in strings, cut where an answer was cut."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

MAX_CHARACTERS = 1_000_000
INDENT = "    "


def parsed(source: str) -> ast.Module | None:
    """The syntax tree, or None: for what is not Python 3, too deep or too long to be parsed."""
    return None if isinstance(tree := parsed_or_why(source), str) else tree


def parsed_or_why(source: str) -> ast.Module | str:
    """The syntax tree, or in a few words why there is none."""
    if len(source) > MAX_CHARACTERS:
        return "too long"
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
    lines = source.rstrip().split("\n")
    for kept in range(len(lines) - 1, 0, -1):
        if not lines[kept].strip():
            continue
        if parsed(opening + "\n".join(lines[:kept]) + "\n") is None:
            continue
        return "\n".join(lines[:kept]).rstrip() + "\n" if _is_one_statement(lines[kept:]) else None
    return None


_CONTINUATIONS = ("except", "else", "elif", "finally", ")", "]", "}", "case")


def _is_one_statement(lines: list[str]) -> bool:
    first = len(indent_of(lines[0]))
    if _never_ends("\n".join(lines)):
        return True
    return all(
        not line.strip()
        or len(indent_of(line)) > first
        or (len(indent_of(line)) == first and line.lstrip().startswith(_CONTINUATIONS))
        for line in lines[1:]
    )


def _never_ends(text: str) -> bool:
    """Whether the first logical line of `text` is never finished: a bracket or a string is open at its end."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text.lstrip()).readline):
            if token.type == tokenize.NEWLINE:
                return False
    except (tokenize.TokenError, SyntaxError):
        return True
    return False
