"""Files that survive a crash."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


def write_atomically(path: Path, content: str) -> None:
    """Replace `path` by `content`, so that at any moment, even after a crash, it holds either the old or the new text whole."""
    with naming(path):
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(descriptor, "wb") as file:
                os.fchmod(file.fileno(), 0o644)
                file.write(content.encode())
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        sync_directory(path.parent)


@contextmanager
def naming(path: Path) -> Generator[None]:
    """What the system refuses inside is said of `path`: a full disk names no file by itself, or one that only we know."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def make_directory(path: Path) -> None:
    """Make `path`, and what leads to it, if it is not there; the names survive a crash."""
    missing = [place for place in (path, *path.parents) if not place.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for place in reversed(missing):
        sync_directory(place.parent)


@contextmanager
def one_at_a_time(directory: Path) -> Generator[None]:
    """Wait until no other process is in here with the same directory."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def sync_directory(path: Path) -> None:
    """Make names created in `path`, or removed from it, survive a crash."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
