"""The grammar of one phrase: a method and a path, in either order, with any markup and separator between them."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import lru_cache

from ..endpoints import METHODS
from .words import is_refused

_METHOD = rf"(?:{'|'.join(METHODS)})(?![\w-])"
_BETWEEN = r"\s*(?:[/,|&+、]|\bor\b|\band\b)\s*"
_METHODS = rf"{_METHOD}(?:(?:{_BETWEEN}|\s+){_METHOD})*"
_BRACKETED = rf"[\[(<]?\s*(?:HTTP\s+)?(?P<methods>{_METHODS})(?:\s+only\b)?\s*[\])>]?"
_SEPARATOR = r"(?:\s*(?:[:：|│=]|[-–—]+>?|→|➜|⇒|»|=>)\s*|,?\s+(?:(?:requests?\s+)?(?:to|on|at)\s+)?)"
# A variable or a placeholder that stands for the scheme and host: `{{base_url}}`, `$API`, `<host>`.
_HOST_VARIABLE = r"(?:\$?\{\{?\s*[\w.]*(?:url|uri|host|base|server|api)[\w.]*\s*\}?\}|\$\w+|<[\w -]*(?:url|host|base|server)[\w -]*>)(?=/)"
_HOST = (
    rf"(?:https?://(?P<host>[^\s/\"'`|,;]+)|(?P<local>(?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d+)|(?i:{_HOST_VARIABLE}))"
)
# The last alternative may not begin like the others: two ways to read one parameter are 2^n ways to read n.
_PARAMETER = r"\{[\w .:|-]{1,60}\}|\{[?&][\w,.*]{1,100}\}|<[\w .:-]{1,60}>|\(\?P?<\w{1,60}>[^()\s]{1,60}\)|(?<=/)\(\w{1,60}\)(?=[/\s`\])]|$)"
_PATH = rf"/(?:{_PARAMETER}|(?!{_PARAMETER})[^\s\"'|│,;()`，。；：、（）！？「」【】])*"
_TARGET = rf"(?:{_HOST}(?P<under>{_PATH})?|(?P<path>{_PATH}))"

_FORWARD = re.compile(rf"{_BRACKETED}(?:{_SEPARATOR}|(?<=[\])>])){_TARGET}")
_BACKWARD = re.compile(rf"{_TARGET}(?:{_SEPARATOR}|(?=[\[(])){_BRACKETED}(?=\s*(?:$|[-–—:：.,;]))")
# `/health - says how it is (GET)`.
_ENCLOSING = re.compile(rf"{_TARGET}\s*[-–—:：]+\s[^()\[\]]{{1,100}}[\[(]\s*(?P<methods>{_METHODS})\s*[\])]\s*\.?$")
_ONLY_METHODS = re.compile(rf"{_BRACKETED}\s*(?:requests?)?\s*\.?$")
# `Get post` is what an operation does, not two methods.
_UNCASED_METHODS = re.compile(
    rf"[\[(<]?\s*(?:HTTP\s+)?(?P<methods>{_METHOD}(?:{_BETWEEN}{_METHOD})*)\s*[\])>]?\s*(?:requests?)?\s*\.?$",
    re.IGNORECASE,
)
_ONLY_TARGET = re.compile(rf"{_TARGET}\s*$")
_LEADING_METHODS = re.compile(rf"{_BRACKETED}(?=\s*(?:$|[-–—:：(（=→,，]))")
_LEADING_METHODS_APART = re.compile(rf"{_BRACKETED}(?=\s)")
_LEADING_TARGET = re.compile(rf"{_TARGET}(?=\s|$|[,，:：（(])")
_DESCRIBED_TARGET = re.compile(rf"{_TARGET}(?:(?<=[:：])\s|\s*[:：(（]|\s+[-–—])")
_SPLIT = re.compile(rf"{_BRACKETED}\s+(?P<words>[^/`:{{}}]{{1,60}}?)\s*(?:[:：(\[]|[-–—]+>?\s|→)\s*{_TARGET}\s*[)\]]?$")
_LEADING = re.compile(r"^[^\w/\[({<$~]+")
_JOINED = re.compile(
    rf"(?:\s*(?:[,;/&+|·•，、；](?:\s*(?:and|or|und|oder|et|y)\b)?|\b(?:and|or|und|oder|et|y)\b)\s*|\s+)(?=[\[(]?{_METHOD})"
)

_TAGS = re.compile(
    r"</?(?:b|strong|code|kbd|em|i|u|span|p|li|ul|ol|td|tr|sub|sup|samp|tt|a|div|summary|details|h[1-6]|pre|d[ldt])(?:\s[^<>]*)?>",
    re.I,
)
_LINK = re.compile(r"!?\[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*){0,8})\]\((?:[^()\s]*)(?:\s+\"[^\"]*\")?\)")
_STRUCK = re.compile(r"~~.*?~~|<(del|s|strike)>.{0,300}?</\1>", re.IGNORECASE)
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\(([^()\s]*)(?:\s+\"[^\"]*\")?\)|<img\s[^<>]*>", re.IGNORECASE)
# A method in code or bold may be written in lower case: `patch /links`, **Put** `/links`.
_UNCASED = re.compile(rf"^\W*(?:`|\*\*)(?:{'|'.join(METHODS)})(?=\s+/|(?:`|\*\*)\s*(?:`|\*\*)?/)", re.IGNORECASE)
_UNDERLINED = re.compile(rf"(?<!\w)_({'|'.join(METHODS)})_(?!\w)")
_HIDDEN = str.maketrans("*<~", "\ue000\ue001\ue002")
_KEPT = str.maketrans("\ue000\ue001\ue002", "*<~")
_BOLD = re.compile(r"\*{2,3}|(?<![\w/])__(?=\w)|(?<=\w)__(?!\w)|(?<![\w/])[*_](?=[A-Z])|(?<=[A-Za-z:])\*(?!\w)")

_OMITTED = re.compile(r"/(?:\.\.\.|…)(?:/|$)")
# `/items{?page,size}`, `/items[?page=1]`, `/items[/{id}]`.
_OPTIONAL = re.compile(r"[\[{][?&]|\[(?=/)")
MAX_TEXT = 10_000
"""Characters of a line that are looked at."""

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


@lru_cache(maxsize=1_024)
def plain(text: str) -> str:
    """The text without inline markup. Struck-out words are dropped, parameters in angle brackets stay, code is kept as it is."""
    text = _IMAGE.sub(_shown, text[:MAX_TEXT])
    text = _UNCASED.sub(lambda found: found[0].upper(), text)
    text = _LINK.sub(r"\1", _STRUCK.sub("", _code_kept(text)))
    text = re.sub(r"^_(.*)_$", r"\1", html.unescape(_TAGS.sub("", text)).strip())
    text = _UNDERLINED.sub(r"\1", text)
    text = re.sub(r"\\([_*{}\[\]<>#|~-])", r"\1", _BOLD.sub("", text)).translate(_KEPT)
    # Any number of spaces is one: patterns that look for a separator between optional spaces would try them all.
    return re.sub(r"^DEL(?= /)", "DELETE", " ".join(_LEADING.sub("", text).rstrip("\\ \t").split()))


def _code_kept(text: str) -> str:
    """The text without backticks, what would be markup inside them hidden. Languages without spaces write on right behind them."""
    parts = re.split("`+", text)
    for at in range(1, len(parts) - 1, 2):
        parts[at] = parts[at].translate(_HIDDEN) + (" " if parts[at + 1][:1] > "\x7f" else "")
    return "".join(parts)


def _shown(image: re.Match[str]) -> str:
    """The words that stand for an image: its text, or the method on a badge."""
    words, source = (
        (image[1], image[2]) if image[2] is not None else (_attribute(image[0], "alt"), _attribute(image[0], "src"))
    )
    badge = re.search(rf"/badge/-?({_METHOD.replace('-', '')}|(?i:(?:{'|'.join(METHODS)})(?=-)))", source)
    return words if not badge or read_methods(words) else badge[1].upper()


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf"\b{name}\s*=\s*[\"']([^\"']*)", tag, re.IGNORECASE)
    return found[1] if found else ""


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
    return [] if phrases and is_refused(phrases[-1].rest) else phrases


def read_methods(text: str) -> tuple[str, ...]:
    """The methods that plain `text` consists of, in any case; none if it says anything else."""
    found = _ONLY_METHODS.match(text) or _UNCASED_METHODS.match(text)
    return _methods_in(found["methods"].upper()) if found else ()


def leading_methods(text: str, *, apart: bool = False) -> tuple[tuple[str, ...], str]:
    """The methods that plain `text` begins with, before a separator or the end, and what follows; `apart`: before any words."""
    found = _LEADING_METHODS.match(text) or (_LEADING_METHODS_APART.match(text) if apart else None)
    return (_methods_in(found["methods"]), text[found.end() :]) if found else ((), text)


def leading_target(text: str) -> Target | None:
    """The path that plain `text` begins with, and says something about that does not refuse it."""
    found = _LEADING_TARGET.match(text)
    return _target(found) if found and not is_refused(text[found.end() :]) else None


def described_target(text: str) -> Target | None:
    """The path that plain `text` begins with, before a separator and what it is: `/widgets: all of them`."""
    found = _DESCRIBED_TARGET.match(text)
    return _target(found) if found else None


def read_split(text: str) -> list[Phrase]:
    """Of plain `text` that is a method, a few words that say what it does, and the path: `GET all widgets - /widgets`."""
    found = _SPLIT.match(text)
    target = _target(found) if found else None
    return [Phrase(_methods_in(found["methods"]), target, found["words"])] if found and target else []


def read_target(text: str) -> Target | None:
    """The path or URL that plain `text` consists of."""
    found = _ONLY_TARGET.match(text)
    return _target(found) if found else None


def find_target(text: str) -> Target | None:
    """The first path or URL in plain `text`."""
    found = re.search(rf"(?<![\w/.:{{}}]){_TARGET}", text)
    return _target(found) if found else None


def is_file(path: str) -> bool:
    """Whether a path lies in a tree of a file system, or ends like source code."""
    return bool(_FILE.search(path.split("?")[0]))


def _read(text: str) -> Phrase | None:
    if _ONLY_METHODS.match(text):  # `GET / POST`: the slash is no path
        return None
    found = _FORWARD.match(text) or _BACKWARD.match(text) or _ENCLOSING.match(text)
    if not found:
        return None
    target = _target(found)
    return Phrase(_methods_in(found["methods"]), target, text[found.end() :]) if target else None


def _target(found: re.Match[str]) -> Target | None:
    written = _OPTIONAL.split(found["path"] or found["under"] or "/")[0]
    if written.count("]") > written.count("["):
        written = written[: written.rindex("]")]
    path = written.rstrip(".,;:!…")
    if not path.startswith("/") or is_file(path) or _OMITTED.search(written):
        return None
    path = re.sub(r"(?<=/)\((\w+)\)(?=/|$)", r"{\1}", path)
    return Target(re.sub(r"(?<=/)\$(\w+)", r"{\1}", path), found["host"] or found["local"] or "")


def _methods_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(re.findall(_METHOD, text)))
