"""A scoring is killed at random moments and gone on with: nothing finished is lost, and nothing finished is done again."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from plugins.scripted_family import write_script, write_suite

from repoproof.core.errors import BadInput
from repoproof.core.outcomes import Status
from repoproof.core.run import RunDirectory
from repoproof.core.verdict import VerdictKey

TASKS = [f"task-{n:02}" for n in range(16)]
TESTS = Path(__file__).parents[1]


def start(tmp_path: Path, workers: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "plugins.scripted_family", "suite", "submissions", "run", str(workers)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)


def finished(run: Path) -> set[VerdictKey]:
    if not (run / "run.json").exists():
        return set()
    return {verdict.key for verdict in RunDirectory.read(run).verdicts()}


def started(marks: Path) -> Counter[str]:
    return Counter(mark.name.partition(".")[0] for mark in marks.iterdir())


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_kill_at_any_moment_loses_and_repeats_no_finished_verdict(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    marks, run = tmp_path / "marks", tmp_path / "run"
    marks.mkdir()
    write_suite(tmp_path / "suite", TASKS)
    for place, task in enumerate(TASKS):
        # Each leaves a mark of its own as it starts, does some work, and a third of them fail.
        script = f"mktemp {marks}/{task}.XXXXXX >/dev/null; seq {place * 500} | sort -R | tail -1; exit {int(place % 3 == 0)}"
        write_script(tmp_path / "submissions", task, script)
    kept: dict[VerdictKey, int] = {}
    kills = 0
    while True:
        with start(tmp_path, workers=chance.choice([1, 2, 4])) as child:
            assert child.stdout is not None
            lines = chance.randrange(5)  # of 16 tasks: it takes several goes
            if sum(1 for _ in zip(range(lines), child.stdout, strict=False)) < lines:
                break
            with suppress(subprocess.TimeoutExpired):
                child.wait(chance.uniform(0, 0.05))
            if child.poll() is not None:
                break
            child.kill()
            kills += 1
        now, marked = finished(run), started(marks)
        assert kept.keys() <= now, "a finished verdict was lost"
        for key in now:
            assert marked[key.task] == kept.setdefault(key, marked[key.task]), "a finished verdict was done again"
        assert kills < 200
    assert child.returncode == 0
    assert kills >= 2
    found = list(RunDirectory.read(run).verdicts())
    assert [verdict.task for verdict in found] == TASKS
    assert [verdict.status is Status.FAILED for verdict in found] == [place % 3 == 0 for place in range(len(TASKS))]
    marked = started(marks)
    assert all(marked[key.task] == count for key, count in kept.items())
    # Each task that a kill fell on was begun once more, and there were at most four at a time.
    assert sum(marked.values()) <= len(TASKS) + 4 * kills


def test_a_second_process_on_one_run_directory_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    write_suite(tmp_path / "suite", ["one"])
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    write_script(tmp_path / "submissions", "one", f"cat {gate}")
    with start(tmp_path, workers=1) as first:
        assert first.stdout is not None and first.stdout.readline() == "Started one\n"
        with pytest.raises(BadInput, match=rf"in use by process {first.pid} "), RunDirectory.locked(tmp_path / "run"):
            pass
        gate.write_text("go")
        assert first.stdout.readline() == "Finished \n"
    assert first.returncode == 0
    (verdict,) = RunDirectory.read(tmp_path / "run").verdicts()
    assert (verdict.task, verdict.reason) == ("one", "go")
