"""Where in its file a route is registered: what to read its requests from, and what to take away to be without it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tree_sitter import Language, Node, Parser

from ....core.base import Frozen

JAVASCRIPT = (".js", ".mjs", ".cjs", ".jsx")
TYPESCRIPT = (".ts", ".mts", ".cts")


class Span(Frozen):
    """Bytes of a file, from `start` to before `end`."""

    start: int
    end: int


def span_of(node: Node) -> Span:
    return Span(start=node.start_byte, end=node.end_byte)


class Source:
    """A file's bytes, with the place of each line."""

    def __init__(self, path: Path) -> None:
        self.content = path.read_bytes()
        self._starts = [0]
        for line in self.content.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        """The offset of a 1-based line and a column in bytes, as `ast` counts them."""
        return self._starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> Span:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return Span(start=self.at(node.lineno, node.col_offset), end=self.at(node.end_lineno, node.end_col_offset))

    def text(self, span: Span) -> str:
        return self.content[span.start : span.end].decode("utf-8", "replace")


def python_tree(source: Source) -> ast.Module | None:
    try:
        return ast.parse(source.content)
    except (SyntaxError, ValueError):
        return None


def javascript_tree(path: Path, content: bytes) -> Node:
    if path.suffix in TYPESCRIPT:
        import tree_sitter_typescript

        language = Language(tree_sitter_typescript.language_typescript())
    else:
        import tree_sitter_javascript

        language = Language(tree_sitter_javascript.language())
    return Parser(language).parse(content).root_node


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the text."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(reversed(here.children))


def python_route(tree: ast.Module, line: int) -> tuple[ast.AST, ast.AST] | None:
    """What registers the route of `line`, and what handles it: a decorator and its function, an element of a list, or a statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                if _covers(decorator, line):
                    return decorator, node
    best: tuple[ast.AST, ast.AST] | None = None
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple):
            for element in node.elts:
                if isinstance(element, ast.Call) and _covers(element, line):
                    best = (element, element)  # the innermost comes last
    if best is not None:
        return best
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.Assign | ast.AugAssign) and _covers(node, line):
            return node, node
    return None


def _covers(node: ast.expr | ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def javascript_route(tree: Node, line: int) -> Node | None:
    """The innermost statement that begins at or before `line` and calls something there."""
    best = None
    for node in walk(tree):
        if node.type == "expression_statement" and node.start_point[0] <= line - 1 <= node.end_point[0]:
            # Handlers hold statements of their own: the route is what encloses them, so the first that begins at the line wins.
            if node.start_point[0] == line - 1 or best is None:
                best = node
            if node.start_point[0] == line - 1:
                break
    return best
