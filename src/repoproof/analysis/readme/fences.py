"""Endpoints in fenced blocks: OpenAPI documents, listings, HTTP requests and curl commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ..endpoints import METHODS
from ..openapi import endpoints_of, read_document
from .lines import phrases_of_fence
from .markdown import Fence, Line
from .mention import Mention, Notation
from .phrase import Target, plain

MAX_COMMANDS = 500
"""Of one block."""
MAX_COMMAND = 5_000
"""Characters."""

# Blocks in any other language are somebody's code: what they call or define is not a declaration.
# fmt: off
_REQUEST_LANGUAGES = frozenset((
    "http", "https", "rest", "text", "txt", "plain", "plaintext", "none", "api", "endpoint", "endpoints", "md",
    "markdown", "bash", "sh", "shell", "zsh", "console", "curl", "terminal", "cmd", "powershell",
))
# fmt: on
_DOCUMENT_LANGUAGES = frozenset(("yaml", "yml", "json", "jsonc", "openapi", "swagger"))
_DOCUMENT = re.compile(r"^\s*[\"']?(?:paths|/[^\s\"':]*)[\"']?\s*:", re.MULTILINE)
_EXAMPLE = re.compile(r"\b(?:examples?|e\.?g\.?|sample|try)\b", re.IGNORECASE)
# Said before a request that the service sends itself: `... we POST to your callback_url:`.
_SENT = re.compile(
    r"\b(?:we|it|the (?:service|server|api))\b[^.]*\b(?:posts?|sends?|calls?|delivers?|notif(?:y|ies)|makes?)\b[^.]*\b(?:your|callback|webhook|hook|subscriber|receiver|merchant)",
    re.IGNORECASE,
)
_HEADER = re.compile(r"^[A-Za-z][\w-]*:\s")

_CURL = re.compile(r"\bcurl(?:\.exe)?(?=\s)")
_INLINE_CURL = re.compile(r"(?:^|`)\s*(?:\$\s*)?curl\s([^`]+)")
_WORD = re.compile(
    r"(?:[ \t]|[\\^`][ \t]*\r?\n)*((?:'[^']*(?:'|\Z)|\"(?:\\.|[^\"\\])*(?:\"|\Z)|\\[^\n]|[^\s'\"\\|;&()`])+)", re.DOTALL
)
_ASSIGNMENT = re.compile(r"^\s*(?:export\s+|set\s+)?(\w+)=[\"']?(https?://[^\s\"']+)", re.MULTILINE)
_URL = re.compile(
    r"^(?:https?://)?(?P<host>\$?\{*[\w.$-]+\}*(?::[\w{}$]+)?|:\d+|<[^<>]*>|\[[\da-f:]+\](?::\d+)?)?(?P<path>/.*)?$",
    re.DOTALL,
)
_OURS = re.compile(
    r"^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|host\.docker\.internal|\[::1?\])?(?::|$)|[$<{]|(?:^|\.)example\.(?:com|org|net)|\byour|\.local\b"
    r"|^[\w-]+(?::\d+)?$",
    re.IGNORECASE,
)
_IMPLIED = {"-I": "HEAD", "--head": "HEAD", "-T": "PUT", "--upload-file": "PUT"}
_BODY = ("-d", "--data", "--json", "-F", "--form")
# Options of curl that take a value as the next word.
# fmt: off
_VALUED = frozenset((
    "-X", "--request", "-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "--json",
    "-F", "--form", "--form-string", "-H", "--header", "-u", "--user", "-o", "--output", "-w", "--write-out", "-b",
    "--cookie", "-c", "--cookie-jar", "-A", "--user-agent", "-e", "--referer", "-m", "--max-time",
    "--connect-timeout", "--retry", "--retry-delay", "-x", "--proxy", "--cacert", "--cert", "--key", "--url", "-T",
    "--upload-file", "-r", "--range", "--oauth2-bearer", "--resolve", "--unix-socket",
))
# fmt: on


def read_fence(fence: Fence, hosts: dict[str, str]) -> list[Mention]:
    """The mentions of a fenced block. `hosts` holds the URLs that shell variables were set to, here and in blocks before."""
    if _DOCUMENT.search(fence.text) and fence.language in {*_DOCUMENT_LANGUAGES, ""}:
        return _document(fence)
    if fence.language and fence.language not in _REQUEST_LANGUAGES:
        return []
    hosts.update(_ASSIGNMENT.findall(fence.text))
    return [*_requests(fence), *_curls(fence, hosts)]


def read_inline(line: Line, hosts: dict[str, str]) -> Iterator[Mention]:
    """The curl commands in a line of text: in code, or with nothing before them."""
    for command in islice(_INLINE_CURL.finditer(line.text), MAX_COMMANDS):
        call = read_curl(command[1][:MAX_COMMAND], hosts)
        if call:
            yield Mention(call.method, call.target, line.number, Notation.CURL, line.section, shown=True)


def _document(fence: Fence) -> list[Mention]:
    document = read_document(fence.text)
    if document and all(isinstance(key, str) and key.startswith("/") for key in document):
        document = {"paths": document}
    return [
        Mention(endpoint.method, Target(endpoint.path), _line_of(endpoint.path, fence), Notation.OPENAPI, fence.section)
        for endpoint in endpoints_of(document)
    ]


def _line_of(path: str, fence: Fence) -> int:
    """Where the document writes the longest end of `path`: its beginning may come from `servers`."""
    keys = [
        (number, line.strip().lstrip("{").strip(" \"'"))
        for number, line in enumerate(fence.text.splitlines(), fence.number)
    ]
    ends = [
        (len(written), -number)
        for number, key in keys
        if (written := key.split(":")[0].rstrip("\"'")) and path.endswith(written)
    ]
    return -max(ends)[1] if ends else fence.number


def _requests(fence: Fence) -> Iterator[Mention]:
    lines = fence.text.splitlines()
    if _SENT.search(plain(fence.introduced_by)):
        return
    is_example = bool(_EXAMPLE.search(plain(fence.introduced_by)))
    for number, phrase in phrases_of_fence(fence):
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


def _curls(fence: Fence, hosts: dict[str, str]) -> Iterator[Mention]:
    for command in islice(_CURL.finditer(fence.text), MAX_COMMANDS):
        call = read_curl(fence.text[command.end() : command.end() + MAX_COMMAND], hosts)
        if call:
            number = fence.number + fence.text[: command.start()].count("\n")
            yield Mention(call.method, call.target, number, Notation.CURL, fence.section, shown=True)


@dataclass(frozen=True)
class Call:
    """What a curl command sends."""

    method: str
    target: Target


def read_curl(arguments: str, hosts: dict[str, str]) -> Call | None:
    """The request of a curl command, given what follows the word `curl`; None if it goes to a foreign host or nowhere."""
    method, body, as_query, url = "", False, False, ""
    words = _words(arguments)
    for word in words:
        option, _, attached = word.partition("=") if word.startswith("--") else (word, "", "")
        if word.startswith("-X") and len(word) > 2:
            method = word[2:]
        elif option in _VALUED:
            value = attached or next(words, "")
            if option in ("-X", "--request"):
                method = value
            elif option == "--url":
                url = value
            elif option.startswith(_BODY):
                body = True
            method = method or _IMPLIED.get(option, "")
        elif option in ("-G", "--get"):
            as_query = True
        elif option in _IMPLIED:
            method = method or _IMPLIED[option]
        elif re.fullmatch(r"-[a-zA-Z]*X", word):
            method = next(words, "")
        elif word.startswith(("-d", "-F")):
            body = True
        elif not word.startswith("-") and not url:
            url = word
    method = method.upper() or ("POST" if body and not as_query else "GET")
    target = _url(url, hosts)
    return Call(method, target) if target and method in METHODS else None


def _words(arguments: str) -> Iterator[str]:
    """The words of one shell command, quotes removed, continued lines joined."""
    at = 0
    while word := _WORD.match(arguments, at):
        yield re.sub(
            r"'([^']*)'?|\"((?:\\.|[^\"\\])*)\"?|\\(.)",
            lambda part: part[1] or part[2] or part[3] or "",
            word[1],
            flags=re.DOTALL,
        )
        at = word.end()


def _url(url: str, hosts: dict[str, str]) -> Target | None:
    variable = re.match(r"\$\{?(\w+)\}?", url)
    known = hosts.get(variable[1]) if variable else None
    if variable and known:
        url = known.rstrip("/") + url[variable.end() :]
    parts = _URL.match(url)
    if not url or not parts or not _OURS.search(parts["host"] or ""):
        return None
    path = re.sub(r"\$\{?(\w+)\}?", r"{\1}", (parts["path"] or "/").split("?")[0])
    is_variable = bool(re.match(r"[$<{]", parts["host"] or "$"))
    return Target(path, "" if is_variable else parts["host"])
