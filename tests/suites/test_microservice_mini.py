"""The bundled suite scores as its own documents say: the same on both sandboxes, as root and not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from plugins.docker_engine import engine
from plugins.ordinary_user import ordinary_user

import repoproof

SUITE = Path(__file__).parents[2] / "suites" / "microservice-mini"
EXPECTED = json.loads((SUITE / "submissions" / "mixed" / "expected.json").read_text())
HEADLINE = {"pass_at_1": 1.0, "all_pass": 1.0, "dsr": 1.0, "ac_static": 1.0, "ac_live": 1.0}

LANGUAGE = {
    each["id"]: each["language"]
    for each in map(json.loads, (SUITE / "public" / "tasks.jsonl").read_text().splitlines())
}
"""Of each task."""

SHARES = [
    pytest.param(sandbox, language, marks=[pytest.mark.needs(sandbox, *needed, "network"), *marks], id=f"{sandbox}-{language}")
    for sandbox, slow in (("bubblewrap", []), ("docker", [pytest.mark.slow]))
    for language, needed, marks in (
        ("python", [], slow),
        ("node", ["node"], slow),
        ("java", ["java"], [pytest.mark.slow, pytest.mark.timeout(1500)]),
    )
]  # fmt: skip
"""What is scored at once: a machine without one of the languages still scores the others."""


def scored(submissions: str, sandbox: str, language: str, run: Path) -> dict:
    """The report of a scoring by the command."""
    words = ["score", SUITE, SUITE / "submissions" / submissions, "-o", run, "--sandbox", sandbox, "--workers", 3]
    words += ["--language", language]
    with engine() if sandbox == "docker" else nullcontext():
        done = subprocess.run(
            [sys.executable, "-m", "repoproof", *map(str, words)], capture_output=True, text=True, env=os.environ
        )
    assert done.returncode == 0, done.stderr
    return json.loads((run / "report.json").read_text())


def seen(row: dict) -> dict:
    """A row of the report, as `expected.json` puts it."""
    measures = row["measures"]
    return {
        "name": row["submission"], "task": row["task"], "attempt": row["attempt"], "status": row["status"],
        "tests_passed": row["tests_passed"], "tests": row["tests_total"],
        "pass_at_1": pytest.approx(measures["pass_at_1"]), "ac_static": pytest.approx(measures["ac_static"]),
        **{stage: bool(measures[stage]) for stage in ("installed", "started", "responds")},
    }  # fmt: skip


def said(row: dict) -> dict:
    return {key: value for key, value in row.items() if key not in ("endpoints", "endpoints_covered")}


def by_place(rows: list[dict]) -> list[dict]:
    return sorted(rows, key=lambda row: (row["task"], row["attempt"]))


def in_language(language: str) -> list[dict]:
    return [row for row in EXPECTED if LANGUAGE[row["task"]] == language]


@pytest.mark.parametrize(("sandbox", "language"), SHARES)
def test_the_reference_scores_one_on_every_number(tmp_path, sandbox, language):
    report = scored("reference", sandbox, language, tmp_path / "run")
    assert report["strict"] == report["conditional"] == HEADLINE
    assert (report["denominator"], report["infrastructure_rate"]) == ([*LANGUAGE.values()].count(language), 0.0)


@pytest.mark.parametrize(("sandbox", "language"), SHARES)
def test_each_mixed_submission_gets_what_its_readme_says(tmp_path, sandbox, language):
    report = scored("mixed", sandbox, language, tmp_path / "run")
    assert [seen(row) for row in by_place(report["tasks"])] == [said(row) for row in by_place(in_language(language))]


@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.needs("root", "bubblewrap", "node", "java", "network")
@pytest.mark.parametrize("submissions", ["reference", "mixed"])
def test_an_ordinary_user_gets_the_same(submissions):
    with ordinary_user() as user:
        run = user.home / "run"
        done = user.run(
            "-m", "repoproof", "score", user.checkout / "suites/microservice-mini",
            user.checkout / "suites/microservice-mini/submissions" / submissions, "-o", run, "--sandbox", "bubblewrap",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        report = json.loads((run / "report.json").read_text())
    if submissions == "reference":
        assert report["strict"] == HEADLINE
    else:
        assert [seen(row) for row in by_place(report["tasks"])] == [said(row) for row in by_place(EXPECTED)]


def test_every_health_record_is_of_the_task_as_it_is():
    suite = repoproof.load_suite(SUITE)
    health = [json.loads(line) for line in (SUITE / "health.jsonl").read_text().splitlines()]
    assert {record["task"]: record["digest"] for record in health} == {task.id: task.digest for task in suite}
    assert all(record["healthy"] for record in health)


@pytest.mark.slow
@pytest.mark.parametrize(("sandbox", "language"), [share for share in SHARES if share.values[0] == "bubblewrap"])
def test_every_task_proves_itself(tmp_path, sandbox, language):
    """The reference passes, nothing and stubs pass no test at all. (On a copy: validating writes the health record.)"""
    subprocess.run(["cp", "-a", SUITE, tmp_path / "suite"], check=True)
    tasks = [id for id in LANGUAGE if LANGUAGE[id] == language]
    words = ["validate", tmp_path / "suite", "--repeat", "2", "--format", "json", "--sandbox", sandbox]
    words += [word for id in tasks for word in ("--task", id)]
    done = subprocess.run([sys.executable, "-m", "repoproof", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    shares = [found[name] for name in ("tasks", "reference_passed", "empty_passed", "stub_passed", "quarantined")]
    assert (shares, found["reasons"]) == ([len(tasks), 1.0, 0.0, 0.0, 0.0], {})
    health = [json.loads(line) for line in (tmp_path / "suite" / "health.jsonl").read_text().splitlines()]
    assert {record["task"]: record["non_discriminating"] for record in health} == {id: [] for id in LANGUAGE}
