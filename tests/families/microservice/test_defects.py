"""Defects of published golden suites: each is named with its code and in words, and what cannot be scored fairly is quarantined."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.small_suite import IDS, PORT, TESTS, write_suite

import repoproof
from repoproof.core.health import Health, Reference
from repoproof.core.suite_files import read_health, seal_suite
from repoproof.toolchains.python import PythonToolchain

pytestmark = pytest.mark.needs("bubblewrap")

BASE = f'import pytest, requests\nURL = "http://localhost:{PORT}"\n'


def published(root: Path, tests: str, *ids: str) -> Path:
    """A suite as an import makes it: one task, without a reference."""
    write_suite(root, tests={"test_it.py": tests}, expected=tuple(f"test_it.py::{id}" for id in ids))
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


def test_a_task_without_expected_tests_is_invalid_and_counts_as_zero(tmp_path):
    root = published(tmp_path / "suite", "x = 1\n")
    report = repoproof.score(root, root / "sealed" / "reference", tmp_path / "run")
    assert (report.denominator, report.counts["invalid_task"], report.strict["pass_at_1"]) == (1, 1, 0.0)
