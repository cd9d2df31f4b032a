"""Taking a tree that untrusted code made out of a sandbox, as a tar stream."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tarfile
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

from .owner import claimed, owned_name

_ENTRY_BYTES = 512
"""What each entry counts, whatever it holds: bounds their number too."""
_MOST_DEEP = 200
"""Directories inside one another: what walks a tree outside is not to run out of stack."""
_SAYS_NO_TREE = (errno.EEXIST, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR)
"""What the kernel says of an entry that lies below a file or a link, is there already, or links to what is not there."""
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TooLarge(Exception):
    """The tree is larger than it may be."""


class NotATree(Exception):
    """The stream ends early, or names what cannot be named."""


def extract_tar(stream: BinaryIO, destination: Path, *, limit_bytes: int) -> None:
    """Write the tree in `stream` to `destination`, which must not exist: whole, or not at all.

    Directories, regular files, symbolic links (as they are) and hard links between the files. Devices, sockets and pipes are left
    out, and so are owners, set-uid, set-gid and sticky bits. No step is ever taken through a symbolic link.
    """
    with claimed(destination.parent / f".{owned_name()}") as partial:
        partial.mkdir(mode=0o700)
        try:
            root = os.open(partial, _DIRECTORY)
            try:
                _extract_into(root, stream, limit_bytes)
            finally:
                os.close(root)
            partial.chmod(0o755)
            partial.rename(destination)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise


def _extract_into(root: int, stream: BinaryIO, limit_bytes: int) -> None:
    room = limit_bytes
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                room -= _ENTRY_BYTES + (member.size if member.isreg() else 0)
                if room < 0:
                    raise TooLarge
                _write(root, archive, member)
                archive.members = []  # pyright: ignore[reportAttributeAccessIssue]  # it would keep all of them
    except tarfile.TarError as error:
        raise NotATree(str(error)) from error
    except OSError as error:
        if error.errno in _SAYS_NO_TREE:
            raise NotATree(str(error)) from error
        raise


def _write(root: int, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    parts = _parts(member.name)
    if not parts:
        return
    mode = stat.S_IMODE(member.mode) & 0o777
    with _parent(root, parts) as parent:
        name = parts[-1]
        if member.isdir():
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=parent)
            directory = os.open(name, _DIRECTORY, dir_fd=parent)
            try:
                # Without these three bits we could neither fill nor remove it.
                os.fchmod(directory, mode | 0o700)
            finally:
                os.close(directory)
        elif member.isreg():
            content = archive.extractfile(member)
            assert content is not None
            file = os.open(
                name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=parent
            )
            with open(file, "wb") as out:
                shutil.copyfileobj(content, out, 1 << 20)
                os.fchmod(file, mode | 0o400)
                os.utime(file, (member.mtime, member.mtime))
        elif member.issym():
            os.symlink(member.linkname, name, dir_fd=parent)
        elif member.islnk():
            target = _parts(member.linkname)
            if target:
                with _parent(root, target) as source:
                    os.link(target[-1], name, src_dir_fd=source, dst_dir_fd=parent, follow_symlinks=False)


def _parts(name: str) -> list[str]:
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts or name.startswith("/"):
        raise NotATree(f"an entry named {name!r}")
    if len(parts) > _MOST_DEEP:
        raise TooLarge
    return parts


@contextlib.contextmanager
def _parent(root: int, parts: list[str]) -> Generator[int]:
    """The directory that an entry lies in, walked to from `root` without following a link."""
    directory = os.dup(root)
    try:
        for part in parts[:-1]:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o700, dir_fd=directory)
            below = os.open(part, _DIRECTORY, dir_fd=directory)
            os.close(directory)
            directory = below
        yield directory
    finally:
        os.close(directory)
