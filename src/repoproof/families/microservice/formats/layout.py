"""RepoGenesis' published layout: one folder a repository, its README and its golden tests in separate trees or together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DEEPEST = 3
"""Levels of folders above the repositories."""

PYTHON_TESTS = ("tests", "test")
JAVA_TESTS = "src/test"

_NOT_A_REPOSITORY = frozenset(("tests", "test", "src", "docs", "node_modules", "__pycache__"))


@dataclass(frozen=True)
class Published:
    """One repository of the benchmark, as far as the layout tells."""

    name: str
    readme: Path
    tests: Path
    """The folder that its golden tests belong to: the one above `tests/` or `src/test/`, or the one that holds test files itself."""
    language: str


@dataclass(frozen=True)
class Tree:
    """What a published tree holds."""

    tasks: tuple[Published, ...]
    notes: tuple[str, ...]
    """What is there and is not taken, and what had to be chosen."""


def read_tree(root: Path) -> Tree:
    """The tasks below `root`, sorted by name: each repository that has both a README and golden tests, wherever the two are."""
    readmes: dict[str, list[Path]] = {}
    tests: dict[str, list[tuple[Path, str]]] = {}
    for folder in _repositories(root, DEEPEST):
        if readme := _readme(folder):
            readmes.setdefault(folder.name, []).append(readme)
        if language := _language(folder):
            tests.setdefault(folder.name, []).append((folder, language))
    tasks: list[Published] = []
    notes: list[str] = []
    for name in sorted(readmes.keys() | tests.keys()):
        if name not in tests:
            notes.append(f"{name}: left out: no golden tests")
        elif name not in readmes:
            notes.append(f"{name}: left out: no README")
        else:
            readme = min(readmes[name], key=lambda path: _rank(path, root))
            folder, language = min(tests[name], key=lambda pair: _rank(pair[0], root))
            if len({path.read_bytes() for path in readmes[name]}) > 1:
                notes.append(f"{name}: of READMEs that differ, {readme.relative_to(root)} is taken")
            if len(tests[name]) > 1:
                notes.append(f"{name}: of several sets of tests, that in {folder.relative_to(root)} is taken")
            tasks.append(Published(name, readme, folder, language))
    return Tree(tuple(tasks), tuple(notes))


def _rank(path: Path, root: Path) -> tuple[int, int, str]:
    """A solver was given the tree without tests; and the verified half is the one that numbers were published for."""
    place = str(path.relative_to(root))
    return (0 if "_no_t" in place else 1, 0 if "verified" in place else 1, place)


def _repositories(folder: Path, depth: int) -> Iterator[Path]:
    """Folders below `folder` that hold a README or tests of their own, and no repositories."""
    for child in sorted(folder.iterdir()):
        if not child.is_dir() or child.is_symlink() or child.name.startswith(".") or child.name in _NOT_A_REPOSITORY:
            continue
        inside = [] if _language(child) or depth == 0 else list(_repositories(child, depth - 1))
        if inside:
            yield from inside
        elif _readme(child) or _language(child):
            yield child


def _readme(folder: Path) -> Path | None:
    named = [path for path in sorted(folder.iterdir()) if path.name.lower() == "readme.md" and path.is_file()]
    return named[0] if named else None


def _language(folder: Path) -> str:
    """By its golden tests; empty where there are none."""
    if (folder / JAVA_TESTS).is_dir():
        return "java"
    # A folder of tests without a single test in it is one of the defects to be named, not a repository without tests.
    if any((folder / name).is_dir() for name in PYTHON_TESTS) or any(map(_is_test, folder.glob("*.py"))):
        return "python"
    return ""


def _is_test(path: Path) -> bool:
    return path.name.startswith("test_") or path.stem.endswith("_test")
