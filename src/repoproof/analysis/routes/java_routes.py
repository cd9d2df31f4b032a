"""Routes as they are registered on an application object of Java, and how their paths are put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..endpoints import METHODS, Route, normalise_path
from .java_values import Native, Site, Value

MAX_ROUTES = 5_000
MAX_PATH_LENGTH = 1_000

VERBS = {method.lower(): method for method in METHODS}


@dataclass(eq=False)
class Application(Native):
    """An object that requests arrive at."""

    framework: str
    prefix: Value = ""
    """In front of every path; anything but a text means that it cannot be told."""
    registered: list[tuple[str, str, Site]] = field(default_factory=list)
    """Method, path, place."""

    def add(self, method: Value, path: Value, site: Site) -> None:
        """Notes a route, unless its method or path cannot be told."""
        known = isinstance(path, str) and (method in METHODS or method == "ANY")
        if known and len(self.registered) < MAX_ROUTES:
            self.registered.append((method, path, site))

    def routes(self) -> Iterator[Route]:
        if isinstance(self.prefix, str):
            for method, path, site in self.registered:
                yield from made(method, slashed(self.prefix, path) if self.prefix else path, site, self.framework)


def made(method: str, path: str, site: Site, framework: str) -> Iterator[Route]:
    """The route, if it is one that can be asked for."""
    if method in (*METHODS, "ANY") and len(path) <= MAX_PATH_LENGTH:
        yield Route(method=method, path=normalise_path(path), file=site.file, line=site.line, framework=framework)


def slashed(prefix: str, path: str) -> str:
    """Joined with exactly one slash; an empty path, or `/`, below a prefix is the prefix itself."""
    return f"{prefix.rstrip('/')}/{path.lstrip('/')}".rstrip("/") or "/"


def combined(prefix: str, path: str) -> str:
    """Joined with exactly one slash; a slash at the end stays, for frameworks to which it makes another path."""
    return f"{prefix.rstrip('/')}/{path.lstrip('/')}" if prefix and path else prefix or path
