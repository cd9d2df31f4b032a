"""From a solver's attempts to the report: that the model failed, and that the endpoint did, are told apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from plugins.asking import endpoint_at
from plugins.solvable import RIGHT, solvable_suite, to

from repoproof import BadInput, Report, Status, api
from repoproof.core.errors import Boundary
from repoproof.models.base import Sampling
from repoproof.models.scripted import Rule, scripted_server
from repoproof.reports.pages import check_page
from repoproof.reports.report_page import report_page
from repoproof.reports.tables import Table

TASKS = ("right", "wordy", "endless", "busy")
MAX_TOKENS = 2_000


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return solvable_suite(tmp_path_factory.mktemp("suites") / "suite", *TASKS)


def solved(suite: Path, out: Path, *rules: Rule, **asked: Any) -> None:
    sampling = Sampling(max_tokens=MAX_TOKENS)
    with scripted_server([*rules, Rule(replies=(RIGHT,))]) as server:
        api.solve(
            suite,
            endpoint_at(server.base_url, tries=2),
            out,
            **{"budget": "unlimited", "sampling": sampling, "recording": "off", **asked},
        )


def scored(suite: Path, out: Path, run: Path) -> Report:
    return api.score(suite, out, run, static_only=True)


BUSY = to("busy", status=429, retry_after=0)
FAILING = (to("wordy", "I cannot do that."), to("endless", "Let me think. " * 5_000), BUSY)


def test_a_report_tells_what_the_model_failed_from_what_the_endpoint_did(suite, tmp_path):
    solved(suite, tmp_path / "out", *FAILING)
    report = scored(suite, tmp_path / "out", tmp_path / "run")
    rows = {row.task: row for row in report.tasks}
    assert [row.status.is_ours for row in rows.values()] == [False, False, False, True]
    assert (rows["wordy"].origin.without_file, rows["wordy"].origin.note) == (True, "the answer holds no file")
    assert (rows["endless"].origin.cut_off, rows["endless"].origin.without_file) == (True, True)
    assert (
        rows["endless"].origin.note == f"the answer was cut off at max_tokens ({MAX_TOKENS}); the answer holds no file"
    )
    assert not rows["right"].origin.note
    busy = rows["busy"]
    assert (busy.status, busy.boundary, busy.no_answer) == (
        Status.INFRASTRUCTURE_ERROR,
        Boundary.MODEL,
        "rate_limited",
    )
    assert busy.reason == "no answer: rate_limited: 429: scripted error 429"

    # It is 0 in strict scores and in no conditional one, and above the threshold the number is no result.
    assert (report.denominator, report.conditional_denominator, report.infrastructure_rate) == (4, 3, 0.25)
    assert report.above_threshold
    assert "(the same `repoproof solve`)" in report.warnings[0]
    assert ", 3 submissions, 1 without an answer (" in report.headline
    assert report.answers.model_dump() == {
        "handed_in": 3,
        "cut_off": 1,
        "without_file": 2,
        "cut_off_without_file": 1,
        "faults": {"rate_limited": 1},
        "too_long": 0,
        "not_asked": 0,
    }
    assert report.effort.answers == 3
    page = report_page(report)
    line = "3 of 4 attempts brought no file: 1 cut off, 1 answered without any, 1 fault rate_limited"
    assert line in page.parts
    # What was only read has no reason of its own; its solver may have said something.
    assert [part.rows for part in page.parts if isinstance(part, Table) and part.title == "Why"] == [
        (*((task + "#0", rows[task].origin.note) for task in ("wordy", "endless")), ("busy#0", busy.reason))
    ]

    # The same solve goes on, and the same score: nothing is left of the fault.
    solved(suite, tmp_path / "out")
    report = scored(suite, tmp_path / "out", tmp_path / "run")
    assert (report.infrastructure_rate, report.answers.faults, report.answers.handed_in) == (0, {}, 4)
    assert {row.task: row.no_answer for row in report.tasks} == dict.fromkeys(TASKS, "")


def test_a_prompt_that_is_too_long_for_the_model_is_its_own_failure_and_no_fault(suite, tmp_path):
    solved(suite, tmp_path / "out", to("busy", context_tokens=10))
    report = scored(suite, tmp_path / "out", tmp_path / "run")
    (busy,) = [row for row in report.tasks if row.task == "busy"]
    assert (busy.status, busy.boundary, busy.no_answer) == (Status.MISSING, None, "too_long")
    assert busy.reason.startswith("no answer: too_long: 400: This model's maximum context length is 10 tokens.")
    # It is 0 in both scores, and the numbers are results.
    assert (report.denominator, report.conditional_denominator, report.infrastructure_rate) == (4, 4, 0)
    assert not any("budget" in warning or "infrastructure" in warning for warning in report.warnings)
    assert (report.answers.too_long, report.answers.faults, report.answers.not_asked) == (1, {}, 0)
    assert report.answers.line == "1 of 4 attempts brought no file: 1 too long for the model"

    # A model with more room is asked by the same command.
    solved(suite, tmp_path / "out")
    assert scored(suite, tmp_path / "out", tmp_path / "run").answers.line == ""


def test_tokens_that_no_endpoint_reported_are_called_an_estimate_wherever_they_are_shown(suite, tmp_path):
    solved(suite, tmp_path / "out", to("right", RIGHT, usage=False))
    lines = [json.loads(line)["origin"] for line in (tmp_path / "out" / "submissions.jsonl").read_text().splitlines()]
    assert [line.get("estimated", False) for line in lines] == [True, False, False, False]
    report = scored(suite, tmp_path / "out", tmp_path / "run")
    amounts = {name: (amount.known, amount.estimated) for name, amount in report.effort.amounts.items()}
    assert amounts == {"prompt_tokens": (4, 1), "completion_tokens": (4, 1), "tokens": (4, 1), "seconds": (4, 0)}
    (took,) = [
        part for part in report_page(report).parts if isinstance(part, Table) and part.title == "What the answers took"
    ]
    assert [row[1] for row in took.rows] == [*["4 of 4, 1 of them estimated"] * 3, "4 of 4"]


def test_a_fault_among_answers_is_an_attempt_that_did_not_pass(suite, tmp_path):
    rules = [to("busy", status=503, times=2), to("right", "no", times=1)]
    solved(suite, tmp_path / "out", *rules, samples=2, workers=1)
    report = scored(suite, tmp_path / "out", tmp_path / "run")
    assert [(row.attempt, row.no_answer) for row in report.tasks if row.task == "busy"] == [(0, "overloaded"), (1, "")]
    assert report.attempts == {"right": 2, "wordy": 2, "endless": 2, "busy": 2}
    assert (report.infrastructure_rate, report.infrastructure_loss) == (1 / 8, 1 / 8)
    assert not any("attempts are missing" in warning for warning in report.warnings)


def test_an_evaluation_of_one_answer_a_repository_does_not_choose_among_attempts(suite, tmp_path):
    solved(suite, tmp_path / "out", to("busy", status=503, times=2), samples=2, workers=1, tasks=["busy"])
    with pytest.raises(BadInput, match="several attempts, not all with an answer, to 'busy'"):
        api.run_evaluation(suite, tmp_path / "out", tmp_path / "evaluation", repo_names=["busy"], skip_docker=True)


def test_what_a_budget_stopped_is_no_failure_of_anybody_and_a_task_without_any_answer_counts(suite, tmp_path):
    asked: dict[str, Any] = {"samples": 3, "workers": 1, "tasks": ["right", "wordy"]}
    solved(suite, tmp_path / "out", **asked, budget="calls=3")
    report = api.score(suite, tmp_path / "out", tmp_path / "run", static_only=True, tasks=["right", "wordy"])
    assert [(row.task, row.attempt) for row in report.tasks] == [("right", 0), ("right", 1), ("wordy", 0)]
    assert (report.answers.not_asked, report.infrastructure_rate) == (3, 0)
    assert report.answers.line == "3 of 6 attempts brought no file: 3 not asked"

    solved(suite, tmp_path / "other", **asked, budget="calls=1")
    report = api.score(suite, tmp_path / "other", tmp_path / "run2", static_only=True, tasks=["right", "wordy"])
    assert [(row.task, row.status.value, row.no_answer) for row in report.tasks][1:] == [
        ("wordy", "missing", "over_budget")
    ]
    assert report.tasks[1].reason.startswith("not asked: the run's budget is used up")
    assert report.answers.not_asked == 5
    assert any(warning.startswith("1 task had no answer when the solver's budget") for warning in report.warnings)


def test_a_check_names_attempts_without_an_answer_and_does_not_call_them_missing(suite, tmp_path):
    solved(suite, tmp_path / "out", BUSY, tasks=["right", "busy"])
    found = api.check(tmp_path / "out", suite)
    assert (found.missing, found.no_answer) == (
        ("wordy", "endless"),
        {"busy#0": "rate_limited: 429: scripted error 429"},
    )
    assert "no answer: busy#0: rate_limited: 429: scripted error 429" in check_page(found).parts
    scored(suite, tmp_path / "out", tmp_path / "run")
    with pytest.raises(BadInput, match="nothing was submitted for 'busy'"):
        api.rerun(tmp_path / "run", "busy")


def test_what_is_left_of_an_output_without_its_own_records_is_scored_as_any_submissions(suite, tmp_path):
    """Only those who made the attempts can say that there were more."""
    solved(suite, tmp_path / "out", BUSY)
    (tmp_path / "out" / ".solve" / "attempts.jsonl").unlink()
    report = scored(suite, tmp_path / "out", tmp_path / "run")
    assert [row.status for row in report.tasks][-1] is Status.MISSING
    assert report.answers.line == ""


def test_the_index_says_of_each_answer_what_there_is_to_say_and_nothing_else(suite, tmp_path):
    solved(suite, tmp_path / "out", *FAILING)
    lines = (tmp_path / "out" / "submissions.jsonl").read_text().splitlines()
    said = [set(json.loads(line)["origin"]) & {"cut_off", "without_file", "note"} for line in lines]
    assert said == [set(), {"without_file", "note"}, {"cut_off", "without_file", "note"}]
