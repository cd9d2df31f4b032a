"""What says how to start a service whatever its language: `start.sh`, then a `Procfile`."""

from __future__ import annotations

import posixpath
import re
import shlex
from pathlib import Path

from .base import StartCommand
from .fault import Refused
from .reading import text

_SHELLS = {"sh", "bash", "dash"}
_MOST_BYTES = 100_000
"""Of a command: the kernel takes no word above 128 KiB."""
_MOST_WORDS = 1_000


def can_be_run(*words: str) -> bool:
    """Whether the kernel would take these words as a command at all: no NUL, nothing that is not Unicode, not too much."""
    try:
        size = sum(len(word.encode()) for word in words)
    except UnicodeEncodeError:
        return False
    return size <= _MOST_BYTES and len(words) <= _MOST_WORDS and not any("\0" in word for word in words)


def declared_start(tree: Path) -> StartCommand | None:
    """The command that the tree itself declares, or None."""
    return _script(tree, "start.sh") or _procfile(tree)


def _script(tree: Path, name: str) -> StartCommand | None:
    content = _text(tree, name)
    if content is None:
        return None
    interpreter = _interpreter(content) or ["sh"]
    raw = (tree / name).read_bytes()
    if b"\r" in raw and interpreter[0] in _SHELLS:
        # The tree is a scratch copy: mended in place, so that `$0` and the script's own folder stay what they are.
        mended = f"sed -i 's/\\r$//' {name} && exec {shlex.join([*interpreter, f'./{name}'])}"
        return StartCommand(command=("sh", "-c", mended), source=name)
    return StartCommand(command=(*interpreter, f"./{name}"), source=name)


def _interpreter(content: str) -> list[str] | None:
    """The program of the `#!` line, looked for on PATH, with its options; no execute bit is needed."""
    match = re.match(r"\ufeff?#!\s*(\S.*)", content)
    if match is None:
        return None
    words = match[1].split()
    if posixpath.basename(words[0]) == "env":
        words = [word for word in words[1:] if word != "-S"]
    return [posixpath.basename(words[0]), *words[1:]] if words else None


def _procfile(tree: Path) -> StartCommand | None:
    content = _text(tree, "Procfile")
    match = re.search(r"^web\s*:\s*(\S.*)$", content or "", re.MULTILINE)
    return StartCommand(command=("sh", "-c", match[1].strip()), source="Procfile") if match else None


def _text(tree: Path, name: str) -> str | None:
    try:
        return text(tree, name)
    except Refused:
        return None
