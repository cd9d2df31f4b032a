"""Whose host a URL names, and what the variables stand for that authors write in its place."""

from __future__ import annotations

import re

from ..openapi import join_once

MAX_VARIABLES = 200

_OURS = re.compile(
    r"^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|host\.docker\.internal|\[::1?\])?(?::|$)|[$<{]|(?:^|\.)example\.(?:com|org|net)\b|\byour|\.local\b"
    r"|^[\w-]+(?::\d+)?$",
    re.IGNORECASE,
)
_URL = r"(?P<url>(?:https?://|(?:\{\{|\$)\s*\w)[^\s\"'`|,;)]*)"
# `BASE=http://localhost`, `$base = "http://localhost"`, `const BASE = 'http://localhost'`, `@host = http://localhost`.
_ASSIGNED = re.compile(
    rf"^[ \t]*(?:(?:export|set|const|let|var)[ \t]+|[@$])?(?P<name>\w{{1,60}})[ \t]*=[ \t]*[\"'`]?{_URL}", re.MULTILINE
)
# `The variable `menuUrl` is `http://localhost/menu``: a name that an endpoint may begin with.
_SAID = re.compile(
    rf"(?<!\w)(?P<name>\w{{0,30}}(?:url|uri|host|server|api|base)\w{{0,30}})\}}{{0,2}}\s*(?:[:=：]|\bis\b|→|->)\s*{_URL}",
    re.I,
)
_USED = re.compile(r"(?<![\w/}>:])(?:\$?\{\{?\s*(\w+)\s*\}?\}|\$(\w+)|<(\w+)>)(?P<path>/[^\s\"'`|,;()]*)?")


def is_ours(host: str) -> bool:
    """Whether a host is local, a variable, a service's name or an example: not somebody else's."""
    return bool(_OURS.search(host))


def learn_assigned(code: str, known: dict[str, str]) -> None:
    """Adds to `known` the variables that `code` sets to URLs."""
    _learn(_ASSIGNED, code, known)


def learn_said(text: str, known: dict[str, str]) -> None:
    """Adds to `known` the variables that plain `text` says to be URLs."""
    _learn(_SAID, text, known)


def _learn(pattern: re.Pattern[str], text: str, known: dict[str, str]) -> None:
    for found in pattern.finditer(text):
        url = resolved(found["url"].rstrip(".:"), known)
        if url.startswith("http") and (len(known) < MAX_VARIABLES or found["name"] in known):
            known[found["name"]] = url


def resolved(text: str, known: dict[str, str]) -> str:
    """`text`, the `known` variables in front of paths replaced by their URLs; a base path is not written twice."""
    if not known:
        return text

    def replaced(use: re.Match[str]) -> str:
        url = known.get(use[1] or use[2] or use[3])
        if url is None:
            return use[0]
        host, slash, base = url.rstrip("/").partition("://")[2].partition("/")
        path = use["path"] or ""
        return f"http://{host}{join_once(slash + base, path) if path else slash + base}"

    return _USED.sub(replaced, text)
