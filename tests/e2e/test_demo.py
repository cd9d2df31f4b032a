"""`repoproof demo`: the bundled suite's submissions come out as their own README says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from repoproof import api

MIXED = api.find_suite("microservice-mini") / "submissions" / "mixed"
EXPECTED = json.loads((MIXED / "expected.json").read_text())

pytestmark = [pytest.mark.slow, pytest.mark.needs("bubblewrap", "node")]


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    runs = tmp_path_factory.mktemp("demo")
    ran = subprocess.run(
        [sys.executable, "-m", "repoproof", "demo", "-o", str(runs), "--workers", "2"], capture_output=True, text=True
    )
    return runs, ran


def test_it_prints_both_tables_and_their_headlines(demo):
    _, ran = demo
    assert ran.returncode == 0, ran.stderr
    headlines = [line for line in ran.stdout.splitlines() if line.startswith("Pass@1 ") and " over 5 tasks, " in line]
    assert [line.partition(" (suite microservice-mini ")[0] for line in headlines] == [
        "Pass@1 0.2062 over 5 tasks, 11 submissions", "Pass@1 1.0000 over 5 tasks, 5 submissions"
    ]  # fmt: skip


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


def test_every_reference_is_perfect(demo):
    runs, _ = demo
    assert api.report(runs / "demo-reference").strict == dict.fromkeys(
        ("pass_at_1", "all_pass", "dsr", "ac_static", "ac_live"), 1.0
    )
