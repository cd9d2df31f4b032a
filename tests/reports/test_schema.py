"""The published schema: what a report is held against, and kept in step with the records."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

from repoproof.reports.answers import Answers
from repoproof.reports.report import Report
from repoproof.reports.schema import report_schema

PUBLISHED = json.loads(files("repoproof.reports").joinpath("report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(PUBLISHED)


def as_json(report) -> dict:
    return json.loads(report.model_dump_json())


def test_the_published_schema_is_that_of_the_records():
    """If not: `python -m repoproof.reports.schema > src/repoproof/reports/report.schema.json`, and mind the version."""
    assert report_schema() == PUBLISHED


def test_it_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)


@pytest.mark.parametrize("static", [False, True])
def test_a_report_is_valid(report, four_verdicts, static):
    VALIDATOR.validate(as_json(report(four_verdicts, static=static, of=7)))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("denominator", "3"),
        ("strict", {"pass_at_1": "high"}),
        ("counts", {"passed": 1.5}),
        ("tasks", [{"task": "a"}]),
        ("surprise", 1),
    ],
)
def test_a_report_that_is_something_else_is_not(report, four_verdicts, field, value):
    assert not VALIDATOR.is_valid(as_json(report(four_verdicts)) | {field: value})


def test_a_report_from_before_a_field_was_added_is_still_read(report, four_verdicts):
    written = as_json(report(four_verdicts))
    del written["answers"], written["tasks"][0]["no_answer"]
    assert Report.model_validate(written) == report(four_verdicts).model_copy(update={"answers": Answers()})


def test_what_programs_rely_on_is_where_it_was_promised(report, four_verdicts):
    """The names that programs rely on: see docs/report.md."""
    written = as_json(report(four_verdicts))
    assert written["schema_version"] == 1
    assert written["suite"]["name"] == "mini"
    assert written["denominator"] == 3
    assert written["counts"]["failed"] == 2
    assert set(written["strict"]) == set(written["conditional"]) == {"pass_at_1", "all_pass", "dsr", "ac_static"}
    assert written["infrastructure_rate"] == 0.25
    assert [(row["task"], row["status"]) for row in written["tasks"]] == [
        ("a", "failed"), ("a", "failed"), ("b", "infrastructure_error"), ("c", "missing")
    ]  # fmt: skip
