"""What it costs to keep the books: CPU time and memory per verdict of planning, scheduling, writing down and reading back.

    python benchmarks/bookkeeping.py [VERDICTS]

The verification itself does nothing but make a verdict of the size of a real one (20 tests, 6 phases), so that all that is measured
is ours. Aim: below 1 ms of CPU per verdict over 10,000.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from repoproof.core.base import Frozen
from repoproof.core.config import RunOptions, ScoreConfig
from repoproof.core.health import Health
from repoproof.core.outcomes import Cause, Status, TestOutcome
from repoproof.core.run import RunDirectory, RunInfo
from repoproof.core.submission import Submission
from repoproof.core.suite import Digests, Suite, SuiteInfo
from repoproof.core.task import Provenance, Task
from repoproof.core.verdict import Phase, PhaseName, TestResult, Verdict
from repoproof.engine.plan import plan
from repoproof.engine.pool import score_all
from repoproof.families import Bench, Metric

TESTS = tuple(
    TestResult(
        id=f"test_orders.py::test_order_{n}",
        outcome=TestOutcome.PASSED if n % 4 else TestOutcome.FAILED,
        seconds=0.012,
        message="" if n % 4 else "assert 404 == 201",
    )
    for n in range(20)
)
PHASES = tuple(
    Phase(
        name=name, ok=True, cause=Cause.EXITED, exit_code=0, seconds=1.5, cpu_seconds=0.7, peak_memory_bytes=90_000_000
    )
    for name in PhaseName
)


class Synthetic:
    """A family whose verification costs nothing."""

    name = "synthetic"
    task_type = Task
    sealed_type = Frozen
    metrics = (Metric(name="pass_at_1", label="Pass@1"),)
    completions = False

    def check(self, task: Task) -> None:
        """There are no files to hold it against."""

    def verify(self, task: Any, submission: Submission, bench: Bench) -> Verdict:
        return Verdict(
            task=task.id,
            attempt=submission.attempt,
            submission_hash=submission.hash,
            config_hash=bench.config_hash,
            status=Status.FAILED,
            tests=TESTS,
            measures={"pass_at_1": 0.75, "dsr": 1.0, "ac_static": 0.9, "ac_live": 0.9},
            phases=PHASES,
            environment={"sandbox": "none"},
            started=datetime.now(UTC),
            seconds=9.0,
        )

    def validate(self, task: Any, bench: Bench, *, repeat: int) -> Health:
        raise NotImplementedError("only verified here")

    def shell(self, *_: Any, **__: Any) -> int:
        raise NotImplementedError("only verified here")

    def scaffold(self, name: str, destination: Path) -> None:
        raise NotImplementedError("only verified here")

    def adopt(self, source: Path, suite: Path) -> str:
        raise NotImplementedError("only verified here")


def measure(n: int) -> dict[str, float]:
    """CPU seconds and memory that `n` verdicts take: `cpu_ms_per_verdict` (scoring), `reading_cpu_ms_per_verdict` (reading the run
    back and planning anew), `memory_bytes_per_verdict` (growth of the peak)."""
    suite = _suite(n)
    submissions = [Submission(task=task.id, hash=f"{place:064x}") for place, task in enumerate(suite)]
    config, options = ScoreConfig(sandbox="none"), RunOptions(workers=4)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "run"
        before, memory = time.process_time(), _peak_memory()
        with RunDirectory.locked(path) as run:
            todo = plan(suite, suite.tasks, submissions, config=config, run=run)
            info = RunInfo.of(suite, config, options, todo.asked)
            run.ask(info)
            score_all(todo, Synthetic(), run=run, box=None, cache=path, config=config, options=options)
        scored, grown = time.process_time(), _peak_memory() - memory
        with RunDirectory.locked(path) as run:
            left = plan(suite, suite.tasks, submissions, config=config, run=run)
            read = sum(verdict.status is Status.FAILED for verdict in run.verdicts())
        assert not left.jobs and read == n, f"{len(left.jobs)} left, {read} of {n} read back"
        reread = time.process_time()
    return {
        "verdicts": n,
        "cpu_ms_per_verdict": round((scored - before) / n * 1000, 3),
        "reading_cpu_ms_per_verdict": round((reread - scored) / n * 1000, 3),
        "memory_bytes_per_verdict": round(grown / n),
    }


def _suite(n: int) -> Suite:
    digests = Digests(public="", sealed="")
    info = SuiteInfo(name="synthetic", version="1", family="synthetic", licence="Apache-2.0", digests=digests)
    provenance = Provenance(source="nobody", licence="Apache-2.0")
    tasks = tuple(Task(id=f"task-{place}", provenance=provenance) for place in range(n))
    return Suite(root=Path("/"), info=info, tasks=tasks, has_sealed=True)


def _peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000), indent=2))
