"""What a caller gives, checked in the caller's own words before anything is read or run."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import cast

from ..core.errors import BadInput


def place(value: object, argument: str) -> Path:
    """A path. The empty text is none: as a path it would be the current directory, which nobody asked for."""
    if not isinstance(value, str | PathLike):
        raise BadInput(f"{value!r} is not a path", field=argument)
    if value == "":
        raise BadInput("is empty", field=argument, mend="give a path; `.` is the current directory")
    if "\0" in str(value):
        raise BadInput(f"{value!r} is not a path", field=argument)
    return Path(value)


def whole(value: object, argument: str) -> int:
    """A whole number from 1 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadInput(f"{value!r} is not a whole number from 1 on", field=argument)
    return value


def seconds(value: object, argument: str) -> float | None:
    """A number of seconds above 0, or None."""
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not (isfinite(value) and value > 0):
        raise BadInput(f"{value!r} is not a number of seconds above 0", field=argument)
    return float(value)


def line(value: object, argument: str) -> str:
    """A text of one line; may be empty."""
    if not isinstance(value, str) or not value.isprintable():
        raise BadInput(f"{value!r} is not a text of one line", field=argument)
    return value


def texts(value: object, argument: str) -> tuple[str, ...]:
    """Several texts. One text is none: its letters would be taken for the texts."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        mend = f"give [{value!r}]" if isinstance(value, str) else None
        raise BadInput(f"{value!r} is not a list of texts", field=argument, mend=mend)
    return tuple(line(item, argument) for item in cast("Iterable[object]", value))
