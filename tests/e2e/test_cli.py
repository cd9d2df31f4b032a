"""The commands as a user runs them: a process each, real sandboxes, a real run directory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest
from plugins.small_suite import IDS, REFERENCE, SERVICE, START, write_suite, write_tree

from repoproof.reports.schema import report_schema

pytestmark = pytest.mark.needs("bubblewrap")

NO_SANDBOX = {"DOCKER_HOST": "unix:///nonexistent/docker.sock"}


def repoproof(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "repoproof", *map(str, words)],
        capture_output=True, text=True, check=False, env={**os.environ, **environment},
    )  # fmt: skip


def started(*words: object, **environment: str) -> subprocess.Popen[str]:
    """The command in the background."""
    return subprocess.Popen(
        [sys.executable, "-m", "repoproof", *map(str, words)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment},
    )  # fmt: skip


@pytest.fixture(scope="module")
def suite(tmp_path_factory) -> Path:
    return write_suite(tmp_path_factory.mktemp("small") / "suite", ids=("first", "second", "third"))


@pytest.fixture(scope="module")
def submissions(tmp_path_factory) -> Path:
    """The first is right, the second fails a test, the third is missing."""
    folder = tmp_path_factory.mktemp("submissions")
    write_tree(folder / "first", REFERENCE)
    write_tree(folder / "second", {"service.py": SERVICE.replace("notes[key]}", "''}"), "start.sh": START})
    return folder


@pytest.fixture(scope="module")
def scored(suite, submissions, tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    run = tmp_path_factory.mktemp("runs") / "run"
    return run, repoproof("score", suite, submissions, "-o", run, "--model-name", "m-1", "--keep")


def test_a_scoring_prints_lines_on_stderr_and_the_report_on_stdout(scored):
    _, ran = scored
    assert ran.returncode == 0, ran.stderr
    progress = ran.stderr.splitlines()
    assert [line.split()[0] for line in progress] == ["[1/3]", "[2/3]", "[3/3]"]
    assert {tuple(line.split()[1:4]) for line in progress} == {
        ("third#0", "missing", "0.00"), ("first#0", "passed", "1.00"), ("second#0", "failed", "0.67")
    }  # fmt: skip
    assert "model m-1" in ran.stdout
    assert "Pass@1 0.5556 over 3 tasks, 2 submissions, 1 missing (suite small 1 sha256:" in ran.stdout.splitlines()[-1]


def test_the_json_report_is_the_one_in_the_run_and_follows_the_schema(scored):
    run, _ = scored
    printed = json.loads(repoproof("report", run, "--format", "json").stdout)
    jsonschema.Draft202012Validator(report_schema()).validate(printed)
    assert printed == json.loads((run / "report.json").read_text())
    assert printed["strict"]["pass_at_1"] == pytest.approx((1 + 2 / 3) / 3)
    assert printed["counts"] | {"passed": 1, "failed": 1, "missing": 1} == printed["counts"]


def test_the_same_command_again_runs_nothing(scored, suite, submissions):
    run, first = scored
    before = (run / "verdicts.jsonl").read_bytes()
    again = repoproof("score", suite, submissions, "-o", run, "--model-name", "m-1", "--keep")
    assert again.stderr == "3 of 3 finished before: kept\n"
    assert again.stdout.splitlines()[-1] == first.stdout.splitlines()[-1]
    assert (run / "verdicts.jsonl").read_bytes() == before


def test_show_has_every_test_with_what_it_said_and_the_logs(scored):
    run, _ = scored
    shown = repoproof("show", run, "second").stdout
    assert shown.startswith("second#0 failed: 2 of 3 tests passed; first: test_notes.py::test_read_back failed")
    assert all(id in shown for id in IDS)
    assert "assert requests.get" in shown
    log = repoproof("show", run, "second", "--log", "tests")
    assert log.returncode == 0
    assert "test_read_back" in log.stdout
    unknown = repoproof("show", run, "second", "--log", "tets")
    assert unknown.returncode == 2
    assert unknown.stderr.startswith("repoproof: --log: no log 'tets' of second (one of: ")


def test_show_of_what_is_not_there_says_what_is(scored):
    run, _ = scored
    ran = repoproof("show", run, "secnod")
    assert (ran.returncode, ran.stderr) == (2, "repoproof: TASK: the run has no 'secnod' (did you mean 'second'?)\n")


def test_rerun_replaces_one_verdict_and_keeps_its_files(scored):
    run, _ = scored
    before = len((run / "verdicts.jsonl").read_text().splitlines())
    ran = repoproof("rerun", run, "second")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("second#0 failed: 2 of 3 tests passed")
    assert len((run / "verdicts.jsonl").read_text().splitlines()) == before + 1
    assert list(run.glob("logs/second-*/work/tree/service.py"))
    assert json.loads((run / "report.json").read_text())["submissions"] == 3


def test_a_rerun_of_a_changed_submission_is_refused(scored, submissions):
    run, _ = scored
    extra = submissions / "first" / "extra.txt"
    extra.write_text("new\n")
    try:
        ran = repoproof("rerun", run, "first")
    finally:
        extra.unlink()
    assert ran.returncode == 2
    assert "the submission for 'first' has changed since it was scored" in ran.stderr


def test_a_shell_is_where_the_service_would_run(scored):
    run, _ = scored
    ran = subprocess.run(
        [sys.executable, "-m", "repoproof", "shell", str(run), "first"],
        input="pwd; ls; echo port $PORT; cat /etc/shadow; exit 7\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 7, ran.stderr
    assert "It is started by: " in ran.stdout
    assert "/app\n" in ran.stdout
    assert "service.py" in ran.stdout
    assert "port 8123" in ran.stdout
    assert "root:" not in ran.stdout


def test_compare_finds_no_difference_of_a_run_to_itself(scored):
    run, _ = scored
    ran = repoproof("compare", run, run)
    assert ran.returncode == 0, ran.stderr
    assert "No task changed." in ran.stdout


def test_a_static_scoring_needs_no_sandbox(suite, submissions, tmp_path):
    ran = repoproof(
        "score", suite, submissions, "-o", tmp_path / "run", "--static-only", PATH="/nonexistent", **NO_SANDBOX
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads((tmp_path / "run" / "report.json").read_text())["strict"]["pass_at_1"] is None


def test_without_a_sandbox_nothing_is_run(suite, submissions, tmp_path):
    ran = repoproof("score", suite, submissions, "-o", tmp_path / "run", PATH="/nonexistent", **NO_SANDBOX)
    assert ran.returncode == 3
    assert ran.stderr.startswith("repoproof: sandbox: no sandbox works here: bubblewrap: ")
    assert ran.stderr.count("\n") == 1
    assert not (tmp_path / "run" / "verdicts.jsonl").exists()


@pytest.fixture
def sleepy(tmp_path) -> Path:
    """The first never answers, so that a scoring is still at it when something happens."""
    folder = tmp_path / "sleepy"
    write_tree(folder / "first", {"start.sh": "#!/bin/sh\nsleep 1000\n"})
    return folder


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_is_finished_and_the_same_command_goes_on(suite, sleepy, tmp_path, sent):
    command = ("score", suite, sleepy, "-o", tmp_path / "run", "--workers", 1)
    with started(*command) as process:
        assert process.stderr is not None
        settled = [process.stderr.readline() for _ in range(2)]
        process.send_signal(sent)
        _, said = process.communicate()
    assert all("missing" in line for line in settled)
    assert process.returncode == 130
    assert said == "repoproof: interrupted: finished verdicts are kept; run the same command to go on\n"
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert report["unscored"] == ["first#0"]
    assert report["warnings"][0].startswith("unfinished: 1 submission not scored yet")


def test_a_second_process_on_one_run_directory_is_refused(suite, sleepy, tmp_path):
    command = ("score", suite, sleepy, "-o", tmp_path / "run", "--workers", 1)
    with started(*command) as process:
        assert process.stderr is not None
        process.stderr.readline()
        second = repoproof(*command)
        process.kill()
    assert second.returncode == 2
    assert f"is in use by process {process.pid}" in second.stderr


def test_a_killed_scoring_goes_on_where_it_was(suite, sleepy, tmp_path):
    command = ("score", suite, sleepy, "-o", tmp_path / "run", "--workers", 1, "--timeout", 3)
    with started(*command) as process:
        assert process.stderr is not None
        for _ in range(2):
            process.stderr.readline()
        process.kill()
    ran = repoproof(*command)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.splitlines()[0] == "2 of 3 finished before: kept"
    verdicts = [json.loads(line) for line in (tmp_path / "run" / "verdicts.jsonl").read_text().splitlines()]
    assert sorted(verdict["task"] for verdict in verdicts) == ["first", "second", "third"]


def test_above_the_threshold_of_infrastructure_errors_there_is_no_bare_number(suite, tmp_path):
    """An index that nobody listens at, and a package that no test has fetched: our failure, tried again, never the solver's."""
    folder = tmp_path / "submissions"
    write_tree(folder / "first", {**REFERENCE, "requirements.txt": "a-package-that-is-not-cached==1.0\n"})
    nowhere = "http://127.0.0.1:9/simple"
    ran = repoproof("score", suite, folder, "-o", tmp_path / "run", UV_DEFAULT_INDEX=nowhere, PIP_INDEX_URL=nowhere)
    assert ran.returncode == 3
    assert "Warning: 1 of 3 submissions (33.3%, limit 1.0%) ended in an infrastructure error" in ran.stdout
    assert ran.stdout.splitlines()[-1].startswith("Not a result: Pass@1 0.0000 over 3 tasks")
    assert ran.stderr.count("trying again in") == 2
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert (report["conditional_denominator"], report["denominator"]) == (2, 3)


def test_gc_removes_the_work_files_of_a_killed_scoring_and_of_no_living_one(suite, sleepy, tmp_path):
    state = {"REPOPROOF_STATE": str(tmp_path / "state")}
    command = ("score", suite, sleepy, "-o", tmp_path / "run", "--workers", 1)
    with started(*command, **state) as process:
        assert process.stderr is not None
        for _ in range(2):
            process.stderr.readline()
        claims = tmp_path / "state" / "claims"
        while not (claims.is_dir() and any(claim.is_dir() for claim in claims.iterdir())):
            assert process.poll() is None
        work = [claim.readlink() for claim in claims.iterdir()]
        assert "directory" not in repoproof("gc", **state).stdout
        assert any(folder.is_dir() for folder in work)
        process.kill()
    would = repoproof("gc", "--dry-run", "--verbose", **state).stdout
    assert any(f"would remove directory {folder}\n" in would for folder in work)
    assert any(folder.is_dir() for folder in work)
    removed = repoproof("gc", "--verbose", **state).stdout
    assert any(f"removed directory {folder}\n" in removed for folder in work)
    assert not any(folder.exists() for folder in work)


def test_gc_removes_what_a_killed_add_left_beside_the_suite_and_in_the_cache(tmp_path):
    suite, state = write_suite(tmp_path / "suite"), {"REPOPROOF_STATE": str(tmp_path / "state")}
    task = {"id": "slow", "language": "python", "port": 8123, "endpoints": [{"method": "GET", "path": "/health"}]}
    task["provenance"] = {"source": "ours", "licence": "Apache-2.0"}
    folder = write_tree(
        tmp_path / "slow",
        {
            "task.json": json.dumps(task),
            "README.md": "# Slow\n",
            "tests/test_it.py": "import time\ntime.sleep(600)\n",
            "reference/app.py": "",
        },
    )
    before = {path.name for path in suite.iterdir()}
    left: dict[str, Path] = {}
    with started("add", suite, folder, **state) as process:
        # One holds the suite's copy, in the suite; in the other one tests are collected.
        while not {"suite", "work"} <= left.keys():
            assert process.poll() is None, process.communicate()
            for claim in (tmp_path / "state" / "claims").glob("*"):
                with suppress(FileNotFoundError):
                    place = claim.readlink()
                    left |= {place.parent.name: place} if place.is_dir() else {}
        process.kill()
    left = {name: left[name] for name in ("suite", "work")}
    removed = repoproof("gc", "--verbose", **state).stdout
    assert all(f"removed directory {place}\n" in removed for place in left.values())
    assert not any(place.exists() for place in left.values())
    assert {path.name for path in suite.iterdir()} == before


def test_validation_says_in_shares_what_it_found_and_writes_it_down(tmp_path):
    """Its routes cannot be read from the code, so this suite's one task is quarantined; nothing else is wrong with it."""
    suite = write_suite(tmp_path / "suite", ids=("unread",))
    ran = repoproof("validate", suite, "--repeat", 1, "--format", "json")
    found = json.loads(ran.stdout)
    assert found.pop("reasons")["unread"][0] == "the reference's code shows no route for POST /notes"
    assert found == {
        "tasks": 1, "reference_passed": 1.0, "empty_passed": 0.0, "stub_passed": 0.0, "quarantined": 1.0,
        "without_reference": 0.0, "remarks": {},
    }  # fmt: skip
    assert ran.returncode == 1
    assert json.loads((suite / "health.jsonl").read_text())["healthy"] is False
    assert "quarantined: unread: the reference's code shows" in repoproof("check", tmp_path, suite).stdout


def test_the_log_says_what_was_run_and_why_it_ended_so(suite, submissions, tmp_path):
    log = tmp_path / "log"
    ran = repoproof("score", suite, submissions, "-o", tmp_path / "run", "--task", "second", "--log-file", log, "-v")
    assert ran.returncode == 0, ran.stderr
    assert "python -B /runner/run_tests.py" in log.read_text(), "commands are logged, to the file and under -vv"
    assert "SERVICE_BASE_URL" in log.read_text(), "and the names of their variables"
    assert '"name":"test"' in log.read_text(), "and what each phase used"
    assert "run_tests.py" not in ran.stderr
    assert "INFO repoproof.api.runs: second#0: failed: 2 of 3 tests passed" in log.read_text()
    assert "second#0: try 1" in ran.stderr
