"""What a solver of a microservice task is given: a workspace with the README and an empty build file, and the words made from it."""

from __future__ import annotations

from pathlib import Path

from ...completions.templates import Filled, template
from ..history import commit
from .task import MicroserviceTask

TEMPLATE = "microservice"

README = "README.md"

_POM = """\
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>service</groupId>
  <artifactId>service</artifactId>
  <version>1.0.0</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
</project>
"""

BUILD_FILES = {
    "java": ("pom.xml", _POM),
    "node": ("package.json", '{\n  "name": "service",\n  "version": "1.0.0",\n  "private": true\n}\n'),
    "python": ("requirements.txt", "# One requirement a line.\n"),
}
"""Name and content of the build file that a workspace begins with, by language: the same for every task."""

LANGUAGES = {"java": "Java", "node": "JavaScript for Node.js", "python": "Python"}


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
