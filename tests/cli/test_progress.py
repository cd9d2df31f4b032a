"""What is said while a scoring goes on."""

from __future__ import annotations

import io
import logging
from argparse import Namespace
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from repoproof.api.validation import Validated
from repoproof.cli.progress import Tally, duration, scoring_progress, validation_progress
from repoproof.core.health import Health
from repoproof.core.outcomes import Status
from repoproof.core.run import Asked
from repoproof.core.submission import Submission
from repoproof.core.task import Provenance, Task
from repoproof.core.verdict import Verdict, VerdictKey
from repoproof.engine.plan import Job, Plan
from repoproof.engine.pool import Finished, Retried, Started


def a_key(task: str) -> VerdictKey:
    return VerdictKey(task=task, attempt=0, submission_hash="s", config_hash="c")


def a_job(task: str) -> Job:
    record = Task(id=task, provenance=Provenance(source="ours", licence="MIT"))
    return Job(record, Submission(task=task, hash="s"), a_key(task))


def finished(task: str, status: Status, seconds: float, *, ran: bool = True, **measures: float) -> Finished:
    started = datetime(2026, 1, 2, tzinfo=UTC)
    return Finished(
        Verdict(**dict(a_key(task)), status=status, seconds=seconds, measures=measures, started=started), ran=ran
    )


def a_plan(*tasks: str, kept: int = 0) -> Plan:
    asked = tuple(Asked(key=a_key(task)) for task in tasks)
    return Plan(asked, tuple(question.key for question in asked[:kept]), (), tuple(map(a_job, tasks[kept:])))


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def test_a_finished_submission_is_a_line_that_says_how_many_are_done():
    tally = Tally(1, "pass_at_1")
    tally.hear(a_plan("a", "b", "c"))
    assert tally.hear(Started(a_job("a"), 1)) == ""
    assert tally.hear(finished("a", Status.FAILED, 12.34, pass_at_1=5 / 12)) == "[1/3] a#0 failed 0.42 12.3s"
    assert tally.hear(finished("b", Status.MISSING, 0.0, ran=False)) == "[2/3] b#0 missing 0.00 0.0s"


def test_what_an_earlier_run_finished_counts_as_done_and_is_said():
    tally = Tally(1, "pass_at_1")
    assert tally.hear(a_plan("a", "b", "c", kept=2)) == "2 of 3 finished before: kept"
    assert tally.hear(finished("c", Status.PASSED, 1.0)).startswith("[3/3]")


def test_a_submission_with_a_name_of_its_own_is_called_by_it():
    tally = Tally(1, "pass_at_1")
    tally.hear(Plan((Asked(key=a_key("a"), name="second-try"),), (), (), ()))
    assert tally.hear(finished("a", Status.FAILED, 1.0)) == "[1/1] a/second-try failed 0.00 1.0s"


def test_our_own_failure_has_no_score():
    tally = Tally(1, "pass_at_1")
    tally.hear(a_plan("a"))
    assert tally.hear(finished("a", Status.INFRASTRUCTURE_ERROR, 1.0)) == "[1/1] a#0 infrastructure_error - 1.0s"


def test_what_is_only_read_has_neither_passed_nor_failed():
    tally = Tally(1, "ac_static", static_only=True)
    tally.hear(a_plan("a", "b", "c"))
    assert tally.hear(finished("a", Status.PASSED, 0.1, ac_static=1.0)) == "[1/3] a#0 read 1.00 0.1s"
    assert tally.hear(finished("b", Status.FAILED, 0.1, ac_static=0.5)) == "[2/3] b#0 read 0.50 0.1s"
    assert tally.hear(finished("c", Status.MISSING, 0.0, ran=False)) == "[3/3] c#0 missing 0.00 0.0s"
    assert tally.line() == "3/3  read 2  missing 1"


def test_what_waits_for_another_try_is_not_running():
    tally = Tally(1, "pass_at_1")
    tally.hear(a_plan("a"))
    tally.hear(Started(a_job("a"), 1))
    assert tally.hear(Retried(a_job("a"), 1, "no space left", 2.0)) == ""
    assert tally.running == {}


def test_the_time_left_follows_from_what_ran():
    clock = Clock()
    tally = Tally(2, "pass_at_1", now=clock)
    tally.hear(a_plan("a", "b", "c", "d", "e"))
    assert tally.seconds_left is None
    tally.hear(finished("a", Status.MISSING, 0.0, ran=False))
    assert tally.seconds_left is None, "what was settled without running says nothing"
    tally.hear(Started(a_job("b"), 1))
    clock.time += 10
    tally.hear(finished("b", Status.PASSED, 10.0))
    assert tally.seconds_left == 3 * 10 / 2
    tally.hear(Started(a_job("c"), 1))
    clock.time += 4
    assert tally.seconds_left == (3 * 10 - 4) / 2
    clock.time += 1000
    assert tally.seconds_left == (3 * 10 - 10) / 2, "one that takes long does not eat up what the others will take"


def test_a_run_that_is_gone_on_with_knows_from_the_start_how_long_it_takes():
    tally = Tally(2, "pass_at_1")
    tally.hear(replace(a_plan("a", "b", "c", kept=1), mean_seconds=30.0))
    assert tally.seconds_left == 2 * 30 / 2
    tally.hear(finished("b", Status.PASSED, 10.0))
    assert tally.seconds_left == 10 / 2, "what runs now says more"


def test_the_live_line_has_counts_time_left_and_what_runs():
    clock = Clock()
    tally = Tally(1, "pass_at_1", now=clock)
    tally.hear(a_plan("a", "b", "c", "d"))
    for event in (finished("a", Status.FAILED, 30.0), finished("b", Status.PASSED, 30.0), Started(a_job("c"), 1)):
        tally.hear(event)
    assert tally.line() == "2/4  passed 1  failed 1  60 s left  now c#0"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (89, "89 s"), (91, "2 min"), (5399, "90 min"), (5400, "1 h 30 min"), (7500, "2 h 05 min")],
)
def test_durations_in_words(seconds, words):
    assert duration(seconds) == words.replace("90 min", "1 h 30 min")


def shown(*, terminal: bool) -> str:
    stream = io.StringIO()
    screen = Console(file=stream, width=60, force_terminal=terminal, color_system=None, highlight=False)
    args = Namespace(workers=1, verbose=0, log_file=None)
    with scoring_progress(screen, args) as hear:
        hear(a_plan("a", "b"))
        hear(Started(a_job("a"), 1))
        hear(finished("a", Status.FAILED, 1.0, pass_at_1=0.5))
    return stream.getvalue()


def test_without_a_terminal_there_are_plain_lines_only():
    assert shown(terminal=False) == "[1/2] a#0 failed 0.50 1.0s\n"


def test_on_a_terminal_a_line_below_moves_along():
    said = shown(terminal=True)
    assert "[1/2] a#0 failed 0.50 1.0s" in said
    assert "1/2  failed 1" in said


def logged(*, verbose: int, file: Path | None = None) -> str:
    """What is on the screen after one message of each level."""
    stream = io.StringIO()
    logger = logging.getLogger("repoproof.engine")
    with scoring_progress(Console(file=stream, width=200), Namespace(workers=1, verbose=verbose, log_file=file)):
        logger.debug("small talk")
        logger.info("news")
        logger.warning("trying again: \x1b[2Jgone")
    logger.error("too late")
    return stream.getvalue()


@pytest.mark.parametrize(("verbose", "lines"), [(0, 1), (1, 2), (2, 3), (5, 3)])
def test_the_screen_shows_warnings_and_more_on_demand(verbose, lines):
    assert logged(verbose=verbose).count("\n") == lines


def test_what_a_candidate_wrote_cannot_steer_the_terminal_through_the_log():
    assert logged(verbose=0) == "trying again: \\x1b[2Jgone\n"


def test_the_log_file_takes_everything_and_is_closed(tmp_path):
    logged(verbose=0, file=tmp_path / "log")
    kept = (tmp_path / "log").read_text().splitlines()
    assert [line.split()[2] for line in kept] == ["DEBUG", "INFO", "WARNING"]


def test_a_validation_says_how_many_tasks_are_known_and_what_is_wrong_with_one():
    stream = io.StringIO()
    known = {"digest": "d", "reference_passed": True, "repeats": 1, "empty_passed": False, "stub_passed": False}
    checked = datetime(2026, 1, 2, tzinfo=UTC)
    good = Health(task="a", healthy=True, checked=checked, **known)
    bad = Health(task="b", healthy=False, reasons=("a stub passes it", "x"), checked=checked, **known)
    with validation_progress(Console(file=stream, width=80), Namespace(verbose=0, log_file=None)) as hear:
        hear(Validated(good, done=1, of=2))
        hear(Validated(bad, done=2, of=2))
    assert stream.getvalue() == "[1/2] a healthy\n[2/2] b quarantined: a stub passes it\n"
