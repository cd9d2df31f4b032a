"""Results are held against the manifest, whatever the test side reports."""

import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.core.outcomes import TestOutcome
from repoproof.core.verdict import TestResult
from repoproof.families.microservice.golden import hold_against, junit_xml, printable, read_records


def line(id, outcome="passed"):
    return {"id": id, "outcome": outcome, "seconds": 0.5, "message": ""}


def test_every_expected_test_has_exactly_one_result_in_the_manifests_order():
    held, unexpected = hold_against(("a", "b", "c"), [line("c"), line("a", "failed"), line("d")])
    assert [(r.id, r.outcome.value) for r in held] == [("a", "failed"), ("b", "missing"), ("c", "passed")]
    assert unexpected == ("d",)


def test_what_was_skipped_did_not_run_and_is_none_that_nobody_expected():
    assert hold_against(("a",), [line("a"), line("b", "skipped"), line("c", "errored")])[1] == ("c",)


@pytest.mark.parametrize(
    "record",
    [
        {"collected": ["a"], "disabled": "a"},
        {"collected": ["a"], "disabled": [1]},
        {"collected": ["a"], "left_out": ["a"]},
        {"collected": ["a"], "left_out": {"a": None}},
        {"collected": "a"},
    ],
)
def test_what_no_runner_writes_ends_what_is_read(tmp_path, record):
    file = tmp_path / "results.jsonl"
    file.write_text(f'{{"started": "9"}}\n{json.dumps(record)}\n{{"finished": 0}}\n')
    assert read_records(file) == [{"started": "9"}]


@pytest.mark.parametrize("outcome", ["failed", "errored", "skipped"])
def test_only_passed_counts_as_passed(outcome):
    held, _ = hold_against(("a",), [line("a", outcome)])
    assert not held[0].passed


def test_a_record_cut_off_by_a_kill_is_left_out_and_the_rest_is_kept(tmp_path):
    file = tmp_path / "results.jsonl"
    file.write_text('{"id": "a", "outcome": "passed", "seconds": 0, "message": ""}\n{"id": "b", "outc')
    assert [record["id"] for record in read_records(file)] == ["a"]


def test_no_file_of_results_is_no_results(tmp_path):
    assert read_records(tmp_path / "none") == []


RESULTS = (
    TestResult(id="api/test_a.py::test_one", outcome=TestOutcome.PASSED, seconds=0.25),
    TestResult(id="test_b.py::test_two[x]", outcome=TestOutcome.FAILED, message="E   assert 1 == 2\nAssertionError"),
    TestResult(id="test_b.py::test_three", outcome=TestOutcome.ERRORED, message="boom"),
    TestResult(id="test_b.py::test_four", outcome=TestOutcome.SKIPPED, message="not today"),
    TestResult(id="test_b.py::test_five", outcome=TestOutcome.MISSING),
)


def test_junit_counts_add_up_and_a_missing_test_is_an_error():
    suite = ElementTree.fromstring(junit_xml("task", RESULTS)).find("testsuite")
    assert {k: suite.get(k) for k in ("name", "tests", "failures", "errors", "skipped")} == {
        "name": "task", "tests": "5", "failures": "1", "errors": "2", "skipped": "1",
    }  # fmt: skip
    cases = suite.findall("testcase")
    assert (cases[0].get("classname"), cases[0].get("name"), cases[0].get("time")) == (
        "api.test_a",
        "test_one",
        "0.250",
    )
    assert [child.tag for case in cases for child in case] == ["failure", "error", "skipped", "error"]
    assert cases[4].find("error").get("type") == "missing"


@given(st.text())
def test_junit_is_well_formed_whatever_a_failure_says(message):
    result = TestResult(id="t.py::t", outcome=TestOutcome.FAILED, message=message)
    parsed = ElementTree.fromstring(junit_xml("task", [result]))
    assert parsed.find(".//failure").text in (printable(message), None) or printable(message).isspace()
