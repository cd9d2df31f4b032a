"""A README in, its endpoints out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...core.base import MiB
from ..endpoints import Endpoint, normalise_path
from .bases import Base, find_bases, joined, stated_bases
from .fences import read_fence, read_inline
from .hosts import is_ours, resolved
from .lines import LineReader
from .markdown import Block, Fence, Line, Section, Table, read_blocks
from .mention import Mention, Notation
from .served import lies_elsewhere, served_sections, sets_up
from .tables import read_table

MAX_CHARACTERS = 2 * MiB
MAX_PATH_LENGTH = 500
MAX_WRITTEN_LENGTH = 1_000
"""Of a path before its parameters are normalised."""
MAX_MENTIONS = 1_000


class Extracted(Endpoint):
    """An endpoint that a README declares, and where."""

    line: int
    """1-based."""
    notation: Notation


def extract_endpoints(markdown: str) -> tuple[Extracted, ...]:
    """The endpoints that a README declares, each once, in the order of the text.

    Base paths are joined and parameters normalised. A concrete call that a declared template describes is an example of it; one that
    nothing describes counts by itself, with its ids turned into parameters, unless it only shows how to run the service.
    """
    blocks, _ = read_blocks(markdown[:MAX_CHARACTERS])
    served = served_sections(blocks)
    elsewhere = {section for section in {block.section for block in blocks} if lies_elsewhere(section, served)}
    blocks = [block for block in blocks if block.section not in elsewhere]
    stated = stated_bases(blocks)
    mentions = _ours(_mentions(blocks, served), frozenset(base.target.host for base in stated))
    mentions = [mention for mention in mentions if len(mention.target.path.split("?")[0]) <= MAX_WRITTEN_LENGTH]
    declared = [mention for mention in mentions if not mention.shown]
    bases = find_bases(stated, declared or mentions)
    by_scope: dict[Section, list[Base]] = {}
    for base in bases:
        by_scope.setdefault(base.scope, []).append(base)
    found = [(mention, normalise_path(joined(mention, by_scope))) for mention in mentions]
    found = [(mention, path) for mention, path in found if len(path) <= MAX_PATH_LENGTH]
    return _distinct(_folded(_under_examples(found, bases), served))


def _mentions(blocks: Sequence[Block], served: frozenset[Section]) -> list[Mention]:
    lines, others, known = LineReader(served), list[Mention](), dict[str, str]()
    for block in blocks:
        match block:
            case Line():
                lines.read(replace(block, text=resolved(block.text, known)))
                others += read_inline(block, known) if lines.denied is None else []
            case _ if lines.denied is not None:
                pass
            case Fence():
                found = read_fence(block, known)
                others += found
                if not found:
                    lines.read_fence(block)
            case Table():
                others += read_table(block, lines.path_above, lines.titled_methods)
    distinct: dict[tuple[object, ...], Mention] = {}
    for mention in sorted([*lines.finish(), *others], key=lambda mention: mention.line):
        distinct.setdefault((mention.method, mention.target, mention.section, mention.shown), mention)
    return list(distinct.values())[:MAX_MENTIONS]


def _ours(mentions: list[Mention], hosts: frozenset[str]) -> list[Mention]:
    """Without the calls of client code if anything else names an endpoint; and without what goes to a foreign host, unless the README
    states that host as its base, or declares nothing elsewhere.
    """
    if any(mention.notation is not Notation.CLIENT for mention in mentions):
        mentions = [mention for mention in mentions if mention.notation is not Notation.CLIENT]
    foreign = [m for m in mentions if m.target.host and not is_ours(m.target.host) and m.target.host not in hosts]
    declared = [mention for mention in mentions if not mention.shown]
    if not foreign or all(mention in foreign for mention in declared or mentions):
        return mentions
    return [mention for mention in mentions if mention not in foreign]


Resolved = tuple[Mention, str]
"""A mention and its normalised path, base joined."""


def _under_examples(resolved: list[Resolved], bases: Sequence[Base]) -> list[Resolved]:
    """The declarations under the base path that only the examples write out.

    Where the README states no base, and every example with a host has one and the same prefix in front of a declared path, that prefix
    is the base.
    """
    declared = [(mention.method, path) for mention, path in resolved if not mention.shown]
    prefixes: set[str] = set()
    for mention, path in resolved:
        if mention.shown and mention.target.host:
            before = (_prefix(path, template) for method, template in declared if method == mention.method)
            prefixes |= {prefix for prefix in before if prefix is not None}
    if any(not base.heading for base in bases) or len(prefixes) != 1 or "" in prefixes:
        return resolved
    prefix = prefixes.pop()
    return [
        (mention, path if mention.shown or mention.target.host or mention.outside else prefix + path)
        for mention, path in resolved
    ]


def _folded(resolved: list[Resolved], served: frozenset[Section]) -> list[Resolved]:
    """Without the examples of declared endpoints."""
    declared = [(mention, path) for mention, path in resolved if not mention.shown]
    kept: list[Resolved] = []
    for mention, path in resolved:
        templates = [
            template for other, template in declared if other.method == mention.method and other is not mention
        ]
        if mention.shown:
            settles = any(_describes(template, path) for template in templates)
            if settles or (declared and sets_up(mention.section, served)):
                continue
            path = _with_parameters(path)
        elif any(_describes(template, path, only_values=True) for template in templates):
            continue
        kept.append((mention, path))
    return kept


def _distinct(resolved: Iterable[Resolved]) -> tuple[Extracted, ...]:
    found: dict[tuple[str, tuple[str, ...]], Extracted] = {}
    for mention, path in resolved:
        extracted = Extracted(method=mention.method, path=path, line=mention.line, notation=mention.notation)
        found.setdefault((mention.method, _segments(re.sub(r"\{[^{}/]*\}", "{}", path))), extracted)
    return tuple(found.values())


def _segments(path: str) -> tuple[str, ...]:
    return tuple(path.strip("/").split("/"))


def _describes(template: str, path: str, *, only_values: bool = False) -> bool:
    """Whether `path` is `template` with its parameters filled in; `only_values`: with what can only be a value (`42`, not `me`)."""
    wanted, given = _segments(template), _segments(path)
    if len(wanted) != len(given) or ("{" not in template and wanted != given):
        return False
    fills = False
    for want, have in zip(wanted, given, strict=True):
        if "{" not in want or want == have:
            if want != have and not ("{" in have and "{" in want):
                return False
        elif "{" in have:
            continue
        elif not re.fullmatch(_pattern(want), have) or (only_values and not _is_value(have)):
            return False
        else:
            fills = True
    return fills or not only_values


def _pattern(segment: str) -> str:
    literals = re.split(r"\{[^{}]*\}", segment)
    return ".+".join(re.escape(literal) for literal in literals)


def _is_value(segment: str) -> bool:
    return bool(re.search(r"\d|[^\w{}.-]", segment)) and not re.fullmatch(r"v\d+", segment)


def _prefix(path: str, template: str) -> str | None:
    """What stands in `path` before a filled-in `template`; None if it does not end in one that has a literal."""
    wanted, given = _segments(template), _segments(path)
    literal = any("{" not in segment and segment for segment in wanted)
    if not literal or len(given) < len(wanted) or not _describes(template, "/".join(given[-len(wanted) :])):
        return None
    before = given[: -len(wanted)]
    return "/" + "/".join(before) if before else ""


def _with_parameters(path: str) -> str:
    """Numbers, UUIDs and hashes of a concrete path as `{id}`."""
    return re.sub(r"(?<=/)(?:\d+|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[0-9a-f]{24,64})(?=/|$)", "{id}", path)
