"""Deployment, in stages: installed, started, responds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from ...core.base import GiB, KiB, MiB
from ...core.errors import Boundary, InfrastructureError
from ...core.outcomes import Cause
from ...sandbox.base import Limits, Loopback, ReadOnly, Sandbox, Scratch, Service, View
from ...toolchains import Prepared, StartCommand, TimeLeft, Toolchain, toolchain
from .task import MicroserviceTask
from .workspace import Record, ended

SERVICE_LIMITS = Limits(
    cpus=1.0, memory_bytes=1 * GiB, pids=256, disk_bytes=256 * MiB, output_bytes=16 * MiB, wall_seconds=900
)
"""Of a running service; its wall-clock limit is what is left of the task's."""
TEST_LIMITS = Limits(cpus=1.0, memory_bytes=1 * GiB, pids=256, disk_bytes=256 * MiB, output_bytes=32 * MiB)
"""Of the test side."""

LOOKING_SECONDS = 0.1
"""Between two looks at whether a service that has not answered yet is still there."""
OUTLIVES = 180.0
"""How much longer than the task's time a service may live, in seconds: what our own probes between its steps take at most."""

INSIDE_PYTHON = ("/usr/bin/python3", "-B", "-E", "-s", "-S")
"""Runs what is in `inside/` and needs nothing but the standard library."""


@dataclass(frozen=True)
class Startable:
    """A submission whose dependencies are there and whose start command is known."""

    task: MicroserviceTask
    tree: Path
    prepared: Prepared
    start: StartCommand
    box: Sandbox
    record: Record
    runner: Path
    """Our programs of the test side."""

    @property
    def seed(self) -> Path:
        """What each start gets a fresh copy of."""
        return self.prepared.tree or self.tree


@dataclass(frozen=True)
class Deployment:
    """A service that was started, whether or not it responds."""

    service: Service
    loopback: Loopback
    responds: bool
    reason: str
    """Why it does not respond; empty if it does."""
    seconds: float
    """From start to the first real answer, or to giving up."""


def installed(
    task: MicroserviceTask,
    tree: Path,
    box: Sandbox,
    record: Record,
    time: TimeLeft | None = None,
    *,
    using: Toolchain | None = None,
) -> Prepared:
    """`tree` with its dependencies, or why not; the raw logs are kept. `using` a toolchain other than the plain one of its language."""
    bench = record.bench
    return (using or toolchain(task.language)).prepare(
        tree,
        box=box,
        cache=bench.cache,
        log=record.log,
        fresh=bench.options.fresh,
        exclude_newer=bench.config.cutoff,
        time=time,
    )


def too_large(seed: Path) -> str:
    """Why `seed` does not fit on a service's disk; empty if it does."""
    page = 4 * KiB
    needed = sum(
        page + -(-Path(folder, file).lstat().st_size // page) * page
        for folder, _, files in os.walk(seed)
        for file in files
    )
    limit = SERVICE_LIMITS.disk_bytes
    return f"its {needed // MiB} MiB do not fit on a service's disk of {limit // MiB} MiB" if needed > limit else ""


def service_view(seed: Path, prepared: Prepared, task: MicroserviceTask, variables: Mapping[str, str]) -> View:
    """What a service sees: a writable copy of the submission at /app, its dependencies, its port. Nothing that verifies it."""
    return View(
        mounts=(Scratch(target="/app", seed=seed), *prepared.mounts),
        environment={**prepared.environment, **variables, "PORT": str(task.port), "HOST": "0.0.0.0"},
        workdir="/app",
    )


@contextmanager
def deployed(
    it: Startable,
    time: TimeLeft,
    *,
    limit_seconds: float,
    variables: Mapping[str, str] | None = None,
    log: str = "service",
    loopback: Loopback | None = None,
) -> Iterator[Deployment]:
    """Start the service on a private loopback (one of its own, if none is given) and wait until it answers; fresh state each time. Stopped
    when the context is left."""
    limits = SERVICE_LIMITS.model_copy(update={"wall_seconds": max(0.0, time.seconds) + OUTLIVES})
    view = service_view(it.seed, it.prepared, it.task, variables or {})
    with (
        nullcontext(loopback) if loopback else it.box.loopback() as loopback,
        it.box.start(it.start.command, view=view, limits=limits, loopback=loopback) as service,
    ):
        try:
            limit = time.at_most(limit_seconds)
            responds, reason, seconds = await_answer(it.task, it.box, loopback, it.runner, limit, service)
            if not responds and (code := service.command_exit) is not None and (code or not service.running):
                reason = f"the start command exited with {code}; {reason}"
            time.seconds -= seconds
            yield Deployment(service=service, loopback=loopback, responds=responds, reason=reason, seconds=seconds)
        finally:
            it.record.log_output(log, service.stop())


def await_answer(
    task: MicroserviceTask, box: Sandbox, loopback: Loopback, runner: Path, limit_seconds: float, service: Service
) -> tuple[bool, str, float]:
    """Whether the service gives a real HTTP answer below 500 in time; if not, why; and after how many seconds.

    Not waited for is the answer of a service of which no process is left: nobody is there to give it.
    """
    paths = list(dict.fromkeys((*task.health_paths, "/")))
    with box.start(
        [*INSIDE_PYTHON, "/runner/await_service.py", str(task.port), str(limit_seconds), *paths],
        view=View(mounts=(ReadOnly(source=runner, target="/runner"),)),
        limits=TEST_LIMITS.model_copy(update={"wall_seconds": limit_seconds + 15}),
        loopback=loopback,
    ) as asking:
        while not asking.wait(LOOKING_SECONDS) and service.running:
            pass
        asked = asking.stop()
    if asked.cause is Cause.KILLED and not service.running:
        return False, f"nothing of it is left to answer on port {task.port}", asked.usage.wall_seconds
    if asked.cause in (Cause.TIMED_OUT, Cause.OUT_OF_MEMORY, Cause.OUTPUT_LIMIT):
        # It limits itself: only what a service sent can have brought it there.
        return False, f"waiting for an answer on port {task.port}: {ended(asked)}", asked.usage.wall_seconds
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
