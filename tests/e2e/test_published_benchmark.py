"""Thirty repositories in RepoGenesis' published layout: imported, checked and scored by the commands alone, real Java included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.published_layout import (
    FRAMEWORKS,
    JAVA,
    JAVA_IDS,
    PYTHON,
    QUARKUS_TEST,
    SPRING_BOOT_TEST,
    WAYS,
    port_of,
    published_tree,
    references,
    source_of,
)  # fmt: skip
from plugins.small_suite import write_tree

import repoproof
from repoproof import api
from repoproof.cli import main
from repoproof.toolchains.python import PythonToolchain

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800), pytest.mark.needs("bubblewrap", "network")]

ALL = PYTHON + JAVA


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """The published tree, the suite that was imported of it, and a solution of each."""
    root = tmp_path_factory.mktemp("benchmark")
    published = published_tree(root / "published")
    references(root / "references")
    table = str(published / "constants.py")
    assert main(["import", "repogenesis", str(published), "--specs", table, "-o", str(root / "suite")]) == 0
    return root


def evaluated(place: Path, predictions: Path, output: Path, *more: str) -> dict:
    """The report of the drop-in command."""
    words = ["--suite", place / "suite", "--predictions_dir", predictions, "--output_dir", output, "--workers", 2]
    assert main(["repogenesis", "run_evaluation", *map(str, words), *more]) == 0
    assert api.aggregate([output]).implausible == ()
    return json.loads((output / "report.json").read_text())


def test_every_repository_is_imported_with_all_its_tests(place):
    suite = repoproof.load_suite(place / "suite")
    assert {task.id: (task.language, task.port) for task in suite} == {
        name: ("python" if name in PYTHON else "java", port_of(name)) for name in ALL
    }
    ours = {task.id: len(task.test_ids) for task in repoproof.load_suite(Path("suites/microservice-mini").absolute())}
    assert {task.id: len(task.test_ids) for task in suite} == {
        name: ours[source_of(name)] if name in PYTHON else len(JAVA_IDS) for name in ALL
    }


@pytest.mark.needs("java")
def test_solutions_score_1_on_every_repository(place, tmp_path):
    """Java in the process of its tests: with a service of the JDK's, a `@SpringBootTest` and a `@QuarkusTest`."""
    report = evaluated(place, place / "references", tmp_path / "results", "--agent_name", "references")
    assert [r for r in report["results"] if r["pass_at_1"]["score"] != 1.0 or not r["dsr"]["success"]] == []
    summary = report["summary"]
    assert (summary["total_repos"], summary["python_repos"], summary["java_repos"]) == (30, 22, 8)
    assert (summary["avg_pass_at_1"], summary["deployment_success_rate"]) == (1.0, 1.0)
    coverage = {r["repo_name"]: r["api_coverage"]["score"] for r in report["results"]}
    read = {*PYTHON, SPRING_BOOT_TEST, QUARKUS_TEST}  # no route of a framework is in the others
    assert coverage == {name: float(name in read) for name in ALL}
    assert set(report["repoproof"]["in_process"]) == set(JAVA)


@pytest.mark.parametrize("submitted", [(), ALL[::2], ALL], ids=["nothing", "half", "all"])
def test_an_empty_submission_scores_0_and_none_is_missing_from_the_denominator(place, tmp_path, submitted):
    predictions = tmp_path / "predictions"
    predictions.mkdir()
    for name in submitted:
        (predictions / name).mkdir()
    report = evaluated(place, predictions, tmp_path / "results")
    assert {r["repo_name"]: r["pass_at_1"]["score"] for r in report["results"]} == dict.fromkeys(ALL, 0.0)
    assert all(r["pass_at_1"]["total"] > 0 and r["api_coverage"]["total_apis"] > 0 for r in report["results"])
    summary = report["summary"]
    assert summary["total_repos"] == report["repoproof"]["denominator"] == 30
    averages = [summary[name] for name in ("avg_pass_at_1", "avg_api_coverage", "deployment_success_rate")]
    by_language = [summary[name] for name in ("pass_at_1_by_lang", "ac_by_lang", "dsr_by_lang")]
    assert (averages, by_language) == ([0.0] * 3, [{"python": 0.0, "java": 0.0}] * 3)
    assert sorted(report["repoproof"]["missing"]) == sorted(set(ALL) - set(submitted))


def test_a_missing_repository_costs_its_share(place, tmp_path):
    """Of the repositories that were asked for: the one that was handed in is right, the other is not there."""
    report = evaluated(place, references(tmp_path / "one", ALL[:1]), tmp_path / "results", "--repo_names", *ALL[:2])
    assert (report["summary"]["total_repos"], report["summary"]["avg_pass_at_1"]) == (2, 0.5)
    assert report["repoproof"]["missing"] == [ALL[1]]


def test_good_suites_are_healthy_and_said_to_be_unproven(place, capsys):
    """Each way of finding the service with each of our tasks would take minutes: one of each, and all Java."""
    names = (*PYTHON[: max(len(WAYS), len(FRAMEWORKS))], *JAVA)
    chosen = [word for name in names for word in ("--task", name)]
    assert main(["validate", str(place / "suite"), "--repeat", "1", "--format", "json", "--workers", "2", *chosen]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["tasks"], found["quarantined"], found["empty_passed"], found["stub_passed"]) == (
        len(names),
        0.0,
        0.0,
        0.0,
    )


ADDRESS = 'import os, pytest, requests\nURL = "http://localhost:8123"\n'
ASKS = "def test_a():\n    assert requests.get(URL + '/notes', timeout=2).json()['notes'] == []\n"
DOWN = "try:\n    requests.get(URL, timeout=1)\nexcept Exception:\n    "

WAITS = """
import time
def test_a():
    for _ in range(60):
        try:
            assert requests.get(URL, timeout=1).json()['notes'] == []
        except requests.ConnectionError:
            time.sleep(1)
"""

BROKEN = {
    "skips-all": (DOWN + "pytest.skip('down', allow_module_level=True)\n" + ASKS, "skips-without-service", "without a service every test is skipped"),
    "no-report": (DOWN + "pytest.exit('down', returncode=0)\n" + ASKS, "leaves-no-report", "without a service the tests leave no report"),
    "waits-long": (WAITS, "outlasts-limit", "without a service the tests outlast their limit"),
    "wants-404": (
        ASKS + "def test_b():\n    assert requests.get(URL + '/none', timeout=2).status_code == 404\n",
        "does-not-discriminate", "test test_it.py::test_b does not discriminate: it passes with a service that answers 404 to all",
    ),
    "asks-nothing": ("def test_a():\n    assert 1 + 1 == 2\n", "passes-without-submission", "all 1 tests pass with a service that is not there"),
    "no-test": ("def helper():\n    pass\n", "collects-nothing", "no test is collected"),
    "lost-file": (
        "def test_a():\n    requests.post(URL, data=open('sample.png', 'rb'), timeout=1)\n",
        "needs-missing-file", "the tests need sample.png, which is not there",
    ),
}  # fmt: skip


def test_each_broken_suite_is_named_by_validate_with_the_reason(tmp_path, monkeypatch, capsys):
    """From the published tree on; the time that tests have is shortened, or one of these would take five minutes."""
    monkeypatch.setattr(PythonToolchain, "limits", PythonToolchain.limits.model_copy(update={"test": 5.0}))
    readme = "# Notes\n\nFlask, port 8123.\n\n- `GET /notes`\n"
    trees = {f"{name}/tests/test_it.py": ADDRESS + BROKEN[name][0] for name in BROKEN} | {
        f"{name}/README.md": readme for name in BROKEN
    }
    published, suite = write_tree(tmp_path / "published", trees), str(tmp_path / "suite")
    assert main(["import", "repogenesis", str(published), "-o", suite]) == 0
    capsys.readouterr()
    main(["validate", suite, "--repeat", "1", "--workers", "2"])
    printed = " ".join(capsys.readouterr().out.split())
    health = {
        line["task"]: line for line in map(json.loads, (tmp_path / "suite/health.jsonl").read_text().splitlines())
    }
    for name, (_, code, words) in BROKEN.items():
        said = {defect["code"]: defect["words"] for defect in health[name]["defects"]}
        assert said.get(code, "").startswith(words), (name, said)
        assert code in printed
