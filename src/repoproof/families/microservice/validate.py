"""A task proves itself: its reference passes every time, and nothing else passes anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ...core.errors import Boundary, InfrastructureError
from ...core.health import Health, Reference
from ...sandbox.base import Loopback, Sandbox
from ...toolchains import Prepared, TimeLeft, runner_environment, toolchain
from .. import Bench
from .defects import Evidence, Kind, judge
from .deploy import Startable, deployed, installed
from .golden import GoldenRun, run_golden_tests
from .in_process import run_beside
from .stubs import STUBS, stub
from .task import MicroserviceTask, Runner
from .workspace import Record, lay_out, work_folder

VARIATIONS: tuple[tuple[dict[str, str], str], ...] = (
    ({"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}, "/tmp"),
    ({"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"}, "/"),
    ({"PYTHONHASHSEED": "4242", "TZ": "America/St_Johns", "LC_ALL": "POSIX"}, "/tests"),
    ({"PYTHONHASHSEED": "31337", "TZ": "Pacific/Pago_Pago", "LC_ALL": "C.UTF-8"}, "/results"),
    ({"PYTHONHASHSEED": "random", "TZ": "Asia/Kolkata", "LC_ALL": "C"}, "/runner"),
)
"""Environments that the reference must pass in, with the directory its tests run in; repeats go round them."""


@dataclass(frozen=True)
class Stand:
    """Where the golden tests of one task run."""

    task: MicroserviceTask
    box: Sandbox
    record: Record
    runner: Path
    tests: Path
    results: Path
    environment: Prepared
    test_seconds: float

    def golden(
        self, loopback: Loopback | None, variables: dict[str, str] | None = None, workdir: str = "/tmp"
    ) -> GoldenRun:
        return run_golden_tests(
            self.task, self.tests, self.runner, self.results, self.environment, self.box, loopback,
            seconds=self.test_seconds, variables=variables, workdir=workdir,
        )  # fmt: skip


def validate(task: MicroserviceTask, bench: Bench, *, repeat: int) -> Health:
    """Run the reference `repeat` times under varied environments, no service at all, and stubs; say what is wrong with the task."""
    assert bench.box is not None and task.sealed is not None
    record, evidence = Record(bench), Evidence(has_reference=task.reference_path is not None)
    with work_folder(bench) as folder, boundary_of_task(evidence):
        if task.sealed.runner is Runner.IN_PROCESS:
            run_reference_beside(task, folder, bench.box, record, evidence, repeat)
        else:
            run_against_worth_and_nothing(task, folder, bench.box, record, evidence, repeat)
        judge(task, evidence)
    return health(task, evidence, repeat, dict(bench.box.fingerprint()))


def run_against_worth_and_nothing(
    task: MicroserviceTask, folder: Path, box: Sandbox, record: Record, evidence: Evidence, repeat: int
) -> None:
    """The reference, if there is one, then no service, then the stubs."""
    environment = runner_environment(task.requirements_path, box=box, cache=record.bench.cache, log=record.log)
    runner, tests, results = lay_out(folder, task.tests_path)
    seconds = toolchain(task.language).limits.test
    stand = Stand(task, box, record, runner, tests, results, environment, seconds)
    if task.reference_path is not None:
        run_reference(stand, task.reference_path, evidence, repeat)
    evidence.empty = stand.golden(None)
    for name, status, body in STUBS:
        with stub(task, box, runner, status, body) as loopback:
            evidence.stubs[name] = stand.golden(loopback)


def run_reference_beside(
    task: MicroserviceTask, folder: Path, box: Sandbox, record: Record, evidence: Evidence, repeat: int
) -> None:
    """The reference in one process with its tests. Without code to import, such tests show nothing: there is no other run of them."""
    if task.reference_path is None:
        words = "its tests import what they test, and there is no reference: nothing is known of them"
        evidence.found(Kind.NEVER_RUN, words)
        return
    limits = toolchain(task.language).limits
    for turn in range(repeat):
        place = folder / str(turn)
        place.mkdir()
        place.chmod(0o755)
        time = TimeLeft(limits.task)
        beside = run_beside(task, task.reference_path, place, box, record, time, seconds=limits.test)
        if beside.run is None:
            last = beside.phases[-1]
            evidence.found(Kind.REFERENCE_FAILS, f"the reference fails: {last.name}: {last.reason}")
            return
        evidence.reference_runs.append(beside.run)


@contextmanager
def boundary_of_task(evidence: Evidence) -> Iterator[None]:
    """A suite that cannot even be run is the task's own defect: a reason, not an error of ours."""
    try:
        yield
    except InfrastructureError as error:
        if error.boundary is not Boundary.TASK:
            raise
        evidence.found(Kind.UNUSABLE, str(error))


def run_reference(stand: Stand, tree: Path, evidence: Evidence, repeat: int) -> None:
    """The reference, deployed afresh for each repeat; stops early where it cannot be deployed at all."""
    task, language = stand.task, toolchain(stand.task.language)
    prepared = installed(task, tree, stand.box, stand.record)
    start = (
        language.start_command(prepared.tree or tree, port=task.port, framework=task.framework) if prepared.ok else None
    )
    if not prepared.ok or start is None:
        evidence.reference_responds = False
        last = f"{prepared.phases[-1].name}: {prepared.phases[-1].reason}"
        evidence.found(
            Kind.REFERENCE_FAILS,
            "the reference has nothing to start it by" if prepared.ok else f"the reference fails: {last}",
        )
        return
    it = Startable(task, tree, prepared, start, stand.box, stand.record, stand.runner)
    for turn in range(repeat):
        variables, workdir = VARIATIONS[turn % len(VARIATIONS)]
        time = TimeLeft(language.limits.task)
        with deployed(it, time, limit_seconds=language.limits.start, variables=variables) as deployment:
            if not deployment.responds:
                evidence.reference_responds = False
                words = f"the reference does not respond in repeat {turn + 1}: {deployment.reason}"
                evidence.found(Kind.REFERENCE_FAILS, words)
                return
            evidence.reference_runs.append(stand.golden(deployment.loopback, variables, workdir))


def health(task: MicroserviceTask, evidence: Evidence, repeat: int, environment: dict[str, str]) -> Health:
    total = len(task.test_ids)
    runs, given = evidence.reference_runs, task.reference_path is not None
    reasons = tuple(defect.words for defect in evidence.defects if defect.quarantines)
    return Health(
        task=task.id,
        digest=task.digest,
        healthy=not reasons,
        reasons=reasons,
        defects=tuple(evidence.defects),
        reference=Reference.GIVEN if given else Reference.NONE,
        reference_passed=given
        and evidence.reference_responds
        and len(runs) == repeat
        and all(run.passed == total for run in runs),
        repeats=len(runs),
        empty_passed=evidence.empty is not None and 0 < total == evidence.empty.passed,
        stub_passed=any(0 < total == run.passed for run in evidence.stubs.values()),
        non_discriminating=evidence.non_discriminating,
        flaky=evidence.flaky,
        checked=datetime.now(UTC),
        environment=environment,
    )
