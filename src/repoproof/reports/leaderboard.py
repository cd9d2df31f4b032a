"""A published leaderboard: its rows, and what in them cannot be.

Columns `#, Model, Category, Lang, Pass@1, AC, DSR, Org, Date, Link`, in any order and case; as TSV, CSV, or a JSON list of objects.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path

from ..core.base import Frozen
from ..core.errors import BadInput
from .plausibility import Doubt, why_no_share

REQUIRED = ("model", "lang", "pass@1", "ac", "dsr")
OPTIONAL = ("#", "category", "org", "date", "link")
METRICS = ("pass@1", "ac", "dsr")
LABELS = {"pass@1": "Pass@1", "ac": "AC", "dsr": "DSR"}
UNKNOWN = ("", "-", "n/a", "none", "null")
ALL = "all"
"""The language of a row over all of them."""


class Standing(Frozen):
    """One row, as it is written."""

    place: str
    """`line 12`, or `row 12` of a JSON list."""
    cells: dict[str, str]
    """By column, in lower case."""

    def number(self, column: str) -> float | None:
        """The value of a metric; None where it is unknown, or none."""
        try:
            value = float(self.cells[column].removesuffix("%").strip())
        except ValueError:
            return None
        return value if isfinite(value) else None

    @property
    def language(self) -> str:
        """In lower case; `ALL` for a row over all of them, however that is written."""
        written = self.cells["lang"].lower()
        return ALL if written in ("overall", "") else written


def read_leaderboard(file: Path) -> tuple[Standing, ...]:
    """Every row; `BadInput` where the file is none of the three, or a column is missing."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", file=file) from None
    except UnicodeDecodeError as error:
        raise BadInput(f"not UTF-8 at byte {error.start + 1}", file=file, mend="save it as UTF-8") from None
    rows = list(_from_json(text, file) if text.lstrip().startswith(("[", "{")) else _from_lines(text, file))
    if not rows:
        raise BadInput("no rows in it", file=file)
    return tuple(rows)


def percentages(rows: Sequence[Standing]) -> bool:
    """Whether its numbers are in 0 to 100: one of them is above 1."""
    return any((row.number(column) or 0.0) > 1 for row in rows for column in METRICS)


def doubts_about_leaderboard(rows: Sequence[Standing], repositories: Mapping[str, int]) -> Iterator[Doubt]:
    """What is impossible; `repositories` is how many there are in each language."""
    top = 100.0 if percentages(rows) else 1.0
    for row in rows:
        for column in METRICS:
            written, value = row.cells[column], row.number(column)
            if value is None:
                if written.lower() not in UNKNOWN:
                    yield Doubt(f"{row.place}: {LABELS[column]}", written, "is no number")
            elif not 0 <= value <= top:
                yield Doubt(f"{row.place}: {LABELS[column]}", written, f"is not in 0 to {top:g}")
        deployed, of = row.number("dsr"), repositories_in(row.language, repositories)
        if of is None:
            yield Doubt(f"{row.place}: Lang", row.cells["lang"], f"is none of {', '.join(repositories)}, {ALL}")
        elif (
            deployed is not None
            and 0 <= deployed <= top
            and (why := why_no_share(deployed, of, _unit(row.cells["dsr"]), scale=top))
        ):
            yield Doubt(f"{row.place}: DSR", row.cells["dsr"], why)


def repositories_in(language: str, repositories: Mapping[str, int]) -> int | None:
    """How many a row in that language is over; None where nothing says it."""
    return sum(repositories.values()) if language == ALL else repositories.get(language)


def _unit(written: str) -> float:
    """Of the last decimal that is written."""
    return 10.0 ** -len(written.removesuffix("%").strip().partition(".")[2])


def _from_json(text: str, file: Path) -> Iterator[Standing]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not JSON: {error}", file=file) from None
    if not isinstance(value, list):
        raise BadInput("not a list of rows", file=file, mend="a leaderboard in JSON is [{...}, {...}]")
    for number, row in enumerate(value, start=1):
        if not isinstance(row, dict):
            raise BadInput(f"row {number} is no object", file=file)
        yield _standing(
            {str(key): "" if cell is None else str(cell) for key, cell in row.items()}, f"row {number}", file
        )


def _from_lines(text: str, file: Path) -> Iterator[Standing]:
    separator = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.DictReader(io.StringIO(text), delimiter=separator, restkey="", restval="")
    try:
        for row in reader:
            yield _standing({key: cell for key, cell in row.items() if key}, f"line {reader.line_num}", file)
    except csv.Error as error:
        raise BadInput(f"not lines of cells: {error}", file=file, line=reader.line_num) from None


def _standing(row: Mapping[str, str], place: str, file: Path) -> Standing:
    cells = {key.strip().lower(): cell.strip() for key, cell in row.items()}
    if absent := [column for column in REQUIRED if column not in cells]:
        named = ", ".join((*REQUIRED, *OPTIONAL))
        raise BadInput(f"{place}: no column {absent[0]!r}", file=file, mend=f"its columns are {named}")
    return Standing(place=place, cells=cells)
