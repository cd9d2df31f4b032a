"""Golden tests: run on the test side, recorded test by test, held against the manifest, written as JUnit XML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from xml.etree import ElementTree

from ...core.base import MiB
from ...core.errors import Boundary, InfrastructureError
from ...core.outcomes import Cause, TestOutcome
from ...core.verdict import TestResult
from ...sandbox.base import ExecResult, Loopback, ReadOnly, Sandbox, View, Writable
from ...toolchains import Prepared
from .deploy import TEST_LIMITS
from .task import MicroserviceTask
from .workspace import ended

URL_VARIABLES = ("SERVICE_BASE_URL", "API_BASE_URL", "BASE_URL")
"""Where golden suites look for the service."""

WORST = (TestOutcome.PASSED, TestOutcome.SKIPPED, TestOutcome.FAILED, TestOutcome.ERRORED)
"""Outcomes of one test, the worst last."""
OUTCOMES = tuple(outcome.value for outcome in WORST)

GAVE_UP = "_pytest.outcomes.Exit: "
"""How pytest shows a file that ends the session while it is imported."""


@dataclass(frozen=True)
class GoldenRun:
    """What came of one run of the golden tests."""

    results: tuple[TestResult, ...]
    """One per expected id, in the manifest's order."""
    unexpected: tuple[str, ...]
    """Ids that ran but that the manifest does not know."""
    process: ExecResult
    finished: bool
    """Whether the runner reached its end (a suite that hits its time limit does not)."""
    skipped_modules: tuple[str, ...] = ()
    """Files that skipped themselves as a whole while they were collected."""
    collect_errors: tuple[str, ...] = ()
    """What pytest said of each file that it could not collect, but for those that called `pytest.exit`."""

    @property
    def passed(self) -> int:
        return sum(result.passed for result in self.results)


RECORDS = "/results/results.jsonl"
_BOUNDED = (
    "/bin/sh", "-c", f'ulimit -f {TEST_LIMITS.disk_bytes // 512} 2>/dev/null; exec "$@"', "sh", "/env/bin/python", "-B",
)  # fmt: skip
"""The file of records lies on the host's disk, and those who write it are not always ours: no file may outgrow the sandbox's own disk."""
RUN_TESTS = (*_BOUNDED, "/runner/run_tests.py", "/tests", RECORDS)
"""Runs the tests that a `golden_view` shows."""
COLLECT_TESTS = (*_BOUNDED, "/runner/collect_tests.py", "/tests", RECORDS)
"""Imports them and notes their ids."""

IMPORTABLE = "REPOPROOF_IMPORTABLE"
"""Variable that tells `run_tests.py` where the code under test lies, where tests import it."""

MOST_RECORDED = 64 * MiB
"""How much of the records is read: tens of thousands of tests, each with its message."""


def golden_view(
    environment: Prepared,
    runner: Path,
    tests: Path,
    results: Path,
    variables: Mapping[str, str],
    *,
    workdir: str = "/tmp",
) -> View:
    """What golden tests see: themselves, their environment, our runner, and the folder that only they write results to."""
    return View(
        mounts=(
            *environment.mounts,
            ReadOnly(source=runner, target="/runner"),
            ReadOnly(source=tests, target="/tests"),
            records_mount(results),
        ),
        environment={**environment.environment, **variables},
        workdir=workdir,
    )


def records_mount(results: Path) -> Writable:
    """An empty `results.jsonl` in the folder `results`, and nothing else of it: whoever writes there can neither put something else in its
    place nor add a second file."""
    file = results / Path(RECORDS).name
    file.unlink(missing_ok=True)
    file.touch()
    file.chmod(0o666)  # written by the sandbox's unprivileged user
    return Writable(source=file, target=RECORDS)


def run_golden_tests(
    task: MicroserviceTask,
    tests: Path,
    runner: Path,
    results: Path,
    environment: Prepared,
    box: Sandbox,
    loopback: Loopback | None,
    *,
    seconds: float,
    variables: Mapping[str, str] | None = None,
    workdir: str = "/tmp",
) -> GoldenRun:
    """Run them beside the service that listens on `loopback`; nothing listens where that is None."""
    assert task.sealed is not None
    settings = {**(variables or {}), **service_urls(task.port), **task.sealed.test_environment}
    process = box.run(
        RUN_TESTS,
        view=golden_view(environment, runner, tests, results, settings, workdir=workdir),
        limits=TEST_LIMITS.model_copy(update={"wall_seconds": seconds}),
        loopback=loopback,
    )
    lines = read_records(results / Path(RECORDS).name)
    if not any("started" in line for line in lines) and process.cause in (Cause.EXITED, Cause.SIGNALLED):
        # Past its start, whatever the runner does may depend on the service, so it is the candidate's; before, it is ours.
        output = (process.stdout + process.stderr)[-400:].decode("utf-8", "replace")
        raise InfrastructureError(f"the test runner {ended(process)}: {output}", boundary=Boundary.HARNESS)
    return golden_run(task, lines, process)


def golden_run(task: MicroserviceTask, lines: list[dict], process: ExecResult) -> GoldenRun:
    """What the runner has recorded, held against the manifest."""
    known = set(task.test_ids)
    # One set of a test's parameters may be disabled, and the others expected under one id.
    disabled = {id for line in lines for id in line.get("disabled", ()) if id not in known}
    tested = folded((line for line in lines if "id" in line and line["id"] not in disabled), task.test_ids)
    held, unexpected = hold_against(task.test_ids, tested)
    return GoldenRun(
        held,
        unexpected,
        process,
        finished=any("finished" in line for line in lines),
        skipped_modules=tuple(line["collect_skipped"] for line in lines if "collect_skipped" in line),
        collect_errors=tuple(
            line["message"] for line in lines if "collect_error" in line and GAVE_UP not in line["message"]
        ),
    )


def folded(records: Iterable[dict], expected: Iterable[str]) -> list[dict]:
    """The records of tests, with each invocation of a parametrised one under the id of all of them, where the manifest has that: ids that were
    read from source know no invocations. Such a test passes if all of its invocations do."""
    known = set(expected)
    found: dict[str, dict] = {}
    for line in records:
        plain = re.split(r"[(\[]", line["id"], maxsplit=1)[0]
        id = plain if line["id"] not in known and plain in known else line["id"]
        before = found.get(id)
        worse = before is None or WORST.index(line["outcome"]) > WORST.index(before["outcome"])
        seconds = line["seconds"] + (before["seconds"] if before else 0.0)
        found[id] = {**(line if worse or before is None else before), "id": id, "seconds": seconds}
    return list(found.values())


def service_urls(port: int) -> dict[str, str]:
    """What tells the tests where the service is."""
    return dict.fromkeys(URL_VARIABLES, f"http://127.0.0.1:{port}")


def read_records(file: Path) -> list[dict]:
    """The runner's records; none where there is no file. What follows a line that no runner writes, or that a kill cut off, is left out: code
    that is tested in the runner's own process can write there as well."""
    lines: list[dict] = []
    for line in _content(file).splitlines():
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            break
        if not (isinstance(record, dict) and _is_whole(record)):
            break
        lines.append(record)
    return lines


def _content(file: Path) -> bytes:
    with suppress(FileNotFoundError), file.open("rb") as opened:
        return opened.read(MOST_RECORDED)
    return b""


def _is_whole(record: dict) -> bool:
    """Whether a record has all that its kind has."""
    texts = [record.get(key, "") for key in ("id", "message", "collect_error", "collect_skipped")]
    if not all(isinstance(text, str) for text in texts):
        return False
    if "id" in record:
        seconds = record.get("seconds")
        timed = isinstance(seconds, int | float) and 0 <= seconds < inf
        return timed and record.get("outcome") in OUTCOMES and "message" in record
    collected = record.get("collected", [])
    says = "message" in record or not record.keys() & {"collect_error", "collect_skipped"}
    left_out = record.get("left_out", {})
    return (
        says
        and all(_are_texts(ids) for ids in (collected, record.get("disabled", [])))
        and isinstance(left_out, dict)
        and _are_texts([*left_out, *left_out.values()])
    )


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def hold_against(expected: Iterable[str], lines: list[dict]) -> tuple[tuple[TestResult, ...], tuple[str, ...]]:
    """Results for exactly the expected ids: what was not reported is missing, what ran and was not expected is named apart."""
    expected = tuple(expected)
    reported = {
        line["id"]: TestResult(
            id=line["id"], outcome=TestOutcome(line["outcome"]), seconds=line["seconds"], message=line["message"]
        )
        for line in lines
        if "id" in line
    }
    held = tuple(reported.get(id) or TestResult(id=id, outcome=TestOutcome.MISSING) for id in expected)
    ran = {id for id, result in reported.items() if result.outcome is not TestOutcome.SKIPPED}
    return held, tuple(sorted(ran - set(expected)))


def junit_xml(name: str, results: Iterable[TestResult]) -> bytes:
    """The results as a JUnit XML report; a missing test is an error of type `missing`."""
    results = tuple(results)
    count = {outcome: sum(result.outcome is outcome for result in results) for outcome in TestOutcome}
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(results)),
        failures=str(count[TestOutcome.FAILED]),
        errors=str(count[TestOutcome.ERRORED] + count[TestOutcome.MISSING]),
        skipped=str(count[TestOutcome.SKIPPED]),
        time=f"{sum(result.seconds for result in results):.3f}",
    )
    for result in results:
        file, _, test = result.id.partition("::")
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=file.removesuffix(".py").replace("/", "."),
            name=test,
            time=f"{result.seconds:.3f}",
        )
        match result.outcome:
            case TestOutcome.FAILED:
                ElementTree.SubElement(case, "failure", message=last_line(result.message)).text = printable(
                    result.message
                )
            case TestOutcome.ERRORED:
                ElementTree.SubElement(case, "error", message=last_line(result.message)).text = printable(
                    result.message
                )
            case TestOutcome.MISSING:
                ElementTree.SubElement(case, "error", type="missing", message="never reported")
            case TestOutcome.SKIPPED:
                ElementTree.SubElement(case, "skipped", message=last_line(result.message))
            case TestOutcome.PASSED:
                pass
    root = ElementTree.Element("testsuites")
    root.append(suite)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def printable(text: str) -> str:
    """`text` without the control characters and surrogates that XML cannot hold."""
    return "".join(
        c if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff") else "�"
        for c in text
    )


def last_line(text: str) -> str:
    """The last line of a traceback is what tells most."""
    lines = [line for line in printable(text).splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
