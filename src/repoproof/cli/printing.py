"""Pages on a terminal: as wide as it is, in its own alphabet, in colour where it has any."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ..core.base import Frozen
from ..core.outcomes import Status
from ..reports.tables import Column, Listing, Page, Table, markdown, visible

PLAIN_WIDTH = 100
"""Of tables that go into a file or a pipe, unless COLUMNS says otherwise."""

GAP = 2
"""Between columns."""

FIRST = 40
"""Room that the first column, which says what a line is about, has wherever it needs it."""
TEXT = 12
"""Room of other columns of text."""

STATUS_STYLES = {status.value: "red" for status in Status} | {
    Status.PASSED.value: "green",
    Status.INFRASTRUCTURE_ERROR.value: "magenta",
    Status.INVALID_TASK.value: "magenta",
    Status.CHEATED.value: "bold red",
    Status.MISSING.value: "dim",
}


def console(*, stderr: bool = False) -> Console:
    """A console on stdout or stderr. rich itself respects NO_COLOR, COLUMNS and the stream's encoding."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else PLAIN_WIDTH
    return _Console(file=stream, width=width, highlight=False, soft_wrap=False)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """A reader that has left is for `main` to deal with, as everywhere: called where the error is being handled."""
        raise


def print_page(page: Page, record: Frozen | Sequence[Frozen], form: str) -> None:
    """Print `page` as `table` or `markdown`, or what it was made from as `json`."""
    if form == "json":
        plain = (
            record.model_dump(mode="json")
            if isinstance(record, Frozen)
            else [r.model_dump(mode="json") for r in record]
        )
        print(json.dumps(plain, indent=2))
    elif form == "markdown":
        print(markdown(page), end="")
    else:
        out = console()
        for before, part in zip((None, *page.parts), page.parts, strict=False):
            if before is not None and not (isinstance(part, str) and isinstance(before, str)):
                out.print()
            for line in [_line(part)] if isinstance(part, str) else _shown(part, out):
                out.print(line, soft_wrap=True)


def _shown(part: Table | Listing, out: Console) -> Iterator[Text]:
    if part.title:
        yield Text(visible(part.title), style="bold")
    if isinstance(part, Table):
        yield from _without_trailing_blanks(_grid(part, out.width), out, max(out.width, _least_width(part, 1)))
    else:
        yield Text(visible(part.text))


def _without_trailing_blanks(grid: RichTable, out: Console, width: int) -> Iterator[Text]:
    for segments in out.render_lines(grid, out.options.update(width=width), pad=False):
        line = Text.assemble(*((segment.text, segment.style or "") for segment in segments))
        line.rstrip()
        yield line


def _line(text: str) -> Text:
    return Text(visible(text), style="bold yellow" if text.startswith(("Warning:", "Not a result:")) else "")


def _grid(table: Table, width: int) -> RichTable:
    tight = _natural_width(table) > width
    gap = 1 if _least_width(table, GAP) > width else GAP
    grid = RichTable(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, gap - 1, 0, 0), header_style="bold", show_edge=False
    )
    for index, column in enumerate(table.columns):
        title = column.title.replace(" ", "\n") if tight and column.numeric else column.title
        grid.add_column(
            title,
            justify="right" if column.numeric else "left",
            overflow="fold",
            no_wrap=_is_whole(column),
            min_width=_least(table, index) if tight else None,
        )
    for row in table.rows:
        cells = [Text(visible(cell), style=_style(c.title, cell)) for c, cell in zip(table.columns, row, strict=True)]
        if tight and table.columns[0].title == "Submission":
            cells[0] = Text(_jointed(cells[0].plain))
        grid.add_row(*cells)
    return grid


def _is_whole(column: Column) -> bool:
    """Whether its cells may not be broken."""
    return column.numeric or column.title == "Status"


def _jointed(label: str) -> str:
    """A name is broken where it has a joint, not wherever the column ends."""
    return label.replace("/", "/\n ")


def _least(table: Table, index: int) -> int:
    """How wide a column must be for names to stay whole; other texts may be broken at blanks, down to a few words."""
    column = table.columns[index]
    cells = [visible(row[index]) for row in table.rows]
    if _is_whole(column):
        return max(map(cell_len, (*column.title.split(" "), *cells)))
    if index == 0:
        pieces = (
            [piece for cell in cells for piece in _jointed(cell).splitlines()]
            if column.title == "Submission"
            else cells
        )
        return min(FIRST, max(map(cell_len, (column.title, *pieces))))
    return min(TEXT, max(map(cell_len, (column.title, *cells))))


def _least_width(table: Table, gap: int) -> int:
    """Narrower than this, names would be broken: then lines are longer than the terminal."""
    return sum(_least(table, index) + gap for index in range(len(table.columns))) - gap


def _natural_width(table: Table) -> int:
    lengths = [
        [cell_len(column.title) for column in table.columns],
        *([cell_len(cell) for cell in row] for row in table.rows),
    ]
    return sum(max(column) + GAP for column in zip(*lengths, strict=True)) - GAP


def _style(column: str, cell: str) -> str:
    return STATUS_STYLES.get(cell, "") if column == "Status" else ""
