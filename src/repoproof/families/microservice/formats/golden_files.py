"""Which files of a published repository make up its golden tests."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..adopt import JUNK
from ..inside.suite_settings import SETTINGS, added_options, followed, settings_of
from .layout import JAVA_TESTS, PYTHON_TESTS

BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts")


def left_out(folder: str, names: list[str]) -> set[str]:
    """What is not copied: leftovers, and links, which may lead anywhere."""
    return {*JUNK(folder, names), *(name for name in names if Path(folder, name).is_symlink())}


def folder_of_tests(folder: Path) -> Path:
    """Where the Python tests of a repository are: in `tests/`, or in the folder itself."""
    return next((folder / name for name in PYTHON_TESTS if (folder / name).is_dir()), folder)


def take_python_tests(folder: Path, strings: set[str], destination: Path) -> tuple[str, ...]:
    """Copy the tests of the repository in `folder` to `destination`, with what beside them they rely on: their settings of pytest, their
    conftest, files that `strings` in them name. Returns notes."""
    tests = folder_of_tests(folder)
    notes: list[str] = []
    beside = [] if tests == folder else _relied_on(folder, tests, strings)
    if not beside:
        shutil.copytree(tests, destination, ignore=left_out)
    else:
        shutil.copytree(tests, destination / tests.name, ignore=left_out)
        for path in beside:
            if path.is_dir():
                shutil.copytree(path, destination / path.name, ignore=left_out)
            else:
                shutil.copyfile(path, destination / path.name)
        notes.append(f"taken from beside {tests.name}/: {', '.join(path.name for path in beside)}")
    settings = settings_of(destination)
    if settings is not None and (words := added_options(settings)):
        kept = list(followed(words))
        if ignored := [word for word in words if word not in kept]:
            notes.append(f"{settings.name}: not followed: {' '.join(ignored)}")
    return tuple(notes)


def _relied_on(folder: Path, tests: Path, strings: set[str]) -> list[Path]:
    named = {part for text in strings if len(text) < 200 for part in text.split("/")}
    found: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path == tests or path.is_symlink() or path.name.lower().startswith("readme"):
            continue
        settings = path.name in SETTINGS and "pytest" in path.read_text(encoding="utf-8", errors="replace")
        if path.name == "conftest.py" or settings or path.name in named:
            found.append(path)
    return found


def take_java_tests(folder: Path, destination: Path) -> tuple[str, ...]:
    """Copy `src/test` of the repository in `folder`, and the build file that its tests were written under, to `destination`."""
    shutil.copytree(folder / JAVA_TESTS, destination / JAVA_TESTS, ignore=left_out)
    for name in BUILD_FILES:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, destination / name)
    return ()
