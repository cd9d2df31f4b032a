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
"""Room that the first column, which says what a line is about, has where it needs it and there is as much."""
NARROW = 20
"""Room that it has left where there is not; names of submissions stay whole even so."""
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
        yield from _laid_out(part, out)
    else:
        yield Text(visible(part.text))


def _line(text: str) -> Text:
    return Text(visible(text), style="bold yellow" if text.startswith(("Warning:", "Not a result:")) else "")


def _laid_out(table: Table, out: Console) -> Iterator[Text]:
    """The lines of a table. A cell that is wider than its column goes on below: nothing of it is ever left out."""
    tight = _natural_width(table) > out.width
    gap = 1 if _least_width(table, GAP) > out.width else GAP
    jointed = tight and table.columns[0].title == "Submission"
    titles = [c.title.replace(" ", "\n") if tight and c.numeric else c.title for c in table.columns]
    rows = [
        [visible(_jointed(cell) if jointed and index == 0 else cell) for index, cell in enumerate(row)]
        for row in table.rows
    ]
    natural = [max(_width(cell) for cell in column) for column in zip(titles, *rows, strict=True)]
    least = [min(_least(table, index), wide) if tight else wide for index, wide in enumerate(natural)]
    room = out.width - gap * (len(natural) - 1)
    if table.columns[0].title != "Submission":
        least[0] = max(min(least[0], NARROW), least[0] - max(0, sum(least) - room))
    widths = _shared(room, least, natural)
    height = max(title.count("\n") for title in titles)
    grid = RichTable(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, gap - 1, 0, 0), header_style="bold", show_edge=False
    )
    for column, title, width in zip(table.columns, titles, widths, strict=True):
        justify = "right" if column.numeric else "left"
        grid.add_column("\n" * (height - title.count("\n")) + title, justify=justify, overflow="fold", width=width)
    for row in rows:
        cells = zip(table.columns, row, strict=True)
        grid.add_row(*(Text(cell, style=_style(column.title, cell)) for column, cell in cells))
    options = out.options.update(width=sum(widths) + gap * (len(widths) - 1))
    for segments in out.render_lines(grid, options, pad=False):
        line = Text.assemble(*((segment.text, segment.style or "") for segment in segments))
        line.rstrip()
        yield line


def _shared(room: int, least: Sequence[int], natural: Sequence[int]) -> list[int]:
    """How wide each column is: as it would be if there is room for all, else the widest give way first, down to the least."""

    def levelled(level: int) -> list[int]:
        return [max(low, min(level, wide)) for low, wide in zip(least, natural, strict=True)]

    level = min(max(natural), room)
    while level > 0 and sum(levelled(level)) > room:
        level -= 1
    widths = levelled(level)
    for index, wide in enumerate(natural):
        if widths[index] < wide and sum(widths) < room:
            widths[index] += 1
    return widths


def _width(cell: str) -> int:
    """Of its longest line."""
    return max(map(cell_len, cell.split("\n")))


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
    """Narrower than this, the first column gives way as well; where even that is not enough, lines are longer than the terminal."""
    return sum(_least(table, index) + gap for index in range(len(table.columns))) - gap


def _natural_width(table: Table) -> int:
    lengths = [
        [cell_len(column.title) for column in table.columns],
        *([_width(visible(cell)) for cell in row] for row in table.rows),
    ]
    return sum(max(column) + GAP for column in zip(*lengths, strict=True)) - GAP


def _style(column: str, cell: str) -> str:
    return STATUS_STYLES.get(cell, "") if column == "Status" else ""
