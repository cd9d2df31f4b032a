"""Which statements of a tree's JavaScript and TypeScript ran, given which text of its scripts Node's engine did.

A statement ran if the innermost block around its beginning did: an engine counts blocks, so of a block that an exception ended
early, all statements ran. Positions are UTF-16 code units from the beginning of a file, as the engine's are.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from .source_files import source_files
from .source_map import Spots, line_starts, source_map, units_of
from .statements import CoveredCode, counted_apart, records

SUFFIXES = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")

_STATEMENTS = frozenset(
    {"expression_statement", "variable_declaration", "lexical_declaration", "return_statement", "throw_statement"}
    | {"if_statement", "switch_statement", "for_statement", "for_in_statement", "while_statement", "do_statement"}
    | {"try_statement", "break_statement", "continue_statement", "debugger_statement", "with_statement"}
    | {"class_declaration", "abstract_class_declaration", "enum_declaration", "export_statement"}
)
"""What the engine does something for when it comes to it: neither functions nor imports, which are there before."""
_TYPES_ONLY = frozenset({"ambient_declaration", "interface_declaration", "type_alias_declaration"})
_CONSTANTS = frozenset({"string", "number", "true", "false", "null"})
_TYPED = (".ts", ".mts", ".cts")
_SOURCE_URL = re.compile(r"\n\n//# sourceURL=[^\n]*\Z")
_DECLARATION_FILE = re.compile(r"\.d\.[cm]?ts$")

Span = tuple[int, int]
"""From, and to before."""


def covered_scripts(tree: Path, heard: Path, built: Path) -> CoveredCode:
    """Every JavaScript and TypeScript file of `tree` that has statements, by the lines of `heard`: each a JSON object of a script's `file`
    (relative to the tree), the `digest` of its `source`, the `source` itself at least once, and `ran`, from and to in turns.

    `built` is the tree as it was started, where source maps lie. A script that is in neither is taken by the map it carries.
    """
    return counted_apart(f"{__name__}:count", tree, heard, built)


def count(tree: str, heard: str, built: str) -> dict[str, object]:
    """What `covered_scripts` gives, as JSON has it; called in a process of its own."""
    own = {
        path.relative_to(tree).as_posix(): _Source(path)
        for path in source_files(Path(tree), SUFFIXES)
        if not _DECLARATION_FILE.search(path.name)
    }
    foreign: list[str] = []
    for script in _scripts(Path(heard)):
        found = source_map(script.file, script.source, Path(built))
        mapped = {file: spots for file, spots in found.items() if file in own}
        itself = script.file in own and _is_of(script, own[script.file].text)
        if itself and not mapped.keys() - {script.file}:
            own[script.file].ran_itself(script)
        elif mapped:
            for file, spots in mapped.items():
                own[file].ran_as(spots, script)
            if script.file not in mapped:
                # What was compiled is no source, even where it was submitted beside it.
                own.pop(script.file, None)
        elif not _lies_there(Path(tree), script):
            foreign.append(script.file)
    counting = [source for source in own.values() if source.statements]
    if counting and not foreign and not any(source.heard for source in counting):
        return {"why_not": "none of its own files ran"}
    if foreign and not all(source.heard for source in counting):
        return {"why_not": f"{foreign[0][:200]!r} is not as submitted, and no source map says what it was made from"}
    return {
        "files": [
            {"file": name, "statements": len(source.statements), "ran": len(source.ran)}
            for name, source in own.items()
            if source.statements
        ]
    }


@dataclass
class _Script:
    """What the engine ran under one name."""

    file: str
    """Relative to the tree."""
    source: str
    """Empty where that was never said."""
    ran: list[Span]
    """Sorted, apart from each other."""

    def ran_at(self, position: int) -> bool:
        at = bisect_right(self.ran, position, key=lambda span: span[0]) - 1
        return at >= 0 and position < self.ran[at][1]


class _Source:
    """One file of the submission's own."""

    def __init__(self, path: Path) -> None:
        self.text = _text(path)
        self.heard = False
        self.ran: set[Span] = set()
        self._all = list(_statements(self.text, path.suffix))
        self._without_code: set[Span] | None = None
        """Statements that a compiler made nothing of, in whatever it made of the file; None while nothing was heard of it."""

    @property
    def statements(self) -> list[Span]:
        silent = self._without_code or set()
        return [statement for statement in self._all if statement not in silent]

    def ran_itself(self, script: _Script) -> None:
        self.heard, self._without_code = True, set()
        self.ran.update(statement for statement in self._all if script.ran_at(statement[0]))

    def ran_as(self, spots: Spots, script: _Script) -> None:
        """`spots` of this file in `script`, which was made from it."""
        starts = line_starts(self.text)
        placed = sorted((starts[line] + column, at) for (line, column), at in spots if line < len(starts))
        silent = set()
        for start, end in self._all:
            first = bisect_left(placed, (start, 0))
            if first == len(placed) or placed[first][0] >= end:
                silent.add((start, end))
                continue
            last = bisect_right(placed, placed[first][0], key=lambda spot: spot[0])
            if any(script.ran_at(at) for _, at in placed[first:last]):
                self.ran.add((start, end))
        self.heard = True
        self._without_code = silent if self._without_code is None else self._without_code & silent


def _scripts(heard: Path) -> Iterator[_Script]:
    """What was said of each script, taken together. What is not said as it should be is left out."""
    sources: dict[str, str] = {}
    ran: dict[tuple[str, str], list[Span]] = {}
    for said in records(heard):
        match said:
            case {"file": str(file), "digest": str(digest), "ran": list(numbers), **rest}:
                if isinstance(source := rest.get("source"), str):
                    sources[digest] = source
                if all(type(number) is int for number in numbers):
                    ran.setdefault((file, digest), []).extend(zip(numbers[::2], numbers[1::2], strict=False))
    for (file, digest), spans in sorted(ran.items()):
        yield _Script(file, sources.get(digest, ""), _merged(spans))


def _is_of(script: _Script, text: str) -> bool:
    """Whether a script is what a file says, or that with its types blanked out, as Node runs TypeScript: every place is where it was."""
    source = script.source
    if source == text or not script.file.endswith(_TYPED):
        return source == text
    source = _SOURCE_URL.sub("", source)
    return len(source) == len(text) and all(
        now == was or now.isspace() or now == ";" for now, was in zip(source, text, strict=True)
    )


def _merged(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _lies_there(tree: Path, script: _Script) -> bool:
    """Whether it was submitted as it ran, and not as the product of a build: a migration, a test's tool."""
    if {"dist", "build"} & set(script.file.split("/")[:-1]):
        return False
    path = tree / script.file
    try:
        inside = path.resolve().is_relative_to(tree.resolve())
        return inside and path.is_file() and _text(path) == script.source
    except (OSError, ValueError):
        return False


def _text(path: Path) -> str:
    """As the engine gets it: without a byte order mark."""
    return path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")


def _statements(text: str, suffix: str) -> Iterator[Span]:
    """Beginning and end of each statement, and of each expression that is all of an arrow function's body."""
    source = text.encode()
    spans = []
    waiting = [_parser(suffix).parse(source).root_node]
    while waiting:
        node = waiting.pop()
        if node.type in _TYPES_ONLY:
            continue
        if (node.type in _STATEMENTS and not _is_silent(node)) or _is_body(node):
            outer = node.parent if node.parent is not None and node.parent.type == "export_statement" else node
            spans.append((outer.start_byte, node.end_byte))
        waiting.extend(node.named_children)
    places = _units_at(source, {place for span in spans for place in span})
    return ((places[start], places[end]) for start, end in sorted(set(spans)))


def _units_at(source: bytes, places: set[int]) -> dict[int, int]:
    """UTF-16 code units before each of `places`, which are bytes of UTF-8."""
    found, before, units = {}, 0, 0
    for place in sorted(places):
        units += units_of(source[before:place].decode("utf-8", "replace"))
        found[place], before = units, place
    return found


def _is_body(node: Node) -> bool:
    function = node.parent
    return (
        function is not None
        and function.type == "arrow_function"
        and node.type != "statement_block"
        and function.child_by_field_name("body") == node
    )


def _is_silent(node: Node) -> bool:
    """Whether the engine does nothing for it by itself: a directive or other constant, part of a loop's head, a mere declaration."""
    around = node.parent
    if around is not None and around.type == "for_statement" and around.child_by_field_name("body") != node:
        return True
    match node.type:
        case "expression_statement":
            return node.named_child_count > 0 and node.named_children[0].type in _CONSTANTS | {"internal_module"}
        case "enum_declaration":
            return node.children[0].type == "const"
        case "export_statement":
            value = node.child_by_field_name("value")
            # `export = value` has no name for it.
            is_value = value is not None or any(child.type == "=" for child in node.children)
            return not is_value or (value is not None and value.type in ("function_expression", "generator_function"))
    return False


@cache
def _parser(suffix: str) -> Parser:
    if suffix in _TYPED:
        return Parser(Language(tree_sitter_typescript.language_typescript()))
    if suffix == ".tsx":
        return Parser(Language(tree_sitter_typescript.language_tsx()))
    return Parser(Language(tree_sitter_javascript.language()))
