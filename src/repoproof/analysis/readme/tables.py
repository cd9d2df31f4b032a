"""Endpoints in tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .labels import LABEL, METHOD_LABEL
from .markdown import Table
from .mention import Mention, Notation
from .phrase import Target, leading_target, plain, read_methods, read_phrases, read_target
from .words import is_gone, is_outside

MAX_CELL = 1_000

_METHOD_COLUMN = re.compile(rf"{METHOD_LABEL}|http|action", re.IGNORECASE)
_PATH_COLUMN = re.compile(
    r"(?:(?:api|http|rest|url|full|request|resource)\s+)*(?:paths?|ur[li]s?|routes?|endpoints?|apis?|resources?|interfaces?|requests?)(?:\s+name)?"
    r"|endpunkte?|schnittstellen?|pfade?|adressen?|rutas?|caminho|rota|chemin|(?:接口|请求|访问)?(?:路径|地址|路由)|接口|端点|エンドポイント|パス|경로",
    re.I,
)
_NO = re.compile(r"^(?:|[-–—✗✘❌🚫×x✖]+|no|n/?a|none|false|0|40[45])$", re.IGNORECASE)
# Columns whose cells speak about endpoints that other rows declare.
_ASIDE = re.compile(
    r"descri|note|example|remark|comment|see|when|cause|reason|meaning|replace|instead|beschreib|bemerk|beispiel|说明|描述|备注|示例",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"(?:is )?(?:implemented|supported|available|done|ready)\??|implementiert|umgesetzt|是否(?:实现|支持)|已实现", re.I
)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
# An empty cell, or one of these, stands for the one above it.
_DITTO = re.compile(r"^(?:|[\"〃″^]{1,2}|''|idem|ditto|dito|同上)$", re.IGNORECASE)
# The header of a table that has a property of one thing in each row.
_PROPERTIES = re.compile(r"(?:item|property|aspect|eigenschaft|属性|项目?|名称)?", re.IGNORECASE)
_VALUES = re.compile(r"(?:values?|details?|contents?|wert|值|内容)?", re.IGNORECASE)


def read_table(
    table: Table, path_above: Target | None = None, methods_above: tuple[str, ...] = ()
) -> Iterator[Mention]:
    """The mentions of a table: a method and a path column in any order, one column with both, a column a method, or a row a property.

    `path_above` and `methods_above` are what the heading of the table says, for tables that have one of the two only.
    """
    header = [plain(cell)[:MAX_CELL] for cell in table.header]
    columns = _Columns(header)
    if _is_of_properties(header, table):
        yield from _properties(table)
        return
    rows = table.rows if columns.are_named else ((table.number, table.header), *table.rows)
    above: list[str] = []
    for number, row in rows:
        cells = [plain(cell)[:MAX_CELL] for cell in row]
        if any("~~" in cell for cell in row) or any(is_gone(cell) for cell in cells) or columns.deny(row):
            above = []
            continue
        cells = columns.merged(cells, above)
        above = cells
        found = _together(columns, cells) or _apart(columns, cells, row)
        if not found and path_above and not columns.paths:
            found = [(method, path_above) for column in columns.methods for method in read_methods(_at(cells, column))]
        if not found and methods_above and not columns.methods:
            targets = [leading_target(_at(cells, column)) for column in columns.paths]
            found = [(method, target) for target in targets if target for method in methods_above]
        for method, target in found:
            yield Mention(method, target, number, Notation.TABLE, table.section, outside=any(map(is_outside, cells)))


class _Columns:
    """What the header says about each column."""

    def __init__(self, header: list[str]) -> None:
        self.methods = {column for column, cell in enumerate(header) if _METHOD_COLUMN.fullmatch(cell)}
        self.paths = {column for column, cell in enumerate(header) if _PATH_COLUMN.fullmatch(cell)}
        self.asides = {column for column, cell in enumerate(header) if _ASIDE.search(cell)}
        self.statuses = {column for column, cell in enumerate(header) if _STATUS.fullmatch(cell)}
        self.of_method = {
            column: methods for column, cell in enumerate(header) if cell.isupper() and (methods := read_methods(cell))
        }
        self.are_named = not (self.of_method and any(map(read_target, header)))

    def deny(self, row: tuple[str, ...]) -> bool:
        """Whether a column that says what is there says no."""
        return any(_NO.match(row[column].strip(" `*")) for column in self.statuses if column < len(row) and row[column])

    def merged(self, cells: list[str], above: list[str]) -> list[str]:
        """The cells, those of methods and paths that are left empty taken from the row above."""
        if not (self.methods and self.paths):
            return cells
        return [
            _at(above, column) if column in self.methods | self.paths and _DITTO.match(cell) else cell
            for column, cell in enumerate(cells)
        ]


def _at(cells: list[str], column: int) -> str:
    return cells[column] if column < len(cells) else ""


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
        if (target := read_target(_slashed(part.strip().split(" ")[0], columns, column)))
    ]
    if not targets:
        return []
    if columns.of_method and columns.are_named:
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


def _slashed(word: str, columns: _Columns, column: int) -> str:
    """A path that lacks its first slash, where two headers leave no doubt that it is one."""
    is_path = columns.methods and column in columns.paths and re.fullmatch(r"[\w-]+/[\w{}<>:./-]*", word)
    return f"/{word}" if is_path else word


def _is_of_properties(header: list[str], table: Table) -> bool:
    """Whether each row says one thing of one endpoint: `| Method | GET |`."""
    if len(header) != 2 or not table.rows or any(len(row) != 2 for _, row in table.rows):
        return False
    labels = [LABEL.fullmatch(name) for name in (header[0], *(plain(row[0])[:MAX_CELL] for _, row in table.rows[:20]))]
    stated = bool(labels[0] and (read_methods(header[1]) or read_target(header[1])))
    named = _PROPERTIES.fullmatch(header[0]) and _VALUES.fullmatch(header[1])
    kinds = {label.lastgroup for label in labels if label}
    is_label = not any(row[0].islower() for _, row in table.rows)  # `path` is a field of some record, `Path` a label
    return bool(stated or named) and is_label and {"path", "method"} <= kinds


def _properties(table: Table) -> Iterator[Mention]:
    methods: tuple[str, ...] = ()
    target: Target | None = None
    for number, row in ((table.number, table.header), *table.rows):
        label = LABEL.fullmatch(plain(row[0])[:MAX_CELL])
        value = plain(row[1])[:MAX_CELL]
        if label and label["method"]:
            methods = methods or read_methods(value)
        elif label:
            target = target or read_target(value)
        if methods and target:
            yield from (Mention(method, target, number, Notation.FIELDS, table.section) for method in methods)
            methods, target = (), None
