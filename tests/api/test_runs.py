"""Runs through the API, as far as that takes no sandbox: static scorings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.small_suite import REFERENCE, write_suite, write_tree

from repoproof import BadInput, Status, api
from repoproof.engine.plan import Plan
from repoproof.engine.pool import Finished, Started


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite", ids=("first", "second", "third"))


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    """Two answers to the first task, one of them with a name; none to the others."""
    folder = tmp_path / "submissions"
    write_tree(folder / "a", REFERENCE)
    write_tree(folder / "b", {**REFERENCE, "more.py": "x = 1\n"})
    lines = [{"task": "first", "path": "a"}, {"task": "first", "path": "b", "attempt": 1, "name": "second-try"}]
    (folder / "submissions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture
def run(suite, submissions, tmp_path) -> Path:
    api.score(suite, submissions, tmp_path / "run", static_only=True)
    return tmp_path / "run"


def test_a_check_runs_nothing_and_says_what_scoring_would_come_to(suite, submissions, tmp_path):
    found = api.check(submissions, suite, tasks=["first", "second"])
    assert [(checked.label, checked.refused) for checked in found.submissions] == [
        ("first/a", ""),
        ("first/second-try", ""),
    ]
    assert (found.denominator, found.missing, found.subset) == (2, ("second",), "subset: 2 of 3 tasks")
    report = api.score(suite, submissions, tmp_path / "run", tasks=["first", "second"], static_only=True)
    assert (report.denominator, report.subset) == (found.denominator, found.subset)


def test_events_are_the_plan_first_and_then_what_happens(suite, submissions, tmp_path):
    heard = []
    report = api.score(suite, submissions, tmp_path / "run", static_only=True, on_event=heard.append)
    assert isinstance(heard[0], Plan)
    assert len(heard[0].asked) == report.submissions == 4
    assert sum(isinstance(event, Started) for event in heard) == 2
    finished = [event.verdict.key for event in heard if isinstance(event, Finished)]
    assert set(finished) == {question.key for question in heard[0].asked}


def test_an_event_is_told_after_its_verdict_is_on_disk(suite, submissions, tmp_path):
    verdicts = tmp_path / "run" / "verdicts.jsonl"

    def hear(event):
        if isinstance(event, Finished):
            on_disk.append(f'"task":"{event.verdict.task}"' in verdicts.read_text())

    on_disk: list[bool] = []
    api.score(suite, submissions, tmp_path / "run", static_only=True, on_event=hear)
    assert on_disk == [True] * 4


def test_what_is_missing_is_in_the_denominator(run):
    report = api.report(run)
    assert (report.denominator, report.submissions, report.counts[Status.MISSING]) == (3, 4, 2)


def test_a_changed_submission_is_scored_anew_and_an_unchanged_one_is_not(run, suite, submissions):
    (submissions / "a" / "more.py").write_text("y = 2\n")
    heard = []
    report = api.score(suite, submissions, run, static_only=True, on_event=heard.append)
    assert [event.job.submission.attempt for event in heard if isinstance(event, Started)] == [0]
    assert report.submissions == 4


@pytest.mark.parametrize(
    ("label", "attempt", "found"),
    [("first", None, 0), ("first", 1, 1), ("first#1", None, 1), ("first/second-try", None, 1), ("first#0", None, 0)],
)
def test_a_verdict_is_found_under_every_label_that_reports_use(run, label, attempt, found):
    assert api.verdict(run, label, attempt=attempt).attempt == found


@pytest.mark.parametrize(("label", "attempt"), [("fourth", None), ("first", 2), ("first/third-try", None)])
def test_what_the_run_does_not_have_is_said(run, label, attempt):
    with pytest.raises(BadInput, match=r"TASK: the run has no '"):
        api.verdict(run, label, attempt=attempt)


def test_a_rerun_is_the_same_question_and_replaces_the_answer(run):
    before = api.verdict(run, "first#1")
    after = api.rerun(run, "first", attempt=1)
    assert after.key == before.key
    assert after.started > before.started
    assert api.verdict(run, "first#1") == after


def test_a_rerun_asks_nothing_else(run):
    before = api.verdict(run, "first#0")
    api.rerun(run, "first", attempt=1)
    assert api.verdict(run, "first#0") == before


def test_a_rerun_against_a_changed_task_is_refused(run, suite):
    (suite / "public" / "files" / "first" / "README.md").write_text("# Something else\n")
    api.seal(suite)
    with pytest.raises(BadInput, match="task 'first' has changed since it was scored"):
        api.rerun(run, "first")


def test_a_rerun_of_what_is_no_run_makes_none(tmp_path):
    with pytest.raises(BadInput, match="no such directory"):
        api.rerun(tmp_path / "typo", "first")
    assert list(tmp_path.iterdir()) == []


def test_a_rerun_by_another_scorer_would_be_another_question(run):
    info = json.loads((run / "run.json").read_text())
    info["config"]["scorer_version"] = "0"
    (run / "run.json").write_text(json.dumps(info))
    with pytest.raises(BadInput, match=r"scored by version 0 of the scorer, and this is 1 \(score them all: "):
        api.rerun(run, "first")


def test_what_was_not_submitted_cannot_be_scored_again(run):
    with pytest.raises(BadInput, match="nothing was submitted for 'second'"):
        api.rerun(run, "second")


def test_the_logs_of_a_verdict_outlive_a_rerun(run):
    before = sorted((run / "logs").iterdir())
    api.rerun(run, "first#0")
    assert set(before) < set((run / "logs").iterdir())


def test_a_folder_that_belongs_to_no_task_is_said_when_scoring(suite, submissions, tmp_path, caplog):
    with (submissions / "submissions.jsonl").open("a") as file:
        file.write('{"task": "frist", "path": "a"}\n')
    api.score(suite, submissions, tmp_path / "run", static_only=True)
    assert "frist: no such task in the suite, not scored" in caplog.messages


def test_runs_of_one_suite_compare(run, suite, submissions, tmp_path):
    api.score(suite, submissions, tmp_path / "other", static_only=True)
    comparison = api.compare(run, tmp_path / "other")
    assert comparison.denominator == 3
    assert [difference.name for difference in comparison.differences] == ["ac_static"]


def test_a_subset_is_a_subset_in_the_report_as_well(suite, submissions, tmp_path):
    report = api.score(suite, submissions, tmp_path / "run", static_only=True, tasks=["second", "first"])
    assert (report.denominator, report.subset) == (2, "subset: 2 of 3 tasks")
    assert [row.task for row in report.tasks] == ["first", "first", "second"]
