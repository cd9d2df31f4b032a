"""Tests that are switched off, whatever is there, are not expected, and said; those that a condition decides on are expected, and said."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.small_suite import IDS, REFERENCE, TESTS, write_suite, write_tree

import repoproof
from repoproof import api
from repoproof.cli import main
from repoproof.core.outcomes import Cause
from repoproof.families.microservice.expected import expected_of
from repoproof.families.microservice.formats.python_tests import read_suite
from repoproof.families.microservice.golden import golden_run
from repoproof.families.microservice.inside.disabled_tests import disabled_in, is_disabled
from repoproof.families.microservice.task import MicroserviceTask
from repoproof.sandbox.base import ExecResult, Usage

SOURCES = [
    ("@pytest.mark.skip\ndef test_a(): ...\n", {"test_a"}),
    ("@pytest.mark.skip(reason='later')\nasync def test_a(): ...\ndef test_b(): ...\n", {"test_a"}),
    ("@pytest.mark.skip('later')\nclass TestA:\n    def test_a(self): ...\n", {"TestA"}),
    ("class TestA:\n    @pytest.mark.skip\n    def test_a(self): ...\n    class TestB:\n        pytestmark = pytest.mark.skip\n", {"TestA::test_a", "TestA::TestB"}),
    ("pytestmark = pytest.mark.skip('never')\n", {""}),
    ("pytestmark = [pytest.mark.slow, pytest.mark.skip]\n", {""}),
    ("pytestmark = pytest.mark.skip\npytestmark = []\n", set()),
    ("pytest.skip('never', allow_module_level=True)\n", {""}),
    ("raise unittest.SkipTest('never')\n", {""}),
    ("import pytest as p\nfrom pytest import mark, skip as leave\n@p.mark.skip\ndef test_a(): ...\n@mark.skip\ndef test_b(): ...\ndef test_c():\n    leave()\n", {"test_a", "test_b", "test_c"}),
    ("from unittest import skip, TestCase\n@skip('never')\ndef test_a(): ...\n", {"test_a"}),
    ("wip = pytest.mark.skip(reason='later')\n@wip\ndef test_a(): ...\n", {"test_a"}),
    ("class T(TestCase):\n    @unittest.skip('x')\n    def test_a(self): ...\n    @unittest.expectedFailure\n    def test_b(self): ...\n", {"T::test_a", "T::test_b"}),
    ("class T(unittest.TestCase):\n    def test_a(self):\n        self.skipTest('x')\n    def test_b(self): ...\n", {"T::test_a"}),
    ("class T(unittest.TestCase):\n    def setUp(self):\n        self.skipTest('x')\n    def test_a(self): ...\n", {"T"}),
    ("class T(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        raise unittest.SkipTest\n", {"T"}),
    ("def setup_module():\n    pytest.skip('x')\n", {""}),
    ("@pytest.mark.xfail\ndef test_a(): ...\n@pytest.mark.xfail(reason='x', strict=True)\ndef test_b(): ...\n", {"test_a", "test_b"}),
    ("def test_a():\n    '''Later.'''\n    r = get()\n    assert r\n    pytest.skip('x')\n", {"test_a"}),
    # Under a condition, or something else altogether.
    ("@pytest.mark.skipif(True, reason='x')\ndef test_a(): ...\n@pytest.mark.xfail(sys.platform == 'win32')\ndef test_b(): ...\n", set()),
    ("@pytest.mark.xfail(condition=up(), reason='x')\ndef test_a(): ...\n@unittest.skipIf(up(), 'x')\ndef test_b(): ...\n", set()),
    ("if not up():\n    pytest.skip('down', allow_module_level=True)\n", set()),
    ("pytestmark = pytest.mark.skip if not up() else []\n", set()),
    ("if not up():\n    pytestmark = pytest.mark.skip('down')\n", set()),
    ("def test_a():\n    if not up():\n        pytest.skip('down')\n", set()),
    ("def test_a():\n    if up():\n        return\n    pytest.skip('down')\n", set()),
    ("def test_a():\n    pytest.skip\n    skip('x')\n", set()),
    ("@pytest.fixture\ndef up():\n    yield 1\n    pytest.skip('x')\n", set()),
    ("@mark.skip\n@skip\ndef test_a(): ...\n", set()),
]  # fmt: skip


@pytest.mark.parametrize(("source", "off"), SOURCES)
def test_what_the_source_of_a_file_switches_off(source, off):
    assert disabled_in(ast.parse(source)) == off


@pytest.mark.parametrize(
    ("name", "off", "it_is"),
    [
        ("test_a", {"test_a"}, True),
        ("test_a[1-x::y]", {"test_a"}, True),
        ("test_ab", {"test_a"}, False),
        ("TestA::test_a", {"TestA"}, True),
        ("TestA::TestB::test_a", {"TestA::TestB"}, True),
        ("TestB::test_a", {"TestA", "test_a"}, False),
        ("test_a", {""}, True),
        ("test_a", set(), False),
    ],
)
def test_a_test_is_switched_off_with_what_it_belongs_to(name, off, it_is):
    assert is_disabled(name, off) is it_is


IDENTIFIERS = [f"test_{file}.py::test_{name}{more}" for file in "ab" for name in "xy" for more in ("", "[1]", "[2]")]


@given(st.lists(st.sampled_from(IDENTIFIERS), unique=True), st.sets(st.sampled_from(IDENTIFIERS)))
def test_each_collected_test_is_expected_or_disabled_and_said(collected, disabled):
    ids, notes = expected_of(collected, disabled, {})
    assert ids == tuple(id for id in collected if id not in disabled)
    assert bool(notes) is (len(ids) < len(collected))


def test_whole_files_and_whole_tests_are_named_by_their_names():
    left_out = {"b.py::t[1]": "no redis", "b.py::u": "no redis"}
    disabled = {"a.py::t", "a.py::u", "b.py::v[1]", "b.py::v[2]"}
    collected = ("a.py::t", "a.py::u", "b.py::t[1]", "b.py::t[2]", "b.py::u", "b.py::v[1]", "b.py::v[2]")
    assert expected_of(collected, disabled, left_out) == (
        ("b.py::t[1]", "b.py::t[2]", "b.py::u"),
        (
            "disabled, hence not expected: a.py, b.py::v",
            "expected, though left out by a mark where they were collected: b.py::t[1], b.py::u (no redis)",
        ),
    )


README = "# Notes\n\nFlask, on port 8123.\n\n- `POST /notes`\n- `GET /notes/{id}`\n- `GET /health`\n"

MORE = """
import unittest
import pytest

@pytest.mark.skip(reason="later")
def test_later():
    pass

@pytest.mark.xfail
def test_known_to_fail():
    pass

@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.skip)])
def test_some(n):
    assert requests.get(f"{BASE}/health", timeout=5).json() == {"status": "ok"}

@pytest.mark.skipif("os.environ.get('DEEP') is None", reason="only with DEEP")
def test_deep():
    pass

class TestOld(unittest.TestCase):
    @unittest.skip("never")
    def test_old(self):
        pass
    @unittest.skipIf(True, "not here")
    def test_elsewhere(self):
        pass
"""
OFF = "import pytest\npytest.skip('never', allow_module_level=True)\ndef test_off():\n    pass\n"
CONFTEST = "import pytest\ndef pytest_collection_modifyitems(items):\n    for item in items:\n        if 'create' in item.name:\n            item.add_marker(pytest.mark.skip(reason='slow'))\n"
FILES = {"test_notes.py": TESTS + MORE, "test_off.py": OFF, "conftest.py": CONFTEST}
EXPECTED = (*IDS, *(f"test_notes.py::{name}" for name in ("TestOld::test_elsewhere", "test_some[1]", "test_deep")))
OFF_IDS = "test_notes.py::test_later, test_notes.py::test_known_to_fail, test_notes.py::test_some[2], test_notes.py::TestOld::test_old, test_off.py"
DOUBTFUL = "test_notes.py::test_create (slow); test_notes.py::test_deep (only with DEEP); test_notes.py::TestOld::test_elsewhere (not here)"
NOTES = (
    f"disabled, hence not expected: {OFF_IDS}",
    f"expected, though left out by a mark where they were collected: {DOUBTFUL}",
)


@pytest.mark.needs("bubblewrap")
def test_what_nobody_can_pass_is_not_expected_of_published_tests(tmp_path):
    write_tree(
        tmp_path / "published/notes", {"README.md": README, **{f"tests/{name}": text for name, text in FILES.items()}}
    )
    found = api.import_repogenesis(tmp_path / "published", tmp_path / "suite")
    assert set(found.suite.tasks[0].test_ids) == set(EXPECTED)
    assert found.tasks[0].notes[-2:] == NOTES
    without = {name: text for name, text in FILES.items() if name == "test_off.py"}
    write_tree(
        tmp_path / "off/notes", {"README.md": README, **{f"tests/{name}": text for name, text in without.items()}}
    )
    (taken,) = api.import_repogenesis(tmp_path / "off", tmp_path / "none").tasks
    assert taken.notes[-2:] == ("disabled, hence not expected: test_off.py", "no test is expected")


@pytest.mark.needs("bubblewrap")
def test_what_nobody_can_pass_is_not_expected_of_added_tests_and_passes_validation(tmp_path, capsys):
    assert main(["new", "microservice", "notes", "-o", str(tmp_path / "notes")]) == 0
    own = (tmp_path / "notes/tests").glob("test_*.py")
    for file in own:
        file.write_text(
            file.read_text()
            + "\nimport pytest\n@pytest.mark.skip\ndef test_later():\n    pass\n@pytest.mark.xfail\ndef test_fails():\n    pass\n"
        )
    write_tree(tmp_path / "notes/tests", {"test_off.py": OFF})
    assert main(["add", "--new", "microservice", str(tmp_path / "suite"), str(tmp_path / "notes")]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("notes: disabled, hence not expected: test_")
    (health,) = repoproof.validate(tmp_path / "suite", repeat=1).health
    assert (health.healthy, health.defects) == (True, ())


def test_where_ids_were_read_from_source_a_disabled_set_of_parameters_is_none_of_its_invocations(tmp_path):
    tests = write_tree(tmp_path / "tests", {"test_notes.py": "import app\n" + MORE, "test_off.py": OFF})
    found = read_suite(tests)
    assert found.disabled == {"test_off.py::test_off"} | {
        f"test_notes.py::{name}" for name in ("test_later", "test_known_to_fail", "TestOld::test_old")
    }
    id = "test_notes.py::test_some"
    (task,) = repoproof.load_suite(write_suite(tmp_path / "suite", expected=(id,))).tasks
    assert isinstance(task, MicroserviceTask)
    records = [{"collected": [f"{id}[1]", f"{id}[2]"], "disabled": [f"{id}[2]"], "left_out": {}}] + [
        {"id": f"{id}[{n}]", "outcome": outcome, "seconds": 0.1, "message": ""}
        for n, outcome in ((1, "passed"), (2, "skipped"))
    ]
    run = golden_run(task, records, ExecResult(cause=Cause.EXITED, exit_code=0, usage=Usage(wall_seconds=1.0)))
    assert (run.passed, run.unexpected) == (1, ())


@pytest.mark.needs("bubblewrap")
def test_a_disabled_test_keeps_nobody_from_passing(tmp_path):
    """Where it runs all the same, as one does that is expected to fail, it is no test that nobody knows of."""
    tests = {
        "test_notes.py": TESTS
        + "\nimport pytest\n@pytest.mark.xfail\ndef test_fails():\n    pass\n@pytest.mark.skip\ndef test_off():\n    pass\n"
    }
    suite = write_suite(tmp_path / "suite", tests=tests)
    write_tree(tmp_path / "answers/notes", REFERENCE)
    report = repoproof.score(suite, tmp_path / "answers", tmp_path / "run")
    (verdict,) = [json.loads(line) for line in Path(tmp_path / "run/verdicts.jsonl").read_text().splitlines()]
    assert (report.strict["pass_at_1"], verdict["detail"]["unexpected_tests"]) == (1.0, [])
