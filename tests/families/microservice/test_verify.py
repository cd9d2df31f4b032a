"""From submission to verdict: each end has its own status, and what is the candidate's doing is never ours."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from plugins.small_suite import REFERENCE, SERVICE, write_suite, write_tree

import repoproof
from repoproof.core.base import MiB
from repoproof.core.outcomes import Cause, Status, TestOutcome
from repoproof.core.suite_files import seal_suite
from repoproof.core.verdict import PhaseName, TestResult, Verdict
from repoproof.families.microservice.deploy import SERVICE_LIMITS
from repoproof.families.microservice.golden import GoldenRun
from repoproof.families.microservice.verify import judged, unanswered
from repoproof.sandbox.base import ExecResult, Usage
from repoproof.toolchains import TimeLeft

runs = pytest.mark.needs("bubblewrap")


def ended(cause: Cause, code: int | None = None, seconds: float = 1.0) -> ExecResult:
    return ExecResult(cause=cause, exit_code=code, signal=9, usage=Usage(wall_seconds=seconds))


def golden(process: ExecResult, *outcomes: str, finished: bool = True) -> GoldenRun:
    results = tuple(TestResult(id=f"t.py::t{n}", outcome=TestOutcome(outcome)) for n, outcome in enumerate(outcomes))
    return GoldenRun(results, (), process, finished)


STOPPED = ended(Cause.KILLED)


@pytest.mark.parametrize(
    ("service", "lived", "tests", "status", "words"),
    [
        (STOPPED, True, golden(ended(Cause.EXITED, 0), "passed", "passed"), Status.PASSED, "2 of 2"),
        (STOPPED, True, golden(ended(Cause.EXITED, 1), "passed", "failed"), Status.FAILED, "first: t.py::t1 failed"),
        (STOPPED, True, golden(ended(Cause.TIMED_OUT), "passed", "missing", finished=False), Status.TIMED_OUT, "limit"),
        (STOPPED, True, golden(ended(Cause.OUT_OF_MEMORY), "missing", finished=False), Status.FAILED, "did not finish: out of memory"),
        (ended(Cause.EXITED, 3), False, golden(ended(Cause.EXITED, 1), "passed", "failed"), Status.CRASHED, "exited with 3"),
        (ended(Cause.SIGNALLED), False, golden(ended(Cause.TIMED_OUT), "passed", "missing", finished=False), Status.CRASHED, "signal 9"),
        (ended(Cause.OUT_OF_MEMORY), False, golden(ended(Cause.EXITED, 1), "failed"), Status.OUT_OF_MEMORY, "memory"),
        (ended(Cause.OUT_OF_MEMORY), True, golden(ended(Cause.EXITED, 1), "failed"), Status.OUT_OF_MEMORY, "memory"),
        (ended(Cause.OUT_OF_MEMORY), False, golden(ended(Cause.EXITED, 0), "passed"), Status.PASSED, "1 of 1"),
    ],
)  # fmt: skip
def test_the_status_says_what_ended_the_tests(service, lived, tests, status, words):
    found, reason = judged(tests, service, lived=lived)
    assert found is status
    assert words in reason


@pytest.mark.parametrize(
    ("service", "in_full", "status"),
    [
        (STOPPED, True, Status.START_FAILED),
        (STOPPED, False, Status.TIMED_OUT),
        (ended(Cause.EXITED, 1), True, Status.START_FAILED),
        (ended(Cause.EXITED, 1), False, Status.START_FAILED),
        (ended(Cause.OUT_OF_MEMORY), True, Status.OUT_OF_MEMORY),
        (ended(Cause.OUTPUT_LIMIT), True, Status.START_FAILED),
    ],
)
def test_the_status_says_why_a_service_never_answered(service, in_full, status):
    assert unanswered(service, "no answer", in_full=in_full)[0] is status


def test_a_limit_is_the_steps_own_until_less_is_left():
    time = TimeLeft(100)
    time.spend(ended(Cause.EXITED, 0, seconds=70))
    assert (time.at_most(20), time.at_most(50), time.is_over) == (20, 30, False)
    time.spend(ended(Cause.EXITED, 0, seconds=31))
    assert (time.at_most(20), time.is_over) == (0.1, True)


def scored(tmp_path: Path, files: dict[str, str], *, timeout: float | None = None, **suite) -> Verdict:
    """The verdict on one submission made of `files`, scored for real."""
    root = write_suite(tmp_path / "suite", **suite)
    write_tree(tmp_path / "submissions" / "notes", files)
    repoproof.score(root, tmp_path / "submissions", tmp_path / "run", task_seconds=timeout)
    return only_verdict(tmp_path / "run")


def only_verdict(run: Path) -> Verdict:
    (line,) = (run / "verdicts.jsonl").read_text().splitlines()
    return Verdict.model_validate_json(line)


@runs
def test_phases_are_recorded_in_the_order_in_which_they_ran(tmp_path):
    verdict = scored(tmp_path, REFERENCE)
    names = [phase.name for phase in verdict.phases]
    assert names == [PhaseName.FETCH, PhaseName.INSTALL, PhaseName.START, PhaseName.TEST, PhaseName.PROBE]
    assert all(phase.ok for phase in verdict.phases)
    start, test = verdict.phases[2:4]
    assert (start.limit_seconds, test.limit_seconds) == (15, 300)


DRIP = """
import os, socket, time
server = socket.create_server(("0.0.0.0", int(os.environ["PORT"])))
while True:
    connection, _ = server.accept()
    try:
        for byte in b"HTTP/1.1 200 OK\\r\\nX-Slow: " + b"x" * 10_000:
            connection.send(bytes([byte]))
            time.sleep(0.2)
    except OSError:
        pass
"""


@runs
@pytest.mark.slow
def test_an_answer_sent_byte_by_byte_is_a_failed_start_and_no_error_of_ours(tmp_path):
    verdict = scored(tmp_path, {"service.py": DRIP, "start.sh": "exec python3 service.py\n"})
    assert verdict.status is Status.START_FAILED
    assert "no whole answer" in verdict.reason


STREAM = SERVICE.replace(
    '        if self.path == "/health":\n',
    """        if self.path == "/events":
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b"data: tick\\n\\n")
                __import__("time").sleep(0.1)
        if self.path == "/health":
""",
)


@runs
def test_an_endpoint_that_streams_without_end_takes_nothing_from_the_others(tmp_path):
    files = {"service.py": STREAM, "start.sh": "exec python3 service.py\n"}
    verdict = scored(tmp_path, files, endpoints=[("GET", "/events"), ("GET", "/health")])
    assert (verdict.status, verdict.measures["ac_live"]) == (Status.PASSED, 1.0)


@runs
def test_the_tasks_time_limit_is_one_of_installing_starting_and_testing(tmp_path):
    slow = {
        "test_notes.py": "import time\ndef test_health(): pass\ndef test_create(): time.sleep(60)\ndef test_read_back(): pass\n"
    }
    verdict = scored(tmp_path, REFERENCE, timeout=8, tests=slow)
    assert verdict.status is Status.TIMED_OUT
    assert [test.outcome for test in verdict.tests] == ["passed", "missing", "missing"]
    assert verdict.measures["responds"] == 1.0


@runs
def test_a_service_that_is_cut_off_by_the_tasks_limit_before_it_answers_timed_out(tmp_path):
    verdict = scored(tmp_path, {"start.sh": "exec sleep 60\n"}, timeout=2)
    assert (verdict.status, verdict.measures["started"], verdict.measures["responds"]) == (Status.TIMED_OUT, 1.0, 0.0)


@runs
def test_nobody_waits_for_a_service_of_which_nothing_is_left(tmp_path):
    verdict = scored(tmp_path, {"start.sh": "exit 3\n"})
    assert verdict.status is Status.START_FAILED
    # It is said so at once, and not after the time that a start may take.
    assert re.fullmatch(r"the start command exited with 3; nothing of it is left to answer on port \d+", verdict.reason)


@runs
def test_a_tree_larger_than_a_services_disk_is_a_failed_start(tmp_path):
    root = write_suite(tmp_path / "suite")
    tree = write_tree(tmp_path / "submissions" / "notes", REFERENCE)
    with (tree / "data.bin").open("wb") as file:
        os.truncate(file.fileno(), SERVICE_LIMITS.disk_bytes + MiB)
    repoproof.score(root, tmp_path / "submissions", tmp_path / "run")
    verdict = only_verdict(tmp_path / "run")
    assert verdict.status is Status.START_FAILED
    assert "do not fit on a service's disk" in verdict.reason


@runs
def test_an_endpoint_that_is_declared_twice_counts_once(tmp_path):
    verdict = scored(tmp_path, REFERENCE, endpoints=[("GET", "/health"), ("GET", "/health/")])
    assert len(verdict.detail["endpoints"]) == 1
    assert verdict.measures["ac_live"] == 1.0


FOREIGN_SUITE = {
    "pytest.ini": "[pytest]\npython_functions = check_*\nmarkers = smoke: quick ones\naddopts = --strict-markers\n",
    "conftest.py": "import os, pytest\n\n@pytest.fixture(scope='session')\ndef base():\n    return os.environ['NOTES_API']\n",
    "data/notes.json": '["a", "b"]',
    "helpers.py": "def texts(path):\n    import json\n    return json.loads(path.read_text())\n",
    "smoke/test_health.py": (
        "import pytest, requests\n\n@pytest.mark.smoke\ndef check_on_a_fixed_address():\n"
        "    assert requests.get('http://localhost:8123/health', timeout=5).ok\n"
    ),
    "test_api.py": (
        "from pathlib import Path\nimport httpx, pytest\nfrom helpers import texts\n\n"
        "@pytest.mark.parametrize('text', texts(Path(__file__).parent / 'data' / 'notes.json'))\n"
        "def check_create(base, text):\n    assert httpx.post(base + '/notes', json={'text': text}, timeout=5).json()['text'] == text\n"
    ),
}
"""As suites of other benchmarks are: settings, fixtures, data, helpers, folders, and each its own way to find the service."""


@runs
def test_a_foreign_suites_settings_fixtures_folders_and_addresses_work(tmp_path):
    expected = (
        "smoke/test_health.py::check_on_a_fixed_address",
        "test_api.py::check_create[a]",
        "test_api.py::check_create[b]",
    )
    variables = {"NOTES_API": "http://localhost:8123"}
    verdict = scored(tmp_path, REFERENCE, tests=FOREIGN_SUITE, expected=expected, test_environment=variables)
    assert (verdict.status, verdict.reason) == (Status.PASSED, "3 of 3 tests passed")


@runs
@pytest.mark.needs("network")
def test_test_requirements_that_do_not_exist_make_the_task_invalid(tmp_path):
    root = write_suite(tmp_path / "suite")
    records = root / "sealed" / "tasks.jsonl"
    records.write_text(json.dumps({**json.loads(records.read_text()), "test_requirements": "requirements.txt"}) + "\n")
    (root / "sealed" / "requirements.txt").write_text("pytest==0.0.0.1\n")
    seal_suite(root)
    write_tree(tmp_path / "submissions" / "notes", REFERENCE)
    repoproof.score(root, tmp_path / "submissions", tmp_path / "run")
    verdict = only_verdict(tmp_path / "run")
    assert (verdict.status, verdict.tries) == (Status.INVALID_TASK, 1)
    assert "pytest==0.0.0.1" in verdict.reason
