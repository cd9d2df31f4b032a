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

SUITE = Path(__file__).parents[2] / "suites" / "microservice-mini"
EXPECTED = json.loads((SUITE / "submissions" / "mixed" / "expected.json").read_text())
HEADLINE = {"pass_at_1": 1.0, "all_pass": 1.0, "dsr": 1.0, "ac_static": 1.0, "ac_live": 1.0}

bubblewrap = pytest.param("bubblewrap", marks=pytest.mark.needs("bubblewrap", "node", "network"))
docker = pytest.param("docker", marks=[pytest.mark.needs("docker", "node", "network"), pytest.mark.slow])


def scored(submissions: str, sandbox: str, run: Path) -> dict:
    """The report of a scoring by the command."""
    words = ["score", SUITE, SUITE / "submissions" / submissions, "-o", run, "--sandbox", sandbox, "--workers", 3]
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


@pytest.mark.parametrize("sandbox", [bubblewrap, docker])
def test_the_reference_scores_one_on_every_number(tmp_path, sandbox):
    report = scored("reference", sandbox, tmp_path / "run")
    assert report["strict"] == report["conditional"] == HEADLINE
    assert (report["denominator"], report["infrastructure_rate"]) == (5, 0.0)


@pytest.mark.parametrize("sandbox", [bubblewrap, docker])
def test_each_mixed_submission_gets_what_its_readme_says(tmp_path, sandbox):
    report = scored("mixed", sandbox, tmp_path / "run")
    assert [seen(row) for row in by_place(report["tasks"])] == [said(row) for row in by_place(EXPECTED)]


@pytest.mark.slow
@pytest.mark.needs("root", "bubblewrap", "node", "network")
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


@pytest.mark.needs("bubblewrap", "node", "network")
def test_every_task_proves_itself(tmp_path):
    """The reference passes, nothing and stubs pass no test at all. (On a copy: validating writes the health record.)"""
    subprocess.run(["cp", "-a", SUITE, tmp_path / "suite"], check=True)
    words = ["validate", tmp_path / "suite", "--repeat", "2", "--format", "json"]
    done = subprocess.run([sys.executable, "-m", "repoproof", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["tasks"], found["reference_passed"], found["empty_passed"], found["stub_passed"]) == (
        5,
        1.0,
        0.0,
        0.0,
    )
    assert (found["quarantined"], found["reasons"]) == (0.0, {})
    health = [json.loads(line) for line in (tmp_path / "suite" / "health.jsonl").read_text().splitlines()]
    assert [record["non_discriminating"] for record in health] == [[]] * 5
