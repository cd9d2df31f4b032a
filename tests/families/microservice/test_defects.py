"""Defects of published golden suites: each is named with its code and in words, and what cannot be scored fairly is quarantined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from plugins.small_suite import IDS, PORT, TESTS, write_suite

import repoproof
from repoproof.core.errors import Boundary, InfrastructureError
from repoproof.core.health import Health, Reference
from repoproof.core.outcomes import Cause, TestOutcome
from repoproof.core.suite_files import read_health, seal_suite
from repoproof.core.verdict import TestResult
from repoproof.families.microservice.defects import RULES, Evidence, Kind, judge
from repoproof.families.microservice.golden import GoldenRun
from repoproof.families.microservice.task import MicroserviceTask
from repoproof.families.microservice.validate import boundary_of_task
from repoproof.sandbox.base import ExecResult, Usage
from repoproof.toolchains.python import PythonToolchain

pytestmark = pytest.mark.needs("bubblewrap")

BASE = f'import pytest, requests\nURL = "http://localhost:{PORT}"\n'


def published(root: Path, tests: str, *ids: str, **how: Any) -> Path:
    """A suite as an import makes it: one task, without a reference."""
    write_suite(root, tests={"test_it.py": tests}, expected=tuple(f"test_it.py::{id}" for id in ids), **how)
    file = root / "sealed" / "tasks.jsonl"
    record = json.loads(file.read_text())
    del record["reference"]
    file.write_text(json.dumps(record) + "\n")
    seal_suite(root)
    return root


def validated(root: Path) -> Health:
    (health,) = repoproof.validate(root, repeat=1).health
    assert read_health(root) == (health,)
    return health


GOOD = BASE + "def test_a():\n    assert requests.get(URL + '/a', timeout=2).json()['a'] == 1\n"

DEFECTS = [
    pytest.param(
        "def test_a():\n    pass\ndef test_b():\n    pass\n", ("test_a", "test_b"), "passes-without-submission", True,
        "all 2 tests pass with a service that is not there", id="passes with nothing there",
    ),
    pytest.param(
        BASE + "def test_a():\n    assert requests.get(URL, timeout=2).ok\n", ("test_a",), "passes-with-stub", True,
        "all 1 tests pass with a service that answers 200 to all", id="passes with anything there",
    ),
    pytest.param("def helper():\n    pass\n", (), "collects-nothing", True, "no test is collected", id="collects nothing"),
    pytest.param(
        BASE + "try:\n    requests.get(URL, timeout=1)\nexcept Exception:\n    pytest.skip('down', allow_module_level=True)\n"
        "def test_a():\n    assert requests.get(URL, timeout=1).json()['a']\n", ("test_a",), "skips-without-service", False,
        "without a service every test is skipped (exit code 5)", id="skips as a whole",
    ),
    pytest.param(
        BASE + "@pytest.fixture(autouse=True)\ndef up():\n    try:\n        requests.get(URL, timeout=1)\n    except Exception:\n"
        "        pytest.skip('down')\ndef test_a():\n    assert requests.get(URL, timeout=1).json()['a']\n", ("test_a",),
        "skips-without-service", False, "without a service every test is skipped (exit code 0)", id="skips each and exits 0",
    ),
    pytest.param(
        BASE + "try:\n    requests.get(URL, timeout=1)\nexcept Exception:\n    pytest.exit('down', returncode=0)\n"
        "def test_a():\n    assert requests.get(URL, timeout=1).json()['a']\n", ("test_a",), "leaves-no-report", False,
        "without a service the tests leave no report (exit code 1)", id="ends the session",
    ),
    pytest.param(
        BASE + "def test_a():\n    pytest.skip('never today')\n", ("test_a",), "skips-without-service", True,
        "without a service every test is skipped (exit code 0), and nothing that was tried has shown one run", id="skips whatever is there",
    ),
    pytest.param(
        BASE + "pytest.exit('not today', returncode=0)\ndef test_a():\n    pass\n", ("test_a",), "leaves-no-report", True,
        "without a service the tests leave no report (exit code 1), and nothing that was tried has shown one run",
        id="ends the session whatever is there",
    ),
    pytest.param(
        BASE + "def test_a():\n    requests.post(URL, data=open('sample.png', 'rb'), timeout=1)\n", ("test_a",),
        "needs-missing-file", True, "the tests need sample.png, which is not there", id="needs a file",
    ),
    pytest.param(
        "import nowhere_to_be_found\ndef test_a():\n    pass\n", ("test_a",), "cannot-be-collected", True,
        "tests cannot be collected: ModuleNotFoundError: No module named 'nowhere_to_be_found'", id="cannot be imported",
    ),
    pytest.param(
        GOOD + "def test_gone():\n    assert requests.get(URL + '/none', timeout=2).status_code == 404\n", ("test_a", "test_gone"),
        "does-not-discriminate", False,
        "test test_it.py::test_gone does not discriminate: it passes with a service that answers 404 to all", id="one passes on 404",
    ),
    pytest.param(
        GOOD + "def test_more():\n    assert requests.get(URL, timeout=2).json()['b']\n", ("test_a",), "not-in-manifest", True,
        "test test_it.py::test_more is not in the manifest", id="unknown to the manifest",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("tests", "ids", "code", "quarantines", "words"), DEFECTS)
def test_a_defect_is_named_with_its_reason(tmp_path, tests, ids, code, quarantines, words):
    root = published(tmp_path / "suite", tests, *ids)
    health = validated(root)
    assert health.reference is Reference.NONE
    assert (code, words, quarantines) in [(defect.code, defect.words, defect.quarantines) for defect in health.defects]
    assert (health.healthy, words in health.reasons) == (not quarantines, quarantines)
    assert list(repoproof.load_suite(root).quarantined) == (["notes"] if quarantines else [])


def test_a_suite_that_outlasts_its_limit_without_a_service_is_named(tmp_path, monkeypatch):
    limits = PythonToolchain.limits.model_copy(update={"test": 3.0})
    monkeypatch.setattr(PythonToolchain, "limits", limits)
    waits = BASE + (
        "import time\ndef test_a():\n    for _ in range(60):\n        try:\n            assert requests.get(URL, timeout=1).json()['a']\n"
        "        except requests.ConnectionError:\n            time.sleep(1)\n"
    )
    health = validated(published(tmp_path / "suite", waits, "test_a"))
    (defect,) = [defect for defect in health.defects if defect.code == "outlasts-limit"]
    assert defect.words == "without a service the tests outlast their limit (time limit reached)"
    assert not health.healthy


def test_good_tests_without_a_reference_are_healthy_and_said_to_be_unproven(tmp_path):
    health = validated(published(tmp_path / "suite", GOOD, "test_a"))
    assert (health.healthy, health.defects) == (True, ())
    assert (health.reference, health.reference_passed, health.repeats) == (Reference.NONE, False, 0)


def test_a_task_of_ours_is_quarantined_for_one_test_that_does_not_discriminate(tmp_path):
    tests = TESTS + "\n\ndef test_nothing():\n    pass\n"
    root = write_suite(
        tmp_path / "suite", tests={"test_notes.py": tests}, expected=(*IDS, "test_notes.py::test_nothing")
    )
    health = validated(root)
    assert ("does-not-discriminate", True) in [(defect.code, defect.quarantines) for defect in health.defects]


IF_UP = BASE + (
    "try:\n    requests.get(URL + '/health', timeout=1).json()['status']\nexcept Exception:\n    {}\n"
    "def test_a():\n    assert requests.get(URL + '/health', timeout=1).json() == {{'status': 'ok'}}\n"
)
"""Against nothing and against stubs, it does not come to its test."""


@pytest.mark.parametrize(
    ("gives_up", "code"),
    [
        ("pytest.skip('down', allow_module_level=True)", "skips-without-service"),
        ("pytest.exit('down', returncode=0)", "leaves-no-report"),
    ],
)
def test_a_suite_that_its_reference_passes_may_skip_or_end_where_there_is_nothing(tmp_path, gives_up, code):
    """All that is missing is 0, and the reference shows that it can be passed."""
    tests = {"test_it.py": IF_UP.format(gives_up)}
    root = write_suite(tmp_path / "suite", tests=tests, expected=("test_it.py::test_a",))
    health = validated(root)
    assert health.reference_passed
    named = {defect.code: defect.quarantines for defect in health.defects}
    assert named == {"reference-lacks-route": True, code: False}


def test_a_reference_that_fails_quarantines_and_so_do_routes_that_it_does_not_have(tmp_path):
    tests = {
        "test_it.py": BASE + "def test_a():\n    assert requests.get(URL + '/health', timeout=1).status_code == 201\n"
    }
    health = validated(write_suite(tmp_path / "suite", tests=tests, expected=("test_it.py::test_a",)))
    assert {defect.code for defect in health.defects if defect.quarantines} == {
        "reference-fails",
        "reference-lacks-route",
    }
    assert "the reference fails test_it.py::test_a in repeat 1: failed" in health.reasons


def test_a_published_task_without_an_endpoint_is_quarantined(tmp_path):
    root = published(tmp_path / "suite", GOOD, "test_a", endpoints=())
    (task,) = repoproof.load_suite(root).tasks
    assert isinstance(task, MicroserviceTask)
    judge(task, evidence := Evidence())
    assert [(defect.code, defect.quarantines) for defect in evidence.defects] == [("no-endpoints", True)]


def test_tests_that_cannot_be_started_are_the_tasks_defect_and_nobody_elses_failure_is(tmp_path):
    evidence = Evidence()
    with boundary_of_task(evidence):
        raise InfrastructureError("no such package", boundary=Boundary.TASK)
    assert [(defect.code, defect.quarantines) for defect in evidence.defects] == [("unusable", True)]
    with pytest.raises(InfrastructureError), boundary_of_task(evidence):
        raise InfrastructureError("no space left", boundary=Boundary.SANDBOX)


def a_run(*outcomes: TestOutcome) -> GoldenRun:
    """Of test_a, test_b, ..."""
    process = ExecResult(cause=Cause.EXITED, exit_code=0, usage=Usage(wall_seconds=1.0))
    results = (TestResult(id=f"test_it.py::test_{name}", outcome=it) for name, it in zip("abc", outcomes, strict=False))
    return GoldenRun(tuple(results), (), process, finished=True)


@pytest.mark.parametrize("kind", Kind)
def test_the_documented_table_says_of_each_kind_whether_it_quarantines(kind):
    table = (Path(__file__).parents[3] / "docs/suites.md").read_text().partition("## Defects")[2]
    (row,) = [line for line in table.splitlines() if line.startswith(f"| `{kind}` |")]
    _, _, _, said, why, _ = (cell.strip() for cell in row.split("|"))
    assert why
    seen, skipped = a_run(TestOutcome.FAILED), a_run(TestOutcome.SKIPPED)
    found = {
        (has_reference, was_seen): RULES[kind](
            Evidence(has_reference=has_reference, empty=skipped, stubs={"a stub": seen if was_seen else skipped})
        )
        for has_reference in (True, False)
        for was_seen in (True, False)
    }
    wanted = {
        "yes": lambda has_reference, was_seen: True,
        "no": lambda has_reference, was_seen: False,
        "in a task with a reference": lambda has_reference, was_seen: has_reference,
        "unless seen to run": lambda has_reference, was_seen: not was_seen,
    }[said]
    assert found == {case: wanted(*case) for case in found}


def judged(root: Path, evidence: Evidence) -> list[tuple[str, str]]:
    (task,) = repoproof.load_suite(write_suite(root)).tasks
    assert isinstance(task, MicroserviceTask)
    judge(task, evidence)
    routes = Kind.REFERENCE_LACKS_ROUTE  # of no matter here
    return [(defect.code, defect.words) for defect in evidence.defects if defect.code != routes]


def test_a_test_that_the_reference_passes_at_times_is_flaky_once_and_no_failure_of_the_reference(tmp_path):
    passed, failed, errored = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.ERRORED
    runs = [a_run(passed, failed), a_run(failed, errored), a_run(passed, failed), a_run(errored, failed)]
    flaky = "test test_it.py::test_a is flaky: the reference passes it in 2 of 4 repeats, and not in repeats 2, 4: failed, errored"
    always = "the reference fails test_it.py::test_b in each of 4 repeats: failed, errored"
    found = judged(tmp_path, Evidence(has_reference=True, reference_runs=runs))
    assert sorted(found) == [("flaky", flaky), ("reference-fails", always)]


def test_tests_that_nothing_has_shown_are_named_where_no_reference_does(tmp_path):
    skipped, failed = TestOutcome.SKIPPED, TestOutcome.FAILED
    runs = {"empty": a_run(skipped, skipped, failed), "stubs": {"a stub": a_run(skipped, failed, failed)}}
    words = "skipped with nothing there and with every stub, so that nothing shows that they can be passed: 1 of 3 tests (test_it.py::test_a)"
    assert judged(tmp_path / "published", Evidence(**runs)) == [("skipped-throughout", words)]
    proved = Evidence(has_reference=True, reference_runs=[a_run(*[TestOutcome.PASSED] * 3)], **runs)
    assert judged(tmp_path / "proved", proved) == []


def test_what_a_reference_shows_is_seen_and_what_happens_without_a_service_shows_nothing():
    passed, skipped = a_run(TestOutcome.PASSED), a_run(TestOutcome.SKIPPED)
    assert Evidence(reference_runs=[passed], empty=skipped).was_seen_to_run
    assert not Evidence(reference_runs=[skipped], empty=a_run(TestOutcome.FAILED)).was_seen_to_run
    assert not Evidence(stubs={"a stub": a_run(TestOutcome.MISSING)}).was_seen_to_run


def test_a_task_without_expected_tests_is_invalid_and_counts_as_zero(tmp_path):
    root = published(tmp_path / "suite", "x = 1\n")
    report = repoproof.score(root, root / "sealed" / "reference", tmp_path / "run")
    assert (report.denominator, report.counts["invalid_task"], report.strict["pass_at_1"]) == (1, 1, 0.0)
