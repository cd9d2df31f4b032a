"""A whole repository as one text: how a model is asked to write it, and how its answer is read.

The official form is a line `### FILE: relative/path` for each file, then one fenced block whose fence is longer than any run of its
character inside. A file that does not end with a newline is followed by the line `\\ No newline at end of file`. What `render_tree` writes
`parse_tree` reads back exactly. It also reads what models write instead (docs/answers.md), and never guesses a name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core.base import Frozen, MiB, Text
from ..core.errors import BadInput
from ..core.tree import shown
from .answer_path import UnsafePath, safe_path
from .fences import Block, Patience, block_at, fence_of
from .file_names import Naming, name_above, name_inside, official_name
from .reasoning import without_reasoning

NO_NEWLINE = "\\ No newline at end of file"


class File(Frozen):
    """One file of an answer."""

    path: str
    """Relative, with `/`; safe to be made below any folder."""
    content: Text


class FileTree(Frozen):
    """What an answer holds."""

    files: tuple[File, ...] = ()
    """Sorted by path; no path is a folder of another."""
    notes: tuple[Text, ...] = ()
    """What was left out or read leniently, a line each, in the answer's order."""
    truncated: bool = False
    """Whether the answer ends inside a file or before it. The last file is then what is there of it."""


class TreeCaps(Frozen):
    """How much of an answer becomes files; the rest is left out with a note."""

    files: int = 1_000
    file_bytes: int = 2 * MiB
    total_bytes: int = 16 * MiB
    notes: int = 100


def render_tree(source: Path | Mapping[str, str]) -> str:
    """The official form of a folder's text files, or of texts by path; sorted by path.

    `BadInput` for what the form cannot hold: a file that is not UTF-8, a link, a path that would not be read back as it is.
    """
    texts = _texts_below(source) if isinstance(source, Path) else source
    return "\n".join(_rendered(path, texts[path]) for path in sorted(texts))


def parse_tree(text: str, *, caps: TreeCaps | None = None) -> FileTree:
    """The files of an answer. Whatever the answer is, this returns; an answer without files gives none, and says why."""
    if official_name(text.removeprefix("\ufeff").lstrip().partition("\n")[0]) is not None:
        spoken_text, notes = text.removeprefix("\ufeff"), ()
    else:
        spoken = without_reasoning(text)
        spoken_text, notes = spoken.text, spoken.notes
        if spoken.unclosed:
            return FileTree(notes=notes, truncated=True)
    reading = _Reading(spoken_text.split("\n"), caps or TreeCaps(), list(notes))
    reading.read()
    return reading.tree()


def write_tree(tree: FileTree, folder: Path) -> None:
    """Lay the files of `tree` over what is in `folder`, made if it is not there: a file where a folder must be goes, the rest stays.

    Bytes are as they are in the answer, UTF-8. What is in `folder` must be trusted: its links would be followed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for file in tree.files:
        place = folder / safe_path(file.path)
        for above in [parent for parent in place.parents if parent.is_relative_to(folder)]:
            if above.is_file():
                above.unlink()
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content.encode())


def _rendered(path: str, content: str) -> str:
    header = f"### FILE: {path}"
    try:
        readable = safe_path(path) == path and official_name(header) == path
    except UnsafePath as reason:
        raise BadInput(f"{shown(path)} {reason}", subject="file tree") from None
    if not readable:
        raise BadInput(f"{shown(path)} is not a plain relative path", subject="file tree")
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", content)), default=0))
    if not content:
        return f"{header}\n{fence}\n{fence}\n"
    if content.endswith("\n"):
        return f"{header}\n{fence}\n{content}{fence}\n"
    return f"{header}\n{fence}\n{content}\n{fence}\n{NO_NEWLINE}\n"


def _texts_below(folder: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    for place, folders, names in os.walk(folder):
        for name in [*names, *(name for name in folders if Path(place, name).is_symlink())]:
            path = Path(place, name)
            if path.is_symlink() or not path.is_file():
                raise BadInput("is not a regular file", file=path)
            try:
                texts[path.relative_to(folder).as_posix()] = path.read_bytes().decode()
            except UnicodeDecodeError:
                raise BadInput("is not UTF-8 text", file=path) from None
    return texts


@dataclass
class _Reading:
    """One pass over the lines of an answer."""

    lines: list[str]
    caps: TreeCaps
    notes: list[str]
    found: dict[str, str] = field(default_factory=dict[str, str])
    size: int = 0
    """Bytes of all that was found."""
    folders: set[str] = field(default_factory=set[str])
    truncated: bool = False
    patience: Patience = field(init=False)

    def __post_init__(self) -> None:
        self.patience = Patience.for_text(self.lines)

    def read(self) -> None:
        at = 0
        pending: str | None = None
        """The path of an official header that has no block yet."""
        after = 0
        """The first line behind the last block."""
        while at < len(self.lines):
            line = self.lines[at]
            if (named := official_name(line)) is not None:
                self._without_block(pending)
                pending = named
            elif fence_of(line) is not None:
                naming = Naming(pending, "official") if pending is not None else name_above(self.lines[after:at], line)
                at = after = self._block(at, naming)
                pending = None
                continue
            at += 1
        if pending is not None:
            self.truncated = True
            self._without_block(pending)

    def tree(self) -> FileTree:
        if not self.found and not self.notes:
            self.notes.append("the answer holds no file")
        kept = self.notes[: self.caps.notes]
        if len(self.notes) > len(kept):
            kept.append(f"and {len(self.notes) - len(kept):,} more")
        files = tuple(File(path=path, content=self.found[path]) for path in sorted(self.found))
        return FileTree(files=files, notes=tuple(kept), truncated=self.truncated)

    def _without_block(self, path: str | None) -> None:
        if path is not None:
            self.notes.append(f"{_short(path)}: no block follows its header")

    def _block(self, at: int, naming: Naming | None) -> int:
        """Take the block that begins at `at`, and return the line behind it."""
        block = block_at(
            self.lines,
            at,
            patience=self.patience,
            section_at=lambda line: self._begins_file(line, naming),
            is_markdown=naming is not None and naming.path.lower().endswith((".md", ".markdown", ".mdx")),
        )
        assert block is not None
        end = block.end + 1
        content = block.content
        if naming is None:
            naming = name_inside(block)
        if block.closed and end < len(self.lines) and self.lines[end].removesuffix("\r") == NO_NEWLINE:
            content = content.removesuffix("\n")
            end += 1
        if naming is None:
            self._unnamed(block)
        else:
            self._keep(naming, content, block)
        return end

    def _begins_file(self, at: int, naming: Naming | None) -> bool:
        """Whether the line at `at` names a file in the way that the block being read was named, with a block of its own."""
        following = next((line for line in self.lines[at + 1 : at + 4] if line.strip()), "")
        if fence_of(following) is None:
            return False
        if official_name(self.lines[at]) is not None:
            return True
        other = name_above([self.lines[at]], following)
        return naming is not None and other is not None and other.style == naming.style

    def _unnamed(self, block: Block) -> None:
        kind = f" ({_short(block.fence.info)})" if block.fence.info else ""
        self.notes.append(f"line {block.start + 1}: a block{kind} without a file's name was left out")
        self.truncated = self.truncated or not block.closed

    def _keep(self, naming: Naming, content: str, block: Block) -> None:
        if not block.closed:
            self.truncated = True
            self.notes.append(f"{_short(naming.path)}: the answer ends inside it")
        try:
            path = safe_path(naming.path)
        except UnsafePath as reason:
            self.notes.append(f"{_short(naming.path)}: refused, the path {reason}")
            return
        if (reason := self._over(path, content) or self._in_the_way(path)) is not None:
            self.notes.append(f"{_short(path)}: left out, {reason}")
            return
        if path in self.found:
            self.notes.append(f"{_short(path)}: written more than once, the last one counts")
        self.size += _size(content) - _size(self.found.get(path, ""))
        self.found[path] = content

    def _over(self, path: str, content: str) -> str | None:
        size = _size(content)
        if size > self.caps.file_bytes:
            return f"it is larger than {self.caps.file_bytes:,} bytes"
        if path not in self.found and len(self.found) >= self.caps.files:
            return f"there are {self.caps.files:,} files already"
        if self.size + size - _size(self.found.get(path, "")) > self.caps.total_bytes:
            return f"all files together are larger than {self.caps.total_bytes:,} bytes"
        return None

    def _in_the_way(self, path: str) -> str | None:
        """Why `path` cannot be made beside what was found: one of them would be a folder of the other."""
        above = [path[:at] for at, character in enumerate(path) if character == "/"]
        other = next((folder for folder in above if folder in self.found), None)
        if other is None and path in self.folders:
            other = next(found for found in self.found if found.startswith(f"{path}/"))
        self.folders.update(above if other is None else ())
        return None if other is None else f"{_short(other)} is in its way"


def _size(content: str) -> int:
    return len(content.encode("utf-8", "surrogatepass"))


def _short(text: str) -> str:
    text = shown(text)
    return text if len(text) <= 120 else f"{text[:100]}… ({len(text):,} characters)"
