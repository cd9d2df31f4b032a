"""Files that survive a crash."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from .errors import BadInput, Boundary, InfrastructureError


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


def append_lines(file: Path, lines: bytes) -> int:
    """Add whole lines to `file`, made if it is not there; they are on disk when this returns. Returns where in it they begin.

    For any number of threads and processes at once; never through a link. What a crash, or a full disk, has left of an earlier line stays a line of its own.
    """
    with naming(file):
        descriptor = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            # Whether the last line is whole can only be told while nobody is writing one.
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            data = b"\n" + lines if torn else lines
            written = os.write(descriptor, data)
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if size == 0:
            sync_directory(file.parent)
    if written < len(data):
        problem = f"only {written} of {len(data)} bytes went into {file}: is the disk full?"
        raise InfrastructureError(problem, boundary=Boundary.HARNESS)
    return size + torn


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


@contextmanager
def held(lock: Path, what: str) -> Generator[None]:
    """Be the one process that holds the file `lock`, and with it `what`; `BadInput` where another one does, and says which."""
    # The kernel lets go of it when the process dies, however that happens: a lock that is left behind cannot be.
    with lock.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(f"{what} is in use by {_holder(lock)}", mend="wait for it to end, or end it") from None
        file.truncate(0)
        file.write(json.dumps({"pid": os.getpid(), "started": datetime.now(UTC).isoformat(timespec="seconds")}) + "\n")
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _holder(lock: Path) -> str:
    """Who holds it, as far as it has said."""
    try:
        said = json.loads(lock.read_text())
        return f"process {said['pid']} (started {said['started']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def sync_directory(path: Path) -> None:
    """Make names created in `path`, or removed from it, survive a crash."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
