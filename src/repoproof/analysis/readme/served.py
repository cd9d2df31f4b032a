"""Sections whose titles say that this service does not serve what they list, or only shows it, but that are about what it serves.

A service may be called Changelog, and have migrations, tests or to-dos.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from .markdown import Block, Fence, Kind, Line, Section, Table
from .phrase import plain
from .words import is_elsewhere, is_setting_up, resource

_METHOD = "GET|POST|PUT|PATCH|DELETE"


def served_sections(blocks: Sequence[Block]) -> frozenset[Section]:
    """The heading that everything else stands under, and the sections that are named for a resource which they have endpoints of.

    `Todos` over `GET /todos` is one; `Todo` over the same is a list of what is to come, unless it has a table or headings of endpoints.
    """
    outermost = {path[-2:][0] for block in blocks if len(path := block.section.path()) > 1 or _may_declare(block)}
    found = set(outermost if len(outermost) == 1 else ())
    for block in blocks:
        for section in block.section.path():
            if section not in found and (name := resource(plain(section.title))) and _declares(block, *name):
                found.add(section)
    return frozenset(found)


def lies_elsewhere(section: Section, served: AbstractSet[Section]) -> bool:
    """Whether a section is about endpoints that this service does not serve."""
    return any(is_elsewhere(plain(around.title)) for around in section.path() if around not in served)


def sets_up(section: Section, served: AbstractSet[Section]) -> bool:
    """Whether a section shows how to run the service."""
    return any(
        around.level <= 2 and is_setting_up(plain(around.title)) for around in section.path() if around not in served
    )


def _may_declare(block: Block) -> bool:
    return not isinstance(block, Line) or bool(re.search(rf"\b(?:{_METHOD})\b.{{0,200}}/", block.text))


def _declares(block: Block, stem: str, plural: bool) -> bool:
    """Whether a block has a method or a host, and a path with the resource as a segment, in a way that lists of plans do not."""
    match block:
        case Table():
            text = "\n".join(" ".join(cells) for _, cells in block.rows)
        case Line() if plural or block.kind is Kind.HEADING:
            text = block.text
        case Fence() if plural:
            text = block.text
        case _:
            return False
    begins = rf"\b(?:{_METHOD})\b.{{0,200}}?|(?://|:\d)[^\s\"']{{0,200}}?"
    return re.search(rf"(?:{begins})/{stem}(?:s|y|ies)?(?![\w.-])", text, re.IGNORECASE) is not None
