"""Deployment, in stages: installed, started, responds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...core.base import GiB, MiB
from ...core.errors import Boundary, InfrastructureError
from ...core.outcomes import Cause
from ...core.verdict import PhaseName
from ...sandbox.base import Limits, Loopback, ReadOnly, Sandbox, Scratch, Service, View
from ...toolchains import Prepared, StartCommand, toolchain
from .task import MicroserviceTask
from .workspace import Record, ended

SERVICE_LIMITS = Limits(
    cpus=1.0, memory_bytes=1 * GiB, pids=256, disk_bytes=256 * MiB, output_bytes=16 * MiB, wall_seconds=900
)
"""Of a running service; its wall-clock limit is what is left of the task's."""
TEST_LIMITS = Limits(cpus=1.0, memory_bytes=1 * GiB, pids=256, disk_bytes=256 * MiB, output_bytes=32 * MiB)
"""Of the test side."""


@dataclass(frozen=True)
class Deployment:
    """A service that was started, whether or not it responds."""

    service: Service
    loopback: Loopback
    responds: bool
    reason: str
    """Why it does not respond; empty if it does."""
    seconds: float
    """From start to the first real answer."""


def installed(task: MicroserviceTask, tree: Path, box: Sandbox, record: Record) -> Prepared:
    """`tree` with its dependencies, or why not; the raw logs are kept."""
    bench = record.bench
    return toolchain(task.language).prepare(
        tree, box=box, cache=bench.cache, log=record.log, fresh=bench.options.fresh, exclude_newer=bench.config.cutoff
    )


def service_view(tree: Path, prepared: Prepared, task: MicroserviceTask, variables: Mapping[str, str]) -> View:
    """What a service sees: a writable copy of the submission at /work, its dependencies, its port. Nothing that verifies it."""
    return View(
        mounts=(Scratch(target="/work", seed=prepared.tree or tree), *prepared.mounts),
        environment={
            **prepared.environment,
            **variables,
            "PORT": str(task.port),
            "HOST": "0.0.0.0",
            "PYTHONUNBUFFERED": "1",
        },
        workdir="/work",
    )


@contextmanager
def deployed(
    task: MicroserviceTask,
    tree: Path,
    prepared: Prepared,
    start: StartCommand,
    box: Sandbox,
    record: Record,
    runner: Path,
    *,
    limit_seconds: float,
    task_seconds: float,
    variables: Mapping[str, str] | None = None,
    log: str = "service",
) -> Iterator[Deployment]:
    """Start the service on a private loopback and wait until it answers; fresh state each time. Stopped when the context is left."""
    limits = SERVICE_LIMITS.model_copy(update={"wall_seconds": task_seconds})
    view = service_view(tree, prepared, task, variables or {})
    with box.loopback() as loopback, box.start(start.command, view=view, limits=limits, loopback=loopback) as service:
        try:
            responds, reason, seconds = await_answer(task, box, loopback, runner, limit_seconds)
            if not responds and (code := service.command_exit) not in (None, 0):
                reason = f"the start command exited with {code}; {reason}"
            yield Deployment(service=service, loopback=loopback, responds=responds, reason=reason, seconds=seconds)
        finally:
            result = service.stop()
            record.log_output(log, result)


def await_answer(
    task: MicroserviceTask, box: Sandbox, loopback: Loopback, runner: Path, limit_seconds: float
) -> tuple[bool, str, float]:
    """Whether the service gives a real HTTP answer below 500 in time; if not, why; and after how many seconds."""
    paths = list(dict.fromkeys((*task.health_paths, "/")))
    asked = box.run(
        ["/usr/bin/python3", "-I", "-S", "/runner/await_service.py", str(task.port), str(limit_seconds), *paths],
        view=View(mounts=(ReadOnly(source=runner, target="/runner"),)),
        limits=TEST_LIMITS.model_copy(update={"wall_seconds": limit_seconds + 15}),
        loopback=loopback,
    )
    try:
        answer = json.loads(asked.stdout)
    except ValueError:
        raise InfrastructureError(
            f"the readiness probe {ended(asked)}: {asked.stderr[-300:].decode('utf-8', 'replace')}",
            boundary=Boundary.SANDBOX,
        ) from None
    if answer["responds"]:
        return True, "", answer["seconds"]
    last = "; ".join(f"GET {path}: {what}" for path, what in answer["last"].items())
    return False, f"no answer below 500 on port {task.port} within {limit_seconds:g} s ({last})", answer["seconds"]


def fate(deployment: Deployment, record: Record, *, limit_seconds: float) -> Cause | None:
    """Stop the service, note the start phase, and say what ended it before we did; None if it was still running well."""
    result = deployment.service.stop()
    record.phase(PhaseName.START, result, ok=deployment.responds, limit_seconds=limit_seconds, reason=deployment.reason)
    return None if result.cause is Cause.KILLED else result.cause
