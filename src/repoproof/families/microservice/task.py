"""The record of a microservice task: a README in, a deployed service out."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from pydantic import Field

from ...analysis.endpoints import Endpoint
from ...core.base import Frozen
from ...core.task import Difficulty, OptionalSuitePath, SuitePath, Task


class Runner(StrEnum):
    """How golden tests reach what they test."""

    BLACK_BOX = "black_box"
    """Over HTTP, from a sandbox that the candidate's code has no part in."""
    IN_PROCESS = "in_process"
    """They import the candidate's code and run beside it, as published Java suites do: what they report is as trustworthy as that code."""


class SealedMicroservice(Frozen):
    """What verifies a submission. Never mounted where a candidate's code runs."""

    tests: SuitePath
    """Directory of the golden tests, relative to `sealed/`: black-box HTTP, in pytest, for services of any language."""
    expected_tests: tuple[str, ...] = ()
    """Test ids relative to `tests`; the denominator of Pass@1. Where there are none, the task cannot be passed, and `validate` says so."""
    runner: Runner = Runner.BLACK_BOX
    test_requirements: OptionalSuitePath = ""
    """Hash-locked requirement file for the tests, relative to `sealed/`; empty for the bundled runner (pytest, requests, httpx)."""
    test_environment: dict[str, str] = {}
    """Variables of the tests, where the usual ones (`SERVICE_BASE_URL`, `API_BASE_URL`, `BASE_URL`: http://127.0.0.1:PORT) do not do: a
    suite may read another name, or expect a path after the port."""
    reference: OptionalSuitePath = ""
    """Directory of the reference solution, relative to `sealed/`; empty for a task that was published without one."""
    difficulty: Difficulty | None = None
    """Of the reference."""
    level: str = ""
    """How difficult it is published as, for a task without a reference to measure."""


class MicroserviceTask(Task):
    """One service to build from its README specification."""

    specification: SuitePath
    """The README, relative to `public/`."""
    port: int = Field(ge=1, le=65535)
    """Where the service must listen, on 0.0.0.0 or 127.0.0.1."""
    endpoints: tuple[Endpoint, ...] = ()
    """Declared endpoints; where there are none, those that the specification's text yields."""
    health_paths: tuple[str, ...] = ("/health",)
    """Any real HTTP answer below 500 on one of them, or on `/`, counts as responding."""
    sealed: SealedMicroservice | None = None
    """None where only the public half is present."""

    @property
    def test_ids(self) -> tuple[str, ...]:
        return self.sealed.expected_tests if self.sealed else ()

    @property
    def slices(self) -> dict[str, tuple[str, ...]]:
        if self.sealed is None:
            return super().slices
        level = self.sealed.difficulty.level if self.sealed.difficulty else self.sealed.level
        return super().slices | ({"difficulty": (level,)} if level else {})

    @property
    def specification_path(self) -> Path:
        return self.public / self.specification

    @property
    def tests_path(self) -> Path:
        assert self.sealed is not None
        return self.sealed_root / self.sealed.tests

    @property
    def reference_path(self) -> Path | None:
        """None for a task without a reference."""
        assert self.sealed is not None
        return self.sealed_root / self.sealed.reference if self.sealed.reference else None

    @property
    def requirements_path(self) -> Path | None:
        """None for tests that the bundled runner does for."""
        assert self.sealed is not None
        return self.sealed_root / self.sealed.test_requirements if self.sealed.test_requirements else None
