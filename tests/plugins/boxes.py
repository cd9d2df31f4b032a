"""`box`: each sandbox that there is, for the suites that all of them must pass."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from plugins.docker_engine import docker_engine

from repoproof.core.base import MiB
from repoproof.sandbox import ExecResult, Limits, Loopback, Sandbox, View, open_sandbox

__all__ = ["box", "docker_engine", "python", "run"]

SECONDS = 60.0
"""Longer than anything takes on a busy machine: a limit that is not what a test is about."""

Run = Callable[..., ExecResult]


@pytest.fixture(
    params=[
        pytest.param("bubblewrap", marks=pytest.mark.needs("bubblewrap")),
        pytest.param("docker", marks=pytest.mark.needs("docker")),
    ]
)
def box(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "docker":
        request.getfixturevalue("docker_engine")
    return open_sandbox(request.param)


@pytest.fixture
def run(box: Sandbox) -> Run:
    """`run(command..., view=..., wall_seconds=..., ...)`: limits by name."""

    def run(
        *command: str, view: View | None = None, stdin: bytes = b"", loopback: Loopback | None = None, **limits: float
    ) -> ExecResult:
        wanted = Limits(**{"wall_seconds": SECONDS, "disk_bytes": 32 * MiB, **limits})
        return box.run(command, view=view or View(), limits=wanted, stdin=stdin, loopback=loopback)

    return run


@pytest.fixture
def python(run: Run) -> Run:
    """The same for the text of a Python program."""

    def python(text: str, *arguments: str, **options: object) -> ExecResult:
        return run("python3", "-c", text, *arguments, **options)

    return python
