"""Shares of tasks, from health records."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from repoproof.core.health import Defect, Health, Reference
from repoproof.reports.pages import validation_page
from repoproof.reports.tables import Table
from repoproof.reports.validation import validation_of


def a_health(task: str, *, reasons: tuple[str, ...] = (), **fields: object) -> Health:
    defaults = {"reference_passed": True, "repeats": 3, "empty_passed": False, "stub_passed": False}
    return Health.model_validate(
        {
            "task": task,
            "digest": "d" * 64,
            "healthy": not reasons,
            "reasons": reasons,
            "checked": datetime(2026, 1, 2, tzinfo=UTC),
        }
        | defaults
        | fields
    )


RECORDS = [
    a_health("a"),
    a_health("b", reasons=("the reference fails", "and again"), reference_passed=False, flaky=("t.py::test",)),
    a_health("c"),
    a_health("d", reasons=("a stub passes it",), stub_passed=True, empty_passed=True),
]


def test_the_json_is_shares_of_tasks_and_reasons_by_task():
    assert json.loads(validation_of(RECORDS).model_dump_json()) == {
        "tasks": 4,
        "reference_passed": 0.75,
        "empty_passed": 0.25,
        "stub_passed": 0.25,
        "quarantined": 0.5,
        "reasons": {"b": ["the reference fails", "and again"], "d": ["a stub passes it"]},
        "without_reference": 0.0,
        "remarks": {},
    }


def test_every_task_has_a_line_and_every_reason_too():
    tables = [part for part in validation_page(validation_of(RECORDS)).parts if isinstance(part, Table)]
    assert [row[:2] for row in tables[0].rows] == [
        ("a", "healthy"),
        ("b", "quarantined"),
        ("c", "healthy"),
        ("d", "quarantined"),
    ]
    assert [row[0] for row in tables[1].rows] == ["b", "b", "d"]


def test_a_healthy_suite_has_nothing_to_explain():
    validation = validation_of([RECORDS[0], RECORDS[2]])
    assert validation.healthy
    assert len(validation_page(validation).parts) == 2


def test_what_does_not_quarantine_is_told_apart_and_a_task_without_a_reference_is_none_that_passed():
    skips = Defect(code="skips-without-service", words="every test is skipped", quarantines=False)
    published = a_health("e", reference=Reference.NONE, reference_passed=False, defects=(skips,))
    validation = validation_of([RECORDS[0], published])
    assert validation.healthy
    assert (validation.reference_passed, validation.without_reference) == (0.5, 0.5)
    assert validation.remarks == {"e": ("every test is skipped",)}
    _, noted, summary = validation_page(validation).parts
    assert isinstance(noted, Table)
    assert (noted.title, noted.rows) == ("Noted", (("e", "skips-without-service", "every test is skipped"),))
    assert str(summary).endswith("quarantined 0%, without a reference 50%")


def test_where_there_is_no_reference_at_all_none_was_measured():
    published = a_health("e", reference=Reference.NONE, reference_passed=False)
    validation = validation_of([published])
    assert validation.reference_passed is None
    assert str(validation_page(validation).parts[-1]).startswith("1 task: reference passed -, empty passed 0%")
