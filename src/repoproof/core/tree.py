"""Reading and copying a directory tree that nobody has vouched for.

What the tree contains is never an exception: it is an entry, a violation (left out of hash and copy) or a refusal. No link is
followed and no special file is opened: every step is taken from an open directory, with O_NOFOLLOW, so that a tree that changes
while it is read cannot lead us out of it either. A digest covers relative paths, executable bits, contents and link targets;
times, owners and other mode bits are left out.
"""

from __future__ import annotations

import hashlib
import os
import stat
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from .base import Frozen, MiB
from .digest import digest_of_all
from .errors import Boundary, InfrastructureError
from .verdict import Violation


class Kind(StrEnum):
    """What an entry of a tree is. Directories are only listed where they hold nothing else."""

    FILE = "file"
    EXECUTABLE = "executable"
    LINK = "link"
    EMPTY = "empty"
    """A directory with nothing in it."""


class Entry(NamedTuple):
    path: str
    """Relative, with `/`."""
    kind: Kind
    content: str
    """SHA-256 of a file's bytes; target of a link; empty for an empty directory."""


class Bounds(Frozen):
    """How much of a tree is read before it is refused."""

    size_bytes: int = 512 * MiB
    """Sum of all file sizes."""
    entries: int = 50_000
    """Files, links and directories."""
    depth: int = 100
    """Directories inside one another."""
    link_steps: int = 500_000
    """Path components visited while finding out where all the links lead."""


@dataclass(frozen=True)
class Tree:
    """What was found below one directory."""

    entries: tuple[Entry, ...]
    """Sorted by path."""
    size_bytes: int
    violations: tuple[Violation, ...] = ()
    """What was left out because of what it is, and why."""
    refused: Violation | None = None
    """Why the tree cannot be used at all: `oversize`, `unreadable`, `not-a-directory` or `no-directory`. Then there are no entries."""
    ignored: tuple[str, ...] = ()
    """Paths left out because of their name."""

    @property
    def files(self) -> int:
        return sum(entry.kind is not Kind.EMPTY for entry in self.entries)

    @cached_property
    def digest(self) -> str:
        """Of everything that was read and everything that was left out for what it is."""
        if self.refused:
            return digest_of_all(("refused", self.refused.rule, self.refused.evidence))
        return digest_of_all((*_fields(self.entries), *(f"{v.rule} {v.evidence}" for v in self.violations)))

    @cached_property
    def content_digest(self) -> str:
        """Of files and links only, as version control keeps them: empty directories are left out."""
        return digest_of_all(_fields(entry for entry in self.entries if entry.kind is not Kind.EMPTY))

    def under(self, path: str) -> tuple[Entry, ...]:
        """The file or link at `path`, or all files and links below that directory; empty if there are none."""
        first = bisect_left(self._paths, path)
        if first < len(self._paths) and self._paths[first] == path:
            found = self.entries[first : first + 1]
        else:
            found = self.entries[bisect_left(self._paths, path + "/") : bisect_left(self._paths, path + "0")]
        return tuple(entry for entry in found if entry.kind is not Kind.EMPTY)

    @cached_property
    def _paths(self) -> list[str]:
        return [entry.path for entry in self.entries]


def read_tree(root: Path, *, ignored: Collection[str] = (), bounds: Bounds | None = None) -> Tree:
    """Read and hash everything below `root`, leaving out whatever is called one of `ignored`.

    `InfrastructureError` if the tree changes meanwhile or the disk fails.
    """
    return _Walk(ignored, bounds or Bounds()).over(_real(root), None)


def copy_tree(root: Path, destination: Path, *, ignored: Collection[str] = (), bounds: Bounds | None = None) -> Tree:
    """Copy to the new directory `destination` what `read_tree` would read, and say what that was.

    Only regular files, directories, and links that stay inside are made, with modes 0644, 0755 and no owner of their own.
    """
    destination.mkdir()
    return _Walk(ignored, bounds or Bounds()).over(_real(root), _real(destination))


def shown(path: str) -> str:
    """A path as it may be printed: whatever is not printable or not UTF-8 is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in path)


def _real(path: Path) -> Path:
    # Path.resolve raises on a loop of links; this leaves it to be found on opening.
    return Path(os.path.realpath(path))


class _Refusal(Exception):
    """Ends a walk, and becomes the tree's `refused`."""

    def __init__(self, rule: str, evidence: str) -> None:
        super().__init__(evidence)
        self.violation = Violation(rule=rule, evidence=evidence)


_SPECIAL = {
    stat.S_IFIFO: "fifo-file",
    stat.S_IFSOCK: "socket-file",
    stat.S_IFCHR: "device-file",
    stat.S_IFBLK: "device-file",
}
_EVIDENCE_PER_RULE = 20
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK


@dataclass
class _Walk:
    """One pass over a tree, with what it has found so far."""

    ignored: Collection[str]
    bounds: Bounds
    entries: list[Entry] = field(default_factory=list[Entry])
    links: dict[str, str] = field(default_factory=dict[str, str])
    left_out: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Rule, and evidence."""
    skipped: list[str] = field(default_factory=list[str])
    visited: int = 0
    size: int = 0
    buffer: bytearray = field(default_factory=lambda: bytearray(MiB))

    def over(self, root: Path, destination: Path | None) -> Tree:
        try:
            with _opened_root(root) as source:
                if destination is None:
                    self.directory(source.fd, None, "", 0)
                    self.settle_links(None)
                else:
                    with _opened_root(destination) as target:
                        self.directory(source.fd, target.fd, "", 0)
                        self.settle_links(target.fd)
        except _Refusal as refusal:
            return Tree(entries=(), size_bytes=self.size, refused=refusal.violation)
        except OSError as error:
            problem = (
                f"{root} changed or failed while it was read: {error.strerror}: {shown(str(error.filename or ''))}"
            )
            raise InfrastructureError(problem, boundary=Boundary.HARNESS) from error
        self.entries.sort()
        return Tree(
            entries=tuple(self.entries),
            size_bytes=self.size,
            violations=tuple(_violations(self.left_out)),
            ignored=tuple(self.skipped),
        )

    def directory(self, source: int, target: int | None, prefix: str, depth: int) -> bool:
        """Whether anything was kept. `target` is the copy of this directory, if one is made."""
        if depth > self.bounds.depth:
            raise _Refusal("oversize", f"more than {self.bounds.depth} directories deep: {shown(prefix[:100])}...")
        kept = False
        for name, mode in self.listed(source, prefix):
            path = prefix + name
            if name in self.ignored:
                self.skipped.append(path)
            elif not _is_utf8(name):
                self.left_out.append(("name-not-utf-8", shown(path)))
            elif stat.S_ISDIR(mode):
                kept = True
                with _opened(name, source, path, os.O_DIRECTORY) as inner, _made(name, target) as copy:
                    if not self.directory(inner.fd, copy.fd if copy else None, path + "/", depth + 1):
                        self.entries.append(Entry(path, Kind.EMPTY, ""))
            elif stat.S_ISLNK(mode):
                kept = self.link(name, source, path) or kept
            elif stat.S_ISREG(mode):
                self.file(name, source, target, path)
                kept = True
            else:
                self.left_out.append((_SPECIAL.get(stat.S_IFMT(mode), "special-file"), shown(path)))
        return kept

    def listed(self, directory: int, prefix: str) -> list[tuple[str, int]]:
        """Names and types, sorted; bounded before it is held in memory."""
        found: list[tuple[str, int]] = []
        with os.scandir(directory) as listing:
            for item in listing:
                self.visited += 1
                if self.visited > self.bounds.entries:
                    raise _Refusal("oversize", f"more than {self.bounds.entries:,} files and directories")
                if item.is_symlink():
                    found.append((item.name, stat.S_IFLNK))
                elif item.is_dir(follow_symlinks=False):
                    found.append((item.name, stat.S_IFDIR))
                elif item.is_file(follow_symlinks=False):
                    found.append((item.name, stat.S_IFREG))
                else:
                    found.append((item.name, item.stat(follow_symlinks=False).st_mode))
        found.sort()
        return found

    def link(self, name: str, source: int, path: str) -> bool:
        where = os.readlink(name, dir_fd=source)
        if not _is_utf8(where):
            self.left_out.append(("name-not-utf-8", f"{shown(path)} -> {shown(where)}"))
            return False
        self.links[path] = where
        return True

    def file(self, name: str, source: int, target: int | None, path: str) -> None:
        with _opened(name, source, path) as opened:
            status = os.fstat(opened.fd)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(0, "no longer a regular file", path)
            self.room_for(status.st_size)
            executable = bool(status.st_mode & stat.S_IXUSR)
            with _created(name, target, executable) as copy:
                content = self.streamed(opened.fd, copy.fd if copy else None, status.st_size)
        self.entries.append(Entry(path, Kind.EXECUTABLE if executable else Kind.FILE, content))

    def room_for(self, size: int) -> None:
        self.size += size
        if self.size > self.bounds.size_bytes:
            raise _Refusal("oversize", f"more than {self.bounds.size_bytes // MiB:,} MiB")

    def streamed(self, source: int, target: int | None, expected: int) -> str:
        sha = hashlib.sha256()
        reader = FileIO(source, closefd=False)
        view = memoryview(self.buffer)
        read = 0
        while count := reader.readinto(self.buffer):
            read += count
            if read > expected:
                self.room_for(count)
            sha.update(view[:count])
            if target is not None:
                _write_all(target, view[:count])
        return sha.hexdigest()

    def settle_links(self, target: int | None) -> None:
        """Keep the links that stay inside, following all of them on paper. They are made last: nothing is written through one."""
        steps = self.bounds.link_steps
        for path in sorted(self.links):
            rule, used = _where_it_leads(path, self.links, steps)
            steps -= used
            if steps <= 0:
                raise _Refusal("oversize", "links lead to links beyond any use")
            if rule:
                self.left_out.append((rule, f"{shown(path)} -> {shown(self.links[path])}"))
                continue
            self.entries.append(Entry(path, Kind.LINK, self.links[path]))
            if target is not None:
                os.symlink(self.links[path], path, dir_fd=target)


def _where_it_leads(path: str, links: dict[str, str], most_steps: int) -> tuple[str, int]:
    """The rule that a link breaks (empty if it stays inside), and how many steps it took to find out."""
    reached = path.split("/")[:-1]
    ahead = [path.rsplit("/", 1)[-1]]
    hops = steps = 0
    while ahead and steps < most_steps:
        steps += 1
        part = ahead.pop()
        if part in ("", "."):
            continue
        if part == "..":
            if not reached:
                return "link-out-of-tree", steps
            reached.pop()
            continue
        reached.append(part)
        onward = links.get("/".join(reached))
        if onward is None:
            continue
        hops += 1
        if onward.startswith("/"):
            return "link-out-of-tree", steps
        if hops > 40:
            return "link-loop", steps
        reached.pop()
        ahead.extend(reversed(onward.split("/")))
    return "", steps


def _fields(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        yield from entry


def _violations(left_out: list[tuple[str, str]]) -> Iterator[Violation]:
    """A violation for each thing left out, but no more than a reader can use of one rule."""
    seen: Counter[str] = Counter()
    for rule, evidence in sorted(left_out):
        seen[rule] += 1
        if seen[rule] <= _EVIDENCE_PER_RULE:
            yield Violation(rule=rule, evidence=evidence)
    for rule, count in sorted(seen.items()):
        if count > _EVIDENCE_PER_RULE:
            yield Violation(rule=rule, evidence=f"and {count - _EVIDENCE_PER_RULE:,} more")


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True)
class _Descriptor:
    """An open file descriptor, closed on leaving."""

    fd: int

    def __enter__(self) -> _Descriptor:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)


class _Nothing:
    """Stands where no copy is made."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def _opened_root(root: Path) -> _Descriptor:
    """The directory at an absolute path that no component of leads elsewhere, now."""
    try:
        with ExitStack() as stack:
            parent = stack.enter_context(_Descriptor(os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)))
            for part in root.parent.parts[1:]:
                step = os.open(part, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent.fd)
                parent = stack.enter_context(_Descriptor(step))
            return _Descriptor(os.open(root.name or ".", _OPEN | os.O_DIRECTORY, dir_fd=parent.fd))
    except PermissionError:
        raise _Refusal("unreadable", "it cannot be read (permission denied)") from None
    except FileNotFoundError:
        raise _Refusal("no-directory", "it does not exist") from None
    except OSError as error:
        raise _Refusal("not-a-directory", "it is not a directory") from error


def _opened(name: str, directory: int, path: str, flags: int = 0) -> _Descriptor:
    try:
        return _Descriptor(os.open(name, _OPEN | flags, dir_fd=directory))
    except PermissionError:
        raise _Refusal("unreadable", f"{shown(path)} cannot be read (permission denied)") from None


def _made(name: str, target: int | None) -> _Descriptor | _Nothing:
    """A new directory inside `target`."""
    if target is None:
        return _Nothing()
    os.mkdir(name, 0o755, dir_fd=target)
    return _Descriptor(os.open(name, _OPEN | os.O_DIRECTORY, dir_fd=target))


def _created(name: str, target: int | None, executable: bool) -> _Descriptor | _Nothing:
    """A new file inside `target`."""
    if target is None:
        return _Nothing()
    new = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=target)
    os.fchmod(new, 0o755 if executable else 0o644)
    return _Descriptor(new)


def _write_all(target: int, data: memoryview) -> None:
    while data:
        data = data[os.write(target, data) :]
