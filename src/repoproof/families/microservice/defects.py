"""What can be wrong with a task, told from what runs of it have shown, and whether that takes it out of the benchmark.

A defect quarantines where it leaves a score without a meaning: an answer that is right could not pass, one that is worth nothing could, or
nobody can tell whether the tests ran. What costs an honest answer nothing, since whatever is not passed is 0 already, is only named.
`RULES` says which kind is which; the table in docs/suites.md says it to users.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ...analysis.routes import find_routes
from ...core.health import Defect
from ...core.outcomes import Cause, TestOutcome
from .coverage import required_endpoints, static_coverage
from .golden import GoldenRun
from .task import MicroserviceTask
from .workspace import ended


class Kind(StrEnum):
    """The codes of defects."""

    UNUSABLE = "unusable"
    """Its tests cannot even be started: what they require cannot be had."""
    NEVER_RUN = "never-run"
    NO_ENDPOINTS = "no-endpoints"
    REFERENCE_FAILS = "reference-fails"
    FLAKY = "flaky"
    REFERENCE_LACKS_ROUTE = "reference-lacks-route"
    NOT_IN_MANIFEST = "not-in-manifest"
    COLLECTS_NOTHING = "collects-nothing"
    CANNOT_BE_COLLECTED = "cannot-be-collected"
    NEEDS_MISSING_FILE = "needs-missing-file"
    PASSES_WITHOUT_SUBMISSION = "passes-without-submission"
    PASSES_WITH_STUB = "passes-with-stub"
    DOES_NOT_DISCRIMINATE = "does-not-discriminate"
    SKIPS_WITHOUT_SERVICE = "skips-without-service"
    SKIPPED_THROUGHOUT = "skipped-throughout"
    LEAVES_NO_REPORT = "leaves-no-report"
    OUTLASTS_LIMIT = "outlasts-limit"


@dataclass
class Evidence:
    """What the runs of one task have shown."""

    has_reference: bool = False
    """Whether the task was published with a solution."""
    defects: list[Defect] = field(default_factory=list)
    reference_runs: list[GoldenRun] = field(default_factory=list)
    reference_responds: bool = True
    empty: GoldenRun | None = None
    """With no service there."""
    stubs: dict[str, GoldenRun] = field(default_factory=dict)
    """With services that implement nothing, by what they do."""

    def found(self, kind: Kind, words: str) -> None:
        self.defects.append(Defect(code=kind, words=words, quarantines=RULES[kind](self)))

    @property
    def worthless_runs(self) -> dict[str, GoldenRun]:
        """The runs against nothing of worth, by what the service does."""
        return {**({"is not there": self.empty} if self.empty is not None else {}), **self.stubs}

    @property
    def runs(self) -> tuple[GoldenRun, ...]:
        return (*self.reference_runs, *self.worthless_runs.values())

    @property
    def was_seen_to_run(self) -> bool:
        """Whether some test of the suite came to an end of its own where something was there to be tested."""
        runs = (*self.reference_runs, *self.stubs.values())
        return any(result.outcome not in _NOT_RUN for run in runs for result in run.results)

    @property
    def non_discriminating(self) -> tuple[str, ...]:
        """Tests that pass against nothing of worth."""
        return tuple(sorted(set().union(*(passed_ids(run) for run in self.worthless_runs.values()))))

    @property
    def flaky(self) -> tuple[str, ...]:
        """Tests that the reference passed in some repeat and not in another."""
        each = [passed_ids(run) for run in self.reference_runs]
        return tuple(sorted(set().union(*each) - set.intersection(*each))) if each else ()


_NOT_RUN = (TestOutcome.SKIPPED, TestOutcome.MISSING)


def _always(evidence: Evidence) -> bool:
    return True


def _never(evidence: Evidence) -> bool:
    return False


def _in_a_task_with_a_reference(evidence: Evidence) -> bool:
    """Whose author can mend it. One that was published as it is, without, is worth more with a test too many than not at all."""
    return evidence.has_reference


def _unless_seen_to_run(evidence: Evidence) -> bool:
    """A suite that ran against something cannot be mistaken for one that never runs: its skipped and missing tests are just not passed."""
    return not evidence.was_seen_to_run


RULES: Mapping[Kind, Callable[[Evidence], bool]] = {
    Kind.UNUSABLE: _always,
    # Nothing speaks against it, and nothing for it: only a reference could run its tests.
    Kind.NEVER_RUN: _never,
    Kind.NO_ENDPOINTS: _always,
    Kind.REFERENCE_FAILS: _always,
    Kind.FLAKY: _always,
    Kind.REFERENCE_LACKS_ROUTE: _always,
    Kind.NOT_IN_MANIFEST: _always,
    Kind.COLLECTS_NOTHING: _always,
    Kind.CANNOT_BE_COLLECTED: _always,
    Kind.NEEDS_MISSING_FILE: _always,
    Kind.PASSES_WITHOUT_SUBMISSION: _always,
    Kind.PASSES_WITH_STUB: _always,
    Kind.DOES_NOT_DISCRIMINATE: _in_a_task_with_a_reference,
    Kind.SKIPS_WITHOUT_SERVICE: _unless_seen_to_run,
    # What a stub cannot give them may be all that they wait for.
    Kind.SKIPPED_THROUGHOUT: _never,
    Kind.LEAVES_NO_REPORT: _unless_seen_to_run,
    # It is cut off at a moment that the machine decides, and so would be a service that dies under it.
    Kind.OUTLASTS_LIMIT: _always,
}
"""Whether a defect of that kind quarantines the task that it was found in, by all that the runs have shown until then."""


def passed_ids(run: GoldenRun) -> set[str]:
    return {result.id for result in run.results if result.passed}


def judge(task: MicroserviceTask, evidence: Evidence) -> None:
    """Turn what the runs have shown into defects."""
    _endpoints(task, evidence)
    _reference(evidence)
    _collection(task, evidence)
    _discrimination(task, evidence)
    if evidence.empty is not None:
        _without_service(evidence.empty, evidence)
    if not evidence.reference_runs:
        _skipped_throughout(evidence)
    evidence.defects[:] = dict.fromkeys(evidence.defects)


def _endpoints(task: MicroserviceTask, evidence: Evidence) -> None:
    if not required_endpoints(task):
        evidence.found(Kind.NO_ENDPOINTS, "no endpoint is declared, and the specification yields none")
    elif task.reference_path is not None:
        routes = find_routes(task.reference_path, language=task.language, framework=task.framework)
        for endpoint, route in static_coverage(required_endpoints(task), routes).static.items():
            if route is None:
                evidence.found(Kind.REFERENCE_LACKS_ROUTE, f"the reference's code shows no route for {endpoint}")


def _reference(evidence: Evidence) -> None:
    repeats = len(evidence.reference_runs)
    failures: dict[str, dict[int, str]] = {}
    for turn, run in enumerate(evidence.reference_runs, 1):
        for result in run.results:
            if not result.passed:
                failures.setdefault(result.id, {})[turn] = result.outcome
    for id, outcomes in failures.items():
        how = ", ".join(dict.fromkeys(outcomes.values()))
        if len(outcomes) < repeats:
            some = f"repeat{'s' if len(outcomes) > 1 else ''} {', '.join(map(str, outcomes))}"
            words = f"test {id} is flaky: the reference passes it in {repeats - len(outcomes)} of {repeats} repeats, and not in {some}: {how}"
            evidence.found(Kind.FLAKY, words)
        else:
            each = "repeat 1" if repeats == 1 else f"each of {repeats} repeats"
            evidence.found(Kind.REFERENCE_FAILS, f"the reference fails {id} in {each}: {how}")


def _collection(task: MicroserviceTask, evidence: Evidence) -> None:
    assert task.sealed is not None
    for id in dict.fromkeys(id for run in evidence.runs for id in run.unexpected):
        evidence.found(Kind.NOT_IN_MANIFEST, f"test {id} is not in the manifest")
    missing = dict.fromkeys(file for run in evidence.runs for file in _missing_files(run))
    for file in missing:
        evidence.found(Kind.NEEDS_MISSING_FILE, f"the tests need {file}, which is not there")
    if not task.sealed.expected_tests:
        evidence.found(Kind.COLLECTS_NOTHING, "no test is collected")
    runs = evidence.runs
    if runs and all(run.collect_errors for run in runs) and not missing:
        evidence.found(Kind.CANNOT_BE_COLLECTED, f"tests cannot be collected: {gist(runs[0].collect_errors[0])}")


def _discrimination(task: MicroserviceTask, evidence: Evidence) -> None:
    """A test that passes against nothing of worth."""
    assert task.sealed is not None
    total = len(task.sealed.expected_tests)
    for name, run in evidence.worthless_runs.items():
        if total and run.passed == total:
            kind = Kind.PASSES_WITHOUT_SUBMISSION if run is evidence.empty else Kind.PASSES_WITH_STUB
            evidence.found(kind, f"all {total} tests pass with a service that {name}")
    for id in evidence.non_discriminating:
        by = [name for name, run in evidence.worthless_runs.items() if id in passed_ids(run)]
        words = f"test {id} does not discriminate: it passes with a service that {' or '.join(by)}"
        evidence.found(Kind.DOES_NOT_DISCRIMINATE, words)


def _without_service(run: GoldenRun, evidence: Evidence) -> None:
    """How a suite takes it that nothing is there to be tested."""
    if run.process.cause is Cause.TIMED_OUT:
        words = f"without a service the tests outlast their limit ({ended(run.process)})"
        evidence.found(Kind.OUTLASTS_LIMIT, words)
        return
    outcomes = {result.outcome for result in run.results}
    code = f"exit code {run.process.exit_code}"
    unseen = "" if evidence.was_seen_to_run else ", and nothing that was tried has shown one run"
    skipped = outcomes == {TestOutcome.SKIPPED} or (outcomes == {TestOutcome.MISSING} and run.skipped_modules)
    if skipped:
        evidence.found(Kind.SKIPS_WITHOUT_SERVICE, f"without a service every test is skipped ({code}){unseen}")
    elif outcomes == {TestOutcome.MISSING} and not run.collect_errors:
        evidence.found(Kind.LEAVES_NO_REPORT, f"without a service the tests leave no report ({code}){unseen}")


def _skipped_throughout(evidence: Evidence) -> None:
    """Some of the tests: a suite of which every test is skipped is another matter."""
    skipped = [{result.id for result in run.results if result.outcome is TestOutcome.SKIPPED} for run in evidence.runs]
    ids = [result.id for run in evidence.runs[:1] for result in run.results]
    always = [id for id in ids if all(id in some for some in skipped)]
    if 0 < len(always) < len(ids):
        named = ", ".join(always[:5]) + (", ..." if len(always) > 5 else "")
        words = f"skipped with nothing there and with every stub, so that nothing shows that they can be passed: {len(always)} of {len(ids)} tests ({named})"
        evidence.found(Kind.SKIPPED_THROUGHOUT, words)


_NO_SUCH_FILE = re.compile(r"FileNotFoundError: \[Errno 2\] [^'\"\n]*(['\"])(?P<file>.+?)\1")


def _missing_files(run: GoldenRun) -> Iterator[str]:
    for message in (*(result.message for result in run.results), *run.collect_errors):
        yield from (found["file"] for found in _NO_SUCH_FILE.finditer(message))


def gist(said: str) -> str:
    """Where pytest says that it went wrong, and how; its last words where it says neither."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    wrong = [line.removeprefix("E").strip() for line in lines if line.startswith("E  ")]
    # pytest shows the code as well, with a caret below it, which says nothing in one line.
    telling = [line for line in wrong if line.startswith("File ") or re.match(r"\w+(Error|Exception)\b", line)]
    return "; ".join(telling or wrong or lines[-3:])[:300]
