"""Golden tests that import the code that they test: they run in its process, and what that process says is as trustworthy as the code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...core.verdict import Phase
from ...sandbox.base import ReadOnly, Sandbox, Scratch, View
from ...toolchains import Prepared, PythonToolchain, TimeLeft
from ...toolchains.java_tests import run_in_process
from ...toolchains.requirements import package_of
from ...toolchains.runner_lock import requirements_in
from .deploy import SERVICE_LIMITS, installed
from .golden import IMPORTABLE, RUN_TESTS, GoldenRun, golden_run, read_records, records_mount, service_urls
from .task import MicroserviceTask
from .workspace import Record, lay_out

RUNNER_PACKAGES = ("pytest", "requests", "httpx")
"""What the tests find beside the submission's own dependencies, whose versions are the submission's choice."""


@dataclass(frozen=True)
class Beside:
    """What came of running golden tests beside the code of a submission."""

    run: GoldenRun | None
    """None where it did not come to that: the last of `phases` says why."""
    phases: tuple[Phase, ...]


def run_beside(
    task: MicroserviceTask,
    tree: Path,
    folder: Path,
    box: Sandbox,
    record: Record,
    time: TimeLeft,
    *,
    seconds: float,
) -> Beside:
    """Run the task's tests with the submission's code in reach, in an environment of its dependencies and theirs; `folder` is empty."""
    return (_run_java if task.language == "java" else _run_python)(task, tree, folder, box, record, time, seconds)


def _run_java(
    task: MicroserviceTask, tree: Path, folder: Path, box: Sandbox, record: Record, time: TimeLeft, seconds: float
) -> Beside:
    bench = record.bench
    done = run_in_process(
        tree,
        task.tests_path,
        folder,
        box=box,
        cache=bench.cache,
        log=record.log,
        seconds=seconds,
        fresh=bench.options.fresh,
        exclude_newer=bench.config.cutoff,
        time=time,
        variables=_variables(task),
    )
    if done.process is None:
        return Beside(None, done.phases)
    lines = [*done.records, *([{"finished": 0}] if done.finished else [])]
    return Beside(golden_run(task, lines, done.process), done.phases)


def _run_python(
    task: MicroserviceTask, tree: Path, folder: Path, box: Sandbox, record: Record, time: TimeLeft, seconds: float
) -> Beside:
    runner, tests, results = lay_out(folder, task.tests_path)
    prepared = _prepared(task, tree, box, record, time)
    if not prepared.ok:
        return Beside(None, prepared.phases)
    view = View(
        mounts=(
            *prepared.mounts,
            Scratch(target="/app", seed=prepared.tree or tree),
            ReadOnly(source=runner, target="/runner"),
            ReadOnly(source=tests, target="/tests"),
            records_mount(results),
        ),
        environment={
            **{name: value for name, value in prepared.environment.items() if name != "PYTHONPATH"},
            **_variables(task),
            IMPORTABLE: ":".join(_importable(prepared, tree)),
            "PORT": str(task.port),
        },
        workdir="/app",
    )
    limits = SERVICE_LIMITS.model_copy(update={"wall_seconds": time.at_most(seconds)})
    process = box.run(RUN_TESTS, view=view, limits=limits)
    time.spend(process)
    return Beside(golden_run(task, read_records(results / "results.jsonl"), process), prepared.phases)


def _variables(task: MicroserviceTask) -> dict[str, str]:
    assert task.sealed is not None
    return {**service_urls(task.port), **task.sealed.test_environment}


def _prepared(task: MicroserviceTask, tree: Path, box: Sandbox, record: Record, time: TimeLeft) -> Prepared:
    needed = requirements_in(task.requirements_path) if task.requirements_path is not None else ()
    beside = tuple(dict.fromkeys((*RUNNER_PACKAGES, *map(package_of, needed))))
    return installed(task, tree, box, record, time, using=PythonToolchain(beside=beside))


def _importable(prepared: Prepared, tree: Path) -> tuple[str, ...]:
    own = [path for path in prepared.environment.get("PYTHONPATH", "").split(":") if path]
    return tuple(dict.fromkeys(("/app", *(("/app/src",) if (tree / "src").is_dir() else ()), *own)))
