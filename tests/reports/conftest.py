"""Hand-made verdicts, and the report on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from repoproof.core.config import RunOptions, ScoreConfig
from repoproof.core.outcomes import Status, TestOutcome
from repoproof.core.run import Asked, RunInfo
from repoproof.core.verdict import TestResult, Verdict
from repoproof.families import Metric
from repoproof.reports.report import Report
from repoproof.reports.scores import report_of

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)

METRICS = (
    Metric("pass_at_1", "Pass@1"),
    Metric("all_pass", "All-pass", column=False),
    Metric("dsr", "DSR", stages=("installed", "started", "responds")),
    Metric("ac_static", "AC static", static=True),
)


def a_verdict(
    task: str, status: Status, *, passed: int = 0, of: int = 0, attempt: int = 0, **fields: object
) -> Verdict:
    """`passed` of `of` tests; deployed if there were any tests."""
    tests = tuple(
        TestResult(id=f"test_it.py::test_{n}", outcome=TestOutcome.PASSED if n < passed else TestOutcome.FAILED)
        for n in range(of)
    )
    measures = {"pass_at_1": passed / of, "all_pass": float(passed == of), "dsr": 1.0, "ac_static": 1.0} if of else {}
    stages = {"installed": 1.0, "started": 1.0, "responds": 1.0} if of else {}
    return Verdict.model_validate(
        {
            "task": task,
            "attempt": attempt,
            "submission_hash": "s" * 64,
            "config_hash": "c" * 64,
            "status": status,
            "tests": tests,
            "measures": {**measures, **stages},
            "started": NOON,
            "seconds": 1.5,
            **fields,
        }
    )


def asking(verdict: Verdict, *, name: str = "", language: str = "python", source: str = "") -> Asked:
    """The question that `verdict` answers."""
    return Asked(key=verdict.key, name=name, language=language, source=source or f"x/{verdict.task}")


def a_report(
    verdicts: Sequence[Verdict],
    asked: Sequence[Asked] | None = None,
    *,
    of: int = 0,
    static: bool = False,
    limits: str = "",
) -> Report:
    """On `asked` (by default: just what `verdicts` answer), of a suite of `of` tasks (by default: just theirs)."""
    asked = [asking(verdict) for verdict in verdicts] if asked is None else asked
    info = RunInfo(
        family="microservice",
        suite="mini",
        suite_version="1.0.0",
        suite_digest="ab12" * 16,
        health_version="none",
        suite_tasks=of or len({question.key.task for question in asked}),
        config=ScoreConfig(sandbox="bubblewrap", static_only=static, limits=limits),
        options=RunOptions(),
        started=NOON,
        asked=tuple(asked),
    )
    return report_of(info, verdicts, METRICS)


@pytest.fixture
def verdict() -> Callable[..., Verdict]:
    return a_verdict


@pytest.fixture
def report() -> Callable[..., Report]:
    return a_report


@pytest.fixture
def question() -> Callable[..., Asked]:
    return asking


@pytest.fixture
def four_verdicts() -> list[Verdict]:
    """Task a: 3 of 4 and 1 of 4 tests; b: lost to our side; c: missing."""
    return [
        a_verdict("a", Status.FAILED, passed=3, of=4, reason="3 of 4 tests passed"),
        a_verdict("a", Status.FAILED, passed=1, of=4, attempt=1, reason="1 of 4 tests passed; first: a|b"),
        a_verdict("b", Status.INFRASTRUCTURE_ERROR, boundary="sandbox", reason="no space left on device"),
        a_verdict("c", Status.MISSING, reason="nothing was submitted"),
    ]
