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
    listed: bool = False
    """Has a list marker."""


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
    number: int
    """Of the header."""


MAX_COLUMNS = 100
"""Of a table of HTML."""
MAX_SPAN = 20
"""Rows or columns that one cell is read for."""

MAX_DATA_LINES = 60
"""Of the data of one command."""

Block = Line | Fence | Table

_FENCE = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})\s*\{?\.?([\w+#.-]*)")
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*)$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{3,})\s*$")
_NUMBER = r"[(（]?\d{1,3}(?:\.\d{1,3}){0,3}[.)、）](?=\s|[A-Z`*/])|\d{1,3}(?:\.\d{1,3}){1,3}(?=\s)|[①-⑳]"
_MARKER = re.compile(rf"^\s*(?:(?:(?:[-*+•‣·–—▪◦●○►▶]|[a-z][.)])\s|{_NUMBER})\s*)+(?:\[[ xX]\]\s+)?")
_NUMBERED = re.compile(rf"^(?:\d+\s+|(?:{_NUMBER})\s*)")
_RULE = re.compile(r"^(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$")
# A command is one line as far as its backslashes and the quotation marks of its data reach.
_COMMAND = re.compile(r"\s*(?:(?:[-*+]|\d+[.)])\s+)?`?(?:[$>%]\s+)?(?:<[^<>]*>)*(?:curl(?:\.exe)?|wget|https?|xhs?)\s")
_OPEN_DATA = re.compile(r"\s(?:-d|--data[\w-]*|--json|--raw)[ =]?'[^']*$")
_COMMENT_IN_CODE = re.compile(r"(?: {4}|\t)\s*(?:#\s|//)")
_WHOLE_DOCUMENT = re.compile(r"\s*```+\s*(?:markdown|md)\s*$")
_QUOTED = re.compile(r"^\s*(?:>\s?)+")
_HTML_ITEM = re.compile(r"(?:(?<!/)<(?P<tag>li|p|h[1-6]|pre|d[dt])(?:\s[^<>]*)?|<br\s*/?)>", re.IGNORECASE)
_HTML_ROW = re.compile(r"<tr\b[^<>]*>(.*?)(?=</tr>|<tr\b|\Z)", re.DOTALL | re.IGNORECASE)
_HTML_CELL = re.compile(r"<t[hd]\b([^<>]*)>(.*?)(?=</t[hd]>|<t[hd]\b|\Z)", re.DOTALL | re.IGNORECASE)
_SPAN = re.compile(r"\b(row|col)span\s*=\s*[\"']?(\d{1,4})", re.IGNORECASE)
_CELL = re.compile(r"(?:\\.|`[^`]*`|[^|\\`]|[`\\])*")


def read_blocks(markdown: str) -> tuple[list[Block], Section]:
    """The blocks in order, and the section that stands for the whole document. HTML comments are left out."""
    reader = _Reader(_unwrapped([_QUOTED.sub("", line) for line in _without_comments(markdown).splitlines()]))
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
                self._heading(heading[2].strip().rstrip("#").rstrip(), len(heading[1]))
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
        return (
            "|" in self.lines[self.at]
            and "-" in following
            and "|" in following
            and bool(_RULE.match(following.strip()))
        )

    def _table(self) -> None:
        header, number = _cells(self.lines[self.at]), self.at + 1
        self.at += 2
        rows: list[tuple[int, tuple[str, ...]]] = []
        while self.at < len(self.lines) and "|" in self.lines[self.at]:
            rows.append((self.at + 1, _cells(self.lines[self.at])))
            self.at += 1
        self.blocks.append(Table(header, tuple(rows), self.section, number))
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
        is_marked = "<th" in text.lower().replace("<thead", "")
        rows: list[tuple[int, tuple[str, ...]]] = []
        spanning, number, before = dict[int, tuple[int, str]](), self.at + 1, 0
        for row in _HTML_ROW.finditer(text):
            number += text.count("\n", before, row.start())
            before = row.start()
            rows.append((number, _spread(row[1], spanning)))
        if rows:
            self.blocks.append(Table(rows[0][1], tuple(rows[1:] if is_marked else rows), self.section, rows[0][0]))
        self.at, self.previous = end, ""

    def _text(self, line: str) -> None:
        number = self.at + 1
        line = self._whole(line)
        self.at = self.at + 1
        if _COMMENT_IN_CODE.match(line):
            return
        first, *more = _HTML_ITEM.split(line)
        marker = _MARKER.match(first)
        text = first[marker.end() if marker else 0 :].strip()
        if text:
            kind = Kind.CONTINUED if self.previous and not marker else Kind.ITEM
            previous = self.previous if kind is Kind.CONTINUED else ""
            indent = len(first.expandtabs(4)) - len(first.expandtabs(4).lstrip())
            self.blocks.append(Line(text, number, self.section, kind, previous, indent, bool(marker)))
        self.previous = text
        for tag, text in zip(more[::2], map(str.strip, more[1::2]), strict=True):
            if text:
                listed = (tag or "").lower() == "li"
                self.blocks.append(Line(text, number, self.section, Kind.ITEM, listed=listed))
                self.previous = text

    def _whole(self, line: str) -> str:
        """The line, and behind a command those that it goes on in."""
        if not _COMMAND.match(line):
            return line
        parts = [line.strip()]
        while self.at + 1 < len(self.lines):
            if parts[-1].endswith("\\"):
                parts[-1] = parts[-1].removesuffix("\\")
                count = 1
            elif not (_OPEN_DATA.search(" " + parts[-1]) and (count := self._to_closing_quote())):
                break
            parts += [line.strip() for line in self.lines[self.at + 1 : self.at + 1 + count]]
            self.at += count
        return " ".join(parts)

    def _to_closing_quote(self) -> int:
        """How many lines down the next quotation mark is; 0 if none comes before the paragraph ends."""
        for count in range(1, MAX_DATA_LINES):
            following = self.lines[self.at + count : self.at + count + 1]
            if not following or not following[0].strip():
                break
            if "'" in following[0]:
                return count
        return 0


def unnumbered(text: str) -> str:
    """The text of a heading without its number."""
    return _NUMBERED.sub("", text)


def _unwrapped(lines: list[str]) -> list[str]:
    """The lines of a document that stands as a whole in one fence, as models write it."""
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    last = next((at for at in range(len(lines) - 1, first, -1) if lines[at].strip()), first)
    if last == first or not _WHOLE_DOCUMENT.match(lines[first]) or lines[last].strip().strip("`"):
        return lines
    is_open = False
    for line in lines[first + 1 : last]:
        if (fence := _FENCE.match(line)) and not (is_open and fence[2]):
            is_open = not is_open
    return lines if is_open else [*[""] * (first + 1), *lines[first + 1 : last]]


def _spread(row: str, spanning: dict[int, tuple[int, str]]) -> tuple[str, ...]:
    """The cells of a row of HTML. Cells of rows above that are `spanning` this one are filled in; those that go on below are noted."""
    given = _HTML_CELL.finditer(row)
    cells: list[str] = []
    while len(cells) < MAX_COLUMNS:
        if len(cells) in spanning:
            left, cell = spanning.pop(len(cells))
            if left > 1:
                spanning[len(cells)] = (left - 1, cell)
            cells.append(cell)
        elif found := next(given, None):
            spans = {kind.lower(): min(int(number), MAX_SPAN) for kind, number in _SPAN.findall(found[1])}
            cell = _one_line(found[2])
            for column in range(len(cells), len(cells) + max(1, spans.get("col", 1))):
                if spans.get("row", 1) > 1:
                    spanning[column] = (spans["row"] - 1, cell)
                cells.append(cell)
        else:
            break
    return tuple(cells)


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
