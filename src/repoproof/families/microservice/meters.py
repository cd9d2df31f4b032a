"""How a service of each language is made to say what runs of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from ...analysis.node_statements import covered_scripts
from ...analysis.statements import CoveredCode, covered_files
from ...sandbox.base import Mount, ReadOnly, Sandbox
from ...toolchains.base import Log
from ...toolchains.python_coverage import coverage_environment

START = "/coverage/start"
"""Where a service has what lies in `measuring/`."""


class Meter(Protocol):
    """One language's."""

    def mounts(self, box: Sandbox, cache: Path, log: Log) -> tuple[Mount, ...]:
        """What the service's sandbox has beside `START`."""
        ...

    def environment(self, own: Mapping[str, str]) -> dict[str, str]:
        """What changes in the service's `own` variables."""
        ...

    def counted(self, tree: Path, heard: Path, built: Path) -> CoveredCode:
        """`heard` in terms of the statements of `tree`, which was started as `built`."""
        ...


class PythonMeter:
    """coverage.py, started by a `sitecustomize`; lines are told."""

    def mounts(self, box: Sandbox, cache: Path, log: Log) -> tuple[Mount, ...]:
        return (ReadOnly(source=coverage_environment(box, cache, log), target="/coverage/env"),)

    def environment(self, own: Mapping[str, str]) -> dict[str, str]:
        return {"PYTHONPATH": ":".join(filter(None, (START, own.get("PYTHONPATH", ""))))}

    def counted(self, tree: Path, heard: Path, built: Path) -> CoveredCode:
        return covered_files(tree, heard)


class NodeMeter:
    """The engine's own block counts, asked for by a script that is loaded first; places in scripts are told."""

    def mounts(self, box: Sandbox, cache: Path, log: Log) -> tuple[Mount, ...]:
        return ()

    def environment(self, own: Mapping[str, str]) -> dict[str, str]:
        options = (f"--require={START}/measure.cjs", own.get("NODE_OPTIONS", ""))
        return {"NODE_OPTIONS": " ".join(filter(None, options)), "REPOPROOF_COVERAGE_ROOT": "/app"}

    def counted(self, tree: Path, heard: Path, built: Path) -> CoveredCode:
        return covered_scripts(tree, heard, built)


METERS: dict[str, Meter] = {"python": PythonMeter(), "node": NodeMeter()}
