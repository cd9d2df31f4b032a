"""What every command has in common: help, versions, and how it says that something is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from repoproof.cli import COMMANDS, main
from repoproof.cli.gc import _grouped

NAMES = [name for group in COMMANDS.values() for name in group]
HEAVY = ("pydantic", "rich", "tree_sitter", "yaml", "importlib.metadata", "asyncio")


def loaded_by(code: str) -> set[str]:
    """Which of the heavy packages a fresh interpreter holds after `code`."""
    script = f"import sys\n{code}\nprint('|', *(name for name in {HEAVY!r} if name in sys.modules))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(ran.stdout.rpartition("|")[2].split())


def test_importing_the_package_loads_nothing():
    assert loaded_by("import repoproof") == set()


@pytest.mark.parametrize("words", [[], ["--help"], ["score", "--help"], ["doctor", "-h"], ["scroe"], ["score"]])
def test_help_and_complaints_load_nothing(words):
    assert loaded_by(f"from repoproof.cli import main; main({words!r})") == set()


@pytest.mark.parametrize("name", NAMES)
def test_every_command_explains_itself(name, capsys):
    assert main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    summary = next(group[name] for group in COMMANDS.values() if name in group)
    assert shown.startswith(f"usage: repoproof {name}")
    assert summary in " ".join(shown.split())


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"], ["help"]])
def test_help_lists_every_command(words, capsys):
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {name} " in shown for name in NAMES)


def test_the_version_is_the_installed_one(capsys):
    from importlib.metadata import version

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"repoproof {version('repoproof')}\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["scroe"], "unknown command 'scroe' (did you mean `repoproof score`?)"),
        (["zzz"], "unknown command 'zzz' (`repoproof --help` lists the commands)"),
        (["--verbose"], "unknown option '--verbose' (`repoproof --help` lists the commands)"),
        (["report"], "report: the following arguments are required: RUN (see `repoproof report --help`)"),
        (["score", "a", "b"], "score: the following arguments are required: -o/--output (see `repoproof score --help`)"),
        (["report", "r", "--format", "xml"], "report: argument --format: invalid choice: 'xml'"),
        (["score", "a", "b", "-o", "r", "--workers", "0"], "score: argument --workers: '0' is not a whole number from 1 on"),
        (["score", "a", "b", "-o", "r", "--workers", "two"], "score: argument --workers: 'two' is not a whole number"),
        (["score", "a", "b", "-o", "r", "--workers", "-3"], "score: argument --workers: '-3' is not a whole number from 1 on"),
        (["score", "", "b", "-o", "r"], "score: argument SUITE: is empty"),
        (["score", "a", "", "-o", "r"], "score: argument SUBMISSIONS: is empty"),
        (["score", "a", "b", "-o", ""], "score: argument -o/--output: is empty"),
        (["report", ""], "report: argument RUN: is empty"),
        (["score", "a", "b", "-o", "r", "--timeout", "-1"], "score: argument --timeout: '-1' is not a number of seconds above 0"),
        (["score", "a", "b", "-o", "r", "--timeout", "inf"], "score: argument --timeout: 'inf' is not a number of seconds above 0"),
        (["score", "a", "b", "-o", "r", "--temp", "1"], "score: unrecognized arguments: --temp 1 (see `repoproof score --help`)"),
        (["score", "a", "b", "-o", "r", "--worker", "1"], "score: unrecognized arguments: --worker 1 (did you mean --workers?)"),
        (["models", "check", "m", "--fromat", "json"], "models: unrecognized arguments: --fromat json (did you mean --format?)"),
        (["show", "r", "t", "--attempt", "-1"], "show: argument --attempt: "),
    ],
)  # fmt: skip
def test_wrong_arguments_are_one_line_and_exit_code_2(words, line, capsys):
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert shown.err.startswith(f"repoproof: {line}"), shown.err


def test_a_reader_that_leaves_early_is_no_error():
    """The pipe is closed before anything is written."""
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [sys.executable, "-m", "repoproof", "--help"], stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert (ran.returncode, ran.stderr) == (141, "")


def test_a_reader_of_a_table_that_leaves_early_is_no_error_either():
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [sys.executable, "-m", "repoproof", "check", "suites", "microservice-mini"],
        stdout=write, stderr=subprocess.PIPE, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    os.close(write)
    assert (ran.returncode, ran.stderr) == (141, "")


def test_a_program_may_run_a_command_in_a_thread_of_its_own(capsys):
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(["report", "nowhere"])))
    thread.start()
    thread.join()
    assert codes == [2]
    assert capsys.readouterr().err.startswith("repoproof: nowhere: no such directory")


@pytest.mark.parametrize("words", [["--help", "score"], ["help", "score"], ["score", "--help"]])
def test_help_on_a_command_may_be_asked_for_in_any_order(words, capsys):
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("usage: repoproof score")


def test_an_option_without_the_one_that_it_refines_is_wrong(capsys):
    assert main(["gc", "--unused-for", "3"]) == 2
    assert capsys.readouterr().err.startswith("repoproof: gc: --unused-for goes with --cache")


def test_much_of_one_kind_is_one_line():
    removed = [*(f"control group /sys/g{n}" for n in range(14)), "directory /a", "directory /b", "container c"]
    assert list(_grouped(removed)) == [
        "14 control groups, /sys/g0 and the like", "directory /a", "directory /b", "container c"
    ]  # fmt: skip
    assert list(_grouped([f"directory /{n}" for n in range(4)])) == ["4 directories, /0 and the like"]


def test_a_terminal_without_unicode_gets_question_marks_and_no_traceback(tmp_path: Path):
    ran = subprocess.run(
        [sys.executable, "-m", "repoproof", "check", str(tmp_path / "größe"), "nirgendwo-ü"],
        capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert ran.returncode == 2
    assert ran.stderr.startswith(b"repoproof: nirgendwo-?: no such suite (give a directory, or one of the bundled: ")
