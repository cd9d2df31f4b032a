"""Runs golden tests inside the test-side sandbox and records each result as it comes.

Usage: run_tests.py TESTS RESULTS [IDS]

Every finished test is one JSON line in RESULTS, written and flushed at its end: a suite that is killed keeps what it finished.
Only this side can write that file; the service under test lives in another sandbox. Needs pytest, nothing of RepoProof.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from disabled_tests import disabled, left_out  # pyright: ignore[reportMissingImports] -- beside this file inside
from suite_settings import arguments_for  # pyright: ignore[reportMissingImports] -- beside this file inside

WORST = {"passed": 0, "skipped": 1, "failed": 2, "errored": 3}
MESSAGE_LIMIT = 2048


IMPORTABLE = "REPOPROOF_IMPORTABLE"
"""Folders of the code under test, for tests that import it: on no path before pytest and its plugins are loaded, which are not for that
code to bring."""


class Reach:
    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self) -> None:
        if folders := os.environ.pop(IMPORTABLE, ""):
            sys.path[0:0] = folders.split(":")
            os.environ["PYTHONPATH"] = folders


class Recorder:
    def __init__(self, path: str) -> None:
        self.file = open(path, "a", encoding="utf-8")  # noqa: SIM115 -- open as long as the process lives
        self.tests: dict[str, dict] = {}
        self.write({"started": pytest.__version__})

    def write(self, record: dict) -> None:
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = self.tests.setdefault(
            report.nodeid, {"id": report.nodeid, "outcome": "passed", "seconds": 0.0, "message": ""}
        )
        outcome = report.outcome
        if hasattr(report, "wasxfail"):
            # An expected failure that fails, or an unexpected pass, says nothing good about the service.
            outcome = "skipped" if report.skipped else "failed"
        elif report.failed and report.when != "call":
            outcome = "errored"
        test["seconds"] += report.duration
        if WORST[outcome] > WORST[test["outcome"]]:
            test["outcome"] = outcome
            test["message"] = str(report.longreprtext or report.longrepr or "")[-MESSAGE_LIMIT:]

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        if nodeid in self.tests:
            self.write(self.tests.pop(nodeid))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write({"collect_error": report.nodeid, "message": str(report.longreprtext)[-MESSAGE_LIMIT:]})
        elif report.skipped:
            self.write({"collect_skipped": report.nodeid, "message": str(report.longreprtext)[-MESSAGE_LIMIT:]})

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        left_out_of = {item.nodeid: why[:200] for item in session.items if (why := left_out(item)) is not None}
        self.write(
            {
                "collected": [item.nodeid for item in session.items],
                "disabled": [item.nodeid for item in session.items if disabled(item)],
                "left_out": left_out_of,
            }
        )

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self.write({"finished": int(exitstatus)})


def as_in_a_repository(tests: str) -> None:
    """Let `tests/...` lead to the tests from where they are run: many are written to run at the root of a repository."""
    inner = Path(tests, "tests")
    with suppress(OSError):
        Path("tests").symlink_to(inner if inner.is_dir() else tests)


def main(tests: str, results: str, *flags: str) -> int:
    as_in_a_repository(tests)
    arguments = [
        tests,
        f"--rootdir={tests}",
        *arguments_for(tests),
        "-p",
        "no:cacheprovider",
        "-q",
        "--tb=short",
        # One file that cannot be imported costs its own tests, and not those of all others.
        "--continue-on-collection-errors",
        *flags,
    ]
    return int(pytest.main(arguments, plugins=[Reach(), Recorder(results)]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
