"""Base paths: where a README states one, what it reaches, and how it is joined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..endpoints import METHODS
from ..openapi import join_once
from .markdown import Block, Fence, Kind, Line, Section, Table
from .mention import Mention
from .phrase import Target, find_target, plain, read_phrases, read_target

MAX_BASES = 1_000
MAX_TEXT = 1_000
"""Characters of a line."""

_LABEL_WORDS = (
    r"(?:(?:the|our|all|default|local|common|global|service|server|api|rest|http|url|endpoints?|routes?)\s+){0,5}"
    r"(?:base|prefix|root|context|mount(?:ed)?|url prefix|path prefix|route prefix|api root)(?:\s+(?:api|ur[li]s?|paths?|routes?|prefix|point|endpoint|at|under|address)){0,5}"
    r"(?:\s+(?:for|of)\s+[\w\s]{1,40}?)?(?:\s*\([^()]*\))?"
    r"|base(?:ur[li]|path)|basis-?\s?(?:ur[li]|pfad)|(?:api-)?präfix|ur[li] (?:de )?base|(?:ruta|caminho|chemin) (?:de )?base|prefijo|prefixo|préfixe"
    r"|(?:api|接口|服务)?\s?(?:基础|基本|根)\s?(?:路径|地址|ur[li])|(?:api|接口|统一|公共|路由|路径|url)*\s?前缀|ベース\s?(?:ur[li]|パス)|기본\s?(?:ur[li]|경로)"
)
_LABELLED = re.compile(
    rf"^(?:{_LABEL_WORDS})\s*(?:[:：=]|\bis\b|→|[-–—]+>?(?=\s)|\s(?=https?:|/)|$)\s*(?P<value>.*)$", re.IGNORECASE
)
_PROSE = re.compile(
    r"\b(?:all|every|each|these|the|following)\b[^.]{0,60}?\b(?:endpoint|route|path|url|request|api|resource|call)s?\b[^.]{0,60}?"
    r"\b(?:prefix(?:ed)?|relative to|(?:start|begin)s?(?: with)?|mounted|rooted|served|namespaced"
    r"|(?:are|is|lives?|sits?|available|exposed|found|nested|grouped|reachable)\s+(?:under|at|below|beneath))\b"
    r"(?:\s+(?:with|by|at|on|from|under|in|of|to|is|the|a|common|base|path|prefix|url|api))*[\s:]*"
    r"|\beverything\b\s+(?:(?:else|here|below)\s+)?(?:is|lives?|sits?|starts)\b[^.]{0,30}?\b(?:under|below|beneath|at|with|to)\b[\s:]*"
    r"|\bcontext[ -]path(?:\s+(?:is|of|set|to|being))*[\s:=]*(?=/)"
    r"|\bprefix\s+(?:every|each|all|the)\b[^.]{0,40}?\bwith\b[\s:]*"
    r"|\b(?:alle|sämtliche|jede[rs]?)\b[^.]{0,40}?\b(?:endpunkte?|endpoints?|routen?|pfade?|anfragen?|schnittstellen?|urls?|adressen?)\b[^./]{0,20}?"
    r"\b(?:liegen|sind|stehen|beginnen|fangen|befinden|haben|tragen)\b[^./]{0,30}?\b(?:unter(?:halb)?(?:\s+von)?|mit|relativ zu)\b(?:\s+dem)?(?:\s+(?:präfix|pfad))?[\s:]*"
    r"|\b(?:todos|todas|tous|toutes)\b[^.]{0,40}?\b(?:endpoints?|rutas?|rotas?|routes?|urls?|chemins?)\b[^./]{0,20}?"
    r"\b(?:están|estão|son|são|sont|empiezan|comienzan|começam|commencent|tienen|têm|ont|usan|usam)\b[^./]{0,30}?\b(?:bajo|sob|con|com|sous|par|en)\b(?:\s+(?:el|o|le)\s+\w+)?[\s:]*"
    r"|(?:所有|全部|以下|各个?)[^。]{0,20}?(?:接口|路径|端点|请求|路由|api)[^。]{0,20}?(?:均?以|[均都]在|位于|基于|前缀(?:均?为|是)?)[\s：:]*(?=/|https?:)",
    re.IGNORECASE,
)
# `http://localhost:8080, prefix `/api``.
_PREFIX_BEHIND = re.compile(r"\b(?:prefix|path)\b(?:\s+is)?\W{0,5}(?<![\w/])(/[\w{}./-]+)", re.IGNORECASE)
_EXCEPT = re.compile(
    r"\b(?:except|apart from|other than|excluding|but not|with the exception of|unless)\b(.*)", re.IGNORECASE
)
_METHOD = re.compile(rf"\b(?:{'|'.join(METHODS)})\b")
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
    resource: bool
    """A heading that has methods of its own: only what cannot stand alone (`/`, `/{id}`) goes on from it."""


@dataclass(frozen=True)
class Stated:
    """What one place says about a base."""

    target: Target
    section: Section
    outside: frozenset[str] = frozenset()
    """Paths that the same sentence excepts."""
    heading: bool = False
    """A heading says it."""
    whole: bool = False
    """The heading says nothing else."""


def stated_bases(blocks: Sequence[Block]) -> list[Stated]:
    """All places in `blocks` that state a base path or a base URL."""
    found: list[Stated] = []
    for at, block in enumerate(blocks):
        found += _stated(block, blocks[at + 1 : at + 2])
        if len(found) >= MAX_BASES:
            break
    return found


def find_bases(stated: Iterable[Stated], mentions: Sequence[Mention]) -> list[Base]:
    """The base paths that are stated, each reaching the smallest section around it that holds any of the `mentions`."""
    inside: dict[Section, list[Mention]] = {}
    for mention in mentions:
        for section in mention.section.path():
            inside.setdefault(section, []).append(mention)
    bases: list[Base] = []
    for one in stated:
        if path := one.target.path.strip("/"):
            scope = next((section for section in one.section.path() if section in inside), one.section)
            under = [
                mention.target
                for mention in inside.get(scope, ())
                if not mention.target.host
                and not mention.outside
                and not (one.heading and mention.of_heading and mention.target == one.target)
            ]
            repeated = sum(join_once(f"/{path}", target.path) == target.path for target in under)
            resource = one.whole and any(
                mention.of_heading and mention.target == one.target for mention in inside.get(one.section, ())
            )
            bases.append(Base(f"/{path}", scope, one.heading, one.outside, len(under), repeated, resource))
    return bases


def is_base(text: str) -> bool:
    """Whether plain `text` is a label and a base path, and nothing more."""
    label = _LABELLED.match(text)
    return bool(label and read_target(label["value"]))


def path_in_heading(title: str) -> Target | None:
    """The path behind the words of a heading: `Users (`/users`)`."""
    start = _IN_HEADING.search(title)
    target = (
        read_target(title[start.end() :].rstrip(")] ")) if start and not read_phrases(title[start.end() :]) else None
    )
    return target if target and not _METHOD.search(title) else None


def joined(mention: Mention, bases: Mapping[Section, Sequence[Base]]) -> str:
    """The path of `mention` under the base paths that reach it, told by their scopes, the innermost first."""
    path = mention.target.path
    if mention.target.host or mention.outside:
        return path
    for base in (base for section in mention.section.path() for base in bases.get(section, ())):
        if path.rstrip("/") not in base.outside and _wants(path, base):
            path = join_once(base.path, path)
    return path


def _wants(path: str, base: Base) -> bool:
    """Whether the README leaves `base` out of `path`, judged by how it writes the other endpoints of the same scope.

    A heading is a base only if no endpoint under it repeats it; a stated one is in doubt only where most endpoints repeat it.
    """
    if base.resource and not re.match(r"/(?:$|[{<\[:])", path):
        return False
    if not base.repeated:
        return True
    return not base.heading and 2 * base.repeated <= base.reaches and not _BESIDE.match(path)


def _stated(block: Block, following: Sequence[Block]) -> list[Stated]:
    match block:
        case Line():
            text = plain(block.text)[:MAX_TEXT]
            if block.kind is Kind.HEADING and not _LABELLED.match(text):
                whole = read_target(text)
                target = whole or path_in_heading(text)
                return [Stated(target, block.section, heading=True, whole=bool(whole))] if target else []
            return _in_line(text, block.section, following)
        case Table():
            rows = (
                [plain(cell)[:MAX_TEXT] for cell in cells[:2]]
                for cells in (block.header, *(row for _, row in block.rows))
            )
            return [Stated(target, block.section) for row in rows if (target := _in_row(row))]
        case Fence():
            return []


def _in_line(text: str, section: Section, following: Sequence[Block]) -> list[Stated]:
    value, rest = "", text
    if label := _LABELLED.match(text):
        value = label["value"] or _first_text(following)
    elif prose := _PROSE.search(text):
        value = text[prose.end() :]
    if not value or read_phrases(value):
        return []
    exception = _EXCEPT.search(rest)
    excepted = exception[1] if exception else ""
    outside = frozenset(path.rstrip("/.,") for path in re.findall(r"(?<!\w)/[\w/{}.-]*", excepted))
    target = find_target(" ".join(value.split()[:4]))
    if target and target.path == "/" and (behind := _PREFIX_BEHIND.search(value)):
        target = replace(target, path=behind[1])
    return [Stated(target, section, outside)] if target else []


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
