"""What tasks say of themselves comes through to the report of a run, and is still there when it is read again."""

from __future__ import annotations

from pathlib import Path

from repoproof import api
from repoproof.cli import main

MIXED = Path(__file__).parents[2] / "suites/microservice-mini/submissions/mixed"


def test_framework_difficulty_and_tags_of_tasks_are_told_apart(tmp_path, capsys):
    run = tmp_path / "run"
    words = ["score", "microservice-mini", str(MIXED), "-o", str(run), "--static-only", "--task", "library-loans"]
    assert main([*words, "--task", "community-polls", "--by", "framework", "--code"]) == 0
    shown = capsys.readouterr().out
    assert "By framework, strict" in shown and "The submitted code, 4 of 4 submissions read" in shown
    report = api.report(run)
    assert {name: part.denominator for name, part in report.slices["framework"].items()} == {"express": 1, "flask": 1}
    assert {name: part.denominator for name, part in report.slices["tag"].items()}["conflicts"] == 2
    assert sum(part.denominator for part in report.slices["difficulty"].values()) == 2
    assert report.suite.split == "test"
