"""Suites that import what they test: they run beside the submission's code, and the verdict says whose word its results are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.docker_engine import engine
from plugins.published_layout import JAVA_IDS, published_tree, references
from plugins.small_suite import write_tree

import repoproof
from repoproof import api
from repoproof.core.outcomes import Status
from repoproof.core.suite_files import seal_suite
from repoproof.core.verdict import Verdict
from repoproof.families.microservice.golden import folded

README = "# Sums\n\nFlask, port 8123.\n\n- `GET /sum`\n"
TESTS = """
import pytest
from sums.core import add
from wanted import TWO

@pytest.mark.parametrize("other", [1, 2])
def test_add(other):
    assert add(TWO, other) == 2 + other

def test_refuses():
    with pytest.raises(TypeError):
        add("a", 1)
"""
ROUTE = 'from flask import Flask\napp = Flask(__name__)\n@app.get("/sum")\ndef total():\n    return "3"\n'
SUMS = "def add(a, b):\n    return a + b\n"


def line(id: str, outcome: str = "passed", seconds: float = 1.0) -> dict:
    return {"id": id, "outcome": outcome, "seconds": seconds, "message": outcome}


@pytest.mark.parametrize(
    ("expected", "records", "found"),
    [
        (("C::m",), [line("C::m(int)[1]"), line("C::m(int)[2]")], [("C::m", "passed", 2.0)]),
        (("C::m",), [line("C::m(int)[1]", "failed"), line("C::m(int)[2]")], [("C::m", "failed", 2.0)]),
        (("C::m",), [line("C::m[1]"), line("C::m[2]", "skipped")], [("C::m", "skipped", 2.0)]),
        (("C::m[1]", "C::m"), [line("C::m[1]"), line("C::m[2]", "errored")], [("C::m[1]", "passed", 1.0), ("C::m", "errored", 1.0)]),
        (("C::m",), [line("C::n(int)[1]")], [("C::n(int)[1]", "passed", 1.0)]),
    ],
)  # fmt: skip
def test_a_method_passes_if_all_of_its_invocations_do(expected, records, found):
    assert [(one["id"], one["outcome"], one["seconds"]) for one in folded(records, expected)] == found


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(("passed", "failed")), st.booleans()), max_size=12))
def test_folding_never_turns_a_failure_into_a_pass(invocations):
    records = [line(f"C::{name}{'[1]' if many else ''}", outcome) for name, outcome, many in invocations]
    passed = {one["id"] for one in folded(records, ("C::a", "C::b")) if one["outcome"] == "passed"}
    assert not any(f"C::{name}" in passed for name, outcome, _ in invocations if outcome == "failed" and name in "ab")


def verdicts(run: Path) -> dict[str, Verdict]:
    found = [Verdict.model_validate_json(text) for text in (run / "verdicts.jsonl").read_text().splitlines()]
    return {f"{verdict.task}#{verdict.attempt}": verdict for verdict in found}


@pytest.mark.needs("bubblewrap")
@pytest.mark.needs("network")
def test_python_tests_that_import_the_code_run_with_it_in_reach(tmp_path):
    tree = {
        "sums/README.md": README, "sums/tests/test_sums.py": TESTS, "sums/tests/wanted.py": "TWO = 2\n",
        "sums/tests/test_more.py": "import sums\n",
    }  # fmt: skip
    imported = api.import_repogenesis(write_tree(tmp_path / "published", tree), tmp_path / "suite")
    assert imported.suite.tasks[0].test_ids == ("test_sums.py::test_add", "test_sums.py::test_refuses")
    assert any(
        note.startswith("white-box: its tests import sums, sums.core, which its README never names")
        for note in imported.tasks[0].notes
    )
    # Nothing starts it: the tests do not need it to run. One of its own would pass whatever it does.
    submission = {
        "sums/sums/__init__.py": "",
        "sums/sums/core.py": SUMS,
        "sums/tests/test_own.py": "def test_own(): ...\n",
    }
    submissions = write_tree(tmp_path / "submissions", submission)
    report = repoproof.score(imported.suite, submissions, tmp_path / "run")
    (verdict,) = verdicts(tmp_path / "run").values()
    assert [test.outcome for test in verdict.tests] == ["passed", "passed"]
    assert (verdict.status, verdict.measures["pass_at_1"], verdict.measures["dsr"]) == (Status.PASSED, 1.0, 0.0)
    assert verdict.detail["trust"] == "in_process"
    assert (report.in_process, report.tasks[0].trust) == (("sums",), "in_process")
    evaluation = api.run_evaluation(imported.suite, submissions, tmp_path / "results")
    assert evaluation.repoproof.in_process == ("sums",)
    (health,) = repoproof.validate(imported.suite, repeat=1).health
    assert [(defect.code, defect.quarantines) for defect in health.defects] == [("never-run", False)]


@pytest.mark.needs("bubblewrap")
@pytest.mark.needs("network")
def test_a_white_box_task_is_proved_by_its_reference(tmp_path):
    tree = {"sums/README.md": README, "sums/tests/test_sums.py": TESTS, "sums/tests/wanted.py": "TWO = 2\n"}
    root = api.import_repogenesis(write_tree(tmp_path / "published", tree), tmp_path / "suite").suite.root
    write_tree(root / "sealed/reference/sums", {"sums/core.py": SUMS, "app.py": ROUTE})
    (record,) = [json.loads(line) for line in (root / "sealed/tasks.jsonl").read_text().splitlines()]
    (root / "sealed/tasks.jsonl").write_text(json.dumps(record | {"reference": "reference/sums"}) + "\n")
    seal_suite(root)
    (health,) = repoproof.validate(root, repeat=2).health
    assert (health.healthy, health.reference_passed, health.repeats, health.defects) == (True, True, 2, ())


@pytest.mark.needs("bubblewrap")
@pytest.mark.needs("java")
@pytest.mark.needs("network")
@pytest.mark.timeout(900)
@pytest.mark.slow
def test_java_tests_run_in_the_process_of_the_submission(tmp_path):
    names = ("javalin-notes", "spark-memo", "spring-jotter")
    suite = api.import_repogenesis(published_tree(tmp_path / "published", names), tmp_path / "suite").suite
    submissions = references(tmp_path / "submissions", names)
    main = "src/main/java/org/example/Main.java"
    wrong = submissions / "spark-memo" / main
    wrong.write_text(wrong.read_text().replace("note == null ? 404 : 200", "200"))
    other = submissions / "spring-jotter" / main
    other.write_text(other.read_text().replace("int start(int port)", "void begin(int port)").replace("return server.getAddress().getPort();", "").replace("        start(", "        begin("))  # fmt: skip
    repoproof.score(suite, submissions, tmp_path / "run")
    found = {verdict.task: verdict for verdict in verdicts(tmp_path / "run").values()}
    assert {name: found[name].measures["pass_at_1"] for name in names} == {"javalin-notes": 1.0, "spark-memo": 2 / 3, "spring-jotter": 0.0}  # fmt: skip
    assert {test.id for test in found["spark-memo"].tests} == set(JAVA_IDS)
    # JUnit reports the disabled one as skipped: it did not run.
    assert found["spark-memo"].detail["unexpected_tests"] == []
    assert found["spring-jotter"].reason.startswith(
        "the golden tests cannot be run beside it: compiling the golden tests"
    )
    assert all(found[name].measures["dsr"] == 1.0 and found[name].detail["trust"] == "in_process" for name in names)


@pytest.mark.needs("docker", "java", "network")
@pytest.mark.timeout(900)
@pytest.mark.slow
def test_java_tests_run_in_a_container_too(tmp_path):
    names = ("javalin-notes",)
    suite = api.import_repogenesis(published_tree(tmp_path / "published", names), tmp_path / "suite").suite
    with engine():
        repoproof.score(suite, references(tmp_path / "submissions", names), tmp_path / "run", sandbox="docker")
    (verdict,) = verdicts(tmp_path / "run").values()
    assert (verdict.status, verdict.measures["pass_at_1"], verdict.measures["dsr"]) == (Status.PASSED, 1.0, 1.0)
