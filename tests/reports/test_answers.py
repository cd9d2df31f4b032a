"""What came back of the attempts, worked out by hand."""

from __future__ import annotations

import pytest

from repoproof.core.errors import Boundary
from repoproof.core.outcomes import Status
from repoproof.core.submission import NoAnswer, Origin
from repoproof.reports.answers import Answers
from repoproof.reports.report_page import report_page
from repoproof.reports.tables import Table


def test_a_failed_task_says_what_was_wrong_with_its_answer_in_one_line(report, verdict, question):
    note = "the answer was cut off at max_tokens (40);\nthe answer holds no file"
    failed = verdict("a", Status.START_FAILED, reason="nothing says how to start it")
    asked = question(failed).model_copy(update={"origin": Origin(cut_off=True, without_file=True, note=note)})
    page = report_page(report([failed], [asked]))
    (why,) = [part for part in page.parts if isinstance(part, Table) and part.title == "Why"]
    said = "nothing says how to start it; the answer was cut off at max_tokens (40); the answer holds no file"
    assert why.rows == (("a#0", said),)
    assert "1 of 1 attempts brought no file: 1 cut off" in page.parts


def test_faults_are_counted_by_kind_and_warned_of_apart_from_errors_of_scoring(report, verdict, question):
    lost = [verdict(task, Status.INFRASTRUCTURE_ERROR, boundary="model", submission_hash=task) for task in "abc"]
    ours = verdict("d", Status.INFRASTRUCTURE_ERROR, boundary="sandbox")
    kinds = ("timed_out", "rate_limited", "timed_out")
    asked = [
        question(one).model_copy(update={"no_answer": NoAnswer(kind=kind, reason="?", boundary=Boundary.MODEL)})
        for one, kind in zip(lost, kinds, strict=True)
    ]
    found = report([*lost, ours], [*asked, question(ours)])
    assert found.answers.faults == {"timed_out": 2, "rate_limited": 1}
    assert found.attempts == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert "3 of these attempts have no answer: have the solver try again" in found.warnings[0]
    assert ", 1 submission, 3 without an answer (" in found.headline


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        (Answers(handed_in=5), ""),
        (Answers(handed_in=5, cut_off=2), "cut off after some file: 2"),
        (
            Answers(handed_in=2, cut_off=1, without_file=1, cut_off_without_file=1, faults={"timed_out": 1}),
            "2 of 3 attempts brought no file: 1 cut off, 1 fault timed_out",
        ),
        (
            Answers(handed_in=4, cut_off=3, without_file=2, cut_off_without_file=1, not_asked=6),
            "8 of 10 attempts brought no file: 1 cut off, 1 answered without any, 6 not asked; cut off after some file: 2",
        ),
    ],
)
def test_the_line_counts_what_brought_no_file_over_all_attempts(answers, line):
    assert answers.line == line
