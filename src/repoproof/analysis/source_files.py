"""Which files of a tree are the source of the service itself."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

MAX_FILES = 5_000
MAX_FILE_BYTES = 1_000_000
MAX_TREE_BYTES = 50_000_000
# Dependencies, build results and tests: never part of what a person wrote for the service to run.
_SKIPPED = frozenset(
    {"node_modules", "__pycache__", "venv", "env", "virtualenv", "site-packages", "dist", "build"}
    | {"tests", "test", "__tests__", "migrations"}
)


def is_skipped(folder: Path) -> bool:
    """Hidden folders, environments, dependencies, build results and tests."""
    return folder.name.startswith(".") or folder.name in _SKIPPED or (folder / "pyvenv.cfg").exists()


def is_test(name: str) -> bool:
    """Whether a file of that name is a test, or hidden."""
    stem = name.partition(".")[0]
    return (
        name.startswith(("test_", "."))
        or stem.endswith("_test")
        or stem == "conftest"
        or ".test." in name
        or ".spec." in name
    )


def source_files(
    tree: Path,
    suffixes: tuple[str, ...],
    *,
    skip_folder: Callable[[Path], bool] = is_skipped,
    skip_file: Callable[[str], bool] = is_test,
) -> list[Path]:
    """Regular files with one of `suffixes`, shallow and alphabetical first, so that the caps on number and size cut the deepest.

    What is to be skipped is left out, and so are files too large to be written by hand. Links are not followed.
    """
    found: list[tuple[Path, int]] = []
    for folder, folders, files in os.walk(tree):
        folders[:] = [name for name in folders if not skip_folder(Path(folder, name))]
        for name in files:
            if name.endswith(suffixes) and not skip_file(name):
                path = Path(folder, name)
                try:
                    status = path.lstat()
                except OSError:
                    continue
                if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_FILE_BYTES:
                    found.append((path, status.st_size))
    found.sort(key=lambda one: (len(one[0].parts), one[0]))
    sizes = accumulate(size for _, size in found)
    return [path for (path, _), total in zip(found, sizes, strict=True) if total <= MAX_TREE_BYTES][:MAX_FILES]
