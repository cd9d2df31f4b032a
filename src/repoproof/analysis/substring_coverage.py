"""API coverage by the rule that RepoGenesis published, only to check published numbers: it reads text, and knows no route.

An endpoint counts as implemented if one file has both a piece of text that looks like a route of its method and the path, or any segment
of the path of more than three characters, anywhere. So `db.delete(key)` is a route, and a path in a comment is served by it; a
`DefaultRouter`, Django's `path()`, JAX-RS annotations and Flask's unwritten GET are none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..sandbox.apart import Unreadable, apart
from .endpoints import Endpoint
from .source_files import source_files

SUFFIXES = (".py", ".java", ".kt", ".js", ".ts", ".mjs", ".cjs")
SHORT = 3
"""Segments of so many characters are not looked for."""


def covered_by_substring(tree: Path, endpoints: Sequence[Endpoint]) -> int:
    """How many of `endpoints` the code in `tree` implements by that rule; 0 where the code cannot be read."""
    asked = json.dumps([[endpoint.method, endpoint.path] for endpoint in endpoints])
    try:
        return int(apart(f"{__name__}:count_covered", str(tree), asked))
    except Unreadable:
        return 0


def count_covered(tree: str, asked: str) -> int:
    waiting: set[tuple[str, str]] = {(method, path) for method, path in json.loads(asked)}
    total = len(waiting)
    for file in source_files(Path(tree), SUFFIXES):
        text = file.read_text(encoding="utf-8", errors="replace")
        waiting = {(method, path) for method, path in waiting if not _in(text, method, path)}
    return total - len(waiting)


def _in(text: str, method: str, path: str) -> bool:
    pieces = (path, *(segment for segment in path.split("/") if len(segment) > SHORT))
    return any(piece in text for piece in pieces) and _route_like(method).search(text) is not None


@cache
def _route_like(method: str) -> re.Pattern[str]:
    lower, title = method.lower(), method.title()
    return re.compile(
        rf'\.{lower}\s*\(|@{title}Mapping\b|RequestMethod\.{method}\b|methods\s*=\s*\[[^\]\n]{{0,200}}"{method}"'
    )
