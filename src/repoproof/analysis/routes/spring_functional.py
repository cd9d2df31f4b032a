"""Spring's router functions: how they are built, nested and put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..endpoints import METHODS
from .java_values import Interpreter, Native, NativeClass
from .paths import combined
from .values import UNKNOWN, Site, Value, first_two

MAX_ROUTES = 2_000

Entry = tuple[str, str, Site]
"""Method, path, place."""


def routes_in(value: Value) -> Iterator[Entry]:
    """The routes of a router function."""
    if isinstance(value, RouterFunction):
        yield from ((method, path, site) for method, path, site in value.entries if path)


@dataclass(eq=False)
class Predicate(Native):
    """What a request has to be: one of some pairs of a method (or `ANY`) and a path (empty: any, None: cannot be told)."""

    choices: list[tuple[str, str | None]]

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        other = arguments[0] if arguments and isinstance(arguments[0], Predicate) else Predicate([("ANY", "")])
        if name == "and":
            return self.both(other)
        return Predicate([*self.choices, *other.choices]) if name == "or" else Predicate([("ANY", None)])

    def both(self, other: Predicate) -> Predicate:
        return Predicate(
            [
                (second if first == "ANY" else first, _below(path, below))
                for first, path in self.choices
                for second, below in other.choices
            ][:MAX_ROUTES]
        )


def _below(prefix: str | None, path: str | None) -> str | None:
    if prefix is None or path is None:
        return None
    return combined(prefix, path)


@dataclass(eq=False)
class RouterFunction(Native):
    """A router function, or the builder of one."""

    entries: list[Entry] = field(default_factory=list)

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        first, second = first_two(arguments)
        match name:
            case method if method in METHODS:
                self._add(_predicate(method, arguments), site)
            case "route" | "andRoute":
                self._add(first, site)
            case "path":
                self._nest(_path(first), second, site, interpreter)
            case "nest" | "andNest":
                self._nest(first, second, site, interpreter)
            case "add" | "and" | "andOther":
                self._take(_ANYTHING, first)
        return self

    def _add(self, predicate: Value, site: Site) -> None:
        if isinstance(predicate, Predicate):
            room = max(0, MAX_ROUTES - len(self.entries))
            self.entries += [(method, path, site) for method, path in predicate.choices if path is not None][:room]

    def _nest(self, predicate: Value, inside: Value, site: Site, interpreter: Interpreter) -> None:
        """`inside` is a router function, or a lambda that gives one, or one that fills a builder."""
        if not isinstance(inside, RouterFunction):
            builder = RouterFunction()
            given = interpreter.run(inside, [builder], site)
            inside = given if isinstance(given, RouterFunction) else builder
        if isinstance(predicate, Predicate):
            self._take(predicate, inside)

    def _take(self, predicate: Predicate, other: Value) -> None:
        for method, path, site in list(other.entries) if isinstance(other, RouterFunction) else ():
            self._add(predicate.both(Predicate([(method, path)])), site)


_ANYTHING = Predicate([("ANY", "")])


def _path(pattern: Value) -> Predicate:
    return Predicate([("ANY", pattern if isinstance(pattern, str) else None)])


def _predicate(method: str, arguments: Sequence[Value]) -> Predicate:
    """`GET("/x", handler)`, `GET("/x", accept(JSON), handler)`, `GET(predicate, handler)`, `GET(handler)`."""
    found = Predicate([(method, "")])
    if len(arguments) > 1 and not isinstance(arguments[0], Predicate):
        found = found.both(_path(arguments[0]))
    for argument in arguments[:-1]:
        found = found.both(argument) if isinstance(argument, Predicate) else found
    return found


def _of_verb(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return Predicate([(name, "")]).both(_path(arguments[0])) if arguments else UNKNOWN


def _of_method(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return Predicate([(method, "") for method in arguments if isinstance(method, str)] or [("ANY", None)])


def _of_path(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return _path(arguments[0] if arguments else UNKNOWN)


def _route(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    made = RouterFunction()
    return made.invoke("route", arguments, site, interpreter) if arguments else made


def _nest(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return RouterFunction().invoke("nest", arguments, site, interpreter)


def packages() -> dict[str, NativeClass]:
    anything = ("all", "accept", "contentType", "headers", "param", "queryParam", "version")
    predicates = NativeClass(
        {
            **dict.fromkeys(METHODS, _of_verb),
            **dict.fromkeys(("method", "methods"), _of_method),
            "path": _of_path,
            **dict.fromkeys(anything, lambda *_: _ANYTHING),
        }
    )
    functions = NativeClass({"route": _route, "nest": _nest, "resources": lambda *_: RouterFunction()})
    return {
        f"org.springframework.web.{kind}.{name}": made
        for kind in ("servlet.function", "reactive.function.server")
        for name, made in (("RouterFunctions", functions), ("RequestPredicates", predicates))
    }
