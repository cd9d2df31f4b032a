"""Requests that client code sends: `fetch`, axios, and the clients of Python. They say what a service answers where nothing else does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from ..endpoints import METHODS
from .hosts import is_ours, learn_assigned, resolved
from .markdown import Fence
from .mention import Mention, Notation
from .phrase import Target

MAX_CALLS = 500
"""Of one block."""
MAX_OPTIONS = 400
"""Characters behind a URL in which the method is looked for."""

LANGUAGES = frozenset(
    ("python", "py", "python3", "js", "javascript", "jsx", "ts", "tsx", "typescript", "node", "nodejs", "mjs")
)
# What code looks like in a block that names no language.
_CODE = re.compile(
    r"^[ \t]*(?:import\s+[\w.]+(?:\s+as\s+\w+)?;?[ \t]*$|import\s.*\sfrom\s+['\"]|from\s+[\w.]+\s+import\b|def\s+\w+\(|class\s+\w+\s*[:({]|@\w+(?:\.\w+)*\(|(?:const|let|var)\s+\w+\s*=|(?:async\s+)?function\b"
    r"|(?:public|private)\s+[\w<>\[\] ]+[({=;]|package\s+[\w.]+;?[ \t]*$|app\.\w+\(|func\s+\w+\(|#include\b|use\s+\w+::)",
    re.MULTILINE,
)
_METHOD = "|".join(METHODS)
_CALL = re.compile(
    rf"\b(?:(?:requests|httpx|axios|session|client|http|got|ky|api)\.(?:(?P<named>(?i:{_METHOD}))|request\(\s*[\"'](?P<given>(?i:{_METHOD}))[\"']\s*,)"
    r"|(?P<fetch>fetch)|(?P<object>axios(?:\.request)?|\$\.ajax)(?=\(\s*\{))[(\s]*"
)
_URL = re.compile(
    r"(?:(?P<variable>[A-Za-z_]\w{0,60})\s*\+\s*)?[rf]?(?P<quote>[\"'`])(?P<url>[^\"'`\n]{1,500})(?P=quote)", re.I
)
_METHOD_OPTION = re.compile(rf"\b(?:method|type)[\"']?\s*:\s*[\"'`](?P<method>{_METHOD})[\"'`]", re.IGNORECASE)
_URL_OPTION = re.compile(r"\burl[\"']?\s*:\s*")
_ADDRESS = re.compile(
    r"https?://(?P<host>[^/\s]+)(?P<path>/.*)?$|(?:\$?\{\w*(?i:url|host|base|api|server)\w*\})(?P<under>/.*)$"
)


def is_code(fence: Fence) -> bool:
    """Whether a block that names no language holds a program."""
    return bool(_CODE.search(fence.text))


def read_client_code(fence: Fence) -> Iterator[Mention]:
    """The requests that the code of a fence sends to this service."""
    known: dict[str, str] = {}
    learn_assigned(fence.text, known)
    line, before = fence.number, 0
    for call in islice(_CALL.finditer(fence.text), MAX_CALLS):
        line += fence.text.count("\n", before, call.start())
        before = call.start()
        behind = fence.text[call.end() : call.end() + MAX_OPTIONS]
        following = _CALL.search(behind)
        behind = behind[: following.start()] if following else behind
        start = _URL_OPTION.search(behind) if call["object"] else None
        url = _URL.match(behind, start.end() if start else 0)
        stated = _METHOD_OPTION.search(behind) if call["fetch"] or call["object"] else None
        method = call["named"] or call["given"] or (stated["method"] if stated else "GET")
        target = _target(url, known) if url else None
        if target:
            yield Mention(method.upper(), target, line, Notation.CLIENT, fence.section, shown=True)


def _target(url: re.Match[str], known: dict[str, str]) -> Target | None:
    written = (f"{{{url['variable']}}}" if url["variable"] else "") + url["url"]
    found = _ADDRESS.match(resolved(written, known))
    if not found or (found["host"] and not is_ours(found["host"])):
        return None
    path = (found["path"] or found["under"] or "/").split("?")[0]
    return Target(re.sub(r"\$\{(\w+)\}", r"{\1}", path), found["host"] or "")
