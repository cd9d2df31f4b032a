"""The pool at work, on a family whose verifications are real processes. Killing it: test_kill.py."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from plugins.scripted_family import OURS, Scripted, score_into, write_script

from repoproof.core.config import ScoreConfig
from repoproof.core.errors import Boundary
from repoproof.core.outcomes import Status
from repoproof.core.run import RunDirectory
from repoproof.core.submission import Submission
from repoproof.core.verdict import Verdict
from repoproof.engine.pool import Event, Finished, Retried, Started
from repoproof.families import Bench


def verdicts(run: Path) -> dict[str, Verdict]:
    return {verdict.task: verdict for verdict in RunDirectory.read(run).verdicts()}


def flaky(tmp_path: Path, failures: int) -> str:
    """A script that says `it was you` some times, and then passes."""
    count = tmp_path / "count"
    return f'echo x >> {count}; [ "$(wc -l < {count})" -gt {failures} ] || exit {OURS}'


def kinds(events: list[Event], task: str) -> list[str]:
    return [
        type(event).__name__
        for event in events
        if (event.verdict.task if isinstance(event, Finished) else event.job.key.task) == task
    ]


def test_everything_is_scored_and_reported_after_it_is_on_disk(suite: Path, submissions: Path, tmp_path: Path) -> None:
    write_script(submissions, "two", "echo no luck; exit 1")
    (submissions / "three/run.sh").unlink()
    (submissions / "three").rmdir()
    events: list[Event] = []

    def note(event: Event) -> None:
        events.append(event)
        if isinstance(event, Finished):
            assert RunDirectory.read(tmp_path / "run").verdict(event.verdict.key) == event.verdict

    score_into(tmp_path / "run", suite, submissions, on_event=note)
    found = verdicts(tmp_path / "run")
    assert {task: verdict.status for task, verdict in found.items()} == {
        "one": Status.PASSED,
        "two": Status.FAILED,
        "three": Status.MISSING,
    }
    assert found["two"].reason == "no luck"
    assert (tmp_path / "run" / found["two"].logs["script"]).read_text() == "no luck\n"
    assert kinds(events, "one") == ["Started", "Finished"]
    assert [event.ran for event in events if isinstance(event, Finished) and event.verdict.task == "three"] == [False]


def test_our_own_failure_is_tried_again_and_the_tries_are_counted(
    suite: Path, submissions: Path, tmp_path: Path
) -> None:
    write_script(submissions, "one", flaky(tmp_path, failures=2))
    events: list[Event] = []
    score_into(tmp_path / "run", suite, submissions, on_event=events.append)
    found = verdicts(tmp_path / "run")["one"]
    assert (found.status, found.tries) == (Status.PASSED, 3)
    assert kinds(events, "one") == ["Started", "Retried", "Started", "Retried", "Started", "Finished"]
    delays = [event.delay_seconds for event in events if isinstance(event, Retried)]
    assert 0.005 <= delays[0] <= 0.015 and 0.01 <= delays[1] <= 0.03
    assert [event.reason for event in events if isinstance(event, Retried)] == ["the script says that it was us"] * 2


def test_a_failure_of_the_submission_is_never_tried_again(suite: Path, submissions: Path, tmp_path: Path) -> None:
    write_script(submissions, "one", f"echo x >> {tmp_path}/count; exit 1")
    for _ in range(2):
        score_into(tmp_path / "run", suite, submissions)
    assert (tmp_path / "count").read_text() == "x\n"


def test_an_infrastructure_error_that_stays_is_the_verdict_and_the_next_scoring_tries_again(
    suite: Path, submissions: Path, tmp_path: Path
) -> None:
    write_script(submissions, "one", flaky(tmp_path, failures=3))
    score_into(tmp_path / "run", suite, submissions, tries=3)
    found = verdicts(tmp_path / "run")["one"]
    assert (found.status, found.tries, found.boundary) == (Status.INFRASTRUCTURE_ERROR, 3, Boundary.TOOLCHAIN)
    again = score_into(tmp_path / "run", suite, submissions, tries=3)
    assert [job.key.task for job in again.jobs] == ["one"]
    found = verdicts(tmp_path / "run")["one"]
    assert (found.status, found.tries) == (Status.PASSED, 1)


class Broken(Scripted):
    """Fails in its own way on task `one`."""

    def __init__(self, fail: Callable[[Verdict], Any]) -> None:
        self.fail = fail

    def verify(self, task: Any, submission: Submission, bench: Bench) -> Any:
        verdict = super().verify(task, submission, bench)
        return self.fail(verdict) if task.id == "one" else verdict


def stumble(verdict: Verdict) -> Verdict:
    raise ZeroDivisionError("an error\nof two lines")


def leave(verdict: Verdict) -> Verdict:
    raise SystemExit(0)


UNFORESEEN: dict[str, tuple[Callable[[Verdict], Any], str]] = {
    "an exception": (stumble, "ZeroDivisionError: an error\\nof two lines"),
    "an exit": (leave, "SystemExit: 0"),
    "nothing returned": (lambda verdict: None, "AttributeError: "),
    "a verdict on something else": (
        lambda verdict: verdict.model_copy(update={"submission_hash": "another"}),
        "the verdict is on ",
    ),
    "a verdict that cannot be written": (
        lambda verdict: verdict.model_copy(update={"reason": "\ud800"}),
        "PydanticSerializationError: ",
    ),
}


@pytest.mark.parametrize("name", UNFORESEEN)
def test_what_nobody_foresaw_is_the_harness_s_failure_with_a_traceback_and_the_rest_is_scored(
    suite: Path, submissions: Path, tmp_path: Path, name: str
) -> None:
    fail, reason = UNFORESEEN[name]
    score_into(tmp_path / "run", suite, submissions, family=Broken(fail), tries=2)
    found = verdicts(tmp_path / "run")
    assert [verdict.status for verdict in found.values()] == [
        Status.INFRASTRUCTURE_ERROR,
        Status.PASSED,
        Status.PASSED,
    ]
    one = found["one"]
    assert (one.boundary, one.tries) == (Boundary.HARNESS, 2)
    assert one.reason.startswith(reason)
    assert "Traceback" in (tmp_path / "run" / one.logs["harness"]).read_text()


class Held(Scripted):
    """Verifications wait until `enough` of them are there at once."""

    def __init__(self, enough: int) -> None:
        self.together = threading.Barrier(enough, timeout=60)

    def verify(self, task: Any, submission: Submission, bench: Bench) -> Verdict:
        self.together.wait()
        return super().verify(task, submission, bench)


def test_as_many_run_at_once_as_there_are_workers_and_no_more(suite: Path, submissions: Path, tmp_path: Path) -> None:
    running = Counter[str]()
    most = 0

    def count(event: Event) -> None:
        nonlocal most
        running["now"] += 1 if isinstance(event, Started) else -1
        most = max(most, running["now"])

    score_into(tmp_path / "three", suite, submissions, workers=3, family=Held(3), on_event=count)
    assert most == 3
    most = 0
    score_into(tmp_path / "one", suite, submissions, workers=1, on_event=count)
    assert most == 1


def test_one_that_never_comes_back_is_given_up_and_the_rest_is_scored(
    suite: Path, submissions: Path, tmp_path: Path
) -> None:
    class Stuck(Scripted):
        until = threading.Event()

        def verify(self, task: Any, submission: Submission, bench: Bench) -> Verdict:
            if task.id == "one":
                self.until.wait(60)
            return super().verify(task, submission, bench)

    family = Stuck()
    score_into(tmp_path / "run", suite, submissions, family=family, workers=1, tries=1, backstop_seconds=1.0)
    family.until.set()
    found = verdicts(tmp_path / "run")
    assert (found["one"].status, found["one"].boundary) == (Status.INFRASTRUCTURE_ERROR, Boundary.HARNESS)
    assert found["one"].reason == "not back after 1 s: given up"
    assert [found[task].status for task in ("two", "three")] == [Status.PASSED, Status.PASSED]


class ProcessBox:
    """A place to run processes that can be cleared, as sandboxes can."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.started = threading.Event()

    def run(self) -> int:
        self.processes.append(subprocess.Popen(["sleep", "600"]))
        self.started.set()
        return self.processes[-1].wait()

    def interrupt(self) -> None:
        for process in self.processes:
            process.kill()


def test_an_interrupt_stops_what_runs_and_keeps_what_is_finished(
    suite: Path, submissions: Path, tmp_path: Path
) -> None:
    class Sleeping(Scripted):
        def verify(self, task: Any, submission: Submission, bench: Bench) -> Verdict:
            if task.id == "two":
                assert box.run() == -signal.SIGKILL
                return super().verify(task, submission, bench).model_copy(update={"status": Status.CRASHED})
            return super().verify(task, submission, bench)

    box, run = ProcessBox(), tmp_path / "run"

    def press_the_key() -> None:
        assert box.started.wait(60)
        # To this thread, not to the one that waits: the wait is not cut short, as if the signal had come just before it.
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    key = threading.Thread(target=press_the_key)
    key.start()
    with pytest.raises(KeyboardInterrupt):
        score_into(run, suite, submissions, family=Sleeping(), workers=1, box=box)
    key.join()
    assert [process.wait(60) for process in box.processes] == [-signal.SIGKILL]
    assert {task: verdict.status for task, verdict in verdicts(run).items()} == {"one": Status.PASSED}
    again = score_into(run, suite, submissions)
    assert [job.key.task for job in again.jobs] == ["two", "three"]
    assert {verdict.status for verdict in verdicts(run).values()} == {Status.PASSED}


def test_what_reading_the_submission_found_is_on_the_verdict(suite: Path, submissions: Path, tmp_path: Path) -> None:
    (submissions / "one/out").symlink_to("/etc/passwd")
    score_into(tmp_path / "run", suite, submissions)
    found = verdicts(tmp_path / "run")["one"]
    assert found.status is Status.PASSED
    assert [(v.rule, v.denied) for v in found.violations] == [("link-out-of-tree", True)]


def test_a_changed_submission_or_config_is_scored_anew_and_the_run_is_of_the_new_one(
    suite: Path, submissions: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    score_into(run, suite, submissions)
    write_script(submissions, "one", "exit 1")
    again = score_into(run, suite, submissions)
    assert [job.key.task for job in again.jobs] == ["one"]
    assert [verdict.status for verdict in verdicts(run).values()] == [Status.FAILED, Status.PASSED, Status.PASSED]
    again = score_into(run, suite, submissions, config=ScoreConfig(sandbox="none", task_seconds=60))
    assert len(again.jobs) == 3
    assert len((run / "verdicts.jsonl").read_text().splitlines()) == 3 + 1 + 3


def test_scoring_one_task_again_puts_the_new_verdict_in_the_old_one_s_place(
    suite: Path, submissions: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    write_script(submissions, "one", f"[ -e {tmp_path}/now ]")
    score_into(run, suite, submissions)
    (tmp_path / "now").touch()
    score_into(run, suite, submissions)
    assert verdicts(run)["one"].status is Status.FAILED
    score_into(run, suite, submissions, again=["one"])
    assert verdicts(run)["one"].status is Status.PASSED
