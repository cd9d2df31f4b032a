"""Commands that send a request: curl, wget, HTTPie, and those of PowerShell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..endpoints import METHODS
from .hosts import is_ours, resolved
from .phrase import Target, is_file

MAX_COMMAND = 5_000
"""Characters."""
MAX_COMMANDS = 500
"""Of one block."""


@dataclass(frozen=True)
class Call:
    """What a command sends."""

    method: str
    target: Target
    offset: int = 0
    """Where the command stands in the text."""


@dataclass(frozen=True)
class _Options:
    """Which options of a program take a value."""

    letters: str
    names: frozenset[str]


# fmt: off
_CURL = _Options("AbcCdDeEFHKmoPQrtTuUwxXyYz", frozenset((
    "request", "data", "data-raw", "data-binary", "data-urlencode", "data-ascii", "json", "form", "form-string", "header",
    "user", "output", "output-dir", "write-out", "cookie", "cookie-jar", "user-agent", "referer", "max-time",
    "connect-timeout", "connect-to", "retry", "retry-delay", "retry-max-time", "proxy", "proxy-user", "cacert", "capath",
    "cert", "cert-type", "key", "key-type", "pass", "url", "upload-file", "range", "oauth2-bearer", "resolve",
    "unix-socket", "limit-rate", "max-redirs", "interface", "noproxy", "config", "dump-header", "stderr", "trace",
    "trace-ascii", "continue-at", "proto", "aws-sigv4", "url-query", "variable", "ciphers", "tls-max", "socks5",
)))
_WGET = _Options("aeoOtTwQPUlARDIXBi", frozenset((
    "method", "post-data", "post-file", "body-data", "body-file", "header", "output-document", "output-file", "user",
    "password", "http-user", "http-password", "user-agent", "referer", "timeout", "tries", "wait", "waitretry",
    "directory-prefix", "load-cookies", "save-cookies", "ca-certificate", "certificate", "private-key", "limit-rate",
    "max-redirect", "secure-protocol", "input-file", "bind-address",
)))
_HTTPIE = _Options("aAopsPx", frozenset((
    "auth", "auth-type", "session", "session-read-only", "output", "print", "style", "pretty", "verify", "proxy",
    "timeout", "cert", "cert-key", "cert-key-pass", "max-redirects", "raw", "boundary", "ssl", "ciphers",
    "default-scheme", "response-charset", "response-mime", "format-options", "max-headers",
)))
_POWERSHELL_SWITCHES = frozenset((
    "usebasicparsing", "skipcertificatecheck", "skiphttperrorcheck", "verbose", "debug", "usedefaultcredentials",
    "allowunencryptedauthentication", "disablekeepalive", "passthru", "resume",
))
# fmt: on

_PROGRAM = re.compile(
    r"(?<![\w.$@-])(?:(?P<curl>curl(?:\.exe)?)|(?P<wget>wget(?:\.exe)?)|(?P<httpie>https?|xhs?)"
    r"|(?P<powershell>(?i:Invoke-RestMethod|Invoke-WebRequest|irm|iwr)))(?=[ \t]+\S|[ \t]*[\\^`][ \t]*\r?\n)"
)
# Where a command begins. `http` is a word as well: it is HTTPie only there.
_BEFORE = re.compile(r"(?:^|[|;&(`]|^[^|;&]*[$>%#✗➜❯»λ]\s)\s*(?:(?:sudo|time|do|then)\s+|\w+=[^\s=]*\s+)*$")
_PIPED = re.compile(r"\|\s*$")
_WORD = re.compile(
    r"(?:[ \t]|[\\^`][ \t]*\r?\n)*((?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\[^\n]|[^\s'\"\\|;&()`]|(?<=[^\s&])&(?=[\w%])|['\"])+)",
    re.DOTALL,
)
_QUOTED = re.compile(r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(.)", re.DOTALL)
_ADDRESS = re.compile(
    r"^(?P<scheme>https?://)?(?P<host>\$?\{*[\w.$-]+\}*(?::[\w{}$]+)?|:\d*|<[^<>]*>|\[[\da-f:]+\](?::\d+)?)?(?P<path>/.*)?$",
    re.DOTALL,
)
# A host that is one without a scheme in front: a word of a sentence or the name of a package is none.
_HOST = re.compile(
    r"^(?:localhost$|(?:[A-Z]+_)*(?:URL|HOST|SERVER|BASE|API)$|\d+(?:\.\d+){3}$|:|[$<{\[]|[\w.-]+:[\d${]|[\w-]+(?:\.[\w-]+)+$)"
)
_HTTPIE_ITEM = re.compile(r"[^=:@\s]+(:=@|:=|==|=@|=|@|:)")
_IMPLIED = {"-I": "HEAD", "--head": "HEAD", "-T": "PUT", "--upload-file": "PUT"}
_CURL_BODY = ("-d", "--data", "--json", "-F", "--form")


def read_commands(text: str, known: dict[str, str]) -> Iterator[Call]:
    """The requests that the commands in `text` send to this service, in order; `known` variables are replaced by their URLs."""
    at = tried = 0
    while tried < MAX_COMMANDS and (program := _PROGRAM.search(text, at)):
        tried += 1
        start, at = program.start(), program.end()
        before = text[max(text.rfind("\n", 0, start) + 1, start - 80) : start]
        kind = program.lastgroup or ""
        if kind == "httpie" and not _BEFORE.search(before):
            continue
        line_end = text.find("\n", at)
        is_comment = before.lstrip().startswith("#") and line_end >= 0
        words = _Words(text, at, line_end if is_comment else at + MAX_COMMAND)
        method, url = _READERS[kind](words, bool(_PIPED.search(before)))
        at = max(at, words.at)
        target = _target(url, known)
        if target and method.upper() in METHODS:
            yield Call(method.upper(), target, start)


def begins_with_command(text: str) -> bool:
    """Whether a line of text is a command, behind a prompt or not."""
    return bool(re.match(r"\s*(?:[$>%]\s+)?(?:curl(?:\.exe)?|wget|https?|xhs?)\s", text))


class _Words:
    """The words of one shell command, quotes removed, continued lines joined; a quotation mark without its partner is a letter."""

    def __init__(self, text: str, at: int, end: int) -> None:
        self.text, self.at, self.end = text, at, end

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        word = _WORD.match(self.text, self.at, self.end)
        if not word:
            raise StopIteration
        self.at = word.end()
        return _QUOTED.sub(lambda part: part[1] or part[2] or part[3] or "", word[1])


def _options(words: Iterator[str], options: _Options) -> Iterator[tuple[str, str]]:
    """The options of a command with their values, and its operands under the name `""`."""
    for word in words:
        if word.startswith("--"):
            name, attached, value = word.partition("=")
            takes = not attached and name[2:] in options.names
            yield name, next(words, "") if takes else value
        elif word.startswith("-") and len(word) > 1:
            yield from _letters(word[1:], words, options)
        else:
            yield "", word


def _letters(cluster: str, words: Iterator[str], options: _Options) -> Iterator[tuple[str, str]]:
    for at, letter in enumerate(cluster):
        if letter in options.letters:
            yield f"-{letter}", cluster[at + 1 :] or next(words, "")
            return
        yield f"-{letter}", ""


def _read_curl(words: Iterator[str], piped: bool) -> tuple[str, str]:
    method, body, as_query, url = "", False, False, ""
    for option, value in _options(words, _CURL):
        if option in ("-X", "--request"):
            method = value
        elif option in ("-G", "--get"):
            as_query = True
        elif option in _IMPLIED:
            method = method or _IMPLIED[option]
        elif option and option.startswith(_CURL_BODY):
            body = True
        elif option == "--url" or (not option and _is_address(value)):
            url = url or value
    return method or ("POST" if body and not as_query else "GET"), url


def _read_wget(words: Iterator[str], piped: bool) -> tuple[str, str]:
    method, url = "", ""
    for option, value in _options(words, _WGET):
        if option == "--method":
            method = value
        elif option in ("--post-data", "--post-file"):
            method = method or "POST"
        elif option == "--spider":
            method = method or "HEAD"
        elif not option and _is_address(value):
            url = url or value
    return method or "GET", url


def _read_httpie(words: Iterator[str], piped: bool) -> tuple[str, str]:
    """`http [METHOD] URL [ITEM...]`: without a method it is POST if there is anything to send."""
    method, url, body = "", "", piped
    for option, value in _options(words, _HTTPIE):
        if option == "--raw":
            body = True
        elif option:
            continue
        elif value == "<":
            body = True
            next(words, None)
        elif not url and not method and value.upper() in METHODS:
            method = value
        elif not url:
            if not _is_address(value):
                return "", ""
            url = value
        elif (item := _HTTPIE_ITEM.match(value)) and item[1] not in ("==", ":"):
            body = True
    return method or ("POST" if body else "GET"), url


def _read_powershell(words: Iterator[str], piped: bool) -> tuple[str, str]:
    method, url = "", ""
    for word in words:
        name, attached, value = word.partition(":") if word.startswith("-") else ("", "", word)
        name = name[1:].lower()
        if name and not attached and name not in _POWERSHELL_SWITCHES:
            value = next(words, "")
        if name == "method":
            method = value
        elif name == "uri" or (not name and _is_address(value)):
            url = url or value
    return method or "GET", url


_READERS: dict[str, Callable[[Iterator[str], bool], tuple[str, str]]] = {
    "curl": _read_curl,
    "wget": _read_wget,
    "httpie": _read_httpie,
    "powershell": _read_powershell,
}


def _is_address(word: str) -> bool:
    found = _ADDRESS.match(word)
    if not found or word in ("", "-"):
        return False
    return bool(found["scheme"] or (_HOST.match(found["host"]) if found["host"] else found["path"]))


def _target(url: str, known: dict[str, str]) -> Target | None:
    """Where a request to `url` goes; None if to a foreign host or nowhere."""
    found = _ADDRESS.match(resolved(url, known))
    if not url or not found or not is_ours(found["host"] or ""):
        return None
    path = re.sub(r"\$\{?(\w+)\}?", r"{\1}", (found["path"] or "/").split("?")[0])
    path = path.replace("%7B", "{").replace("%7D", "}")
    is_variable = bool(re.match(r"[$<{]|[A-Z_]+$", found["host"] or "$"))
    return None if is_variable and is_file(path) else Target(path, "" if is_variable else found["host"])
