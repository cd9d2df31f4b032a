"""Toolchains: fetch, install, build and start submitted code. One file implements one language."""

from __future__ import annotations

from ..core.errors import BadInput
from .base import Log, PhaseLimits, Prepared, StartCommand, TimeLeft, Toolchain
from .java import JavaToolchain
from .node import NodeToolchain
from .python import PythonToolchain, runner_environment

__all__ = [
    "JavaToolchain",
    "Log",
    "NodeToolchain",
    "PhaseLimits",
    "Prepared",
    "PythonToolchain",
    "StartCommand",
    "TimeLeft",
    "Toolchain",
    "runner_environment",
    "toolchain",
]


def toolchain(language: str) -> Toolchain:
    """The toolchain of that language; `BadInput` naming the known ones otherwise."""
    known: dict[str, type[Toolchain]] = {"java": JavaToolchain, "node": NodeToolchain, "python": PythonToolchain}
    if language not in known:
        raise BadInput(f"no toolchain for {language!r}", field="language", mend=f"one of: {', '.join(sorted(known))}")
    return known[language]()
