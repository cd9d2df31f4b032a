"""Pages of plain text cells: made once, printed on a terminal or as Markdown. The two cannot disagree."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

TAB = 4
"""Columns from one tab stop to the next."""


@dataclass(frozen=True)
class Column:
    title: str
    numeric: bool = False


@dataclass(frozen=True)
class Table:
    """Cells of text under columns. `title` is empty for the only table of its kind."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


@dataclass(frozen=True)
class Listing:
    """Text whose line breaks mean something."""

    title: str
    text: str


Part = Table | Listing | str


@dataclass(frozen=True)
class Page:
    """Tables, listings and lines, in the order in which they are read."""

    parts: tuple[Part, ...]


def markdown(page: Page) -> str:
    """The page in Markdown; ends with a newline."""
    return "\n\n".join(map(_markdown_part, page.parts)) + "\n"


def _markdown_part(part: Part) -> str:
    if isinstance(part, Table):
        return _markdown_table(part)
    if isinstance(part, str):
        return _escaped(part)
    # Longer than any fence inside.
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", part.text)), default=0))
    return f"### {_escaped(part.title)}\n\n{fence}\n{visible(part.text)}\n{fence}"


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", visible(text))


def _markdown_table(table: Table) -> str:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(_escaped(cell).replace("\n", "<br>") for cell in cells) + " |"

    rule = "|" + "|".join(" ---: " if column.numeric else " --- " for column in table.columns) + "|"
    lines = [line(column.title for column in table.columns), rule, *map(line, table.rows)]
    return "\n".join([f"### {_escaped(table.title)}", "", *lines] if table.title else lines)


def visible(text: str) -> str:
    """`text` with control and formatting characters spelled out, so that what a candidate wrote cannot steer a terminal.

    Tabs are blanks.
    """
    plain = text.expandtabs(TAB)
    return "".join(c if c == "\n" or unicodedata.category(c) not in _CONTROL else repr(c)[1:-1] for c in plain)


_MARKUP = re.compile(r"[\\|<]")
_CONTROL = ("Cc", "Cf", "Cs")
