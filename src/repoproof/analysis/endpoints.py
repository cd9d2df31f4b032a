"""An HTTP endpoint, and when two of them are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pydantic import Field

from ..core.base import Frozen

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")

MAX_PARAMETER = 500
"""Characters of one parameter with its pattern; an unclosed bracket is not looked after for longer."""

_PLAIN = re.compile(r"[^\[{$<(:*?#]+")
"""Nothing that a parameter, a query or a fragment begins with."""
_DOLLARS = re.compile(r"\$+(?=\{)")
_NAMED_GROUP = re.compile(r"\(\?P?<(\w+)>")
_WORD = re.compile(r"[A-Za-z_]\w*")
_MODIFIER = re.compile(r"[?*+](?=[/.-]|$)")
_WHOLE_SEGMENT = re.compile(r"\[(?:\.{3})?(\w+)\](?=[/?#]|$)|\*{1,2}(\w*)(?=[/?#]|$)")
_CLOSING = {"{": "}", "<": ">", "(": ")"}
# Bottle and Sanic write the name first (`<id:int>`), Flask and Django the converter (`<int:id>`): these words tell which is which.
_CONVERTERS = frozenset(
    {"int", "float", "number", "str", "string", "strorempty", "alpha", "slug"}
    | {"path", "uuid", "ymd", "any", "re", "regex"}
)


class Endpoint(Frozen):
    """A method and a path template: `GET /api/v1/widgets/{id}`."""

    method: str = Field(pattern="^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|ANY)$")
    """Upper case; `ANY` only for routes that take every method."""
    path: str = Field(pattern="^/")
    """As written, base path joined, parameters in braces: `{id}`."""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Route(Endpoint):
    """An endpoint found in source code."""

    file: str
    """Relative to the tree."""
    line: int
    """1-based."""
    framework: str
    """Which reader found it: `fastapi`, `express`, ..."""


def normalise_path(path: str) -> str:
    """The path with every notation of a parameter turned into `{name}`; normalising twice changes nothing.

    Read as parameters: `{id}`, `{id:path}`, `{{id}}`, `${id}`, `<id>`, `<int:id>`, `<id:int>`, `:id`, `:id(\\d+)?`, `[id]` and `*rest` as a
    whole segment, `(?P<id>...)`. A colon inside a segment is a literal (`/rooms/!a:host`, `/jobs/{id}:cancel`).
    A query and a fragment are cut off, a leading slash is added, repeated slashes become one. A trailing slash stays, because a
    request has to be sent with it; `matches` ignores it.
    """
    before, now = "", _normalised(path)
    while now != before:  # what one reading makes of nonsense may read as a parameter
        before, now = now, _normalised(now)
    return now


def _normalised(path: str) -> str:
    text = "/" + path.strip()
    out: list[str] = []
    at = 0
    while at < len(text) and text[at] not in "?#":
        if plain := _PLAIN.match(text, at):
            out.append(plain[0])
            at = plain.end()
            continue
        name, at_next = _parameter(text, at)
        out.append(text[at] if name is None else f"{{{name}}}")
        at = at_next
    return re.sub("//+", "/", "".join(out)).rstrip()


def matches(declared: Endpoint, route: Endpoint) -> bool:
    """Whether `route` is what `declared` asks for: an equal template, and a method that the route takes.

    Parameter names and a trailing slash do not matter; literals are case-sensitive. A declared literal is not matched by a route's
    parameter (`/users/me` by `/users/{id}`): whether the handler treats `me` specially cannot be read from the route, so the static
    measure says no and the live one, which asks the running service, decides. HEAD is satisfied by GET, as HTTP defines it; OPTIONS
    is not satisfied by other methods, because the answers that frameworks and CORS middleware make up are nobody's implementation.
    """
    return _template(declared.path) == _template(route.path) and route.method in _accepted(declared.method)


def coverage(declared: Iterable[Endpoint], routes: Iterable[Route]) -> dict[Endpoint, Route | None]:
    """For each declared endpoint, in order, the route that implements it, or None; equal declarations are folded into the first.

    A route that names the method wins over one that takes every method, then the first one found wins.
    """
    by_template: dict[tuple[str, str], Route] = {}
    for route in routes:
        by_template.setdefault((route.method, _template(route.path)), route)
    covered: dict[Endpoint, Route | None] = {}
    seen: set[tuple[str, str]] = set()
    for endpoint in declared:
        template = _template(endpoint.path)
        if (endpoint.method, template) in seen:
            continue
        seen.add((endpoint.method, template))
        found = (by_template.get((method, template)) for method in _accepted(endpoint.method))
        covered[endpoint] = next((route for route in found if route is not None), None)
    return covered


def _accepted(method: str) -> tuple[str, ...]:
    """Methods of a route that satisfy a declared `method`, best first."""
    if method == "ANY":
        return ("ANY",)
    return ("HEAD", "GET", "ANY") if method == "HEAD" else (method, "ANY")


def _template(path: str) -> str:
    """What is compared: parameters without names, no trailing slash."""
    return re.sub(r"\{[^{}/]*\}", "{}", normalise_path(path)).rstrip("/") or "/"


def _parameter(text: str, at: int) -> tuple[str | None, int]:
    """The name of the parameter that starts at `at`, and the position after it; None and the next position where none does."""
    nothing = (None, at + 1)
    opener = text[at]
    if opener == "$" and (dollars := _DOLLARS.match(text, at)):
        name, end = _parameter(text, dollars.end())
        return (name, end) if name is not None else nothing
    if opener in "{<":
        end = _balanced(text, at)
        return (_name(text[at + 1 : end - 1], opener), end) if end else nothing
    if group := _NAMED_GROUP.match(text, at):
        end = _balanced(text, at)
        return (group[1], end) if end else nothing
    if opener == ":" and text[at - 1] in "/.-" and (word := _WORD.match(text, at + 1)):
        end = word.end()
        if text[end : end + 1] == "(":
            end = _balanced(text, end) or end
        modifier = _MODIFIER.match(text, end)
        return word[0], modifier.end() if modifier else end
    if text[at - 1] == "/" and (whole := _WHOLE_SEGMENT.match(text, at)):
        return whole[1] or whole[2] or "wildcard", whole.end()
    return nothing


def _balanced(text: str, at: int) -> int:
    """The position after the bracket that closes the one at `at`, backslash escapes skipped; 0 if none does."""
    opener, closer, depth, escaped = text[at], _CLOSING[text[at]], 0, False
    for position in range(at, min(len(text), at + MAX_PARAMETER)):
        char = text[position]
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == opener:
            depth += 1
        elif char == closer:
            depth -= 1
            if depth == 0:
                return position + 1
    return 0


def _name(inside: str, opener: str) -> str:
    """`id` of `id`, `id:path`, `int:id`, `{id}`, `string(length=2):id`, `*id`, `id?`."""
    first, *rest = inside.split(":")
    name_first = opener == "{" or not rest or (rest[0] in _CONVERTERS and first not in _CONVERTERS)
    return re.sub(r"[^\w.-]+", "", first if name_first else rest[-1]) or "parameter"
