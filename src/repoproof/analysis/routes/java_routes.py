"""Routes as they are registered on an application object of Java."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..endpoints import METHODS, Route
from .java_values import Native, NativeClass
from .paths import made, slashed
from .values import Site, Value

MAX_ROUTES = 5_000

METHOD_ENUM = NativeClass(fields={method: method for method in METHODS})
"""What frameworks have to name a method by: `RequestMethod.GET`."""


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
