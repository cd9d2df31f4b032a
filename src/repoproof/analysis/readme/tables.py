"""Endpoints in Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .markdown import Table
from .mention import Mention, Notation
from .phrase import Target, plain, read_methods, read_phrases, read_target

_METHOD_COLUMN = re.compile(r"(?:(?:http|request|rest)\s+)?(?:methods?|verbs?)|http|type|action", re.IGNORECASE)
_PATH_COLUMN = re.compile(
    r"(?:(?:api|http|rest|url|full|request|resource)\s+)*(?:paths?|ur[li]s?|routes?|endpoints?|apis?|resources?|interfaces?|requests?)(?:\s+name)?",
    re.I,
)
_NO = re.compile(r"^(?:|[-–—✗✘❌×x✖]+|no|n/?a|none|false|0|40[45])$", re.IGNORECASE)
# Columns whose cells speak about endpoints that other rows declare.
_ASIDE = re.compile(r"descri|note|example|remark|comment|see|when|cause|reason|meaning|replace|instead", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_GONE = re.compile(
    r"^(?:deprecated|removed|planned|todo|not (?:yet )?(?:implemented|supported|available))\b", re.IGNORECASE
)


def read_table(table: Table) -> Iterator[Mention]:
    """The mentions of a table: a method and a path column in any order, one column with both, or a column a method."""
    columns = _Columns([plain(cell) for cell in table.header])
    for number, row in table.rows:
        cells = [plain(cell) for cell in row]
        if any("~~" in cell for cell in row) or any(_GONE.match(cell) for cell in cells):
            continue
        for method, target in _together(columns, cells) or _apart(columns, cells, row):
            yield Mention(method, target, number, Notation.TABLE, table.section)


class _Columns:
    """What the header says about each column."""

    def __init__(self, header: list[str]) -> None:
        self.methods = {column for column, cell in enumerate(header) if _METHOD_COLUMN.fullmatch(cell)}
        self.paths = {column for column, cell in enumerate(header) if _PATH_COLUMN.fullmatch(cell)}
        self.asides = {column for column, cell in enumerate(header) if _ASIDE.search(cell)}
        self.of_method = {
            column: methods for column, cell in enumerate(header) if cell.isupper() and (methods := read_methods(cell))
        }


def _together(columns: _Columns, cells: list[str]) -> list[tuple[str, Target]]:
    """Method and path in one cell. Where no header says path, the cell must hold nothing else."""
    return [
        (method, phrase.target)
        for column, cell in enumerate(cells)
        if column not in columns.asides
        for part in _BREAK.split(cell)
        for phrase in read_phrases(part.strip())
        if column in columns.paths or not phrase.rest.strip(" .")
        for method in phrase.methods
    ]


def _apart(columns: _Columns, cells: list[str], raw: tuple[str, ...]) -> list[tuple[str, Target]]:
    """Method and path in two cells, or the path in one and a mark under each method that it takes."""
    may_be_paths = columns.paths or set(range(len(cells))) - columns.asides
    targets = [
        target
        for column, cell in enumerate(cells)
        if column in may_be_paths
        for part in _BREAK.split(cell)
        if (target := read_target(part.strip().split(" ")[0]))
    ]
    if not targets:
        return []
    if columns.of_method:
        chosen = [
            methods
            for column, methods in columns.of_method.items()
            if column < len(raw) and not _NO.match(raw[column].strip(" `*"))
        ]
    elif columns.methods:
        chosen = [
            read_methods(_BREAK.sub(", ", cell)) for column, cell in enumerate(cells) if column in columns.methods
        ]
    else:
        chosen = [read_methods(cell) for cell in cells if cell.isupper()][:1]
    broken = targets if any(_BREAK.search(cell) for cell in cells) else targets[:1]
    return [(method, target) for target in broken for methods in chosen for method in methods]
