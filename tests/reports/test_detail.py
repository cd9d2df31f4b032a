"""Everything about one verdict."""

from __future__ import annotations

import pytest

from repoproof.core.outcomes import Cause, Status, TestOutcome
from repoproof.core.verdict import Phase, PhaseName, TestResult, Violation
from repoproof.reports.detail import verdict_page
from repoproof.reports.tables import Listing, Page, Table, markdown


def tables(verdict) -> dict[str, Table]:
    return {part.title: part for part in verdict_page(verdict).parts if isinstance(part, Table)}


def lines(verdict) -> list[str]:
    return [part for part in verdict_page(verdict).parts if isinstance(part, str)]


def test_it_begins_with_what_decided(verdict):
    shown = lines(verdict("a", Status.INFRASTRUCTURE_ERROR, boundary="sandbox", reason="no space left", tries=3))
    assert shown[0] == "a#0 infrastructure_error: no space left"
    assert shown[1] == "scored 2026-01-02 12:00:00 UTC in 1.5 s, try 3, failure of: sandbox"


def test_a_phase_shows_what_it_used_of_what_it_may(verdict):
    phases = (
        Phase(name=PhaseName.INSTALL, ok=True, cached=True),
        Phase(
            name=PhaseName.START, ok=False, cause=Cause.EXITED, exit_code=3, seconds=1.25, cpu_seconds=0.5,
            peak_memory_bytes=3 * 1024 * 1024, limit_seconds=15.0, reason="no answer", notes=("memory not limited",),
        ),
    )  # fmt: skip
    assert tables(verdict("a", Status.START_FAILED, phases=phases))["Phases"].rows == (
        ("install", "ok", "cached", "0.0", "", "", "", ""),
        ("start", "failed", "exited 3", "1.2", "15", "0.5", "3", "no answer; memory not limited"),
    )


@pytest.mark.parametrize(
    ("name", "ok", "cause", "said"),
    [
        (PhaseName.START, True, Cause.KILLED, "by us, after the tests"),
        (PhaseName.START, False, Cause.KILLED, "by us"),
        (PhaseName.TEST, False, Cause.KILLED, "by us"),
        (PhaseName.START, False, Cause.SIGNALLED, "signalled"),
    ],
)
def test_what_we_ended_ourselves_does_not_look_like_a_failure(verdict, name, ok, cause, said):
    phase = Phase(name=name, ok=ok, cause=cause)
    assert tables(verdict("a", Status.PASSED, phases=(phase,)))["Phases"].rows[0][2] == said


def test_every_expected_test_has_a_line(verdict):
    shown = tables(verdict("a", Status.FAILED, passed=1, of=2))["Tests, 1 of 2 passed"]
    assert [row[:2] for row in shown.rows] == [("test_it.py::test_0", "passed"), ("test_it.py::test_1", "failed")]


def test_the_familys_evidence_is_shown_whatever_it_is(verdict):
    detail = {
        "endpoints": [
            {"endpoint": "GET /a", "static": True, "at": "app.py:3"},
            {"endpoint": "PUT /a", "static": False},
        ],
        "start": "start.sh",
        "unexpected_tests": ["x", "y"],
        "nothing": [],
    }
    found = verdict("a", Status.FAILED, detail=detail)
    assert tables(found)["Endpoints"].rows == (("GET /a", "yes", "app.py:3"), ("PUT /a", "no", ""))
    assert lines(found)[-2:] == ["Start: start.sh", "Unexpected tests: x, y"]


def test_a_violation_says_whether_it_had_an_effect(verdict):
    violations = (
        Violation(rule="link-out-of-tree", evidence="a -> /etc"),
        Violation(rule="tampering", evidence="b", denied=False),
    )
    assert tables(verdict("a", Status.CHEATED, violations=violations))["Violations"].rows == (
        ("link-out-of-tree", "denied", "a -> /etc"),
        ("tampering", "took effect", "b"),
    )


def test_what_a_failing_test_said_is_shown_as_it_was_said(verdict):
    failed = TestResult(id="t.py::test", outcome=TestOutcome.FAILED, message="  assert 1 == 2\n   where 1 = f()\n")
    page = verdict_page(verdict("a", Status.FAILED, tests=(failed,)))
    assert Listing("t.py::test", "  assert 1 == 2\n   where 1 = f()") in page.parts
    assert "### t.py::test\n\n```\n  assert 1 == 2\n   where 1 = f()\n```\n" in markdown(page)


def test_a_tab_in_a_stack_trace_is_shown_as_blanks():
    page = Page((Listing("t", "Error: no\n\tat a.B.c(B.java:1)"), "Said: a\tb"))
    assert markdown(page) == "### t\n\n```\nError: no\n    at a.B.c(B.java:1)\n```\n\nSaid: a" + " b\n"


def test_a_fence_in_a_message_does_not_end_the_listing():
    assert markdown(Page((Listing("t", "a ```` b"),))) == "### t\n\n`````\na ```` b\n`````\n"


def test_many_failing_tests_are_quoted_in_part_and_in_full_on_demand(verdict):
    said = "def test():\n>   assert 1 == {n}\nE   assert 1 == {n}\n"
    tests = tuple(
        TestResult(id=f"t.py::test_{n}", outcome=TestOutcome.FAILED, message=said.format(n=n)) for n in range(25)
    )
    failed = verdict("a", Status.FAILED, tests=tests)
    page = verdict_page(failed)
    assert [part.title for part in page.parts if isinstance(part, Listing)] == [f"t.py::test_{n}" for n in range(3)]
    rest = tables(failed)["22 more, in short (--full: all of it)"]
    assert rest.rows[0] == ("t.py::test_3", "assert 1 == 3")
    assert len(rest.rows) == 22
    assert sum(isinstance(part, Listing) for part in verdict_page(failed, full=True).parts) == 25
