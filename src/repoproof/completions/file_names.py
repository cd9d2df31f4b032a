"""How an answer says which file a block is: the official header, and what models write instead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .fences import Block, fence_of


class Naming(NamedTuple):
    """A file's name as written, not yet checked for safety."""

    path: str
    style: str
    """In which of the ways it was written: files of one answer are named in one way."""


_OFFICIAL = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]*)(?:\*\*)?FILE(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*(?P<path>\S.*)", re.I)
_QUOTES = (("`", "`"), ("**", "**"), ('"', '"'), ("'", "'"), ("<", ">"))
_KNOWN_NAMES = frozenset(
    {"Dockerfile", "Containerfile", "Makefile", "Justfile", "Procfile", "Caddyfile", "Gemfile", "Rakefile", "Pipfile"}
    | {"LICENSE", "README", "CHANGELOG", "NOTICE"}
)
_NAME = r"[\w.@+\-\[\]()$]+"
_PATH = re.compile(rf"(?:\.{{0,2}}[/\\])?(?:[A-Za-z]:[/\\])?(?:{_NAME}[/\\])*{_NAME}")
_EXTENSION = re.compile(r"[A-Za-z][A-Za-z0-9_\-]{0,11}")
_HIDDEN = re.compile(r"\.[A-Za-z][\w.\-]*")
_MAX_LINE = 10_000
"""Longer lines name nothing: the longest path is far shorter."""
_LABEL = r"(?:file[ \t]?name|filename|file|path)"
_LINE = re.compile(
    rf"[ \t]*(?:>[ \t]*)?(?P<heading>#{{1,6}}[ \t]+)?(?:[-*+][ \t]+)?(?:\d+[.)][ \t]+)?"
    rf"(?P<strong>\*\*|__)?(?:\d+[.)][ \t]+)?(?:(?P<label>{_LABEL})[ \t]*:[ \t]*(?:\*\*[ \t]*)?)?(?P<tick>`)?(?P<path>[^`*\s:]+)(?P=tick)?"
    rf"(?P<rest>.*)",
    re.I,
)
_ATTRIBUTE = re.compile(rf"""\b(?:title|{_LABEL})[ \t]*=[ \t]*(?:"([^"]+)"|'([^']+)'|([^\s"'}}]+))""", re.I)
_COMMENT = re.compile(
    rf"[ \t]*(?:#|//|--|;|<!--|/\*+|%)[ \t]*(?:{_LABEL}[ \t]*:[ \t]*)?(?P<path>\S+)[ \t]*(?:-->|\*/)?[ \t]*\r?", re.I
)


def official_name(line: str) -> str | None:
    """The path of a line `### FILE: path`, whatever stands there; None for other lines."""
    found = _OFFICIAL.fullmatch(line.rstrip()) if len(line) <= _MAX_LINE else None
    return None if found is None else _unquoted(found["path"])


def name_above(before: Sequence[str], opening: str) -> Naming | None:
    """The file's name by the fence's info string, or by the last line of `before` that is not blank."""
    fence = fence_of(opening)
    if fence is not None and (path := _name_in_info(fence.info)) is not None:
        return Naming(path, "info")
    line = next((line for line in reversed(before) if line.strip()), "")
    return _name_in_line(line.removesuffix("\r"))


def name_inside(block: Block) -> Naming | None:
    """The file's name by a comment that is the first line of the block."""
    found = _COMMENT.fullmatch(_one_spaced(block.content.partition("\n")[0]))
    if found is not None and is_clear(found["path"]):
        return Naming(found["path"], "comment")
    return None


def is_clear(text: str) -> bool:
    """Whether `text` can only be meant as a file's path."""
    if len(text) > _MAX_LINE or "://" in text or not _PATH.fullmatch(text):
        return False
    name = re.split(r"[/\\]", text)[-1]
    stem, _, extension = name.rpartition(".")
    has_extension = bool(_EXTENSION.fullmatch(extension) and re.fullmatch(r"\w", stem.rstrip("-")[-1:]))
    return name in _KNOWN_NAMES or has_extension or _HIDDEN.fullmatch(name) is not None


def _name_in_info(info: str) -> str | None:
    if found := _ATTRIBUTE.search(info):
        return next(group for group in found.groups() if group)
    for word in info.split():
        language, colon, path = word.partition(":")
        if colon and re.fullmatch(r"[\w+#.\-]*", language) and is_clear(path):
            return path
        if is_clear(word):
            return word
    return None


def _name_in_line(line: str) -> Naming | None:
    found = _LINE.fullmatch(_one_spaced(line))
    if found is None or not is_clear(found["path"]):
        return None
    # `path:` `**path**` `### path (new)`; a sentence that begins with a path is none of them.
    rest = re.fullmatch(r"(?:\*\*|__)?[ \t]*:?(?:\*\*|__)?[ \t]*(?:\([^()]*\))?[ \t]*:?[ \t]*", found["rest"])
    marked = any(found[part] for part in ("heading", "strong", "label", "tick")) or found["rest"].strip() == ":"
    if rest is None or not marked:
        return None
    style = next((part for part in ("heading", "strong", "label", "tick") if found[part]), "colon")
    return Naming(found["path"], style)


def _one_spaced(line: str) -> str:
    """`line` with one space for each run of them; nothing for one that is too long."""
    return " ".join(line.split()) if len(line) <= _MAX_LINE else ""


def _unquoted(path: str) -> str:
    while (inner := _within_quotes(path)) is not None:
        path = inner
    return path


def _within_quotes(path: str) -> str | None:
    for opening, closing in _QUOTES:
        if len(path) > len(opening) + len(closing) and path.startswith(opening) and path.endswith(closing):
            return path[len(opening) : -len(closing)].strip()
    return None
