"""Runs golden tests inside the test-side sandbox and records each result as it comes.

Usage: run_tests.py TESTS RESULTS [IDS]

Every finished test is one JSON line in RESULTS, written and flushed at its end: a suite that is killed keeps what it finished.
Only this side can write that file; the service under test lives in another sandbox. Needs pytest, nothing of RepoProof.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

WORST = {"passed": 0, "skipped": 1, "failed": 2, "errored": 3}
MESSAGE_LIMIT = 2048


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
        self.write({"collected": [item.nodeid for item in session.items]})

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self.write({"finished": int(exitstatus)})


def configuration(tests: str) -> str:
    """The suite's own settings of pytest (`asyncio_mode`, marks, import paths), or ours if it has none."""
    own = [Path(tests, name) for name in ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")]
    return str(next((file for file in own if file.is_file()), Path(__file__).with_name("pytest.ini")))


def main(tests: str, results: str, *flags: str) -> int:
    arguments = [
        tests,
        f"--rootdir={tests}",
        "-c",
        configuration(tests),
        "-p",
        "no:cacheprovider",
        "-q",
        "--tb=short",
        *flags,
    ]
    return int(pytest.main(arguments, plugins=[Recorder(results)]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
