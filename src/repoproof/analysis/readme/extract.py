"""A README in, its endpoints out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...core.base import MiB
from ..endpoints import Endpoint, normalise_path
from .bases import Base, find_bases, joined
from .fences import read_fence, read_inline
from .lines import LineReader
from .markdown import Block, Fence, Line, Section, read_blocks
from .mention import Mention, Notation
from .phrase import plain
from .tables import read_table

MAX_CHARACTERS = 2 * MiB
MAX_PATH_LENGTH = 500
MAX_MENTIONS = 1_000

# Sections about endpoints that this service does not serve, or serves no more.
_ELSEWHERE = re.compile(
    r"(?:change ?log|changes|release notes|what'?s new|(?:version|revision|release) history|migrat(?:ion|ing)\b.*|upgrad(?:e|ing)\b.*"
    r"|(?:deprecated|removed|unsupported|unimplemented|not (?:yet )?(?:supported|implemented|included|available))\b.*"
    r"|(?:known )?limitations|out[ -]of[ -]scope|non-?goals|roadmap|(?:future|planned)\b.*|todos?|ideas|alternatives(?: considered)?"
    r"|(?:front-?end|ui|client(?:-side)?|web ?app|browser|page) (?:routes?|pages?|paths?|urls?|navigation)|pages|screens|(?:front-?end|web ui|ui)"
    r"|(?:external|third[- ]party|upstream|downstream|consumed|outgoing|other)\b.*(?:apis?|services?|endpoints?|calls?|webhooks?)|dependencies|licen[cs]e|contributing)",
    re.IGNORECASE,
)
# Sections that show how to run the service: calls in them do not declare anything.
_SETTING_UP = re.compile(
    r"(?:quick ?start|getting started|install(?:ation|ing)?|set-?up|setup|prerequisites|requirements|usage|running|run\b|start(?:ing)?\b|deploy|docker|test(?:s|ing)?\b"
    r"|examples?\b|demo|walk-?through|tutorial|try|health ?check|verif|troubleshoot|debug|develop|configur|environment|performance|benchmark|monitor)",
    re.IGNORECASE,
)


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
    blocks = [block for block in blocks if not _is_elsewhere(block.section)]
    mentions = _mentions(blocks)
    declared = [mention for mention in mentions if not mention.shown]
    bases = find_bases(blocks, declared or mentions)
    resolved = [(mention, normalise_path(joined(mention, bases))) for mention in mentions]
    resolved = [(mention, path) for mention, path in resolved if len(path) <= MAX_PATH_LENGTH]
    return _distinct(_folded(_under_examples(resolved, bases)))


def _mentions(blocks: Sequence[Block]) -> list[Mention]:
    lines, others, hosts = LineReader(), list[Mention](), dict[str, str]()
    for block in blocks:
        match block:
            case Line():
                lines.read(block)
                others += read_inline(block, hosts)
            case Fence():
                found = read_fence(block, hosts)
                others += found
                if not found:
                    lines.read_fence(block)
            case _:
                others += read_table(block)
    distinct: dict[tuple[object, ...], Mention] = {}
    for mention in sorted([*lines.finish(), *others], key=lambda mention: mention.line):
        distinct.setdefault((mention.method, mention.target, mention.section, mention.shown), mention)
    return list(distinct.values())[:MAX_MENTIONS]


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
    if bases or len(prefixes) != 1 or "" in prefixes:
        return resolved
    prefix = prefixes.pop()
    return [(mention, path if mention.shown or mention.target.host else prefix + path) for mention, path in resolved]


def _folded(resolved: list[Resolved]) -> list[Resolved]:
    """Without the examples of declared endpoints."""
    declared = [(mention, path) for mention, path in resolved if not mention.shown]
    kept: list[Resolved] = []
    for mention, path in resolved:
        templates = [
            template for other, template in declared if other.method == mention.method and other is not mention
        ]
        if mention.shown:
            settles = any(_describes(template, path) for template in templates)
            if settles or (declared and _is_setting_up(mention.section)):
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


def _is_elsewhere(section: Section) -> bool:
    return any(_ELSEWHERE.fullmatch(_title(around)) for around in section.path())


def _is_setting_up(section: Section) -> bool:
    return any(around.level <= 2 and _SETTING_UP.match(_title(around)) for around in section.path())


def _title(section: Section) -> str:
    return re.sub(r"^[\W\d_]+", "", plain(section.title)).rstrip(" :.")
