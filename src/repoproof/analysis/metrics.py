"""How large a service is: lines, complexity, files and functions of its Python, JavaScript, TypeScript and Java."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from ..core.base import Frozen
from ..core.task import Difficulty
from .source_files import source_files

# A measure up to the first bound is easy, up to the second medium, beyond it hard.
BOUNDS = {
    "lines": (200, 600),
    "complexity": (40, 120),
    "files": (5, 15),
    "endpoints": (6, 15),
    "functions": (20, 60),
}
LEVELS = ("easy", "medium", "hard")

_GRAMMARS = {
    ".java": "java",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
}
_GRAMMARS |= {".cts": "typescript", ".tsx": "tsx"}


class CodeMetrics(Frozen):
    """Size of a tree's own code; tests and dependencies are left out."""

    lines: int = 0
    """Lines with code on them: not blank, not only a comment, not part of a Python docstring."""
    complexity: int = 0
    """Sum over all functions of McCabe's number: one, and one more for each decision in the function."""
    files: int = 0
    functions: int = 0
    """Functions, methods and classes; in JavaScript and Java also function expressions and lambdas, which handlers are."""

    def __add__(self, other: CodeMetrics) -> CodeMetrics:
        return CodeMetrics(
            lines=self.lines + other.lines,
            complexity=self.complexity + other.complexity,
            files=self.files + other.files,
            functions=self.functions + other.functions,
        )


def measure_code(tree: Path) -> CodeMetrics:
    """Metrics of all source files of `tree`. A file that does not parse counts as a file, with the lines that can be told."""
    total = CodeMetrics()
    for path in source_files(tree, (".py", *_GRAMMARS)):
        try:
            source = path.read_bytes()
        except OSError:
            continue
        total += _python(source) if path.suffix == ".py" else _by_grammar(source, _GRAMMARS[path.suffix])
    return total


def difficulty(metrics: CodeMetrics, endpoints: int) -> Difficulty:
    """The level that at least three of the five measures reach: their median by `BOUNDS`, which one odd measure does not move."""
    measures = {**metrics.model_dump(), "endpoints": endpoints}
    levels = [sum(measures[name] > bound for bound in bounds) for name, bounds in BOUNDS.items()]
    return Difficulty(level=LEVELS[int(median(levels))], **measures)


# Python.


def _python(source: bytes) -> CodeMetrics:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        lines = sum(1 for line in source.splitlines() if line.strip() and not line.lstrip().startswith(b"#"))
        return CodeMetrics(lines=lines, files=1)
    functions = classes = decisions = 0
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, inside = waiting.pop()
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        functions += is_function
        classes += isinstance(node, ast.ClassDef)
        decisions += _decisions(node) if inside else 0
        waiting.extend((child, inside or is_function) for child in ast.iter_child_nodes(node))
    return CodeMetrics(
        lines=len(_python_lines(source, tree)), complexity=functions + decisions, files=1, functions=functions + classes
    )


def _decisions(node: ast.AST) -> int:
    match node:
        case ast.If() | ast.IfExp() | ast.For() | ast.AsyncFor() | ast.While() | ast.ExceptHandler():
            return 1
        case ast.BoolOp(values=values):
            return len(values) - 1
        case ast.comprehension(ifs=ifs):
            return 1 + len(ifs)
        case ast.match_case(pattern=pattern, guard=guard):
            catches_all = isinstance(pattern, ast.MatchAs) and pattern.pattern is None and guard is None
            return 0 if catches_all else 1
        case _:
            return 0


def _python_lines(source: bytes, tree: ast.Module) -> set[int]:
    lines: set[int] = set()
    silent = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
    try:
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            if token.type not in silent:
                lines.update(range(token.start[0], token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError):
        pass
    blank = {number for number, line in enumerate(source.splitlines(), start=1) if not line.strip()}
    return lines - blank - set(_docstring_lines(tree))


def _docstring_lines(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node, clean=False) is not None
        ):
            text = node.body[0]
            yield from range(text.lineno, (text.end_lineno or text.lineno) + 1)


# JavaScript, TypeScript and Java.

_FUNCTIONS = frozenset(
    {"function_declaration", "function_expression", "arrow_function", "method_definition"}
    | {"generator_function", "generator_function_declaration"}
    | {"method_declaration", "constructor_declaration", "compact_constructor_declaration", "lambda_expression"}
)
_CLASSES = frozenset({"class_declaration", "class", "abstract_class_declaration"})
# In TypeScript, interfaces and enumerations are types, without code of their own.
_JAVA_CLASSES = _CLASSES | {"interface_declaration", "enum_declaration", "record_declaration"}
_BRANCHES = frozenset(
    {"if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement"}
    | {"enhanced_for_statement", "switch_case", "catch_clause", "ternary_expression"}
)
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_SHORT_CIRCUITS = frozenset({b"&&", b"||", b"??"})


@cache
def _language(name: str) -> Language:
    grammar = {
        "java": tree_sitter_java.language,
        "javascript": tree_sitter_javascript.language,
        "typescript": tree_sitter_typescript.language_typescript,
        "tsx": tree_sitter_typescript.language_tsx,
    }
    return Language(grammar[name]())


def _by_grammar(source: bytes, language: str) -> CodeMetrics:
    kinds_of_classes = _JAVA_CLASSES if language == "java" else _CLASSES
    functions = classes = decisions = 0
    lines: set[int] = set()
    waiting: list[tuple[Node, bool]] = [(Parser(_language(language)).parse(source).root_node, False)]
    while waiting:
        node, inside = waiting.pop()
        # The keyword `class` is a node of the same type as a class expression, but not a named one.
        is_function = node.is_named and node.type in _FUNCTIONS
        functions += is_function
        classes += node.is_named and node.type in kinds_of_classes
        decisions += inside and node.is_named and (node.type in _BRANCHES or _short_circuits(node) or _is_case(node))
        if node.type in _COMMENTS:
            continue
        if node.child_count == 0 and node.end_byte > node.start_byte:
            lines.update(range(node.start_point.row, node.end_point.row + 1))
        waiting.extend((child, inside or is_function) for child in node.children)
    blank = {number for number, line in enumerate(source.split(b"\n")) if not line.strip()}
    return CodeMetrics(
        lines=len(lines - blank), complexity=functions + decisions, files=1, functions=functions + classes
    )


def _is_case(node: Node) -> bool:
    """A `case` of Java; `default` is no decision."""
    return node.type == "switch_label" and node.child_count > 0 and node.children[0].type == "case"


def _short_circuits(node: Node) -> bool:
    operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
    return operator is not None and operator.text in _SHORT_CIRCUITS
