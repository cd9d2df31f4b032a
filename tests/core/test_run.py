"""A run directory: what survives, which verdict counts, who may write. Killing a whole scoring: tests/engine/test_kill.py."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from repoproof.core.config import RunOptions, ScoreConfig
from repoproof.core.errors import BadInput
from repoproof.core.outcomes import Status, TestOutcome
from repoproof.core.run import Asked, RunDirectory, RunInfo
from repoproof.core.verdict import Phase, PhaseName, TestResult, Verdict, VerdictKey, Violation


def verdict(
    task: str, status: Status = Status.PASSED, *, reason: str = "", hash: str = "s", attempt: int = 0
) -> Verdict:
    return Verdict(
        task=task,
        attempt=attempt,
        submission_hash=hash,
        config_hash="c",
        status=status,
        reason=reason,
        started=datetime(2026, 1, 1, tzinfo=UTC),
    )


def info(*keys: VerdictKey, suite: str = "mini", version: str = "1") -> RunInfo:
    return RunInfo(
        family="microservice",
        suite=suite,
        suite_version=version,
        suite_digest="d",
        health_version="none",
        suite_tasks=5,
        config=ScoreConfig(sandbox="bubblewrap"),
        options=RunOptions(),
        started=datetime(2026, 1, 1, tzinfo=UTC),
        asked=tuple(Asked(key=key) for key in keys),
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run"


def written(path: Path, *verdicts: Verdict) -> None:
    with RunDirectory.locked(path) as run:
        run.append(*verdicts)


def test_verdicts_come_back_in_the_order_asked(path: Path) -> None:
    one, two, old = verdict("one"), verdict("two", Status.FAILED), verdict("one", hash="earlier")
    with RunDirectory.locked(path) as run:
        run.append(old, two)
        run.append(one)
        run.ask(info(one.key, verdict("three").key, two.key))
        assert list(run.verdicts()) == [one, two]
    read = RunDirectory.read(path)
    assert list(read.verdicts()) == [one, two]
    assert read.info.asked[1].key.task == "three"
    assert read.verdict(old.key) == old


OURS, FINAL = Status.INFRASTRUCTURE_ERROR, Status.FAILED


@pytest.mark.parametrize(
    ("statuses", "counts", "finished"),
    [
        ([OURS, FINAL], 1, True),
        ([FINAL, OURS], 0, True),
        ([OURS, OURS], 1, False),
        ([FINAL, Status.PASSED], 1, True),
        ([FINAL, OURS, Status.CRASHED, OURS], 2, True),
    ],
)
def test_a_finished_verdict_wins_over_an_infrastructure_error_and_a_later_one_among_equals(
    path: Path, statuses: list[Status], counts: int, finished: bool
) -> None:
    verdicts = [verdict("one", status, reason=str(place)) for place, status in enumerate(statuses)]
    key = verdicts[0].key
    with RunDirectory.locked(path) as run:
        for one in verdicts:
            run.append(one)
        assert run.verdict(key) == verdicts[counts]
    with RunDirectory.locked(path) as again:
        assert again.verdict(key) == verdicts[counts]
        assert again.is_finished(key) is finished


texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.data(), st.lists(texts, min_size=1, max_size=5))
@settings(deadline=None, max_examples=100)
def test_a_crash_at_any_byte_loses_no_earlier_verdict_and_the_next_one_is_whole(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, reasons: list[str]
) -> None:
    path = tmp_path_factory.mktemp("crash") / "run"
    verdicts = [verdict(f"t{place}", reason=reason) for place, reason in enumerate(reasons)]
    ends = [0]
    with RunDirectory.locked(path) as run:
        for one in verdicts:
            run.append(one)
            ends.append(run.verdicts_file.stat().st_size)
    cut = data.draw(st.integers(0, ends[-1]))
    os.truncate(path / "verdicts.jsonl", cut)
    # A line that lacks nothing but its newline is whole.
    whole = sum(cut >= end - 1 for end in ends[1:])
    for _ in range(2):
        with RunDirectory.locked(path) as run:
            survived = [run.verdict(one.key) for one in verdicts]
            assert survived == [*verdicts[:whole], *[None] * (len(verdicts) - whole)]
            assert len(run.damaged) == (cut not in ends and cut + 1 not in ends)
    late = verdict("late", reason=reasons[0])
    written(path, late)
    with RunDirectory.locked(path) as run:
        assert [run.verdict(one.key) for one in verdicts[:whole]] == verdicts[:whole]
        assert run.verdict(late.key) == late


@given(st.binary(min_size=1, max_size=80))
@settings(deadline=None, max_examples=100)
def test_rubbish_in_the_file_costs_its_own_lines_only(tmp_path_factory: pytest.TempPathFactory, rubbish: bytes) -> None:
    path = tmp_path_factory.mktemp("rubbish") / "run"
    first, last = verdict("first"), verdict("last")
    written(path, first)
    with (path / "verdicts.jsonl").open("ab") as file:
        file.write(rubbish)
    written(path, last)
    with RunDirectory.locked(path) as run:
        assert (run.verdict(first.key), run.verdict(last.key)) == (first, last)


def test_many_threads_write_whole_lines(path: Path) -> None:
    with RunDirectory.locked(path) as run:

        def write(thread: int) -> None:
            for place in range(25):
                run.append(verdict(f"t{thread}-{place}", reason="x" * 500))

        threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with RunDirectory.locked(path) as run:
        assert run.damaged == []
        assert all(run.is_finished(verdict(f"t{n}-{place}").key) for n in range(8) for place in range(25))


def test_a_disk_that_is_full_is_our_failure_and_the_next_verdict_is_whole(path: Path) -> None:
    """Run in a process whose files may not grow beyond what the first verdict takes."""
    script = """
import resource, signal, sys
from pathlib import Path
from datetime import datetime, UTC
from repoproof.core.errors import InfrastructureError
from repoproof.core.outcomes import Status
from repoproof.core.run import RunDirectory
from repoproof.core.verdict import Verdict

def verdict(task, reason=""):
    return Verdict(task=task, submission_hash="s", config_hash="c", status=Status.PASSED, reason=reason, started=datetime.now(UTC))

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with RunDirectory.locked(Path(sys.argv[1])) as run:
    run.append(verdict("one"))
    room = run.verdicts_file.stat().st_size + 100
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    try:
        run.append(verdict("two", reason="x" * 1000))
    except InfrastructureError as error:
        print(error)
    assert run.verdict(verdict("two").key) is None
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    run.append(verdict("three"))
"""
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert "only 100 of" in done.stdout and "disk full" in done.stdout
    with RunDirectory.locked(path) as run:
        found = [run.verdict(verdict(task).key) is not None for task in ("one", "two", "three")]
    assert found == [True, False, True]


HOLD = """
import sys
from pathlib import Path
from repoproof.core.run import RunDirectory
with RunDirectory.locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its stdin ends."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_is_told_who_is_at_it(path: Path, holder: subprocess.Popen[str]) -> None:
    expected = (
        rf"run directory {path} is in use by process {holder.pid} \(started 20.*\) \(wait for it to end, or end it\)"
    )
    with pytest.raises(BadInput, match=expected), RunDirectory.locked(path):
        pass


def test_reading_does_not_need_the_lock(path: Path) -> None:
    one = verdict("one")
    with RunDirectory.locked(path) as run:
        run.ask(info(one.key))
        assert list(RunDirectory.read(path).verdicts()) == []
        run.append(one)
        assert list(RunDirectory.read(path).verdicts()) == [one]


def test_a_process_that_was_killed_leaves_no_lock(path: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    written(path, verdict("one"))


def test_nothing_is_written_once_the_lock_is_gone(path: Path) -> None:
    with RunDirectory.locked(path) as run:
        run.ask(info())
    with pytest.raises(AssertionError, match="only under the lock"):
        run.append(verdict("one"))
    with pytest.raises(AssertionError, match="only under the lock"):
        RunDirectory.read(path).append(verdict("one"))


def test_another_version_of_the_suite_is_asked_anew_and_another_suite_refused(path: Path) -> None:
    with RunDirectory.locked(path) as run:
        run.ask(info())
        run.ask(info(version="2"))
        assert run.info.suite_version == "2"
        with pytest.raises(BadInput, match=r'holds a run of suite "mini", not of "maxi" \(use another -o\)'):
            run.ask(info(suite="maxi"))


def test_a_directory_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(BadInput, match=r"not a run, and not empty: thesis\.tex"), RunDirectory.locked(tmp_path):
        pass
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(BadInput, match="not a directory"), RunDirectory.locked(tmp_path / "thesis.tex"):
        pass


def test_what_a_crash_left_before_run_json_was_written_is_gone_on_with(path: Path) -> None:
    written(path, verdict("one"))
    assert not (path / "run.json").exists()
    with RunDirectory.locked(path) as run:
        assert run.is_finished(verdict("one").key)


def test_a_run_that_is_not_there_or_of_another_schema_is_named(path: Path) -> None:
    with pytest.raises(BadInput, match=r"run: no such directory \(give the run directory"):
        RunDirectory.read(path)
    path.mkdir()
    with pytest.raises(BadInput, match=r"run: no run\.json in it"):
        RunDirectory.read(path)
    (path / "run.json").write_text(json.dumps({"schema_version": 99, "wonders": 1}))
    with pytest.raises(BadInput, match=r"run\.json: schema_version: 99 cannot be read"):
        _ = RunDirectory.read(path).info


def test_logs_of_each_question_and_try_are_apart_and_begin_empty(path: Path) -> None:
    with RunDirectory.locked(path) as run:
        places = [
            run.new_log_directory(verdict("one", hash=hash, attempt=attempt).key)
            for hash, attempt in [("s", 0), ("s", 0), ("s", 1), ("changed", 0)]
        ]
        assert len(set(places)) == 4
        assert all(place.name.startswith("one-") and place.parent == path / "logs" for place in places)
        (places[0] / "old.log").write_text("named by a verdict")
    with RunDirectory.locked(path) as run:
        assert list(run.new_log_directory(verdict("one").key).iterdir()) == []
    assert (places[0] / "old.log").read_text() == "named by a verdict"


def test_a_report_that_cannot_be_written_leaves_the_old_one(path: Path) -> None:
    with RunDirectory.locked(path) as run:
        run.write_report("old")
        with pytest.raises(UnicodeEncodeError):
            run.write_report("\ud800")
    assert (path / "report.json").read_text() == "old"
    assert sorted(entry.name for entry in path.iterdir()) == ["lock", "report.json", "verdicts.jsonl"]


CANDIDATES_TEXT = "\ud800 and \udc80"


def test_a_verdict_that_quotes_a_candidate_can_always_be_written(path: Path) -> None:
    one = Verdict(
        task="one",
        submission_hash="s",
        config_hash="c",
        status=Status.FAILED,
        reason=CANDIDATES_TEXT,
        tests=(TestResult(id="t", outcome=TestOutcome.FAILED, message=CANDIDATES_TEXT),),
        detail={"endpoints": [{CANDIDATES_TEXT: (CANDIDATES_TEXT, 1, None)}]},
        violations=(Violation(rule="r", evidence=CANDIDATES_TEXT),),
        phases=(Phase(name=PhaseName.START, ok=False, reason=CANDIDATES_TEXT, notes=(CANDIDATES_TEXT,)),),
        started=datetime(2026, 1, 1, tzinfo=UTC),
    )
    written(path, one)
    with RunDirectory.locked(path) as run:
        assert run.verdict(one.key) == one
    assert one.reason == r"\ud800 and \udc80"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_could_not_be_read_back_is_no_measure(number: float) -> None:
    with pytest.raises(ValidationError, match="finite number"):
        Verdict(
            task="one",
            submission_hash="s",
            config_hash="c",
            status=Status.PASSED,
            measures={"pass_at_1": number},
            started=datetime(2026, 1, 1, tzinfo=UTC),
        )


def test_a_full_disk_is_said_of_the_file_that_it_was_too_full_for(path: Path, monkeypatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with RunDirectory.locked(path) as run:
        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="No space left") as raised:
            run.append()
        assert raised.value.filename == str(path / "verdicts.jsonl")
        with pytest.raises(OSError, match="No space left") as raised:
            run.write_report("{}")
        assert raised.value.filename == str(path / "report.json")
        monkeypatch.undo()
    assert {entry.name for entry in path.iterdir()} == {"lock", "verdicts.jsonl"}
