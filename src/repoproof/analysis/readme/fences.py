"""Endpoints in fenced blocks: documents, listings, HTTP requests, commands and client code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .clients import LANGUAGES as CODE_LANGUAGES
from .clients import is_code, read_client_code
from .commands import Call, begins_with_command, read_commands
from .documents import LANGUAGES as DOCUMENT_LANGUAGES
from .documents import read_documents
from .hosts import learn_assigned, learn_said, resolved
from .lines import MAX_LINE
from .markdown import Fence, Line
from .mention import Mention, Notation
from .phrase import Phrase, plain, read_phrases

# Blocks in any other language are somebody's code: what they call or define is not a declaration.
# fmt: off
_REQUEST_LANGUAGES = frozenset((
    "http", "https", "rest", "hurl", "text", "txt", "plain", "plaintext", "none", "api", "endpoint", "endpoints", "md",
    "markdown", "bash", "sh", "shell", "zsh", "fish", "console", "curl", "terminal", "cmd", "bat", "dos", "powershell",
    "pwsh", "ps1", "httpie", "wget",
))
# fmt: on
_EXAMPLE = re.compile(r"\b(?:examples?|e\.?g\.?|sample|try|beispiele?|z\. ?B\.)\b|例如|示例", re.IGNORECASE)
# Said before a request that the service sends itself: `... we POST to your callback_url:`.
_SENT = re.compile(
    r"\b(?:we|it|the (?:service|server|api))\b[^.]{0,200}\b(?:posts?|sends?|calls?|delivers?|notif(?:y|ies)|makes?)\b[^.]{0,200}"
    r"\b(?:your|callback|webhook|hook|subscriber|receiver|merchant)",
    re.IGNORECASE,
)
_HEADER = re.compile(r"^[A-Za-z][\w-]*:\s")
_MARKER = re.compile(r"^\s*(?:[$>#]\s+|\d+[.)]\s+|[-*]\s+|[│├└─|`+-]+\s+)?")
# Columns, the path first: `/items      GET, POST   all of them`.
_COLUMNS = re.compile(
    r"^(?P<path>/\S*)(?:[ ]{2,}|[ ]*\t[ ]*|[ ]+[|│][ ]*)(?P<methods>[A-Z][A-Z,/| ]*?)(?:[ ]{2,}.*|[ ]*[\t|│].*|[ ]*)$"
)
MAX_INTRODUCTION = 500


def read_fence(fence: Fence, known: dict[str, str]) -> list[Mention]:
    """The mentions of a fenced block. `known` holds the URLs that variables were set to, here and in blocks before."""
    if fence.language in {*DOCUMENT_LANGUAGES, ""}:
        found = read_documents(fence)
        if found or fence.language:
            return found
    if fence.language in CODE_LANGUAGES or (not fence.language and is_code(fence)):
        return list(read_client_code(fence))
    if fence.language and fence.language not in _REQUEST_LANGUAGES:
        return []
    learn_assigned(fence.text, known)
    commands = [
        Mention(call.method, call.target, fence.number + number, Notation.COMMAND, fence.section, shown=True)
        for call, number in _numbered(fence.text, known)
    ]
    return [*_requests(fence, known), *commands]


def read_inline(line: Line, known: dict[str, str]) -> Iterator[Mention]:
    """The commands in a line of text: in code, or with nothing before them."""
    learn_said(plain(line.text)[:MAX_LINE], known)
    spans = line.text.split("`")[1::2]
    for text in [line.text.strip("`"), *spans] if begins_with_command(line.text.lstrip("`")) else spans:
        if begins_with_command(text):
            for call in read_commands(text, known):
                yield Mention(call.method, call.target, line.number, Notation.COMMAND, line.section, shown=True)


def phrases_of_fence(fence: Fence, known: dict[str, str]) -> Iterator[tuple[int, Phrase]]:
    """The lines of a fence that begin with a method and a path, or have them in columns."""
    for number, text in enumerate(fence.text.splitlines(), start=fence.number):
        text = resolved(_MARKER.sub("", text[:MAX_LINE]), known)
        if columns := _COLUMNS.match(text):
            text = f"{columns['methods']} {columns['path']}"
        for phrase in read_phrases(" ".join(text.split())):
            yield number, phrase


def _numbered(text: str, known: dict[str, str]) -> Iterator[tuple[Call, int]]:
    """The commands of a block, each with the number of line breaks before it."""
    lines = before = 0
    for call in read_commands(text, known):
        lines += text.count("\n", before, call.offset)
        before = call.offset
        yield call, lines


def _requests(fence: Fence, known: dict[str, str]) -> Iterator[Mention]:
    lines = fence.text.splitlines()
    introduction = plain(fence.introduced_by)[-MAX_INTRODUCTION:]
    if _SENT.search(introduction):
        return
    is_example = bool(_EXAMPLE.search(introduction))
    for number, phrase in phrases_of_fence(fence, known):
        following = lines[number - fence.number + 1 : number - fence.number + 2]
        concrete = (
            is_example
            or bool(phrase.target.host)
            or bool(re.match(r"\s*HTTP/\d|\s+\d{3}\b", phrase.rest))
            or any(map(_HEADER.match, following))
        )
        notation = Notation.REQUEST if concrete else Notation.LISTING
        for method in phrase.methods:
            yield Mention(method, phrase.target, number, notation, fence.section, shown=concrete)
