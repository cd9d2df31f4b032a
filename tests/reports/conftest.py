"""Hand-made verdicts, and the report on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from repoproof.core.outcomes import Status, TestOutcome
from repoproof.core.verdict import TestResult, Verdict
from repoproof.families import Metric
from repoproof.reports.report import Report, RunIdentity, SuiteIdentity
from repoproof.reports.scores import Expected, report_of

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


def a_report(verdicts: Sequence[Verdict], expected: Sequence[Expected], **changes: object) -> Report:
    suite = SuiteIdentity(
        name="mini", version="1.0.0", family="microservice", digest="ab12" * 16, health="none", tasks=len(expected)
    )
    run = RunIdentity(created=NOON, scorer_version="1", repoproof_version="0.1.0", sandbox="bubblewrap")
    settings: dict[str, object] = {
        "expected": expected, "metrics": METRICS, "suite": suite, "run": run, "names": {}, "infrastructure_threshold": 0.01
    }  # fmt: skip
    return report_of(verdicts, **{**settings, **changes})  # type: ignore[arg-type]


@pytest.fixture
def verdict() -> Callable[..., Verdict]:
    return a_verdict


@pytest.fixture
def report() -> Callable[..., Report]:
    return a_report


@pytest.fixture
def three_tasks() -> list[Expected]:
    return [Expected("a", "python", "x/a"), Expected("b", "python", "x/b"), Expected("c", "node", "x/c")]


@pytest.fixture
def four_verdicts() -> list[Verdict]:
    """Task a: 3 of 4 and 1 of 4 tests; b: lost to our side; c: missing."""
    return [
        a_verdict("a", Status.FAILED, passed=3, of=4, reason="3 of 4 tests passed"),
        a_verdict("a", Status.FAILED, passed=1, of=4, attempt=1, reason="1 of 4 tests passed; first: a|b"),
        a_verdict("b", Status.INFRASTRUCTURE_ERROR, boundary="sandbox", reason="no space left on device"),
        a_verdict("c", Status.MISSING, reason="nothing was submitted"),
    ]
