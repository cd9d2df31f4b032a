"""Build, validate and score executable benchmarks of repository-level code generation.

The public names are loaded when first used: `import repoproof` by itself imports nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str

    from .api import build, check, compare, load_suite, report, score, solve, validate
    from .core.errors import BadInput, InfrastructureError, RepoProofError
    from .core.outcomes import Status, TestOutcome
    from .core.submission import Submission
    from .core.suite import Suite
    from .core.task import Task
    from .core.verdict import Verdict
    from .reports.comparison import Comparison
    from .reports.report import Report
    from .reports.validation import ValidationReport
    from .solvers.solving import Solving

_HOMES = {
    "BadInput": "core.errors",
    "Comparison": "reports.comparison",
    "InfrastructureError": "core.errors",
    "RepoProofError": "core.errors",
    "Report": "reports.report",
    "Solving": "solvers.solving",
    "Status": "core.outcomes",
    "Submission": "core.submission",
    "Suite": "core.suite",
    "Task": "core.task",
    "TestOutcome": "core.outcomes",
    "ValidationReport": "reports.validation",
    "Verdict": "core.verdict",
    "build": "api",
    "check": "api",
    "compare": "api",
    "load_suite": "api",
    "report": "api",
    "score": "api",
    "solve": "api",
    "validate": "api",
}

__all__ = [
    "BadInput",
    "Comparison",
    "InfrastructureError",
    "RepoProofError",
    "Report",
    "Solving",
    "Status",
    "Submission",
    "Suite",
    "Task",
    "TestOutcome",
    "ValidationReport",
    "Verdict",
    "build",
    "check",
    "compare",
    "load_suite",
    "report",
    "score",
    "solve",
    "validate",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("repoproof")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
