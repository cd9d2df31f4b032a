"""Where in an answer its code may be: fenced blocks, HTML, JSON, or the text as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from .fences import blocks_of

_ONE_LINE = re.compile(
    r"^[ \t]*```[ \t]*(?:(python|py|python3|javascript|js|typescript|ts)\b)?[ \t]*(\S[^`\n]*?)[ \t]*```[ \t]*$",
    re.MULTILINE,
)
_HTML = re.compile(
    r"<pre[^>]*>\s*(?:<code[^>]*>)?(.*?)(?:</code>\s*)?</pre>|<code[^>]*>(.*?)</code>", re.DOTALL | re.IGNORECASE
)
_NOT_CODE = frozenset(
    {"sh", "bash", "shell", "zsh", "console", "terminal", "output", "stdout", "log", "text", "txt", "plaintext"}
    | {"yaml", "yml", "toml", "ini", "xml", "markdown", "md"}
)
_DEPTH = 3


@dataclass(frozen=True)
class Candidate:
    """A piece of an answer that may be code."""

    code: str
    language: str = ""
    """As the fence is labelled, in lower case."""
    closed: bool = True
    """False where the answer ends inside it."""
    fenced: bool = True
    """False for the text as a whole, prose and all."""


def candidates(text: str) -> list[Candidate]:
    """The pieces in their order. Where nothing is marked as code, that is the text itself, and what it says in backticks."""
    if (wrapped := _from_json(text, _DEPTH)) is not None:
        return [piece for text in wrapped for piece in candidates(text)]
    text = _ONE_LINE.sub(lambda found: f"```{found[1] or ''}\n{found[2]}\n```", text)
    lines = text.split("\n")
    blocks = blocks_of(lines)
    if not blocks:
        # Not beyond the last tag that closes: an opening one would look for its own to the end each time.
        html = text[: max(text.lower().rfind("</pre>") + 6, text.lower().rfind("</code>") + 7)]
        marked = [next(part for part in found.groups() if part is not None) for found in _HTML.finditer(html)]
        return [Candidate(piece) for piece in marked] or [Candidate(text, closed=False, fenced=False)]
    pieces: list[Candidate] = []
    for block in blocks:
        language = re.split(r"[\s:{,]", block.fence.info.lower(), maxsplit=1)[0]
        if language in _NOT_CODE:
            continue
        if language in ("json", "jsonc") and (wrapped := _from_json(block.content, _DEPTH)) is not None:
            pieces += [piece for text in wrapped for piece in candidates(text)]
        elif language not in ("json", "jsonc"):
            pieces.append(Candidate(block.content, language, block.closed))
    return pieces


def places(text: str) -> Iterator[list[Candidate]]:
    """The pieces, then what stands between and around them: where the code is not marked, and what is marked is something else."""
    pieces = candidates(text)
    yield pieces
    if any(not piece.fenced for piece in pieces):
        return
    lines = text.split("\n")
    inside = {at for block in blocks_of(lines) for at in range(block.start, block.end + 1)}
    around = "\n".join(line for at, line in enumerate(lines) if at not in inside)
    yield [Candidate(around, closed=False, fenced=False)]


def _from_json(text: str, depth: int) -> list[str] | None:
    """The strings of several lines, or of code, that a JSON value holds; None if `text` is no JSON object or string."""
    stripped = text.strip()
    if not depth or not stripped.startswith(("{", '"', "[")):
        return None
    try:
        value = json.loads(stripped, strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list | str):
        return None
    return list(_strings(cast("object", value))) or None


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in cast("dict[str, object]", value).values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _strings(item)
