"""Services that implement nothing, to hold golden tests against."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...core.errors import Boundary, InfrastructureError
from ...sandbox.base import Loopback, ReadOnly, Sandbox, View
from .deploy import INSIDE_PYTHON, SERVICE_LIMITS, await_answer
from .task import MicroserviceTask

STUBS: tuple[tuple[str, str, str], ...] = (
    ("answers 200 to all", "200", "{}"),
    ("answers 404 to all", "404", '{"detail": "Not Found"}'),
)
"""Services that implement nothing: name, status, body."""


@contextmanager
def stub(task: MicroserviceTask, box: Sandbox, runner: Path, status: str, body: str) -> Iterator[Loopback]:
    """A service that answers everything with one status and body, on a private loopback."""
    view = View(mounts=(ReadOnly(source=runner, target="/runner"),))
    command = [*INSIDE_PYTHON, "/runner/stub.py", str(task.port), status, body]
    with box.loopback() as loopback:
        with box.start(command, view=view, limits=SERVICE_LIMITS, loopback=loopback) as service:
            any_answer = task.model_copy(update={"health_paths": ("/",)})
            responds, reason, _ = await_answer(any_answer, box, loopback, runner, 15.0, service)
            if not responds:
                raise InfrastructureError(f"the stub does not respond: {reason}", boundary=Boundary.HARNESS)
            yield loopback
