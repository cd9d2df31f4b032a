"""Choosing a sandbox that works here."""

from __future__ import annotations

from collections.abc import Callable

from ..core.errors import BadInput, Boundary, InfrastructureError
from .base import Limits, Sandbox, View
from .bubblewrap import BubblewrapSandbox


def _docker() -> Sandbox:
    from .docker import DockerSandbox

    return DockerSandbox()


_BACKENDS: dict[str, Callable[[], Sandbox]] = {"bubblewrap": BubblewrapSandbox, "docker": _docker}


def open_sandbox(name: str = "auto") -> Sandbox:
    """The sandbox of that name, once it has run a program; for `auto`, the first that does.

    Raises `BadInput` for an unknown name, and `InfrastructureError` if none works: nothing is ever run without one.
    """
    if name not in ("auto", *_BACKENDS):
        raise BadInput(f"no sandbox named {name!r}", mend=f"choose auto, {' or '.join(_BACKENDS)}")
    failures: list[str] = []
    for backend, make in _BACKENDS.items():
        if name in ("auto", backend):
            try:
                return _proved(make())
            except InfrastructureError as error:
                failures.append(f"{backend}: {error}")
    raise InfrastructureError(
        f"no sandbox works here: {'; '.join(failures)}; see `repoproof doctor`", boundary=Boundary.SANDBOX
    )


def _proved(box: Sandbox) -> Sandbox:
    result = box.run(["true"], view=View(), limits=Limits(wall_seconds=60, output_bytes=65536))
    if not result.ok:
        said = result.stderr.decode(errors="replace").strip()
        raise InfrastructureError(
            f"`true` ended as {result.cause} {result.exit_code} {said}", boundary=Boundary.SANDBOX
        )
    return box
