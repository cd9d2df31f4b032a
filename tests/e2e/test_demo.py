"""`repoproof demo`: the bundled suite's submissions come out as their own README says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from repoproof import api

MIXED = api.find_suite("microservice-mini") / "submissions" / "mixed"
EXPECTED = json.loads((MIXED / "expected.json").read_text())

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500), pytest.mark.needs("bubblewrap", "node")]
with_java = pytest.mark.needs("java")


def shown(runs: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "repoproof", "demo", "-o", str(runs), "--workers", "2"],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    runs = tmp_path_factory.mktemp("demo")
    return runs, shown(runs)


def headlines(ran: subprocess.CompletedProcess[str]) -> list[str]:
    return [
        line.partition(" (suite ")[0]
        for line in ran.stdout.splitlines()
        if line.startswith("Pass@1 ") and " over " in line
    ]


@with_java
def test_it_prints_both_tables_and_their_headlines(demo):
    _, ran = demo
    assert ran.returncode == 0, ran.stderr
    assert headlines(ran) == ["Pass@1 0.1469 over 9 tasks, 15 submissions", "Pass@1 1.0000 over 9 tasks, 9 submissions"]


def test_without_a_jdk_it_scores_what_it_can_and_says_so(tmp_path):
    ran = shown(tmp_path, REPOPROOF_JAVA=str(tmp_path / "nowhere"))
    assert ran.returncode == 0, ran.stderr
    assert headlines(ran) == [
        "Pass@1 0.2062 over 5 tasks, 11 submissions, subset: 5 of 9 tasks",
        "Pass@1 1.0000 over 5 tasks, 5 submissions, subset: 5 of 9 tasks",
    ]
    said = ran.stdout.splitlines()[0]
    assert said.startswith("java: no JDK 17 or newer (apt-get install ") and said.endswith("4 tasks left out")


@with_java
@pytest.mark.parametrize("expected", EXPECTED, ids=[each["name"] for each in EXPECTED])
def test_each_mixed_submission_gets_the_status_that_its_readme_names(demo, expected):
    runs, ran = demo
    row = next(row for row in api.report(runs / "demo-mixed").tasks if row.submission == expected["name"])
    stages = [stage for stage in ("installed", "started", "responds") if row.measures[stage]]
    assert (row.status, row.tests_passed, row.tests_total) == (
        expected["status"], expected["tests_passed"], expected["tests"]
    ), ran.stderr  # fmt: skip
    assert stages == [stage for stage in ("installed", "started", "responds") if expected[stage]]
    assert row.measures["ac_static"] == pytest.approx(expected["ac_static"])


@with_java
def test_every_reference_is_perfect(demo):
    runs, _ = demo
    assert api.report(runs / "demo-reference").strict == dict.fromkeys(
        ("pass_at_1", "all_pass", "dsr", "ac_static", "ac_live"), 1.0
    )
