"""Red team: what a solver may see gives away what is sealed.

A builder quotes a golden test in the README, or leaves a test, the reference or an old history among public files; a model that copies it
would raise Pass@1 without having solved anything. Each case must be refused, naming the file.
"""

from __future__ import annotations

import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from plugins.small_suite import SERVICE, TESTS, write_suite

import repoproof
from repoproof.core.errors import BadInput, Boundary
from repoproof.core.suite_files import seal_suite
from repoproof.families.microservice import FAMILY, MicroserviceTask

PUBLIC = Path("public/files/notes")


def task_of(suite: Path) -> MicroserviceTask:
    seal_suite(suite)
    (task,) = repoproof.load_suite(suite)
    assert isinstance(task, MicroserviceTask)
    return task


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite")


def quoted(text: str) -> str:
    return "# Notes\n\n1. Do this:\n\n" + textwrap.indent(text, "       ") + "\n2. Done.\n"


LEAKS = {
    "a test in the README, in a list": ("README.md", quoted(TESTS), "holds sealed/tests/notes/test_notes.py"),
    "the reference in the README": ("README.md", f"# Notes\n```\n{SERVICE}```\n", "holds sealed/reference/notes/service.py"),
    "a test's id": ("README.md", "# Notes\nPass test_notes.py::test_create!\n", "names the golden test test_notes.py::test_create"),
    "a test's head": ("README.md", "# Notes\n    def test_read_back():\n", "names the golden test test_notes.py::test_read_back"),
    "a test beside the README": ("hints/a.txt", TESTS, "is sealed/tests/notes/test_notes.py"),
    "the reference beside the README": ("solution.py", SERVICE, "is sealed/reference/notes/service.py"),
    "a test elsewhere in public/": ("../../b.md", TESTS, "is sealed/tests/notes/test_notes.py"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "said"), LEAKS.values(), ids=LEAKS)
def test_a_suite_that_gives_away_what_is_sealed_is_refused(suite, tmp_path, name, text, said):
    leak = suite / PUBLIC / name
    leak.parent.mkdir(parents=True, exist_ok=True)
    leak.write_text(text)
    task = task_of(suite)
    FAMILY.workspace(task, tmp_path / "work")
    with pytest.raises(BadInput) as refused:
        FAMILY.assert_clean(tmp_path / "work", task)
    assert said in refused.value.problem
    assert Path(refused.value.file or "").samefile(leak)
    assert (refused.value.subject, refused.value.boundary) == ('task "notes"', Boundary.TASK)


def test_what_a_readme_may_well_have_in_common_with_a_reference_is_no_leak(suite, tmp_path):
    (suite / "sealed/reference/notes/requirements.txt").write_text("flask\n")
    (suite / "sealed/reference/notes/README.md").write_text("# Notes, written with flask. " + "What a note is. " * 9)
    (suite / PUBLIC / "README.md").write_text("# Notes, written with flask. " + "What a note is. " * 9)
    task = task_of(suite)
    FAMILY.workspace(task, tmp_path / "work")
    FAMILY.assert_clean(tmp_path / "work", task)


def _file(work: Path) -> None:
    (work / "test_notes.py").write_text(TESTS)


def _link(work: Path) -> None:
    (work / "tests").symlink_to("/")


def _changed(work: Path) -> None:
    (work / "README.md").write_text("# Notes\nand more\n")


def _gone(work: Path) -> None:
    (work / "requirements.txt").unlink()


def _unreachable_object(work: Path) -> None:
    subprocess.run(["git", "hash-object", "-w", "--stdin"], cwd=work, input=TESTS.encode(), check=True)


def _second_commit(work: Path) -> None:
    author = ["-c", "user.name=x", "-c", "user.email=x", "-c", "safe.directory=*"]
    subprocess.run(["git", *author, "commit", "-q", "--allow-empty", "-m", "x"], cwd=work, check=True)


def _borrowed_objects(work: Path) -> None:
    (work / ".git/objects/info").mkdir(exist_ok=True)
    (work / ".git/objects/info/alternates").write_text("/nowhere\n")


@pytest.mark.parametrize(
    ("spoil", "file"),
    [
        (_file, "test_notes.py"),
        (_link, "tests"),
        (_changed, "README.md"),
        (_gone, "requirements.txt"),
        (_unreachable_object, ".git"),
        (_second_commit, ".git"),
        (_borrowed_objects, ".git/objects/info/alternates"),
    ],
)
def test_a_workspace_with_anything_else_in_it_is_refused(suite, tmp_path, spoil: Callable[[Path], None], file):
    task = task_of(suite)
    FAMILY.workspace(task, tmp_path / "work")
    spoil(tmp_path / "work")
    with pytest.raises(BadInput) as refused:
        FAMILY.assert_clean(tmp_path / "work", task)
    assert refused.value.file == str(tmp_path / "work" / file)
