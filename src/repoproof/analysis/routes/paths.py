"""How a prefix and a path meet, and a route from them. Which of the ways it is, is the framework's."""

from __future__ import annotations

from collections.abc import Iterator

from ..endpoints import METHODS, Route, normalise_path
from .values import Site

MAX_PATH_LENGTH = 1_000

VERBS = {method.lower(): method for method in METHODS}
"""`get` -> `GET`, as frameworks name their functions."""


def joined(prefix: str, path: str) -> str:
    """With exactly one slash between them."""
    return f"{prefix.rstrip('/')}/{path.lstrip('/')}"


def slashed(prefix: str, path: str) -> str:
    """With exactly one slash between them and none at the end; an empty path, or `/`, below a prefix is the prefix itself."""
    return joined(prefix, path).rstrip("/") or "/"


def combined(prefix: str, path: str) -> str:
    """With exactly one slash between them; a slash at the end stays, for frameworks to which it makes another path."""
    return joined(prefix, path) if prefix and path else prefix or path


def made(method: str, path: str, site: Site, framework: str) -> Iterator[Route]:
    """The route, if it is one that can be asked for."""
    if method in (*METHODS, "ANY") and len(path) <= MAX_PATH_LENGTH:
        yield Route(method=method, path=normalise_path(path), file=site.file, line=site.line, framework=framework)
