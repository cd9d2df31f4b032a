"""What a solver of a microservice task is given: a folder that is the same everywhere, and words made from it alone."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from plugins.small_suite import write_suite

import repoproof
from repoproof.core.errors import BadInput
from repoproof.families.history import objects
from repoproof.families.microservice import FAMILY
from repoproof.families.microservice.prompt import BUILD_FILES, LANGUAGES
from repoproof.toolchains import toolchain

BUNDLED = repoproof.load_suite("microservice-mini")


def content(folder: Path) -> dict[str, str]:
    """Every file below it, the history's too, by digest."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("task", BUNDLED.tasks, ids=lambda task: task.id)
def test_a_workspace_is_the_readme_and_one_build_file_and_is_clean(task, tmp_path):
    FAMILY.workspace(task, tmp_path / "work")
    build_file, empty = BUILD_FILES[task.language]
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == sorted([".git", "README.md", build_file])
    assert (tmp_path / "work" / "README.md").read_bytes() == task.specification_path.read_bytes()
    assert (tmp_path / "work" / build_file).read_text() == empty
    FAMILY.assert_clean(tmp_path / "work", task)


def test_its_history_is_one_commit_that_git_finds_nothing_to_add_to(tmp_path):
    FAMILY.workspace(BUNDLED.tasks[0], tmp_path / "work")
    git = ["git", "-c", "safe.directory=*", "-C", str(tmp_path / "work")]
    shown = subprocess.check_output([*git, "log", "--all", "--format=%an %ae %ct %s"], text=True)
    assert shown == "RepoProof repoproof@localhost 946684800 Begin\n"
    assert subprocess.check_output([*git, "status", "--porcelain"]) == b""
    assert {type_: len(ids) for type_, ids in objects(tmp_path / "work").items()} == {"blob": 2, "tree": 1, "commit": 1}


def test_two_workspaces_of_a_task_are_equal_to_the_byte_whatever_the_users_git_is_told(tmp_path, monkeypatch):
    FAMILY.workspace(BUNDLED.tasks[0], tmp_path / "a")
    (tmp_path / "hooks").mkdir()
    (hook := tmp_path / "hooks" / "reference-transaction").write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    settings = (
        f"[core]\nhooksPath = {tmp_path}/hooks\nautocrlf = true\n[init]\ndefaultBranch = trunk\n[user]\nname = X\n"
    )
    (tmp_path / ".gitconfig").write_text(settings)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z")
    FAMILY.workspace(BUNDLED.tasks[0], tmp_path / "b")
    assert content(tmp_path / "a") == content(tmp_path / "b")
    assert not (tmp_path / "elsewhere").exists()


def test_without_git_there_is_one_line_that_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="git is not on PATH"):
        FAMILY.workspace(BUNDLED.tasks[0], tmp_path / "work")


@pytest.mark.parametrize("task", BUNDLED.tasks, ids=lambda task: task.id)
def test_the_prompt_says_what_the_workspace_holds_and_where_to_listen(task, tmp_path):
    FAMILY.workspace(task, tmp_path / "work")
    filled = FAMILY.prompt(task, tmp_path / "work")
    *_, user = filled.messages
    assert user.role == "user"
    assert task.specification_path.read_text() in user.content
    assert f"port {task.port}" in user.content
    assert BUILD_FILES[task.language][0] in user.content and LANGUAGES[task.language] in user.content
    assert filled.template.startswith(f"{FAMILY.template}/")


def test_the_prompt_is_made_from_the_workspace_and_not_from_the_suite(tmp_path):
    FAMILY.workspace(BUNDLED.tasks[0], tmp_path / "work")
    (tmp_path / "work" / "README.md").write_text("What stands here.\n")
    *_, user = FAMILY.prompt(BUNDLED.tasks[0], tmp_path / "work").messages
    assert "What stands here.\n" in user.content
    assert BUNDLED.tasks[0].specification_path.read_text() not in user.content


def test_every_language_that_can_be_scored_has_a_build_file_to_begin_with(tmp_path):
    with pytest.raises(BadInput) as refused:
        toolchain("none")
    known = (refused.value.mend or "").removeprefix("one of: ").split(", ")
    assert set(known) <= BUILD_FILES.keys() == LANGUAGES.keys()


def test_a_readme_that_is_not_utf_8_is_given_as_it_is_and_read_as_well_as_can_be(tmp_path):
    suite = write_suite(tmp_path / "suite")
    (suite / "public/files/notes/README.md").write_bytes(b"# Notes \xff\n")
    repoproof.api.seal(suite)  # pyright: ignore[reportAttributeAccessIssue]
    (task,) = repoproof.load_suite(suite)
    FAMILY.workspace(task, tmp_path / "work")
    FAMILY.assert_clean(tmp_path / "work", task)
    assert (tmp_path / "work" / "README.md").read_bytes() == b"# Notes \xff\n"
    assert "# Notes \ufffd" in FAMILY.prompt(task, tmp_path / "work").messages[-1].content
