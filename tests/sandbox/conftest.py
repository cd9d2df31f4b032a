"""`box`: each sandbox that there is, for the one suite that all of them must pass."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from plugins.docker_engine import docker_engine

from repoproof.sandbox import ExecResult, Limits, Sandbox, View, open_sandbox

__all__ = ["docker_engine"]

SECONDS = 60.0
"""Longer than anything here takes on a busy machine: a limit that is not what a test is about."""

BACKENDS = [
    pytest.param("bubblewrap", marks=pytest.mark.needs("bubblewrap")),
    pytest.param("docker", marks=pytest.mark.needs("docker")),
]

Run = Callable[..., ExecResult]


@pytest.fixture(params=BACKENDS)
def box(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "docker":
        request.getfixturevalue("docker_engine")
    return open_sandbox(request.param)


@pytest.fixture
def run(box: Sandbox) -> Run:
    """`run(command..., view=..., wall_seconds=..., ...)`: limits by name."""

    def run(*command: str, view: View | None = None, stdin: bytes = b"", loopback=None, **limits) -> ExecResult:
        wanted = Limits(**{"wall_seconds": SECONDS, "disk_bytes": 32 << 20, **limits})
        return box.run(command, view=view or View(), limits=wanted, stdin=stdin, loopback=loopback)

    return run


@pytest.fixture
def python(run: Run) -> Run:
    """The same for a Python program's text."""

    def python(text: str, *arguments: str, **options) -> ExecResult:
        return run("python3", "-c", text, *arguments, **options)

    return python
