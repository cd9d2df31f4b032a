"""Proof that what a solver is given holds nothing of what verifies its answer."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...core.errors import BadInput, Boundary
from ..history import objects
from .prompt import BUILD_FILES, README
from .task import MicroserviceTask

LEAST = 40
"""Characters that a sealed file must have to be looked for: `flask` is in every README that asks for it."""

MEND = "take it out of public/, then seal the suite anew"


def assert_clean(workspace: Path, task: MicroserviceTask) -> None:
    """`BadInput` naming the file, if the workspace of `task` has anything but what it must have, or the suite's public half tells what
    the sealed one is there to hide (which can be seen only where both are)."""
    _only_the_two_files(workspace, task)
    _only_one_commit(workspace)
    if task.sealed is not None:
        _nothing_sealed_in_the_specification(task)
        _nothing_sealed_among_public_files(task)


def _only_the_two_files(workspace: Path, task: MicroserviceTask) -> None:
    build_file, empty = BUILD_FILES[task.language]
    wanted = {README: task.specification_path.read_bytes(), build_file: empty.encode()}
    for entry in sorted(workspace.iterdir()):
        if entry.name == ".git":
            continue
        if entry.name not in wanted:
            raise _unclean("neither README nor build file", entry)
        if entry.is_symlink() or not entry.is_file() or entry.read_bytes() != wanted[entry.name]:
            raise _unclean("not as the task has it", entry)
    for name in wanted:
        if not (workspace / name).exists():
            raise _unclean("missing", workspace / name)


def _only_one_commit(workspace: Path) -> None:
    counts = {type_: len(ids) for type_, ids in objects(workspace).items()}
    if counts != {"commit": 1, "tree": 1, "blob": 2}:
        found = ", ".join(f"{count} {type_}" for type_, count in sorted(counts.items()))
        raise _unclean(f"has more than one commit of two files: {found}", workspace / ".git")
    if (alternates := workspace / ".git" / "objects" / "info" / "alternates").exists():
        raise _unclean("borrows objects from another repository", alternates)


def _unclean(problem: str, file: Path) -> BadInput:
    return BadInput(problem, file=file, subject="a solver's workspace", mend="make it anew", boundary=Boundary.TASK)


def told(said: str, sealed: Iterable[tuple[str, Path]], test_ids: Iterable[str]) -> str:
    """What of `sealed` files (with what to call them) and golden tests a text tells, as in `holds sealed/tests/test_a.py`; empty for nothing."""
    plain = _plain(said)
    for name, file in sealed:
        content = _plain(file.read_text(encoding="utf-8", errors="replace"))
        if len(content) >= LEAST and content in plain:
            return f"holds {name}"
    for id in test_ids:
        name = id.rpartition("::")[2].partition("[")[0]
        if id in said or f"def {name}(" in said:
            return f"names the golden test {id}"
    return ""


def _nothing_sealed_in_the_specification(task: MicroserviceTask) -> None:
    said = task.specification_path.read_text(encoding="utf-8", errors="replace")
    sealed = ((_shown(file, task), file) for file in _sealed_files(task) if not _is_the_specification(file, task))
    if leak := told(said, sealed, task.test_ids):
        raise _leak(task, leak, task.specification_path)


def _nothing_sealed_among_public_files(task: MicroserviceTask) -> None:
    sealed: dict[int, list[Path]] = {}
    for file in _sealed_files(task):
        if (size := file.stat().st_size) >= LEAST and not _is_the_specification(file, task):
            sealed.setdefault(size, []).append(file)
    for public in files_in(task.public):
        for file in sealed.get(public.stat().st_size, ()):
            if file.read_bytes() == public.read_bytes():
                raise _leak(task, f"is {_shown(file, task)}", public)


def _is_the_specification(file: Path, task: MicroserviceTask) -> bool:
    """Whether a reference has brought its README along."""
    return file.name == task.specification_path.name and file.read_bytes() == task.specification_path.read_bytes()


def _sealed_files(task: MicroserviceTask) -> Iterator[Path]:
    yield from files_in(task.tests_path)
    if task.reference_path is not None:
        yield from files_in(task.reference_path)


def files_in(folder: Path) -> Iterator[Path]:
    """Regular files, in order; not what Python has compiled."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            if stat.S_ISREG((path := Path(place, name)).lstat().st_mode):
                yield path


def _plain(text: str) -> str:
    """Without indentation and blank lines: a file that is quoted in a list is still that file."""
    return "\n".join(stripped for line in text.splitlines() if (stripped := line.strip()))


def _shown(file: Path, task: MicroserviceTask) -> str:
    return str(Path("sealed") / file.relative_to(task.sealed_root))


def _leak(task: MicroserviceTask, problem: str, file: Path) -> BadInput:
    return BadInput(problem, file=file, subject=f'task "{task.id}"', mend=MEND, boundary=Boundary.TASK)
