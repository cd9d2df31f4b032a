"""Scores by framework, difficulty and the like, and how large the submitted code is."""

from __future__ import annotations

import pytest

from repoproof.cli.options import DIMENSIONS as OFFERED
from repoproof.core.outcomes import Status
from repoproof.reports.report_page import report_page
from repoproof.reports.slices import DIMENSIONS
from repoproof.reports.tables import markdown


@pytest.fixture
def sliced(report, verdict, question):
    """Three tasks: two of flask, one that says no framework; tags overlap."""
    verdicts = [
        verdict("a", Status.PASSED, passed=4, of=4),
        verdict("b", Status.FAILED, passed=1, of=4),
        verdict("c", Status.MISSING),
    ]
    said = [
        {"framework": ("flask",), "tag": ("auth", "files"), "difficulty": ("easy",)},
        {"framework": ("flask",), "tag": ("auth",), "difficulty": ("hard",)},
        {},
    ]
    asked = [question(each).model_copy(update={"slices": slices}) for each, slices in zip(verdicts, said, strict=True)]
    return report(verdicts, asked)


def test_every_task_is_in_a_slice_of_each_dimension(sliced):
    found = {
        dimension: {name: (part.denominator, part.strict["pass_at_1"]) for name, part in slices.items()}
        for dimension, slices in sliced.slices.items()
    }
    assert found == {
        "language": {"python": (3, pytest.approx(1.25 / 3))},
        "framework": {"flask": (2, 0.625), "unknown": (1, 0.0)},
        "difficulty": {"easy": (1, 1.0), "hard": (1, 0.25), "unknown": (1, 0.0)},
        "tag": {"auth": (2, 0.625), "files": (1, 1.0), "unknown": (1, 0.0)},
    }


def test_a_slice_of_one_task_has_no_interval(sliced):
    intervals = {name: part.intervals for name, part in sliced.slices["framework"].items()}
    assert intervals["unknown"] == {}
    assert (intervals["flask"]["pass_at_1"].low, intervals["flask"]["pass_at_1"].high) == (0.25, 1.0)


def test_the_page_has_what_is_asked_for(sliced):
    assert "By framework" not in markdown(report_page(sliced))
    shown = markdown(report_page(sliced, by=["framework", "domain"]))
    assert "| flask | 2 | 0.6250 | 0.2500 to 1.0000 |" in shown
    assert "By domain: no task says one" in shown


def test_the_command_offers_every_dimension():
    assert OFFERED == DIMENSIONS


def test_the_size_of_the_code_is_over_what_was_read(report, verdict):
    sizes = [{"code_lines": float(lines), "code_files": 1.0} for lines in (10, 20, 60)]
    read = [verdict(f"t{n}", Status.FAILED, measures=size) for n, size in enumerate(sizes)]
    found = report([*read, verdict("absent", Status.MISSING)])
    assert found.code["code_lines"].model_dump() == {"known": 3, "total": 90.0, "mean": 30.0, "median": 20.0}
    assert "code_complexity" not in found.code
    shown = markdown(report_page(found, code=True))
    assert "### The submitted code, 3 of 4 submissions read" in shown
    assert "| t2#0 | 60 | 1 |" in shown
    assert "| median | 20.0 | 1.0 |" in shown


def test_code_that_was_never_read_has_no_size(report, verdict):
    found = report([verdict("a", Status.MISSING)])
    assert found.code == {}
    assert "The submitted code: none was read" in markdown(report_page(found, code=True))
