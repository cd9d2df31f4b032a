"""Pages on a terminal: as wide as it is, in its own alphabet, in colour where it has any."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from ..core.base import Frozen
from ..core.outcomes import Status
from ..reports.tables import Listing, Page, Table, markdown, visible

PLAIN_WIDTH = 100
"""Of tables that go into a file or a pipe, unless COLUMNS says otherwise."""

GAP = 2
"""Between columns."""

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
    return Console(file=stream, width=width, highlight=False, soft_wrap=False)


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
        apart = True
        for part in page.parts:
            if isinstance(part, str):
                out.print(_line(part), soft_wrap=True)
            else:
                out.print(*([] if apart else [""]), *_shown(part, out.width), "", sep="\n")
            apart = not isinstance(part, str)


def _shown(part: Table | Listing, width: int) -> Iterator[RenderableType]:
    if part.title:
        yield Text(visible(part.title), style="bold")
    yield _grid(part, width) if isinstance(part, Table) else Text(visible(part.text))


def _line(text: str) -> Text:
    return Text(visible(text), style="bold yellow" if text.startswith(("Warning:", "Not a result:")) else "")


def _grid(table: Table, width: int) -> RichTable:
    tight = _natural_width(table) > width
    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold", show_edge=False)
    for column in table.columns:
        title = column.title.replace(" ", "\n") if tight and column.numeric else column.title
        whole = column.numeric or column.title == "Status"
        grid.add_column(title, justify="right" if column.numeric else "left", overflow="fold", no_wrap=whole)
    for row in table.rows:
        cells = [Text(visible(cell), style=_style(c.title, cell)) for c, cell in zip(table.columns, row, strict=True)]
        if tight:
            # A name is broken where it has a joint, not wherever the column ends.
            cells[0] = Text(cells[0].plain.replace("/", "/\n "))
        grid.add_row(*cells)
    return grid


def _natural_width(table: Table) -> int:
    lengths = [
        [cell_len(column.title) for column in table.columns],
        *([cell_len(cell) for cell in row] for row in table.rows),
    ]
    return sum(max(column) + GAP for column in zip(*lengths, strict=True)) - GAP


def _style(column: str, cell: str) -> str:
    return STATUS_STYLES.get(cell, "") if column == "Status" else ""
