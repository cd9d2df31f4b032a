"""Submission -> verdict."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from ...analysis.metrics import difficulty
from ...analysis.reading import read_code
from ...analysis.statements import CoveredCode
from ...core.errors import Boundary, InfrastructureError
from ...core.outcomes import Cause, Status, TestOutcome
from ...core.submission import Submission
from ...core.submissions import copy_tree
from ...core.task import Difficulty
from ...core.verdict import PhaseName, TestResult, Verdict
from ...sandbox.base import ExecResult, Sandbox
from ...toolchains import Prepared, TimeLeft, runner_environment, toolchain
from .. import Bench
from .coverage import Coverage, note_probe, probe, required_endpoints, static_coverage
from .deploy import Deployment, Startable, deployed, installed, too_large
from .golden import GoldenRun, junit_xml, run_golden_tests
from .in_process import run_beside
from .measured import NOT_RUN, evidence, measured
from .task import MicroserviceTask, Runner
from .workspace import Record, ended, lay_out, work_folder


@dataclass
class Findings:
    """What is known of a submission so far; grows from stage to stage."""

    status: Status = Status.START_FAILED
    reason: str = ""
    boundary: Boundary | None = None
    installed: bool = False
    started: bool = False
    responds: bool = False
    tests: tuple[TestResult, ...] = ()
    found: Coverage | None = None
    size: Difficulty | None = None
    versions: dict[str, str] | None = None
    unexpected: tuple[str, ...] = ()
    start_source: str = ""
    covered: CoveredCode = NOT_RUN
    """Of the submission's own code under the golden tests, where that was asked for."""


def verify(task: MicroserviceTask, submission: Submission, bench: Bench) -> Verdict:
    """Score one submission: read its routes, deploy it, run the golden tests against it, probe it."""
    started, clock = datetime.now(UTC), monotonic()
    record, findings = Record(bench), Findings()
    findings.tests = missing_tests(task)
    with work_folder(bench) as folder:
        tree = folder / "tree"
        violations = submission.violations
        copy_tree(submission, tree)
        code = read_code(tree, language=task.language, framework=task.framework)
        if code.problems:
            record.log("reading", "\n".join((*code.problems, "")).encode())
        findings.found = static_coverage(required_endpoints(task), code.routes)
        findings.size = difficulty(code.metrics, endpoints=len({str(route) for route in code.routes}))
        if bench.config.static_only:
            covered = findings.found.static_share == 1.0
            findings.status = Status.PASSED if covered else Status.FAILED
            findings.reason = "static measures only: nothing was run"
        else:
            assert bench.box is not None
            with invalid_task(findings):
                run_it(task, tree, folder, bench.box, record, findings)
    if any(not violation.denied for violation in violations):
        findings.status = Status.CHEATED
        findings.reason = next(f"{v.rule}: {v.evidence}" for v in violations if not v.denied)
    return Verdict(
        task=task.id,
        attempt=submission.attempt,
        submission_hash=submission.hash,
        config_hash=bench.config_hash,
        status=findings.status,
        reason=findings.reason,
        boundary=findings.boundary,
        tests=() if bench.config.static_only else findings.tests,
        measures=measures(findings, static_only=bench.config.static_only),
        detail={
            "endpoints": findings.found.evidence(),
            "difficulty": findings.size.level,
            "start": findings.start_source,
            "unexpected_tests": list(findings.unexpected),
            **(evidence(findings.covered) if bench.config.coverage else {}),
            **({"trust": Runner.IN_PROCESS.value} if is_white_box(task) else {}),
        },
        violations=violations,
        phases=tuple(record.phases),
        environment={**(bench.box.fingerprint() if bench.box else {}), **(findings.versions or {})},
        logs=record.logs,
        started=started,
        seconds=round(monotonic() - clock, 3),
    )


def is_white_box(task: MicroserviceTask) -> bool:
    """Whether the tests run in the process of what they test, whose results are then its own word."""
    return task.sealed is not None and task.sealed.runner is Runner.IN_PROCESS


@contextmanager
def invalid_task(findings: Findings) -> Iterator[None]:
    """What is wrong with the task itself is no failure of ours that trying again would mend."""
    try:
        yield
    except InfrastructureError as error:
        if error.boundary is not Boundary.TASK:
            raise
        findings.status, findings.reason, findings.boundary = Status.INVALID_TASK, str(error), error.boundary


def run_it(task: MicroserviceTask, tree: Path, folder: Path, box: Sandbox, record: Record, findings: Findings) -> None:
    """The stages that run code: install, start, respond, golden tests, live probe. Stops at the first that fails."""
    assert task.sealed is not None and findings.found is not None
    if not task.sealed.expected_tests:
        raise InfrastructureError("no test of it can be collected", boundary=Boundary.TASK)
    if task.sealed.runner is Runner.IN_PROCESS:
        run_white_box(task, tree, folder, box, record, findings)
        return
    limits = toolchain(task.language).limits
    environment = runner_environment(task.requirements_path, box=box, cache=record.bench.cache, log=record.log)
    runner, tests, results = lay_out(folder, task.tests_path)
    time = TimeLeft(record.bench.config.task_seconds or limits.task)
    it = startable(task, tree, box, record, runner, time, findings)
    if it is None:
        return
    golden, probed, lived, start_limit = None, None, False, time.at_most(limits.start)
    with deployed(it, time, limit_seconds=limits.start) as deployment:
        if deployment.responds:
            golden = run_golden_tests(
                task, tests, runner, results, environment, box, deployment.loopback,
                seconds=time.at_most(limits.test),
            )  # fmt: skip
            time.spend(golden.process)
            lived = deployment.service.running
            if lived:
                probed = probe(findings.found, task, box, deployment.loopback, runner, record)
        service = deployment.service.stop()
    note_start(deployment, service, start_limit, record, findings)
    if golden is None:
        findings.status, findings.reason = unanswered(service, deployment.reason, in_full=start_limit == limits.start)
        return
    note_tests(golden, record, findings, task, limits.test)
    findings.status, findings.reason = judged(golden, service, lived=lived)
    if not lived and not time.is_over:
        probed = probe_afresh(it, time, limits.start, findings.found)
    if probed is not None:
        note_probe(probed, record)
    if record.bench.config.coverage:
        findings.covered = measured(it, tests, folder, environment)


def run_white_box(
    task: MicroserviceTask, tree: Path, folder: Path, box: Sandbox, record: Record, findings: Findings
) -> None:
    """The same where the tests import the code: whether it can be deployed is asked first, and apart from them."""
    assert findings.found is not None
    limits = toolchain(task.language).limits
    runner, _, _ = lay_out(folder, task.tests_path)
    apart = folder / "beside"
    apart.mkdir()
    apart.chmod(0o755)
    time = TimeLeft(record.bench.config.task_seconds or limits.task)
    if (it := startable(task, tree, box, record, runner, time, findings)) is not None:
        start_limit = time.at_most(limits.start)
        with deployed(it, time, limit_seconds=limits.start) as deployment:
            probed = (
                probe(findings.found, task, box, deployment.loopback, runner, record) if deployment.responds else None
            )
            service = deployment.service.stop()
        note_start(deployment, service, start_limit, record, findings)
        if probed is not None:
            note_probe(probed, record)
        if not deployment.responds:
            unanswered_as = unanswered(service, deployment.reason, in_full=start_limit == limits.start)
            findings.status, findings.reason = unanswered_as
    if not findings.installed:
        return
    beside = run_beside(task, tree, apart, box, record, time, seconds=limits.test)
    if beside.run is None:
        record.phases.append(beside.phases[-1])
        findings.status = Status.FAILED
        findings.reason = f"the golden tests cannot be run beside it: {beside.phases[-1].reason}"
        return
    note_tests(beside.run, record, findings, task, limits.test)
    if findings.responds or beside.run.passed == len(beside.run.results):
        findings.status, findings.reason = judged(beside.run, beside.run.process, lived=True)


def startable(
    task: MicroserviceTask, tree: Path, box: Sandbox, record: Record, runner: Path, time: TimeLeft, findings: Findings
) -> Startable | None:
    """The submission, installed and ready to be started; None, with the status in `findings`, if it does not come to that."""
    prepared = installed(task, tree, box, record, time)
    record.phases.extend(prepared.phases)
    findings.versions = prepared.versions
    findings.installed = prepared.ok
    if not prepared.ok:
        findings.status, findings.reason = unprepared(prepared)
        return None
    seed = prepared.tree or tree
    start = toolchain(task.language).start_command(seed, port=task.port, framework=task.framework)
    if start is None:
        findings.reason = "nothing says how to start it: no start.sh, Procfile, package script or framework convention"
        return None
    findings.start_source = start.source
    if reason := too_large(seed):
        findings.reason = reason
        return None
    if time.is_over:
        findings.status, findings.reason = Status.TIMED_OUT, "the task's time limit was reached before it was started"
        return None
    return Startable(task, tree, prepared, start, box, record, runner)


def probe_afresh(it: Startable, time: TimeLeft, limit_seconds: float, found: Coverage) -> ExecResult | None:
    """Live coverage of a service that did not outlive its tests: from a fresh start."""
    with deployed(it, time, limit_seconds=limit_seconds, log="service-probed") as again:
        if again.responds:
            return probe(found, it.task, it.box, again.loopback, it.runner, it.record)
    return None


def note_start(
    deployment: Deployment, service: ExecResult, limit_seconds: float, record: Record, findings: Findings
) -> None:
    record.phase(
        PhaseName.START, service, ok=deployment.responds, limit_seconds=limit_seconds,
        reason=deployment.reason, seconds=deployment.seconds,
    )  # fmt: skip
    findings.responds = deployment.responds
    findings.started = deployment.responds or service.cause is Cause.KILLED


def note_tests(
    golden: GoldenRun, record: Record, findings: Findings, task: MicroserviceTask, limit_seconds: float
) -> None:
    """Keep the results, the raw output and the JUnit XML."""
    findings.tests, findings.unexpected = golden.results, golden.unexpected
    record.log_output("tests", golden.process)
    record.phase(
        PhaseName.TEST,
        golden.process,
        ok=golden.finished,
        limit_seconds=limit_seconds,
        reason="" if golden.finished else f"the golden tests did not finish: {ended(golden.process)}",
    )
    junit = record.bench.logs / "junit.xml"
    junit.write_bytes(junit_xml(task.id, golden.results))
    record.logs["junit"] = f"{record.bench.log_prefix}/junit.xml"


def unanswered(service: ExecResult, reason: str, *, in_full: bool) -> tuple[Status, str]:
    """The status of a service that never answered; `in_full` if it was waited for as long as any is."""
    if service.cause is Cause.OUT_OF_MEMORY:
        return Status.OUT_OF_MEMORY, f"the service ran out of memory; {reason}"
    if not in_full and service.cause is Cause.KILLED:
        return Status.TIMED_OUT, f"the task's time limit was reached; {reason}"
    return Status.START_FAILED, reason


def judged(golden: GoldenRun, service: ExecResult, *, lived: bool) -> tuple[Status, str]:
    """The status that a run of the golden tests comes to. How the service ended explains failed tests, never passed ones."""
    score = f"{golden.passed} of {len(golden.results)} tests passed"
    if golden.passed == len(golden.results):
        return Status.PASSED, score
    if service.cause is Cause.OUT_OF_MEMORY:
        return Status.OUT_OF_MEMORY, f"the service ran out of memory; {score}"
    if not lived:
        return Status.CRASHED, f"the service ended during its tests ({ended(service)}); {score}"
    if golden.process.cause is Cause.TIMED_OUT:
        return Status.TIMED_OUT, f"the tests' time limit was reached; {score}"
    if not golden.finished:
        return Status.FAILED, f"{score}; the tests did not finish: {ended(golden.process)}"
    first = next(result for result in golden.results if not result.passed)
    return Status.FAILED, f"{score}; first: {first.id} {first.outcome}"


def unprepared(prepared: Prepared) -> tuple[Status, str]:
    """The status of a submission whose dependencies could not be installed, or that could not be built."""
    last = prepared.phases[-1]
    reason = f"{last.name}: {last.reason}"
    match last.cause:
        case Cause.TIMED_OUT:
            return Status.TIMED_OUT, reason
        case Cause.OUT_OF_MEMORY:
            return Status.OUT_OF_MEMORY, reason
        case _:
            return Status.BUILD_FAILED, reason


def missing_tests(task: MicroserviceTask) -> tuple[TestResult, ...]:
    if task.sealed is None:
        raise InfrastructureError(
            f"task {task.id!r} cannot be scored: the suite's sealed half is not here", boundary=Boundary.TASK
        )
    return tuple(TestResult(id=id, outcome=TestOutcome.MISSING) for id in task.sealed.expected_tests)


def measures(findings: Findings, *, static_only: bool) -> dict[str, float]:
    """The family's numbers. Fractions in 0..1; `code_*` are counts."""
    assert findings.found is not None and findings.size is not None
    counts = findings.size.model_dump(exclude={"level"})
    numbers = {"ac_static": findings.found.static_share, **{f"code_{name}": float(n) for name, n in counts.items()}}
    if (covered := findings.covered.share) is not None:
        numbers["code_coverage"] = covered
    if static_only:
        return numbers
    expected, passed = len(findings.tests), sum(test.passed for test in findings.tests)
    cheated = findings.status is Status.CHEATED
    return {
        **numbers,
        "pass_at_1": 0.0 if cheated else passed / max(1, expected),
        "all_pass": float(not cheated and 0 < passed == expected),
        "installed": float(findings.installed),
        "started": float(findings.started),
        "responds": float(findings.responds),
        "dsr": float(findings.responds),
        "ac_live": findings.found.live_share,
    }
