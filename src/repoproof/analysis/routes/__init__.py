"""Read a service's routes from its source, without running it.

One reader a language, one file a framework. A route counts only where it is seen to be reachable from an application object.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from ..endpoints import Route

Reader = Callable[[Path], tuple[Route, ...]]

READERS = {
    "python": ".python:find_python_routes",
    "node": ".node:find_node_routes",
    "java": ".java:find_java_routes",
}
"""Language -> the function that reads its routes, imported when it is first asked for (a parser is not loaded for nothing)."""


def find_routes(tree: Path, *, language: str, framework: str = "") -> tuple[Route, ...]:
    """The routes of the service in `tree`, in the order of file and line; none for a language without a reader.

    Every framework of the language is looked for, because a service that was asked for in one and written in another still has its
    endpoints. Where two readers see one registration, the one named by `framework` is credited with it.
    Never raises for what a tree contains: what cannot be read yields no route.
    """
    if language not in READERS:
        return ()
    module, function = READERS[language].split(":")
    read: Reader = getattr(import_module(module, __package__), function)
    routes = sorted(
        read(tree), key=lambda route: (route.file, route.line, route.path, route.method, route.framework != framework)
    )
    unique: dict[tuple[str, str, str, int], Route] = {}
    for route in routes:
        unique.setdefault((route.method, route.path, route.file, route.line), route)
    return tuple(unique.values())
