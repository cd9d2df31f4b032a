"""Source maps (version 3): which place of which source a place in a compiled script came from."""

from __future__ import annotations

import base64
import binascii
import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

MAP_BYTES = 32_000_000
ROOT = "/app"
"""Where the tree lay when it was compiled: maps may name their sources by absolute paths."""

_COMMENT = re.compile(r"^//[#@] sourceMappingURL=(\S+)[ \t]*$", re.MULTILINE)
_DIGITS = {c: n for n, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}

Spots = list[tuple[tuple[int, int], int]]
"""(line, column) in the source, both from 0, and the position in the script; columns and positions in UTF-16 code units."""


def source_map(file: str, script: str, built: Path) -> dict[str, Spots]:
    """Source files, relative to `built`, and what of each is where in `script`, whose path relative to `built` is `file`.

    The map is in the script's last comment, or where that says, in `built`. Nothing where there is none, or none that can be read.
    """
    comments = _COMMENT.findall(script)
    if not comments:
        return {}
    try:
        content = _inline(comments[-1]) if comments[-1].startswith("data:") else _beside(file, comments[-1], built)
        said = json.loads(content)
        return _spots(file, script, said) if isinstance(said, dict) else {}
    except (OSError, ValueError, RecursionError, binascii.Error):
        return {}


def _inline(address: str) -> bytes:
    kind, _, data = address.partition(",")
    return base64.b64decode(data) if kind.endswith(";base64") else unquote_to_bytes(data)


def _beside(file: str, name: str, built: Path) -> bytes:
    path = (built / posixpath.dirname(file) / unquote(name)).resolve()
    if not (path.is_relative_to(built.resolve()) and path.is_file() and path.stat().st_size <= MAP_BYTES):
        return b""
    return path.read_bytes()


def _spots(file: str, script: str, said: dict) -> dict[str, Spots]:
    sources, mappings, root = said.get("sources"), said.get("mappings"), said.get("sourceRoot") or ""
    if not (isinstance(sources, list) and isinstance(mappings, str) and isinstance(root, str)):
        return {}
    names = [_place(file, root, source) if isinstance(source, str) else "" for source in sources]
    starts = line_starts(script)
    found: dict[str, Spots] = {}
    for line, column, source, place in _segments(mappings):
        if 0 <= source < len(names) and line < len(starts) and min(place) >= 0:
            found.setdefault(names[source], []).append((place, starts[line] + column))
    return found


def _place(file: str, root: str, source: str) -> str:
    """Where a source lies, relative to the tree."""
    source = f"{root.rstrip('/')}/{source}" if root and not source.startswith(("/", "file:")) else source
    source = unquote(source.removeprefix("file://")) if source.startswith("file://") else source
    return posixpath.normpath(posixpath.join(ROOT, posixpath.dirname(file), source)).removeprefix(f"{ROOT}/")


def _segments(mappings: str) -> Iterator[tuple[int, int, int, tuple[int, int]]]:
    """Line and column in the script, number of the source, (line, column) there."""
    source = source_line = source_column = 0
    for line, segments in enumerate(mappings.split(";")):
        column = 0
        for segment in filter(None, segments.split(",")):
            values = list(_numbers(segment))
            if not values:
                continue
            column += values[0]
            if len(values) >= 4:
                source, source_line, source_column = (
                    source + values[1], source_line + values[2], source_column + values[3],
                )  # fmt: skip
                yield line, column, source, (source_line, source_column)


def _numbers(segment: str) -> Iterator[int]:
    """Base 64, five bits a digit, the lowest first; a sixth says that more follow, and the lowest of all is the sign."""
    value = shift = 0
    for character in segment:
        digit = _DIGITS.get(character)
        if digit is None or shift > 30:
            raise ValueError("no number of a source map, which have 32 bits")
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            yield -(value >> 1) if value & 1 else value >> 1
            value = shift = 0


def line_starts(text: str) -> list[int]:
    """Where each line begins, in UTF-16 code units."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + units_of(line) + 1)
    return starts[:-1]


def units_of(text: str) -> int:
    """Its length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
