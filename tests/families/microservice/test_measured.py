"""Coverage of a submission under the golden tests: what it says, and that nothing else comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugins.small_suite import REFERENCE, SERVICE, START, write_suite, write_tree

from repoproof import api
from repoproof.core.verdict import Verdict

pytestmark = pytest.mark.needs("bubblewrap", "network")

NEVER = "def never():\n    return 1\n"

FORKS = SERVICE.replace(
    'if __name__ == "__main__":\n', 'if __name__ == "__main__":\n    if os.fork():\n        os.wait()\n'
)

FORGES = f"""
import json, os, socket, threading, time

def forge():
    while True:
        time.sleep(0.05)
        lines = {{"file": "/app/never.py", "lines": [1, 2, True, -1, "x", 10**9]}}
        for said in (b"[", b"[1]\\ndone\\n", json.dumps(lines).encode() + b"\\n", b"[" * 100_000 + b"\\n"):
            try:
                with socket.create_connection(("127.0.0.1", int(os.environ["REPOPROOF_COVERAGE_PORT"]))) as out:
                    out.sendall(said)
            except OSError:
                pass

threading.Thread(target=forge, daemon=True).start()
{SERVICE.replace("notes[key]}", "''}")}
"""


@pytest.fixture
def verdict(tmp_path: Path):
    suite = write_suite(tmp_path / "suite")

    def scored(files: dict[str, str], *, coverage: bool = True) -> Verdict:
        answers = write_tree(tmp_path / "answers/notes", files).parent
        api.score(suite, answers, tmp_path / "run", coverage=coverage)
        return api.verdict(tmp_path / "run", "notes")

    return scored


def ran(verdict: Verdict) -> dict[str, int]:
    """How many statements of each file never ran."""
    covered = verdict.detail["coverage"]
    assert isinstance(covered, list)
    return {file["file"]: file["statements"] - file["ran"] for file in covered}


def test_what_the_tests_do_not_reach_is_told_from_what_they_do(verdict):
    # It is over before the service has begun.
    before = {"seed.py": "x = 1\nif not x:\n    x = 2\n", "start.sh": f"#!/bin/sh\npython3 seed.py\n{START}"}
    found = verdict({**REFERENCE, **before, "never.py": NEVER})
    # Nobody asks for a note that is not there.
    assert ran(found) == {"never.py": 2, "service.py": 1, "seed.py": 1}
    assert found.measures["code_coverage"] == 29 / 33


def test_workers_of_a_forking_server_are_measured(verdict):
    # Beside the note that is not there: the line that the parent does not live to run.
    assert ran(verdict({"service.py": FORKS, "start.sh": START}))["service.py"] <= 3


@pytest.mark.slow
def test_a_service_that_is_killed_has_a_reason_and_no_share(verdict):
    dies = SERVICE.replace('notes[key] = note["text"]', "os.kill(os.getpid(), 9)")
    found = verdict({"service.py": dies, "start.sh": START})
    assert (found.status.value, "code_coverage" in found.measures) == ("crashed", False)
    assert "ended by signal 9" in str(found.detail["coverage_not_measured"])


def test_a_sitecustomize_of_its_own_still_works(verdict):
    own = {"service.py": SERVICE.replace("notes = {}", "import sys\nnotes = sys.prepared"), "start.sh": START}
    project = '[project]\nname = "notes"\nversion = "1"\n'
    found = verdict({**own, "sitecustomize.py": "import sys\nsys.prepared = {}\n", "pyproject.toml": project})
    assert found.status.value == "passed"
    assert ran(found)["service.py"] == 1


def test_a_service_can_forge_its_coverage_and_nothing_else(verdict):
    plain = verdict({"service.py": FORGES, "start.sh": START, "never.py": NEVER}, coverage=False)
    found = verdict({"service.py": FORGES, "start.sh": START, "never.py": NEVER})
    assert (found.status, found.tests and [test.outcome for test in found.tests]) == (
        plain.status,
        [test.outcome for test in plain.tests],
    )
    assert {name: value for name, value in found.measures.items() if name != "code_coverage"} == plain.measures
    assert ran(found)["never.py"] == 0
    assert "coverage" not in plain.detail
    assert found.config_hash != plain.config_hash
