"""Coverage of a submission under the golden tests, on request: the tests run once more, against a service that says what runs.

The verdict is reached before, by an ordinary run: nothing that happens here can change it. What ran is the service's own word, so this is
information, and no score. It is said while the service runs, since a service that is stopped, by us or by anyone, says nothing at its end.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree, ignore_patterns
from time import monotonic

from ...analysis.statements import CoveredCode
from ...core.base import MiB
from ...core.errors import RepoProofError
from ...core.outcomes import Cause
from ...sandbox.base import ExecResult, Limits, ReadOnly, Service, View, Writable
from ...toolchains import Prepared, TimeLeft, toolchain
from .deploy import INSIDE_PYTHON, TEST_LIMITS, Startable, deployed
from .golden import run_golden_tests
from .inside import hear
from .meters import METERS, START, Meter
from .workspace import ended

log = logging.getLogger(__name__)

PORT = 39731
"""Where it is heard what ran, on the loopback of the service."""
BEGINNING = 30.0
"""How long it may take until somebody listens there, in seconds. A service that came before would speak to nobody."""
LAST_WORDS = 5.0
"""How long the processes of a service have to say the rest once its tests are over, in seconds. A blocked one says nothing."""
SIGNALS = range(129, 193)
"""Exit codes by which a shell says that a signal ended its command."""

NOTHING = "none of its processes said what ran"
TOO_MUCH = (
    f"it said more of what ran than is heard: {hear.MOST_BYTES // MiB} MiB, over {hear.MOST_CONNECTIONS} connections"
)
NOT_RUN = CoveredCode(why_not="the golden tests did not run against a service of its own")


def measured(it: Startable, tests: Path, folder: Path, environment: Prepared) -> CoveredCode:
    """Each file of the submission's own code in its language, or why there is no saying."""
    meter = METERS.get(it.task.language)
    if meter is None:
        return CoveredCode(why_not=f"it is not measured for services in {it.task.language}")
    try:
        if problem := _heard(meter, it, tests, folder, environment):
            return CoveredCode(why_not=problem)
        heard = folder / "heard/heard"
        if not heard.stat().st_size:
            return CoveredCode(why_not=NOTHING)
        return meter.counted(it.tree, heard, it.seed)
    except RepoProofError as error:
        log.warning("%s: its coverage could not be measured: %s", it.task.id, error)
        return CoveredCode(why_not=f"it could not be measured: {error}")


def evidence(covered: CoveredCode) -> dict[str, object]:
    """For a verdict: file by file, or the reason."""
    if covered.why_not:
        return {"coverage_not_measured": covered.why_not}
    return {"coverage": [file.model_dump() for file in covered.files]}


def _heard(meter: Meter, it: Startable, tests: Path, folder: Path, environment: Prepared) -> str:
    """Have `heard/heard` in `folder` hold what ran; if it cannot be known, why."""
    limits, heard, results = toolchain(it.task.language).limits, folder / "heard", folder / "measured-results"
    for place in (heard, results):
        place.mkdir()
        place.chmod(0o777)  # written by the sandbox's unprivileged user
    observed = _observed(meter, it, folder)
    time = TimeLeft(limits.task)
    with ExitStack() as stack:
        loopback = stack.enter_context(it.box.loopback())
        hearing = stack.enter_context(
            it.box.start(
                [*INSIDE_PYTHON, "/runner/hear.py", str(PORT), "/heard"],
                view=View(
                    mounts=(ReadOnly(source=it.runner, target="/runner"), Writable(source=heard, target="/heard"))
                ),
                limits=_hearing_limits(limits.start + limits.test),
                loopback=loopback,
            )
        )
        if not _listening(hearing, heard):
            return f"nobody listened to what ran: the listener {ended(hearing.stop())}"
        deployment = stack.enter_context(
            deployed(observed, time, limit_seconds=limits.start, log="service-measured", loopback=loopback)
        )
        if not deployment.responds:
            return f"started once more, it did not respond: {deployment.reason}"
        run_golden_tests(it.task, tests, it.runner, results, environment, it.box, loopback, seconds=limits.test)
        (heard / "ask").touch()
        hearing.wait(LAST_WORDS)
        if problem := _unheard(hearing.stop()):
            return problem
        if not deployment.service.running and (end := _cut_off(deployment.service)):
            return f"it was killed while it was measured ({end}), and did not say what ran before that"
    return ""


def _listening(hearing: Service, heard: Path) -> bool:
    """Whether it listens, once it does or has ended, or too long has passed."""
    begun, until = heard / "heard", monotonic() + BEGINNING
    while not begun.exists() and hearing.running and monotonic() < until:
        hearing.wait(0.02)
    return begun.exists()


def _unheard(result: ExecResult) -> str:
    """Why the listener did not hear all that was said, by how it ended; empty if it did. We end it where a process answers no more."""
    if result.ok or result.cause is Cause.KILLED:
        return ""
    if result.cause is Cause.EXITED and result.exit_code == hear.TOO_MUCH:
        return TOO_MUCH
    return f"what ran was not heard to its end: the listener {ended(result)}"


def _cut_off(service: Service) -> str:
    """How a service ended that could not say its last words; empty if it could."""
    result = service.stop()
    ended_itself = result.cause is Cause.EXITED and result.exit_code not in SIGNALS
    return "" if ended_itself else ended(result)


def _hearing_limits(seconds: float) -> Limits:
    return TEST_LIMITS.model_copy(update={"wall_seconds": seconds + 60})


def _observed(meter: Meter, it: Startable, folder: Path) -> Startable:
    """The same submission, in whose sandbox `meter` is at work."""
    start = folder / "measuring"
    with as_file(files("repoproof.families.microservice") / "measuring") as ours:
        copytree(ours, start, ignore=ignore_patterns("__pycache__"))
    prepared = it.prepared
    return replace(
        it,
        prepared=prepared.model_copy(
            update={
                "mounts": (
                    *prepared.mounts,
                    ReadOnly(source=start, target=START),
                    *meter.mounts(it.box, it.record.bench.cache, it.record.log),
                ),
                "environment": {
                    **prepared.environment,
                    **meter.environment(prepared.environment),
                    "REPOPROOF_COVERAGE_PORT": str(PORT),
                },
            }
        ),
    )
