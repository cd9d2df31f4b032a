"""Markdown as a list of lines, fences and tables, each under its headings: what readers of READMEs need, and no more.

Endpoints are written line by line, and READMEs of generated projects are often malformed (an unclosed fence, a table without outer
pipes), so this reader keeps every line and its number instead of building a tree of inline elements.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    """How a line of text stands."""

    HEADING = "heading"
    ITEM = "item"
    """Begins a list item or a paragraph."""
    CONTINUED = "continued"
    """Goes on from the line before."""


@dataclass(frozen=True, eq=False)
class Section:
    """A heading and all that stands under it. The document itself is the one without a parent."""

    title: str
    level: int
    line: int
    parent: Section | None = None

    def path(self) -> list[Section]:
        """This section and those around it, innermost first."""
        return [self, *(self.parent.path() if self.parent else [])]


@dataclass(frozen=True)
class Line:
    """One line of text, its heading or list marker removed, its inline markup kept."""

    text: str
    number: int
    section: Section
    kind: Kind
    previous: str = ""
    """The line that a continued line goes on from."""
    indent: int = 0
    """Spaces in front of it."""


@dataclass(frozen=True)
class Fence:
    """A fenced block of code."""

    language: str
    """Lower case; empty if the fence names none."""
    text: str
    number: int
    """Of the first line inside."""
    section: Section
    introduced_by: str = ""
    """The last line of text before it."""


@dataclass(frozen=True)
class Table:
    """A table of pipes or of HTML."""

    header: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    """Each with its line number."""
    section: Section


Block = Line | Fence | Table

_FENCE = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})\s*\{?\.?([\w+#.-]*)")
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{3,})\s*$")
_MARKER = re.compile(r"^\s*(?:(?:[-*+•‣·–—]|\d{1,3}[.)]|[a-z][.)])\s+)+(?:\[[ xX]\]\s+)?")
_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_QUOTED = re.compile(r"^\s*(?:>\s?)+")
_HTML_ITEM = re.compile(r"<(?:li|p|h[1-6]|pre|d[dt])(?:\s[^<>]*)?>", re.IGNORECASE)
_HTML_ROW = re.compile(r"<tr\b[^>]*>(.*?)(?=</tr>|<tr\b|\Z)", re.DOTALL | re.IGNORECASE)
_HTML_CELL = re.compile(r"<t[hd]\b[^>]*>(.*?)(?=</t[hd]>|<t[hd]\b|\Z)", re.DOTALL | re.IGNORECASE)
_CELL = re.compile(r"(?:\\.|`[^`]*`|[^|\\`]|[`\\])*")


def read_blocks(markdown: str) -> tuple[list[Block], Section]:
    """The blocks in order, and the section that stands for the whole document. HTML comments are left out."""
    reader = _Reader([_QUOTED.sub("", line) for line in _without_comments(markdown).splitlines()])
    reader.read()
    return reader.blocks, reader.root


@dataclass
class _Reader:
    lines: list[str]
    blocks: list[Block] = field(default_factory=list)
    root: Section = field(default_factory=lambda: Section("", 0, 0))
    at: int = 0
    previous: str = ""
    table_ends: list[int] | None = None

    def read(self) -> None:
        self.section = self.root
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if fence := _FENCE.match(line):
                self._fence(fence[1], fence[2].lower())
            elif heading := _HEADING.match(line):
                self._heading(heading[2], len(heading[1]))
                self.at += 1
            elif underline := self._underline():
                self._heading(line.strip(), 1 if underline.startswith("=") else 2)
                self.at += 2
            elif self._starts_table():
                self._table()
            elif re.match(r"\s*<table\b", line, re.IGNORECASE) and (end := self._end_of_html_table()):
                self._html_table(end)
            else:
                self._text(line)

    def _underline(self) -> str:
        """The row of `=` or `-` that makes this line a heading."""
        if self.previous or not re.match(r"^ {0,3}[\w`*]", self.lines[self.at]) or self.at + 1 == len(self.lines):
            return ""
        found = _UNDERLINE.match(self.lines[self.at + 1])
        return found[1] if found else ""

    def _heading(self, title: str, level: int) -> None:
        parent = next(section for section in self.section.path() if section.level < level)
        self.section = Section(title, level, self.at + 1, parent)
        self.blocks.append(Line(title, self.at + 1, self.section, Kind.HEADING))
        self.previous = ""

    def _fence(self, mark: str, language: str) -> None:
        first = self.at + 1
        closing = re.compile(rf"^\s*{re.escape(mark[0])}{{{len(mark)},}}\s*$")
        end = next((at for at in range(first, len(self.lines)) if closing.match(self.lines[at])), len(self.lines))
        before = next((block.text for block in reversed(self.blocks[-1:]) if isinstance(block, Line)), "")
        self.blocks.append(Fence(language, "\n".join(self.lines[first:end]), first + 1, self.section, before))
        self.at, self.previous = end + 1, ""

    def _starts_table(self) -> bool:
        following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
        return "|" in self.lines[self.at] and "-" in following and "|" in following and bool(_RULE.match(following))

    def _table(self) -> None:
        header = _cells(self.lines[self.at])
        self.at += 2
        rows: list[tuple[int, tuple[str, ...]]] = []
        while self.at < len(self.lines) and "|" in self.lines[self.at]:
            rows.append((self.at + 1, _cells(self.lines[self.at])))
            self.at += 1
        self.blocks.append(Table(header, tuple(rows), self.section))
        self.previous = ""

    def _end_of_html_table(self) -> int:
        """The line behind the table that starts here; 0 if it is never closed."""
        if self.table_ends is None:
            self.table_ends = [at + 1 for at, line in enumerate(self.lines) if "</table" in line.lower()]
        following = bisect_right(self.table_ends, self.at)
        return self.table_ends[following] if following < len(self.table_ends) else 0

    def _html_table(self, end: int) -> None:
        """The first row is the header; where it is not marked as one it may be a row as well."""
        text = "\n".join(self.lines[self.at : end])
        rows = [
            (
                self.at + 1 + text.count("\n", 0, row.start()),
                tuple(_one_line(cell[1]) for cell in _HTML_CELL.finditer(row[1])),
            )
            for row in _HTML_ROW.finditer(text)
        ]
        is_marked = "<th" in text.lower().replace("<thead", "")
        if rows:
            self.blocks.append(Table(rows[0][1], tuple(rows[1:] if is_marked else rows), self.section))
        self.at, self.previous = end, ""

    def _text(self, line: str) -> None:
        self.at += 1
        first, *more = _HTML_ITEM.split(line)
        text = _MARKER.sub("", first).strip()
        if text:
            kind = Kind.CONTINUED if self.previous and not _MARKER.match(first) else Kind.ITEM
            previous = self.previous if kind is Kind.CONTINUED else ""
            indent = len(first.expandtabs(4)) - len(first.expandtabs(4).lstrip())
            self.blocks.append(Line(text, self.at, self.section, kind, previous, indent))
        self.previous = text
        for text in filter(None, map(str.strip, more)):
            self.blocks.append(Line(text, self.at, self.section, Kind.ITEM))
            self.previous = text


def _cells(row: str) -> tuple[str, ...]:
    """The cells of a table row. A pipe inside code or after a backslash does not separate."""
    inside = row.strip().removeprefix("|").removesuffix("|")
    cells: list[str] = []
    at = 0
    while at <= len(inside):
        cell = _CELL.match(inside, at)
        assert cell is not None
        cells.append(cell[0].replace("\\|", "|").strip())
        at = cell.end() + 1
    return tuple(cells)


def _one_line(cell: str) -> str:
    return " ".join(cell.split())


def _without_comments(markdown: str) -> str:
    """HTML comments emptied, their line breaks kept so that numbers stay true."""
    return re.sub(r"<!--.*?(?:-->|\Z)", lambda comment: "\n" * comment[0].count("\n"), markdown, flags=re.DOTALL)
