"""Paths that a model wrote: which may become files below a folder, and which are refused."""

from __future__ import annotations

import re
import unicodedata

MAX_PATH_BYTES = 1024
MAX_NAME_BYTES = 255


class UnsafePath(ValueError):
    """Why a path is refused; one line, without the path."""


def safe_path(written: str) -> str:
    """The path below a folder that `written` names, with `/`, or `UnsafePath`."""
    text = written.strip()
    if not text:
        raise UnsafePath("is empty")
    if any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in text):
        raise UnsafePath("has control or invisible characters")
    # Nobody means a backslash in a name; on other systems it separates.
    text = text.replace("\\", "/")
    if re.match(r"[A-Za-z]:", text):
        raise UnsafePath("begins with a drive letter")
    if text.startswith(("/", "~")):
        raise UnsafePath("is absolute")
    if text.endswith("/"):
        raise UnsafePath("is a directory")
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if not parts or text.endswith("/."):
        raise UnsafePath("is a directory")
    for part in parts:
        _check_name(part)
    path = "/".join(parts)
    if len(path.encode()) > MAX_PATH_BYTES:
        raise UnsafePath(f"is longer than {MAX_PATH_BYTES:,} bytes")
    return path


def _check_name(name: str) -> None:
    if name == "..":
        raise UnsafePath("leads upwards")
    if name != name.strip():
        raise UnsafePath("has a name that begins or ends with a space")
    if len(name.encode()) > MAX_NAME_BYTES:
        raise UnsafePath(f"has a name longer than {MAX_NAME_BYTES} bytes")
    # Other file systems take `.GIT`, `.git.`, `.git::$INDEX_ALLOCATION` and `git~1` for the same folder.
    folded = unicodedata.normalize("NFKC", name).casefold().split(":")[0].rstrip(". ")
    if folded in (".git", "git~1"):
        raise UnsafePath("is inside .git")
