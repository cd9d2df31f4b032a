"""Files that a user names, read whole; a complaint names the file and the mend."""

from __future__ import annotations

import tomllib
from io import BufferedReader
from pathlib import Path
from typing import Any

from .errors import BadInput


def opened(file: Path) -> BufferedReader:
    """To be read as bytes; `BadInput` where it cannot be."""
    try:
        return file.open("rb")
    except OSError as error:
        problem = "no such file" if isinstance(error, FileNotFoundError) else str(error.strerror)
        raise BadInput(problem, file=file, mend="it must be a file that can be read") from None


def read_text(file: Path) -> str:
    """UTF-8, with its newlines as they are; `BadInput` where it is none."""
    with opened(file) as content:
        try:
            return content.read().decode()
        except UnicodeDecodeError as error:
            raise BadInput(f"not UTF-8 at byte {error.start + 1}", file=file, mend="save it as UTF-8") from None


def read_toml(file: Path) -> dict[str, Any]:
    """The top table; `BadInput` where it is not TOML."""
    try:
        return tomllib.loads(read_text(file))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        problem = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "nested too deep"
        raise BadInput(f"not TOML: {problem}", file=file, mend="correct the syntax") from None
