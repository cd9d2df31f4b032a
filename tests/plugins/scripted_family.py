"""A small family of its own, to see the engine at work: a submission is a shell script that is run, and passes if it exits with 0.

Run as a program, it scores like `repoproof score` does, says on stdout what happens, and can be killed:

    python -m plugins.scripted_family SUITE SUBMISSIONS RUN WORKERS
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from repoproof.core.base import Frozen
from repoproof.core.config import RunOptions, ScoreConfig
from repoproof.core.errors import Boundary, InfrastructureError
from repoproof.core.health import Health
from repoproof.core.outcomes import Status
from repoproof.core.run import RunDirectory, RunInfo
from repoproof.core.submission import Submission
from repoproof.core.submissions import copy_tree, read_submissions
from repoproof.core.suite import Suite, SuiteInfo
from repoproof.core.suite_files import read_suite, seal_suite
from repoproof.core.task import Task
from repoproof.core.verdict import Verdict
from repoproof.engine.plan import Plan, plan
from repoproof.engine.pool import Event, Started, score_all
from repoproof.families import Bench, Metric

OURS = 75
"""Exit code of a script that stands for a failure of our own."""


class Nothing(Frozen):
    """There is nothing sealed about these tasks."""


class ScriptTask(Task):
    sealed: Nothing | None = None


class Scripted:
    """Verification copies the submission and runs its `run.sh`, for real and outside any sandbox: the scripts are the tests' own."""

    name = "scripted"
    task_type = ScriptTask
    sealed_type = Nothing
    metrics = (Metric(name="pass_at_1", label="Pass@1"),)
    completions = False

    def check(self, task: Task) -> None:
        """There are no files to hold it against."""

    def verify(self, task: Any, submission: Submission, bench: Bench) -> Verdict:
        with tempfile.TemporaryDirectory() as folder:
            copy_tree(submission, Path(folder) / "tree")
            done = subprocess.run(["sh", "run.sh"], cwd=Path(folder) / "tree", capture_output=True, text=True)
        (bench.logs / "script.log").write_text(done.stdout)
        if done.returncode == OURS:
            raise InfrastructureError("the script says that it was us", boundary=Boundary.TOOLCHAIN)
        passed = done.returncode == 0
        return Verdict(
            task=task.id,
            attempt=submission.attempt,
            submission_hash=submission.hash,
            config_hash=bench.config_hash,
            status=Status.PASSED if passed else Status.FAILED,
            reason=done.stdout.strip(),
            measures={"pass_at_1": float(passed)},
            logs={"script": f"{bench.log_prefix}/script.log"},
            started=datetime.now(UTC),
            seconds=0.5,
        )

    def validate(self, task: Any, bench: Bench, *, repeat: int) -> Health:
        raise AssertionError("the engine does not validate")

    def shell(self, task: Any, submission: Submission, bench: Bench) -> int:
        raise AssertionError("the engine opens no shell")

    def scaffold(self, name: str, destination: Path) -> None:
        raise AssertionError("the engine makes no task")

    def adopt(self, source: Path, suite: Path) -> str:
        raise AssertionError("the engine makes no suite")


def write_suite(root: Path, ids: Sequence[str], name: str = "scripts") -> Path:
    """A sealed suite of these tasks."""
    info = SuiteInfo(name=name, version="1", family="scripted", licence="Apache-2.0")
    for half in ("public", "sealed"):
        (root / half).mkdir(parents=True)
    (root / "suite.json").write_text(info.model_dump_json())
    line = '{{"id": "{}", "language": "sh", "provenance": {{"source": "us", "licence": "Apache-2.0"}}}}\n'
    (root / "public/tasks.jsonl").write_text("".join(line.format(id) for id in ids))
    (root / "sealed/tasks.jsonl").write_text("".join(f'{{"id": "{id}"}}\n' for id in ids))
    seal_suite(root)
    return root


def load(root: Path) -> Suite:
    return read_suite(root, task_type=ScriptTask, sealed_type=Nothing, check=Scripted().check)


def write_script(submissions: Path, task: str, script: str) -> None:
    (submissions / task).mkdir(parents=True, exist_ok=True)
    (submissions / task / "run.sh").write_text(script + "\n")


def score_into(
    path: Path,
    suite: Path,
    submissions: Path,
    *,
    family: Any = None,
    workers: int = 2,
    tries: int = 3,
    config: ScoreConfig | None = None,
    box: Any = None,
    again: Sequence[str] = (),
    backstop_seconds: float | None = None,
    on_event: Callable[[Event], None] = lambda event: None,
) -> Plan:
    """Score as the commands do; returns what was planned."""
    loaded = load(suite)
    found = read_submissions(submissions, [task.id for task in loaded])
    config = config or ScoreConfig(sandbox="none")
    options = RunOptions(workers=workers, infrastructure_tries=tries)
    with RunDirectory.locked(path) as run:
        todo = plan(loaded, loaded.tasks, found.items, config=config, run=run, again=again)
        run.ask(RunInfo.of(loaded, config, options, todo.asked, submissions=submissions))
        score_all(
            todo,
            family or Scripted(),
            run=run,
            box=box,
            cache=path,
            config=config,
            options=options,
            on_event=on_event,
            first_delay=0.01,
            backstop_seconds=backstop_seconds,
        )
    return todo


def _say(event: Event) -> None:
    what = event.job.key.task if isinstance(event, Started) else ""
    print(type(event).__name__, what, flush=True)


if __name__ == "__main__":
    score_into(Path(sys.argv[3]), Path(sys.argv[1]), Path(sys.argv[2]), workers=int(sys.argv[4]), on_event=_say)
