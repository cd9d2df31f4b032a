"""What a solver of a microservice task is given: a workspace with the README and an empty build file, and the words made from it."""

from __future__ import annotations

from pathlib import Path

from ...completions.templates import Filled, template
from ..history import commit
from .task import MicroserviceTask

TEMPLATE = "microservice"

README = "README.md"

BUILD_FILES = {
    "python": (
        "requirements.txt",
        "# One requirement a line; the newest versions are installed unless it says otherwise.\n",
    ),
    "node": ("package.json", '{\n  "name": "service",\n  "version": "1.0.0",\n  "private": true\n}\n'),
}
"""Name and content of the build file that a workspace begins with, by language: the same for every task."""

LANGUAGES = {"python": "Python", "node": "JavaScript for Node.js"}


def write_workspace(task: MicroserviceTask, destination: Path) -> None:
    """Make `destination` (must not exist) the clean workspace: README, build file, and a history that begins with them."""
    build_file, empty = BUILD_FILES[task.language]
    destination.mkdir()
    (destination / README).write_bytes(task.specification_path.read_bytes())
    (destination / build_file).write_text(empty, encoding="utf-8")
    commit(destination)


def prompt(task: MicroserviceTask, workspace: Path) -> Filled:
    """What is said to a model: all of it is in the workspace, but for language and port, which are in the task's public record."""
    build_file, _ = BUILD_FILES[task.language]
    return template(TEMPLATE).filled(
        {
            "language": LANGUAGES[task.language],
            "port": str(task.port),
            "readme": (workspace / README).read_text(encoding="utf-8", errors="replace"),
            "build_file": build_file,
            "build_text": (workspace / build_file).read_text(encoding="utf-8"),
        }
    )
