"""Base paths: where a README states one, what it reaches, and how it is joined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..openapi import join_once
from .markdown import Block, Fence, Kind, Line, Section, Table
from .mention import Mention
from .phrase import Target, find_target, plain, read_phrases, read_target

MAX_BASES = 200

_LABEL_WORDS = (
    r"(?:(?:the|our|all|default|local|common|global|service|server|api|rest|http|url|endpoints?|routes?)\s+)*"
    r"(?:base|prefix|root|context|mount(?:ed)?|url prefix|path prefix|route prefix|api root)(?:\s+(?:api|ur[li]|paths?|routes?|prefix|point|endpoint|at|under|address))*"
    r"(?:\s+(?:for|of)\s+[\w\s]{1,40}?)?(?:\s*\([^()]*\))?"
)
_LABELLED = re.compile(
    rf"^{_LABEL_WORDS}\s*(?:[:：=]|\bis\b|→|[-–—]+>?(?=\s)|\s(?=https?:|/)|$)\s*(?P<value>.*)$", re.IGNORECASE
)
_PROSE = re.compile(
    r"\b(?:all|every|each|these|the|following)\b[^.]{0,60}?\b(?:endpoint|route|path|url|request|api|resource|call)s?\b[^.]{0,60}?"
    r"\b(?:prefix(?:ed)?|relative to|(?:start|begin)s?(?: with)?|mounted|rooted|served|namespaced"
    r"|(?:are|is|lives?|sits?|available|exposed|found|nested|grouped|reachable)\s+(?:under|at|below|beneath))\b"
    r"(?:\s+(?:with|by|at|on|from|under|in|of|to|is|the|a|common|base|path|prefix|url|api))*[\s:]*"
    r"|\bcontext[ -]path(?:\s+(?:is|of|set|to|being))*[\s:=]*(?=/)",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"\b(?:except|apart from|other than|excluding|but not|with the exception of|unless)\b(.*)", re.IGNORECASE
)
_IN_HEADING = re.compile(
    r"(?:^[A-Za-z]+(?:\s[A-Za-z]+)?\s(?=/)|[:(\[–—-]|\bprefix\b|\bunder\b|\bat\b)\s*(?=/)", re.IGNORECASE
)
# Served beside an API rather than under it, when the rest of the README writes the base path out.
_BESIDE = re.compile(
    r"^/(?:health\w*|ping|ready|readiness|live|liveness|metrics|docs|redoc|status|version|openapi\.json)?/?$"
)


@dataclass(frozen=True)
class Base:
    """A base path that a README states."""

    path: str
    scope: Section
    """Reaches the endpoints of this section and those inside it."""
    heading: bool
    """Read out of a heading (`## Users (`/users`)`), which may as well just name the resource."""
    outside: frozenset[str]
    """Paths that the same sentence excepts."""
    reaches: int
    """How many declared endpoints stand in its scope."""
    repeated: int
    """How many of them are written with the base path in front."""


def find_bases(blocks: Sequence[Block], mentions: Sequence[Mention]) -> list[Base]:
    """The base paths stated in `blocks`, each reaching the smallest section around it that holds any of the `mentions`."""
    occupied = {section for mention in mentions for section in mention.section.path()}
    bases: list[Base] = []
    for at, block in enumerate(blocks):
        if len(bases) == MAX_BASES:
            break
        stated = _stated(block, blocks[at + 1 : at + 2])
        for path, outside, heading in stated:
            if path.strip("/"):
                scope = next((section for section in block.section.path() if section in occupied), block.section)
                base = "/" + path.strip("/")
                under = [
                    mention.target
                    for mention in mentions
                    if not mention.target.host and scope in mention.section.path()
                ]
                repeated = sum(join_once(base, target.path) == target.path for target in under)
                bases.append(Base(base, scope, heading, outside, len(under), repeated))
    return bases


def is_base(text: str) -> bool:
    """Whether plain `text` is a label and a base path, and nothing more."""
    label = _LABELLED.match(text)
    return bool(label and read_target(label["value"]))


def joined(mention: Mention, bases: Iterable[Base]) -> str:
    """The path of `mention` under the base paths that reach it, the innermost first."""
    path = mention.target.path
    if mention.target.host:
        return path
    reaching = [
        (mention.section.path().index(base.scope), base) for base in bases if base.scope in mention.section.path()
    ]
    for _, base in sorted(reaching, key=lambda pair: pair[0]):
        if path.rstrip("/") not in base.outside and _wants(path, base):
            path = join_once(base.path, path)
    return path


def _wants(path: str, base: Base) -> bool:
    """Whether the README leaves `base` out of `path`, judged by how it writes the other endpoints of the same scope.

    A heading is a base only if no endpoint under it repeats it; a stated one is in doubt only where most endpoints repeat it.
    """
    if not base.repeated:
        return True
    return not base.heading and 2 * base.repeated <= base.reaches and not _BESIDE.match(path)


def _stated(block: Block, following: Sequence[Block]) -> Iterable[tuple[str, frozenset[str], bool]]:
    match block:
        case Line():
            text = plain(block.text)
            if block.kind is Kind.HEADING and not _LABELLED.match(text):
                return _in_heading(text)
            return _in_line(text, following)
        case Table():
            rows = ([plain(cell) for cell in cells] for _, cells in block.rows)
            return [(target.path, frozenset(), False) for row in rows if (target := _in_row(row))]
        case Fence():
            return []


def _in_heading(text: str) -> Iterable[tuple[str, frozenset[str], bool]]:
    start = _IN_HEADING.search(text)
    target = read_target(text[start.end() :].rstrip(")] ")) if start and not read_phrases(text[start.end() :]) else None
    if target and re.search(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b", text) is None:
        yield target.path, frozenset(), True


def _in_line(text: str, following: Sequence[Block]) -> Iterable[tuple[str, frozenset[str], bool]]:
    value, rest = "", text
    if label := _LABELLED.match(text):
        value = label["value"] or _first_text(following)
    elif prose := _PROSE.search(text):
        value = text[prose.end() :]
    if not value or read_phrases(value):
        return
    exception = _EXCEPT.search(rest)
    excepted = exception[1] if exception else ""
    outside = frozenset(path.rstrip("/.,") for path in re.findall(r"(?<!\w)/[\w/{}.-]*", excepted))
    words = value.split()
    target = find_target(" ".join(words[:4]))
    if target:
        yield target.path, outside, False


def _first_text(following: Sequence[Block]) -> str:
    """The value of a label that stands alone: the line or the fence after it."""
    match following:
        case [Line(text=text, kind=kind)] if kind is not Kind.HEADING:
            return plain(text)
        case [Fence(text=text)]:
            return plain(text.strip().split("\n")[0])
        case _:
            return ""


def _in_row(cells: list[str]) -> Target | None:
    label = _LABELLED.match(cells[0]) if len(cells) > 1 else None
    return read_target(cells[1]) if label and not label["value"] else None
