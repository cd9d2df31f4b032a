"""RepoGenesis' evaluation command on real services, under both scorings."""

from __future__ import annotations

import json

import pytest
from plugins.small_suite import REFERENCE, SERVICE, START, write_suite, write_tree

from repoproof import api
from repoproof.cli import main

pytestmark = pytest.mark.needs("bubblewrap")


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """`right` is right; `half` answers 404 where it should not; `sleeps` only sleeps; `empty` is an empty folder; `absent` is absent."""
    root = tmp_path_factory.mktemp("evaluation")
    suite = write_suite(root / "suite", ids=("right", "half", "sleeps", "empty", "absent"))
    predictions = root / "predictions"
    write_tree(predictions / "right", REFERENCE)
    write_tree(predictions / "half", {"service.py": SERVICE.replace("key in notes", "False"), "start.sh": START})
    write_tree(
        predictions / "sleeps", {"start.sh": "#!/bin/sh\nsleep 60\n", "words.py": "'/notes'; x.get(1), x.post(1)"}
    )
    write_tree(predictions / "empty", {})
    words = ["--predictions_dir", str(predictions), "--suite", str(suite), "--workers", "2"]

    def evaluate(*more: str) -> dict:
        output = root / "results"
        assert main(["repogenesis", "run_evaluation", *words, "--output_dir", str(output), *more]) == 0
        assert api.aggregate([output]).implausible == ()
        return json.loads((output / "report.json").read_text())

    return evaluate("--agent_name", "a-1"), evaluate("--resume", "--profile", "legacy")


def test_ours_counts_every_repository(evaluated):
    ours, _ = evaluated
    assert ours["summary"]["total_repos"] == 5
    assert {r["repo_name"]: (r["pass_at_1"]["passed"], r["pass_at_1"]["total"]) for r in ours["results"]} == {
        "right": (3, 3), "half": (2, 3), "sleeps": (0, 3), "empty": (0, 3), "absent": (0, 3)
    }  # fmt: skip
    assert ours["summary"]["avg_pass_at_1"] == 0.3333
    assert ours["summary"]["deployment_success_rate"] == 0.4
    assert (ours["metadata"]["agent_name"], ours["repoproof"]["missing"]) == ("a-1", ["absent"])


def test_legacy_leaves_out_what_reports_nothing_and_deploys_what_sleeps(evaluated):
    _, legacy = evaluated
    assert legacy["summary"]["total_repos"] == 4
    assert legacy["summary"]["avg_pass_at_1"] == 0.8333
    assert legacy["summary"]["deployment_success_rate"] == 0.75
    assert {r["repo_name"]: r["api_coverage"]["implemented_apis"] for r in legacy["results"]} == {
        "right": 0, "half": 0, "sleeps": 2, "empty": 0
    }  # fmt: skip
    why = {difference["metric"]: difference["why"] for difference in legacy["repoproof"]["differences"]}
    assert "no test reported, so they left the average: sleeps, empty" in why["avg_pass_at_1"]
    assert any(line.startswith("sleeps: something was running") for line in why["deployment_success_rate"])
