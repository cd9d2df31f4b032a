"""`report.json` as RepoGenesis' harness writes it, and the two scorings that can be in it.

All keys, types and roundings of the harness are kept; whatever is ours beside them is under the one key `repoproof`. Which scoring the
harness's own keys hold is the profile: `ours` counts every repository that was asked for, `legacy` averages as was published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from statistics import fmean

from ..core.base import Frozen
from ..core.outcomes import Status, TestOutcome
from ..core.verdict import Verdict

STARTED = "Service started successfully"
LANGUAGES = ("python", "java")
"""Those that the summary always speaks of, as the harness does."""

EXIT_CODES = {
    Status.MISSING: 1,
    Status.INFRASTRUCTURE_ERROR: 3,
    Status.TIMED_OUT: 124,
    Status.OUT_OF_MEMORY: 137,
}
"""Of a repository's evaluation: 0 wherever it came to an end of its own, whatever it found."""


class Profile(StrEnum):
    """Which scoring the harness's own keys hold."""

    OURS = "ours"
    LEGACY = "legacy"


class Metadata(Frozen):
    timestamp: str
    """Local time, to the second, without a zone."""
    harness_version: str
    model_name: str | None
    agent_name: str | None
    total_elapsed_seconds: float
    predictions_dir: str


Number = float | None
"""In 0..1, with four decimals; None where nothing was measured, which is not 0."""


class Summary(Frozen):
    total_repos: int
    python_repos: int
    java_repos: int
    avg_pass_at_1: Number
    avg_api_coverage: Number
    deployment_success_rate: Number
    pass_at_1_by_lang: dict[str, Number]
    ac_by_lang: dict[str, Number]
    dsr_by_lang: dict[str, Number]


class Deployment(Frozen):
    success: bool
    message: str


class Tests(Frozen):
    """The first four add up to `total`."""

    __test__ = False

    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    total: int = 0
    score: float = 0.0


class ApiCoverage(Frozen):
    total_apis: int
    implemented_apis: int
    score: float


class Result(Frozen):
    """One repository."""

    repo_name: str
    lang: str
    port: int
    framework: str
    exit_code: int
    elapsed_seconds: float
    dsr: Deployment
    pass_at_1: Tests
    api_coverage: ApiCoverage


class Difference(Frozen):
    """One metric under both scorings of the same run."""

    metric: str
    ours: Number
    ours_over: int
    """Repositories that the mean is over."""
    legacy: Number
    legacy_over: int
    why: tuple[str, ...]
    """What makes the difference, repository by repository; empty where there is none."""


class Beside(Frozen):
    """What the harness's own keys do not say."""

    profile: Profile
    suite: str
    """Name, version, digest and health version: what fixes the denominator."""
    denominator: int
    """Repositories that were asked for."""
    subset: str = ""
    """`subset: 2 of 5 tasks`; empty for all."""
    missing: tuple[str, ...] = ()
    """Asked for, and not among the predictions: 0 in every metric of ours."""
    statuses: dict[str, Status]
    """Repository -> what became of it."""
    strict: dict[str, float | None]
    """All our metrics, over `denominator` repositories."""
    warnings: tuple[str, ...] = ()
    """What a reader must know before quoting a number of ours."""
    above_threshold: bool = False
    """Whether so much was lost to failures of our own that no number is a result."""
    in_process: tuple[str, ...] = ()
    """Tested in the process of the code under test: a determined submission can forge such results."""
    run: str
    """The run directory with every verdict, relative to the report."""
    ours: Summary | None = None
    """With the profile `legacy`: the summary that the profile `ours` gives."""
    differences: tuple[Difference, ...] = ()
    """With the profile `legacy`: what differs, and why."""


class Evaluation(Frozen):
    """`report.json`."""

    metadata: Metadata
    summary: Summary
    results: tuple[Result, ...]
    repoproof: Beside


class Repository(Frozen):
    """What the harness knows of a repository before it is generated."""

    name: str
    lang: str
    port: int
    framework: str
    apis: int
    """Endpoints that its README requires."""


def result_of(repository: Repository, verdict: Verdict) -> Result:
    """A verdict by our scoring: over all expected tests, all required endpoints, a real answer as deployment."""
    nothing_counts = verdict.status.counts_as_zero
    outcomes = Counter(test.outcome for test in verdict.tests)
    passed = 0 if nothing_counts else outcomes[TestOutcome.PASSED]
    failed, skipped = outcomes[TestOutcome.FAILED], outcomes[TestOutcome.SKIPPED]
    implemented = 0 if nothing_counts else sum(bool(endpoint.get("static")) for endpoint in endpoints_in(verdict))
    deployed = not nothing_counts and verdict.measures.get("dsr") == 1.0
    return _result(
        repository,
        verdict,
        deployed=deployed,
        tests=_tests(passed, failed, len(verdict.tests) - passed - failed - skipped, skipped),
        implemented=implemented,
    )


def legacy_result_of(repository: Repository, verdict: Verdict, implemented: int) -> Result:
    """The same run as published: of the tests that reported anything, whether or not the service kept to the rules; whatever runs is
    deployed; `implemented` endpoints by the published rule."""
    outcomes = Counter(test.outcome for test in verdict.tests)
    tests = _tests(*(outcomes[TestOutcome(name)] for name in ("passed", "failed", "errored", "skipped")))
    deployed = bool(verdict.measures.get("responds") or verdict.measures.get("started"))
    return _result(repository, verdict, deployed=deployed, tests=tests, implemented=implemented)


def summary_of(results: Sequence[Result], *, static_only: bool) -> Summary:
    """Every result counts."""
    return _summary(results, lambda result: True, lambda result: True, static_only=static_only)


def legacy_summary_of(results: Sequence[Result], *, static_only: bool) -> Summary:
    """As published: repositories without a reported test leave Pass@1, those without an endpoint leave the coverage."""
    return _summary(results, reported, has_endpoints, static_only=static_only)


def reported(result: Result) -> bool:
    return result.pass_at_1.total > 0


def has_endpoints(result: Result) -> bool:
    return result.api_coverage.total_apis > 0


def differences_between(
    ours: Sequence[Result], legacy: Sequence[Result], *, verdicts: Iterable[Verdict], static_only: bool
) -> tuple[Difference, ...]:
    """What the two scorings make of the same run; `legacy` has no result for a repository that was not submitted."""
    theirs = {result.repo_name: result for result in legacy}
    unsubmitted = [result.repo_name for result in ours if result.repo_name not in theirs]
    pairs = [(result, theirs[result.repo_name]) for result in ours if result.repo_name in theirs]
    missing = [f"not submitted, so not counted: {', '.join(unsubmitted)}"] if unsubmitted else []
    a, b = summary_of(ours, static_only=static_only), legacy_summary_of(legacy, static_only=static_only)
    coverage = Difference(
        metric="avg_api_coverage",
        ours=a.avg_api_coverage,
        ours_over=len(ours),
        legacy=b.avg_api_coverage,
        legacy_over=sum(map(has_endpoints, legacy)),
        why=(*missing, *_coverage_differs(pairs)),
    )
    if static_only:
        return (coverage,)
    silent = [result.repo_name for result in legacy if not reported(result)]
    return (
        Difference(
            metric="avg_pass_at_1",
            ours=a.avg_pass_at_1,
            ours_over=len(ours),
            legacy=b.avg_pass_at_1,
            legacy_over=len(legacy) - len(silent),
            why=(
                *missing,
                *([f"no test reported, so they left the average: {', '.join(silent)}"] if silent else []),
                *_tests_differ(pairs),
            ),
        ),
        coverage,
        Difference(
            metric="deployment_success_rate",
            ours=a.deployment_success_rate,
            ours_over=len(ours),
            legacy=b.deployment_success_rate,
            legacy_over=len(legacy),
            why=(*missing, *_deployment_differs(pairs, {verdict.task: verdict for verdict in verdicts})),
        ),
    )


def endpoints_in(verdict: Verdict) -> list[dict[str, object]]:
    """The evidence on each endpoint; none where the code was not read."""
    found = verdict.detail.get("endpoints")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _tests(passed: int, failed: int, errors: int, skipped: int) -> Tests:
    total = passed + failed + errors + skipped
    score = round(passed / total, 4) if total else 0.0
    return Tests(passed=passed, failed=failed, errors=errors, skipped=skipped, total=total, score=score)


def _result(repository: Repository, verdict: Verdict, *, deployed: bool, tests: Tests, implemented: int) -> Result:
    return Result(
        repo_name=repository.name,
        lang=repository.lang,
        port=repository.port,
        framework=repository.framework,
        exit_code=EXIT_CODES.get(verdict.status, 0),
        elapsed_seconds=round(verdict.seconds, 1),
        dsr=Deployment(success=deployed, message=STARTED if deployed else verdict.reason),
        pass_at_1=tests,
        api_coverage=ApiCoverage(
            total_apis=repository.apis,
            implemented_apis=implemented,
            score=round(implemented / repository.apis, 4) if repository.apis else 0.0,
        ),
    )


Counts = Callable[[Result], bool]


def _summary(results: Sequence[Result], in_pass: Counts, in_coverage: Counts, *, static_only: bool) -> Summary:
    languages = Counter(result.lang for result in results)
    names = (*LANGUAGES, *sorted(language for language in languages if language not in LANGUAGES))

    def of(language: str) -> list[Result]:
        return [result for result in results if result.lang == language]

    def passed(some: Iterable[Result]) -> Number:
        return None if static_only else _mean(r.pass_at_1.passed / (r.pass_at_1.total or 1) for r in some if in_pass(r))

    def deployed(some: Iterable[Result]) -> Number:
        return None if static_only else _mean(float(r.dsr.success) for r in some)

    def covered(some: Iterable[Result]) -> Number:
        return _mean(r.api_coverage.implemented_apis / (r.api_coverage.total_apis or 1) for r in some if in_coverage(r))

    return Summary(
        total_repos=len(results),
        python_repos=languages["python"],
        java_repos=languages["java"],
        avg_pass_at_1=passed(results),
        avg_api_coverage=covered(results),
        deployment_success_rate=deployed(results),
        pass_at_1_by_lang={language: passed(of(language)) for language in names},
        ac_by_lang={language: covered(of(language)) for language in names},
        dsr_by_lang={language: deployed(of(language)) for language in names},
    )


def _mean(values: Iterable[float]) -> Number:
    found = list(values)
    return round(fmean(found), 4) if found else None


Pairs = Sequence[tuple[Result, Result]]
"""Ours and theirs of one repository."""


def _tests_differ(pairs: Pairs) -> Iterable[str]:
    for ours, theirs in pairs:
        a, b = ours.pass_at_1, theirs.pass_at_1
        if b.total and (a.passed, a.total) != (b.passed, b.total):
            yield f"{ours.repo_name}: {b.passed} of {b.total} tests that reported, {a.passed} of {a.total} expected"


def _coverage_differs(pairs: Pairs) -> Iterable[str]:
    for ours, theirs in pairs:
        a, b = ours.api_coverage.implemented_apis, theirs.api_coverage.implemented_apis
        if a != b:
            yield f"{ours.repo_name}: {b} of {theirs.api_coverage.total_apis} by substring, {a} by syntax tree"


def _deployment_differs(pairs: Pairs, verdicts: dict[str, Verdict]) -> Iterable[str]:
    for ours, theirs in pairs:
        verdict = verdicts[ours.repo_name]
        if ours.dsr.success != theirs.dsr.success:
            yield f"{ours.repo_name}: something was running, which was enough; {verdict.reason}"
        elif not ours.dsr.success and verdict.status is Status.BUILD_FAILED:
            yield f"{ours.repo_name}: its installation failed, which was ignored: whether it would have run cannot be told from this run"
