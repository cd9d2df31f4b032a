"""Reading files of a candidate's tree: regular files inside the tree, of bounded size, in whatever encoding people use."""

from __future__ import annotations

import codecs
import hashlib
import stat
from pathlib import Path

from ..core.base import MiB
from .fault import Refused

LIMIT_BYTES = 8 * MiB
"""Of one declaration: the largest lock files in use are about half of it."""

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def inside(tree: Path, relative: str) -> Path | None:
    """The regular file `relative` of `tree`, links resolved; None if there is none or it lies elsewhere."""
    root = tree.resolve()
    try:
        found = (root / relative).resolve(strict=True)
        if found.is_relative_to(root) and stat.S_ISREG(found.stat().st_mode):
            return found
    except (OSError, ValueError, RuntimeError):
        pass
    return None


def text(tree: Path, relative: str, *, limit: int = LIMIT_BYTES) -> str | None:
    """Content with line ends made `\\n`; None if there is no such file. Raises `Refused` if too large or not text."""
    found = inside(tree, relative)
    if found is None:
        return None
    if found.stat().st_size > limit:
        raise Refused(f"{relative} is larger than {limit // 1024} KiB")
    data = found.read_bytes()
    try:
        for mark, encoding in _MARKS:
            if data.startswith(mark):
                return _lines(data[len(mark) :].decode(encoding))
        return _lines(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refused(f"{relative} is not UTF-8 text") from None


def tree_hash(tree: Path) -> str:
    """Of all files and links below `tree`, by name, content and whether they may be run."""
    digest = hashlib.sha256()
    for path in sorted(tree.rglob("*")):
        relative = path.relative_to(tree).as_posix()
        if path.is_symlink():
            digest.update(f"link {relative} {path.readlink()}\0".encode())
        elif path.is_file():
            digest.update(
                f"file {relative} {path.stat().st_mode & 0o100} {hashlib.sha256(path.read_bytes()).hexdigest()}\0".encode()
            )
    return digest.hexdigest()


def _lines(content: str) -> str:
    return content.replace("\r\n", "\n").replace("\r", "\n")
