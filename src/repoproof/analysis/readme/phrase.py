"""The grammar of one phrase: a method and a path, in either order, with any markup and separator between them."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from ..endpoints import METHODS

_METHOD = rf"(?:{'|'.join(METHODS)})(?![\w-])"
_METHODS = rf"{_METHOD}(?:\s*(?:[/,|&+、]|\bor\b|\band\b)\s*{_METHOD})*"
_BRACKETED = rf"[\[(<]?\s*(?:HTTP\s+)?(?P<methods>{_METHODS})\s*[\])>]?"
_SEPARATOR = r"(?:\s*(?:[:：|=]|[-–—]+>?|→|=>)\s*|\s+(?:(?:requests?\s+)?(?:to|on|at)\s+)?)"
# A variable or a placeholder that stands for the scheme and host: `{{base_url}}`, `$API`, `<host>`.
_HOST_VARIABLE = r"(?:\$?\{\{?\s*[\w.]*(?:url|uri|host|base|server|api)[\w.]*\s*\}?\}|\$\w+|<[\w -]*(?:url|host|base|server)[\w -]*>)(?=/)"
_HOST = (
    rf"(?:https?://(?P<host>[^\s/\"'`|,;]+)|(?P<local>(?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d+)|(?i:{_HOST_VARIABLE}))"
)
_PATH = r"/(?:\{[\w .:-]{1,60}\}|<[\w .:-]{1,60}>|[^\s\"'|,;()`])*"
_TARGET = rf"(?:{_HOST}(?P<under>{_PATH})?|(?P<path>{_PATH}))"

_FORWARD = re.compile(rf"{_BRACKETED}(?:{_SEPARATOR}|(?<=[\])>])){_TARGET}")
_BACKWARD = re.compile(rf"{_TARGET}(?:{_SEPARATOR}|(?=[\[(])){_BRACKETED}(?=\s*(?:$|[-–—:：.,;]))")
# `/health - says how it is (GET)`.
_ENCLOSING = re.compile(rf"{_TARGET}\s*[-–—:：]+\s[^()\[\]]{{1,100}}[\[(]\s*(?P<methods>{_METHODS})\s*[\])]\s*\.?$")
_ONLY_METHODS = re.compile(rf"{_BRACKETED}\s*(?:requests?)?\s*\.?$", re.IGNORECASE)
_ONLY_TARGET = re.compile(rf"{_TARGET}\s*$")
_LEADING = re.compile(r"^[^\w/\[({<$~]+")
_JOINED = re.compile(r"\s*(?:[,;/&+](?:\s*(?:and|or)\b)?|\band\b|\bor\b)\s*(?=[\[(]?(?:" + _METHOD + r"))")

_TAGS = re.compile(
    r"</?(?:b|strong|code|kbd|em|i|u|span|p|li|ul|ol|td|tr|sub|sup|samp|tt|a|div|summary|details|h[1-6]|pre|d[ldt])(?:\s[^<>]*)?>",
    re.I,
)
_LINK = re.compile(r"!?\[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]\((?:[^()\s]*)(?:\s+\"[^\"]*\")?\)")
_STRUCK = re.compile(r"~~.*?~~|<(del|s|strike)>.*?</\1>", re.IGNORECASE)
_BOLD = re.compile(r"\*{2,3}|(?<![\w/])__(?=\w)|(?<=\w)__(?!\w)|(?<![\w/])[*_](?=[A-Z])|(?<=[A-Za-z:])\*(?!\w)")

# Said right after an endpoint, these say that it is not there.
_REFUSAL = re.compile(
    r"^\W*(?:(?:is|are|was|were|has been|have been|will be)\s+)?(?:now\s+|currently\s+|intentionally\s+|deliberately\s+)?"
    r"(?:not\s+(?:yet\s+)?(?:supported|implemented|allowed|available|exposed|provided|required|part\b|included|in scope)|unsupported|unimplemented"
    r"|missing\b|absent\b|omitted\b|left out\b|forbidden\b|disabled\b|removed\b|deprecated\b|no longer|dropped\b|gone\b|planned\b|coming soon|out of scope|does not exist|doesn't exist|must not exist"
    r"|(?:returns?|responds?(?:\s+with)?|answers?(?:\s+with)?|gives|yields)?\W*(?:405|501|(?:404|410)\b(?![^.]*\b(?:if|when|unless|otherwise|where|for|20\d)\b))\b)",
    re.IGNORECASE,
)
# Trees of a file system that nobody serves under.
_FILE = re.compile(
    r"^/(?:usr|etc|var|tmp|proc|sys|dev|opt|root)/|\.(?:py|pyc|js|mjs|cjs|ts|tsx|jsx|java|go|rs|rb|php|md|ya?ml|toml|ini|cfg|conf|sh|env|lock|log|sqlite3?|db|jar)$"
)


@dataclass(frozen=True)
class Target:
    """Where a request goes."""

    path: str
    """As written, without the host."""
    host: str = ""
    """Host and port where they are written out. The path is then whole: no base path is missing in front of it."""


@dataclass(frozen=True)
class Phrase:
    """`GET, HEAD /widgets (Admin only)`."""

    methods: tuple[str, ...]
    target: Target
    rest: str
    """What follows on the line."""


def plain(text: str) -> str:
    """The text without inline markup. Struck-out words are dropped, parameters in angle brackets stay."""
    text = _LINK.sub(r"\1", _STRUCK.sub("", text))
    text = re.sub(r"^_(.*)_$", r"\1", html.unescape(_TAGS.sub("", text)).replace("`", "").strip())
    text = re.sub(r"\\([_*{}\[\]<>#|~-])", r"\1", _BOLD.sub("", text))
    return _LEADING.sub("", text).strip()


def with_slash(text: str) -> str:
    """Plain `text` with the slash that `POST api/widgets` lacks. Right only where a label says that a path comes."""
    return re.sub(rf"^({_METHODS}\s+)(?=[\w-]+/)", r"\1/", text)


def read_phrases(text: str) -> list[Phrase]:
    """The phrases that plain `text` begins with: one, or several joined by commas or `and`; none if the first is refused."""
    phrases: list[Phrase] = []
    while phrase := _read(text):
        phrases.append(phrase)
        joined = _JOINED.match(phrase.rest)
        if not joined:
            break
        text = phrase.rest[joined.end() :]
    return [] if phrases and _REFUSAL.match(phrases[-1].rest) else phrases


def read_methods(text: str) -> tuple[str, ...]:
    """The methods that plain `text` consists of, in any case; none if it says anything else."""
    found = _ONLY_METHODS.match(text)
    return _methods_in(found["methods"].upper()) if found else ()


def leading_methods(text: str) -> tuple[tuple[str, ...], str]:
    """The methods that plain `text` begins with, before a separator or the end, and what follows."""
    found = re.match(rf"{_BRACKETED}(?=\s*(?:$|[-–—:：(=→]))", text)
    return (_methods_in(found["methods"]), text[found.end() :]) if found else ((), text)


def read_target(text: str) -> Target | None:
    """The path or URL that plain `text` consists of."""
    found = _ONLY_TARGET.match(text)
    return _target(found) if found else None


def find_target(text: str) -> Target | None:
    """The first path or URL in plain `text`."""
    found = re.search(rf"(?<![\w/.:{{}}]){_TARGET}", text)
    return _target(found) if found else None


def is_refused(text: str) -> bool:
    """Whether plain `text`, said about an endpoint, says that it is not there."""
    return bool(_REFUSAL.match(text))


def _read(text: str) -> Phrase | None:
    found = _FORWARD.match(text) or _BACKWARD.match(text) or _ENCLOSING.match(text)
    if not found:
        return None
    target = _target(found)
    return Phrase(_methods_in(found["methods"]), target, text[found.end() :]) if target else None


def _target(found: re.Match[str]) -> Target | None:
    path = (found["path"] or found["under"] or "/").rstrip(".,;:!")
    if not path.startswith("/") or _FILE.search(path.split("?")[0]):
        return None
    return Target(re.sub(r"(?<=/)\$(\w+)", r"{\1}", path), found["host"] or found["local"] or "")


def _methods_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(re.findall(_METHOD, text)))
