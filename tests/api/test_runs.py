"""Runs through the API, as far as that takes no sandbox: static scorings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.small_suite import IDS, REFERENCE, write_suite, write_tree

from repoproof import BadInput, Status, api
from repoproof.api.runs import settings
from repoproof.cli import main
from repoproof.core.config import SCORER_VERSION, ScoreConfig
from repoproof.core.run import RunDirectory
from repoproof.engine.plan import Plan
from repoproof.engine.pool import Finished, Started
from repoproof.reports.report_page import report_page
from repoproof.reports.tables import Table
from repoproof.sandbox import open_sandbox


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


def test_a_run_knows_a_name_that_was_given_from_one_that_is_its_folders(run):
    asked = {question.name: question.name_is_given for question in RunDirectory.read(run).info.asked if question.name}
    assert asked == {"a": False, "second-try": True}


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


def test_a_submission_is_called_one_thing_everywhere(suite, submissions, run, caplog, capsys):
    caplog.set_level("INFO", "repoproof")
    label = api.label(run, "first", attempt=1)
    assert label == "first/second-try"
    assert label in [row.label for row in api.report(run).tasks]
    assert main(["show", str(run), "first#1"]) == 0
    assert capsys.readouterr().out.startswith(f"{label} ")
    api.rerun(run, "first#1")
    assert f"{label}: try 1" in caplog.messages


@pytest.mark.parametrize(
    ("label", "attempt", "mend"),
    [
        ("library-loans", None, "the first are: first, second, third"),
        ("frist", None, "did you mean 'first'?"),
        ("second-try", None, "did you mean 'first/second-try'?"),
        ("first", 2, "of first it has: first/a, first/second-try"),
        ("first/third-try", None, "of first it has: first/a, first/second-try"),
    ],
)
def test_what_the_run_does_not_have_is_said_with_what_it_has(run, label, attempt, mend):
    with pytest.raises(BadInput, match=r"task: the run has no '") as raised:
        api.verdict(run, label, attempt=attempt)
    assert raised.value.mend == mend


def test_what_was_only_read_is_called_so_and_its_solver_is_heard(suite, submissions, tmp_path, caplog, capsys):
    line = {"task": "first", "path": "a", "origin": {"model": "m-1", "note": "cut off\nat 50 tokens", "cut_off": True}}
    (submissions / "submissions.jsonl").write_text(json.dumps(line) + "\n")
    caplog.set_level("INFO", "repoproof")
    report = api.score(suite, submissions, tmp_path / "run", static_only=True, tasks=["first"])
    assert any(message.startswith("first/a: read: static measures only") for message in caplog.messages)
    for command in (["show"], ["rerun"]):
        assert main([*command, str(tmp_path / "run"), "first"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[:3] == [
            "first/a read: static measures only: nothing was run",
            "answered by model m-1",
            "the solver's note: cut off at 50 tokens",
        ]
    why = [part.rows for part in report_page(report).parts if isinstance(part, Table) and part.title == "Why"]
    assert why == [(("first/a", "cut off at 50 tokens"),)]


def test_a_rerun_is_the_same_question_and_replaces_the_answer(run):
    before = api.verdict(run, "first#1")
    after = api.rerun(run, "first", attempt=1)
    assert after.key == before.key
    assert after.started > before.started
    assert api.verdict(run, "first#1") == after


def test_a_rerun_finds_its_submission_in_an_index_that_answers_other_tasks_too(suite, submissions, tmp_path):
    with (submissions / "submissions.jsonl").open("a") as index:
        index.write('{"task": "third", "path": "a"}\n')
    api.score(suite, submissions, tmp_path / "run", static_only=True)
    assert api.rerun(tmp_path / "run", "third").key == api.verdict(tmp_path / "run", "third").key


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
    with pytest.raises(
        BadInput, match=rf"scored by version 0 of the scorer, and this is {SCORER_VERSION} \(score them all: "
    ):
        api.rerun(run, "first")


def test_what_was_not_submitted_cannot_be_scored_again(run):
    with pytest.raises(BadInput, match="nothing was submitted for 'second'"):
        api.rerun(run, "second")


def test_the_logs_of_a_verdict_outlive_a_rerun(run):
    before = sorted((run / "logs").iterdir())
    api.rerun(run, "first#0")
    assert set(before) < set((run / "logs").iterdir())


@pytest.fixture
def folders(tmp_path) -> Path:
    """A folder a task, and nothing else."""
    root = tmp_path / "folders"
    write_tree(root / "first", REFERENCE)
    return root


def test_folders_that_belong_to_no_task_are_said_when_scoring(suite, folders, tmp_path, caplog):
    for name in ("secnd", *(f"unlike-any-{n}" for n in range(9))):
        (folders / name).mkdir()
    api.score(suite, folders, tmp_path / "run", static_only=True)
    assert "secnd: no such task in the suite, not scored (did you mean 'second'?)" in caplog.messages
    assert "5 more: no such tasks in the suite, not scored" in caplog.messages


def test_a_folder_in_which_nothing_belongs_to_a_task_is_no_folder_of_submissions(suite, folders, tmp_path):
    (folders / "first").rename(folders / "frist")
    with pytest.raises(BadInput, match=r"folders: nothing in it belongs to a task of suite small \(name one folder"):
        api.score(suite, folders, tmp_path / "run", static_only=True)
    assert not (tmp_path / "run").exists()


def test_an_empty_folder_of_submissions_is_every_task_missing(suite, tmp_path, caplog):
    (tmp_path / "empty").mkdir()
    report = api.score(suite, tmp_path / "empty", tmp_path / "run", static_only=True)
    assert {row.status for row in report.tasks} == {Status.MISSING}
    assert report.denominator == len(report.tasks)
    assert any("every task counts as missing" in message for message in caplog.messages)


def test_a_suite_and_submissions_in_the_wrong_order_are_recognised(suite, folders, tmp_path):
    for attempt in (
        lambda: api.score(folders, suite, tmp_path / "run", static_only=True),
        lambda: api.check(suite, folders),
    ):
        with pytest.raises(BadInput, match=r"suite is a suite, and .*folders is none: are the two swapped\?"):
            attempt()


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("workers", 0),
        ("workers", "a"),
        ("workers", True),
        ("task_seconds", -1),
        ("task_seconds", float("nan")),
        ("task_seconds", "1"),
        ("tasks", "first"),
        ("tasks", [1]),
        ("language", 3),
        ("model_name", "two\nlines"),
    ],
)
def test_a_wrong_argument_is_named_as_the_caller_wrote_it(suite, folders, tmp_path, argument, value):
    with pytest.raises(BadInput, match=f"^{argument}: "):
        api.score(suite, folders, tmp_path / "run", static_only=True, **{argument: value})


@pytest.mark.parametrize("value", ["", 3, None, "a\0b"])
def test_a_place_that_is_no_path_is_named(suite, folders, tmp_path, value):
    for argument, attempt in {
        "run": lambda: api.report(value),
        "run_b": lambda: api.compare(tmp_path, value),
        "suite": lambda: api.load_suite(value),
        "submissions": lambda: api.check(value, suite),
    }.items():
        with pytest.raises(BadInput, match=f"^{argument}: "):
            (tmp_path / "run.json").touch()
            attempt()


@pytest.mark.parametrize("changed", [{"limits": "rlimits"}, {"runner": "0" * 64}])
def test_what_ran_under_other_conditions_is_another_question(run, suite, submissions, monkeypatch, changed):
    def elsewhere(*args, **options):
        return settings(*args, **options).model_copy(update=changed)

    monkeypatch.setattr("repoproof.api.one.settings", elsewhere)
    monkeypatch.setattr("repoproof.api.runs.settings", elsewhere)
    with pytest.raises(BadInput, match=f"scored under {next(iter(changed))} 'unknown', and here it is '"):
        api.rerun(run, "first")
    heard = []
    api.score(suite, submissions, run, static_only=True, on_event=heard.append)
    assert sum(isinstance(event, Started) for event in heard) == 2


def test_runs_of_one_suite_compare(run, suite, submissions, tmp_path):
    api.score(suite, submissions, tmp_path / "other", static_only=True)
    comparison = api.compare(run, tmp_path / "other")
    assert comparison.denominator == 3
    assert [difference.name for difference in comparison.differences] == ["ac_static"]


def test_a_subset_is_a_subset_in_the_report_as_well(suite, submissions, tmp_path):
    report = api.score(suite, submissions, tmp_path / "run", static_only=True, tasks=["second", "first"])
    assert (report.denominator, report.subset) == (2, "subset: 2 of 3 tasks")
    assert [row.task for row in report.tasks] == ["first", "first", "second"]


@pytest.mark.needs("bubblewrap")
def test_settings_say_what_holds_the_limits_and_which_runner_tests(suite, monkeypatch):
    loaded = api.load_suite(suite)
    box = open_sandbox("bubblewrap")
    found = settings(loaded, box, task_seconds=None)
    assert (found.sandbox, len(found.runner)) == ("bubblewrap", 64)
    for said, limits in {"cgroup v1": "cgroup", "cgroup v2": "cgroup", "rlimits": "rlimits"}.items():
        monkeypatch.setattr(type(box), "fingerprint", lambda self, said=said: {"limits": said})
        assert settings(loaded, box, task_seconds=None).limits == limits
    assert settings(loaded, None, task_seconds=None) == ScoreConfig(sandbox="none", static_only=True)


def test_what_was_missing_or_refused_still_has_all_its_tests(run):
    missing = api.verdict(run, "second")
    assert [test.id for test in missing.tests] == list(IDS)
    assert not any(test.passed for test in missing.tests)
    row = next(row for row in api.report(run).tasks if row.task == "second")
    assert (row.tests_passed, row.tests_total) == (0, len(IDS))


def test_another_question_to_a_directory_is_said_in_one_line(run, suite, submissions, folders, caplog):
    api.score(suite, submissions, run, static_only=True)
    assert not [line for line in caplog.messages if " held " in line]
    api.score(suite, folders, run, static_only=True, tasks=["first"], model_name="m")
    was, now = f"{submissions}, all tasks, static only", f"{folders}, only first, static only, model m"
    assert f"{run} held {was}; now it holds {now}" in caplog.messages


def test_a_damaged_line_is_passed_over_and_nags_nobody(run, caplog):
    with (run / "verdicts.jsonl").open("a") as file:
        file.write('{"task": "fir')
    assert api.report(run).submissions == 4
    assert caplog.messages == []
