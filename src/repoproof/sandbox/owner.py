"""Who a leftover belongs to: names that tell whether the process that made a thing still lives."""

from __future__ import annotations

import itertools
import os
import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ..core.paths import state_root

_numbers = itertools.count()


def _start_ticks(pid: int) -> str | None:
    """When `pid` started, in ticks since boot; None if it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The program's name, in parentheses, may hold anything; the start is the 20th field after it.
    return stat.rpartition(")")[2].split()[19]


def _pid_namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:
        return "0"


def owned_name() -> str:
    """A name, unique on this machine, that says which process it was made for: fit for files, control groups and containers."""
    return f"repoproof-{os.getpid()}-{_start_ticks(os.getpid()) or 0}-{_pid_namespace()}-{next(_numbers)}"


def is_orphan(name: str) -> bool:
    """Whether `name` came from `owned_name` in a process that is gone. Processes that we cannot see are left in peace."""
    match = re.fullmatch(r"\.?repoproof-(\d+)-(\d+)-(\d+)-\d+", name)
    if match is None or match[3] != _pid_namespace():
        return False
    return _start_ticks(int(match[1])) != match[2]


@contextmanager
def claimed(place: Path) -> Generator[Path]:
    """While this lasts, `gc` of a later process removes `place` if we die. Its name must come from `owned_name`."""
    claim = claims() / owned_name()
    claim.parent.mkdir(parents=True, exist_ok=True)
    claim.symlink_to(place.absolute())
    try:
        yield place
    finally:
        claim.unlink(missing_ok=True)


@contextmanager
def own_folder(parent: Path) -> Generator[Path]:
    """A fresh folder in `parent`, which is made where it is not there; removed at the end, or by `gc` if we die before. Ours alone to enter."""
    parent.mkdir(parents=True, exist_ok=True)
    with claimed(parent / f".{owned_name()}") as folder:
        folder.mkdir(0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def claims() -> Path:
    """The directory of claims: symbolic links, named after their owner, to what is claimed."""
    return state_root() / "claims"
