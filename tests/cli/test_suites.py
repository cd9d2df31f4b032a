"""Commands that only read and write suites and submissions: they run nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from plugins.small_suite import REFERENCE, write_suite, write_tree

from repoproof.cli import main


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite", ids=("first", "second", "third"))


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    folder = tmp_path / "submissions"
    write_tree(folder / "first", REFERENCE)
    write_tree(folder / "second", REFERENCE)
    return folder


def test_check_says_what_would_be_scored_and_what_is_missing(suite, submissions, capsys):
    assert main(["check", str(submissions), str(suite)]) == 0
    shown = capsys.readouterr().out
    assert "first#0" in shown
    assert "missing: third: nothing was submitted, scored as 0" in shown
    assert "3 tasks, 2 submissions, 1 missing, 0 with a problem (small 1 sha256:" in shown


def test_check_finds_what_is_wrong(suite, submissions, capsys):
    (submissions / "first" / "secrets").symlink_to("/etc/passwd")
    (submissions / "thrid").mkdir()
    assert main(["check", str(submissions), str(suite), "--format", "json"]) == 1
    plan = json.loads(capsys.readouterr().out)
    assert plan["unknown"] == ["thrid"]
    assert plan["submissions"][0]["violations"][0].startswith("link-out-of-tree: secrets")


def test_a_folder_full_of_strangers_does_not_fill_the_screen(suite, submissions, capsys):
    for n in range(73):
        (submissions / f"stranger-{n}").mkdir()
    (submissions / "notes.txt").touch()
    assert main(["check", str(submissions), str(suite)]) == 1
    shown = capsys.readouterr().out
    assert shown.count("unknown: ") == 6
    assert "unknown: 68 more: no such tasks in the suite, not scored" in shown
    assert "note: not in a folder of a task, not scored: notes.txt" in shown


def test_a_dry_run_ends_as_a_check_does_and_says_what_is_kept(suite, submissions, tmp_path, capsys):
    command = ["score", str(suite), str(submissions), "-o", str(tmp_path / "run"), "--static-only"]
    assert main(command) == 0
    capsys.readouterr()
    assert main([*command, "--dry-run"]) == 0
    held = f"{tmp_path}/run holds 3 verdicts: those on the same submissions under the same settings are kept"
    assert capsys.readouterr().out.splitlines()[-1] == held
    (submissions / "thrid").mkdir()
    assert main([*command, "--dry-run"]) == main(["check", str(submissions), str(suite)]) == 1


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["rerun", "RUN", "third"], "nothing was submitted for 'third' (there is nothing to run"),
        (["shell", "RUN", "third"], "nothing was submitted for 'third' (there is nothing to run"),
        (["rerun", "RUN", "frist"], "TASK: the run has no 'frist' (did you mean 'first'?)"),
        (["show", "RUN", "first", "--log", "x"], "--log: no log 'x' of first (there are none)"),
    ],
)
def test_what_cannot_be_looked_into_is_said_in_the_words_of_the_command(
    words, line, suite, submissions, tmp_path, capsys
):
    run = str(tmp_path / "run")
    main(["score", str(suite), str(submissions), "-o", run, "--static-only"])
    capsys.readouterr()
    assert main([run if word == "RUN" else word for word in words]) == 2
    assert line in capsys.readouterr().err


def test_a_dry_run_is_a_check_of_what_was_chosen(suite, submissions, tmp_path, capsys):
    run = tmp_path / "run"
    assert main(["score", str(suite), str(submissions), "-o", str(run), "--task", "second", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "second#0" in shown
    assert "first" not in shown
    assert "1 task, 1 submission, 0 missing, 0 with a problem, subset: 1 of 3 tasks" in shown
    assert not run.exists()


def test_an_edited_suite_is_refused_until_it_is_sealed(suite, submissions, capsys):
    (suite / "public" / "files" / "first" / "README.md").write_text("# Other notes\n")
    assert main(["check", str(submissions), str(suite)]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith(f"repoproof: {suite}/suite.json: digests.public: public/ is not what was sealed")
    assert complaint.count("\n") == 1
    assert main(["seal", str(suite)]) == 0
    assert capsys.readouterr().out.startswith(f"{suite}: 3 tasks, sealed as sha256:")
    assert main(["check", str(submissions), str(suite)]) == 0


def test_seal_does_not_bless_a_wrong_record(suite, capsys):
    tasks = suite / "public" / "tasks.jsonl"
    tasks.write_text(tasks.read_text().replace('"port": 8123', '"port": 99999', 1))
    before = (suite / "suite.json").read_bytes()
    assert main(["seal", str(suite)]) == 2
    assert capsys.readouterr().err.startswith(f'repoproof: {tasks}:1: task "first": port: ')
    assert (suite / "suite.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["check", "SUBMISSIONS", "nowhere"], "nowhere: no such suite (give a directory, or one of the bundled: "),
        (["check", "nowhere", "SUITE"], "nowhere: no such file or directory (give a directory"),
        (["score", "SUITE", "SUBMISSIONS", "-o", "RUN", "--dry-run", "--task", "frist"], "--task: no task 'frist' in suite small (did you mean 'first'?)"),
        (["score", "SUITE", "SUBMISSIONS", "-o", "RUN", "--dry-run", "--language", "cobol"], "--language: no task in 'cobol' in suite small (one of: python)"),
        (["new", "macroservice", "x"], "FAMILY: unknown family 'macroservice' (one of: microservice)"),
        (["report", "nowhere"], "nowhere: "),
        (["score", "SUITE", "SUBMISSIONS", "-o", "/proc/run", "--static-only"], "/proc/run: No such file or directory"),
        (["score", "SUITE", "SUBMISSIONS", "-o", "SUBMISSIONS/first/service.py/run", "--static-only"], "SUBMISSIONS/first/service.py/run: Not a directory (a part of the path is a file)"),
        (["score", "SUBMISSIONS", "SUITE", "-o", "RUN", "--static-only"], "SUITE is a suite, and SUBMISSIONS is none: are the two swapped? (the order is: "),
        (["new", "microservice", "we ird/name"], "NAME: 'we ird/name' is no task id (letters, "),
        (["score", "SUITE", "SUBMISSIONS", "-o", "SUITE", "--static-only"], "SUITE: not a run, and not empty: "),
        (["score", "SUITE", "SUBMISSIONS", "-o", "RUN", "--log-file", "/nowhere/log"], "/nowhere/log: --log-file: cannot be written: "),
        (["show", "nowhere", "task"], "nowhere: "),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_that_names_place_and_mend(words, line, suite, submissions, tmp_path, capsys):
    places = {"SUITE": str(suite), "SUBMISSIONS": str(submissions), "RUN": str(tmp_path / "run")}

    def placed(text: str) -> str:
        return re.sub(
            r"^RUN$|^(SUITE|SUBMISSIONS)(?=[/:]|$| is )|(?<= )(SUBMISSIONS)(?= is )", lambda m: places[m[0]], text
        )

    assert main([placed(word) for word in words]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith(f"repoproof: {placed(line)}"), shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_new_writes_a_task_that_is_not_overwritten(tmp_path, capsys):
    folder = tmp_path / "my-task"
    assert main(["new", "microservice", "my-task", "-o", str(folder)]) == 0
    assert str(folder) in capsys.readouterr().out
    assert json.loads((folder / "task.json").read_text())["id"] == "my-task"
    assert main(["new", "microservice", "my-task", "-o", str(folder)]) == 2
    assert capsys.readouterr().err.startswith(f"repoproof: {folder}: exists already")


@pytest.mark.needs("bubblewrap")
def test_a_new_task_can_be_added_and_the_suite_is_sealed_with_it(suite, submissions, tmp_path, capsys):
    folder = tmp_path / "fourth"
    main(["new", "microservice", "fourth", "-o", str(folder)])
    (folder / "tests" / ".ruff_cache").mkdir()
    assert main(["add", str(suite), str(folder)]) == 0
    assert not (suite / "sealed" / "tests" / "fourth" / ".ruff_cache").exists()
    assert f"{suite}: 4 tasks, sealed as sha256:" in capsys.readouterr().out
    main(["check", str(submissions), str(suite)])
    assert "missing: fourth" in capsys.readouterr().out
    assert main(["add", str(suite), str(folder)]) == 2
    assert "is in the suite already" in capsys.readouterr().err


@pytest.mark.needs("bubblewrap")
def test_a_suite_begins_with_a_first_task_and_is_not_begun_twice(tmp_path, capsys):
    first, mine = tmp_path / "first", tmp_path / "mine"
    main(["new", "microservice", "first", "-o", str(first)])
    assert main(["add", str(mine), str(first)]) == 2
    assert main(["add", str(mine), str(first), "--new", "microservice"]) == 0
    assert f"{mine}: 1 task, sealed as sha256:" in capsys.readouterr().out
    assert json.loads((mine / "suite.json").read_text())["name"] == "mine"
    assert main(["add", str(mine), str(first), "--new", "microservice"]) == 2
    assert "exists already (add to it with `repoproof add`" in capsys.readouterr().err
