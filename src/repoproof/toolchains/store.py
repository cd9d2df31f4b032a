"""The cache on disk: finished trees by kind and content key, each built by exactly one process at a time."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..core.base import Frozen


class Entry(Frozen):
    """One finished tree in the store."""

    kind: str
    """What it is: `python`, `node`, `artifacts`, ..."""
    key: str
    """Hash of everything that decided its content."""
    path: Path
    """The tree. Never written to once published."""
    size_bytes: int
    """Allocated when it was published."""
    last_used: float
    """Seconds since the epoch: when it was published or last found."""


@dataclass(frozen=True)
class Slot:
    """Exclusive use of one place in the store, while its lock is held."""

    place: Path
    staging: Path
    """A fresh directory, on the store's file system, to build in. What is not published is removed."""

    def publish(self, built: Path) -> Path:
        """Make the directory `built` (inside `staging`) the content of this place, at once or not at all."""
        if built.is_symlink() or not built.is_dir():
            raise NotADirectoryError(f"{built} is no directory")  # what is published is bound into sandboxes
        parcel = Path(tempfile.mkdtemp(dir=self.staging))
        parcel.chmod(0o755)
        built.rename(parcel / "content")
        size = allocated(parcel / "content")
        (parcel / "entry.json").write_text(json.dumps({"size_bytes": size}))
        if self.place.exists():
            # Sandboxes may still have the old tree bound: it is moved aside, and `sweep` removes it later.
            retired = _directory(self.place.parents[1] / ".retired")
            self.place.rename(Path(tempfile.mkdtemp(dir=retired)) / self.place.name)
        parcel.rename(self.place)
        return self.place / "content"


class Store:
    """Finished trees under `root`, shared by threads, processes and runs.

    Every directory on the way is traversable for others: sandboxes run as another user.
    """

    def __init__(self, root: Path) -> None:
        self.root = _directory(root.absolute())

    def find(self, kind: str, key: str) -> Path | None:
        """The published tree, or None. Marks it as used."""
        place = self.root / kind / key
        try:
            os.utime(place / "entry.json")
        except FileNotFoundError:
            return None
        return place / "content"

    @contextmanager
    def slot(self, kind: str, key: str) -> Iterator[Slot]:
        """Wait for exclusive use of that place. Look again with `find` inside: another process may have built it meanwhile."""
        place = _directory(self.root / kind) / key
        with _locked(_directory(self.root / ".locks") / f"{kind}-{key}"):
            staging = _directory(self.root / ".staging") / f"{kind}-{key}"
            _remove(staging)
            _directory(staging)
            try:
                yield Slot(place, staging)
            finally:
                _remove(staging)

    def entries(self) -> Iterator[Entry]:
        """All that is published, for accounting."""
        for record in self.root.glob("[!.]*/*/entry.json"):
            place = record.parent
            try:
                size = json.loads(record.read_text())["size_bytes"]
                last_used = record.stat().st_mtime
            except FileNotFoundError:
                continue
            yield Entry(
                kind=place.parent.name,
                key=place.name,
                path=place / "content",
                size_bytes=size,
                last_used=last_used,
            )

    def remove(self, entry: Entry) -> None:
        """Forget one tree. The caller sees to it that nothing has it bound."""
        with _locked(_directory(self.root / ".locks") / f"{entry.kind}-{entry.key}"):
            doomed = Path(tempfile.mkdtemp(dir=_directory(self.root / ".retired"))) / "entry"
            entry.path.parent.rename(doomed)
        _remove(doomed.parent)

    def sweep(self) -> int:
        """Remove what dead processes left half-built and what was replaced; returns how many trees that were."""
        swept = 0
        for staging in (self.root / ".staging").glob("*"):
            with _locked(_directory(self.root / ".locks") / staging.name, wait=False) as free:
                if free:
                    _remove(staging)
                    swept += 1
        for retired in (self.root / ".retired").glob("*"):
            _remove(retired)
            swept += 1
        return swept


@contextmanager
def _locked(path: Path, *, wait: bool = True) -> Iterator[bool]:
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def _directory(path: Path) -> Path:
    """`path`, made if need be; what is made is traversable whatever the umask."""
    missing = [place for place in (path, *path.parents) if not place.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for place in missing:
        place.chmod(0o755)
    return path


def _remove(tree: Path) -> None:
    if not tree.exists():
        return
    for directory, _, _ in os.walk(tree):
        # What a candidate's tools wrote may have directories that even their owner may not change.
        mode = stat.S_IMODE(os.lstat(directory).st_mode)
        if mode & 0o700 != 0o700:
            Path(directory).chmod(mode | 0o700)
    shutil.rmtree(tree)


def allocated(tree: Path) -> int:
    """Bytes on disk; a file with several names counts once."""
    seen: set[tuple[int, int]] = set()
    total = 0
    for directory, _, files in os.walk(tree):
        for name in (*files, ""):
            try:
                status = Path(directory, name).lstat()
            except FileNotFoundError:  # somebody is still at work on it
                continue
            if (status.st_dev, status.st_ino) not in seen:
                seen.add((status.st_dev, status.st_ino))
                total += status.st_blocks * 512
    return total
