"""RepoGenesis' report and table, and how the two scorings of one run differ."""

from __future__ import annotations

import json

import pytest

from repoproof.core.outcomes import Status, TestOutcome
from repoproof.core.verdict import TestResult
from repoproof.reports.repogenesis import (
    ApiCoverage,
    Beside,
    Deployment,
    Difference,
    Evaluation,
    Metadata,
    Profile,
    Repository,
    Result,
    Tests,
    differences_between,
    legacy_result_of,
    legacy_summary_of,
    result_of,
    summary_of,
)
from repoproof.reports.repogenesis_table import summary_table

NOTES = Repository(name="notes", lang="python", port=8000, framework="fastapi", apis=4)


def results(**outcomes: int) -> tuple[TestResult, ...]:
    return tuple(
        TestResult(id=f"test_it.py::test_{outcome}_{number}", outcome=TestOutcome(outcome))
        for outcome, count in outcomes.items()
        for number in range(count)
    )


def endpoints(found: int, of: int = 4) -> dict[str, object]:
    return {"endpoints": [{"endpoint": f"GET /{n}", "static": n < found} for n in range(of)]}


@pytest.fixture
def partial(verdict):
    """Deployed, 3 of 8 tests passed, 2 never reported, 3 of 4 endpoints."""
    tests = results(passed=3, failed=1, errored=1, skipped=1, missing=2)
    measures = {"installed": 1.0, "started": 1.0, "responds": 1.0, "dsr": 1.0}
    return verdict(
        "notes", Status.FAILED, tests=tests, measures=measures, detail=endpoints(3), seconds=47.16, reason="3 of 8"
    )


@pytest.fixture
def sleeps(verdict):
    """Something was running until the end of its time, and no test could report."""
    tests = results(missing=8)
    measures = {"installed": 1.0, "started": 1.0, "responds": 0.0, "dsr": 0.0}
    reason = "no answer below 500 on port 8000"
    return verdict("notes", Status.START_FAILED, tests=tests, measures=measures, detail=endpoints(0), reason=reason)


def test_ours_is_over_every_expected_test_and_adds_up(partial):
    found = result_of(NOTES, partial)
    assert found.pass_at_1 == Tests(passed=3, failed=1, errors=3, skipped=1, total=8, score=0.375)
    assert found.api_coverage == ApiCoverage(total_apis=4, implemented_apis=3, score=0.75)
    assert found.dsr == Deployment(success=True, message="Service started successfully")
    assert (found.exit_code, found.elapsed_seconds) == (0, 47.2)


def test_legacy_is_over_the_tests_that_reported(partial):
    assert legacy_result_of(NOTES, partial, 4).pass_at_1 == Tests(
        passed=3, failed=1, errors=1, skipped=1, total=6, score=0.5
    )


def test_a_process_that_answers_nothing_is_deployed_in_legacy_only(sleeps):
    assert result_of(NOTES, sleeps).dsr == Deployment(success=False, message="no answer below 500 on port 8000")
    assert legacy_result_of(NOTES, sleeps, 0).dsr.success


def test_nothing_of_a_cheat_counts_in_ours_and_it_still_adds_up(partial):
    found = result_of(NOTES, partial.model_copy(update={"status": Status.CHEATED}))
    tests = found.pass_at_1
    assert (tests.passed, tests.total, found.api_coverage.implemented_apis, found.dsr.success) == (0, 8, 0, False)
    assert tests.failed + tests.errors + tests.skipped == 8


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (Status.FAILED, 0),
        (Status.MISSING, 1),
        (Status.INFRASTRUCTURE_ERROR, 3),
        (Status.TIMED_OUT, 124),
        (Status.OUT_OF_MEMORY, 137),
    ],
)
def test_exit_codes(verdict, status, code):
    assert result_of(NOTES, verdict("notes", status)).exit_code == code


def a_result(name: str, lang: str = "python", *, deployed: bool = True, tests: Tests, apis: tuple[int, int]) -> Result:
    return Result(
        repo_name=name,
        lang=lang,
        port=8000,
        framework="",
        exit_code=0,
        elapsed_seconds=1.0,
        dsr=Deployment(success=deployed, message=""),
        pass_at_1=tests,
        api_coverage=ApiCoverage(total_apis=apis[1], implemented_apis=apis[0], score=round(apis[0] / apis[1], 4)),
    )


def outcome_of(passed: int, of: int) -> Tests:
    return Tests(passed=passed, failed=of - passed, total=of, score=round(passed / of, 4) if of else 0.0)


THREE = (
    a_result("blog", tests=outcome_of(8, 10), apis=(4, 5)),
    a_result("shop", tests=outcome_of(6, 8), apis=(3, 4)),
    a_result("javalin-online-judge", "java", deployed=False, tests=outcome_of(0, 6), apis=(2, 4)),
)


def test_averages_by_language_with_four_decimals():
    found = summary_of(THREE, static_only=False)
    assert (found.total_repos, found.python_repos, found.java_repos) == (3, 2, 1)
    assert (found.avg_pass_at_1, found.avg_api_coverage, found.deployment_success_rate) == (0.5167, 0.6833, 0.6667)
    assert found.pass_at_1_by_lang == {"python": 0.775, "java": 0.0}
    assert found.dsr_by_lang == {"python": 1.0, "java": 0.0}


def test_what_was_not_measured_is_no_zero():
    found = summary_of(THREE[:2], static_only=True)
    assert (found.avg_pass_at_1, found.deployment_success_rate, found.avg_api_coverage) == (None, None, 0.775)
    assert found.ac_by_lang == {"python": 0.775, "java": None}


def test_who_reports_nothing_leaves_the_legacy_average():
    silent = a_result("quiet", tests=Tests(), apis=(0, 4))
    both = (THREE[0], silent)
    assert legacy_summary_of(both, static_only=False).avg_pass_at_1 == 0.8
    assert summary_of(both, static_only=False).avg_pass_at_1 == 0.4


def test_every_difference_is_explained(partial, sleeps, verdict):
    quiet = sleeps.model_copy(update={"task": "quiet"})
    absent = verdict("absent", Status.MISSING, tests=results(missing=4))
    broken = verdict("broken", Status.BUILD_FAILED, tests=results(missing=4), reason="install: no such package")
    named = {v.task: NOTES.model_copy(update={"name": v.task}) for v in (partial, quiet, absent, broken)}
    ours = [result_of(named[v.task], v) for v in (partial, quiet, absent, broken)]
    legacy = [legacy_result_of(named[v.task], v, 4) for v in (partial, quiet, broken)]
    passed, covered, deployed = differences_between(ours, legacy, verdicts=[partial, quiet, broken], static_only=False)
    assert (passed.ours, passed.ours_over, passed.legacy, passed.legacy_over) == (0.0938, 4, 0.5, 1)
    assert passed.why == (
        "not submitted, so not counted: absent",
        "no test reported, so they left the average: quiet, broken",
        "notes: 3 of 6 tests that reported, 3 of 8 expected",
    )
    assert covered.why[1:] == (
        "notes: 4 of 4 by substring, 3 by syntax tree",
        "quiet: 4 of 4 by substring, 0 by syntax tree",
        "broken: 4 of 4 by substring, 0 by syntax tree",
    )
    assert (deployed.ours, deployed.legacy) == (0.25, 0.6667)
    assert deployed.why[1].startswith("quiet: something was running, which was enough; no answer below 500")
    assert deployed.why[2].startswith("broken: its installation failed, which was ignored")


def evaluation(profile: Profile = Profile.OURS, *, differences: tuple[Difference, ...] = ()) -> Evaluation:
    return Evaluation(
        metadata=Metadata(
            timestamp="2026-02-25T12:00:00",
            harness_version="repoproof 1",
            model_name="m",
            agent_name=None,
            total_elapsed_seconds=1234.5,
            predictions_dir="generated",
        ),
        summary=summary_of(THREE, static_only=False),
        results=THREE,
        repoproof=Beside(
            profile=profile,
            suite="mini 1.0.0 sha256:ab12ab12ab12 health none",
            denominator=3,
            statuses={},
            strict={},
            run="run",
            differences=differences,
        ),
    )


TABLE = """\
==========================================================================================
  RepoGenesis Evaluation Results
==========================================================================================
Repo Name                           Lang     DSR    Pass@1     AC
------------------------------------------------------------------------------------------
blog                                python   PASS   8/10 (0.80) 4/5 (0.80)
shop                                python   PASS   6/8 (0.75)  3/4 (0.75)
javalin-online-judge                java     FAIL   0/6 (0.00)  2/4 (0.50)
------------------------------------------------------------------------------------------
  Total repos:              3
  Avg Pass@1:               0.5167
  Deployment Success Rate:  0.6667
  Avg API Coverage:         0.6833

  Pass@1 (Python):  0.7750  | Pass@1 (Java):  0.0000
  DSR (Python):     1.0000  | DSR (Java):     0.0000
  AC (Python):      0.7750  | AC (Java):      0.5000
==========================================================================================
"""


def test_the_table_is_laid_out_as_theirs():
    assert summary_table(evaluation()).startswith(TABLE)


def test_the_legacy_table_shows_both_scorings_with_their_denominators():
    difference = Difference(
        metric="avg_pass_at_1", ours=0.382, ours_over=22, legacy=0.494, legacy_over=17, why=("no test reported: a",)
    )
    shown = summary_table(evaluation(Profile.LEGACY, differences=(difference,)))
    assert "  Pass@1: legacy 0.4940 over 17, ours 0.3820 over 22\n          no test reported: a\n" in shown


def test_the_table_says_how_many_were_tested_in_their_own_process():
    found = evaluation()
    said = "were tested in the process of the code under test: such results can be forged by a determined submission\n"
    assert said not in summary_table(found)
    beside = found.repoproof.model_copy(update={"in_process": ("a", "b")})
    assert f"\n2 of 3 tasks {said}" in summary_table(found.model_copy(update={"repoproof": beside}))


def test_keys_and_types_are_those_of_their_report():
    written = json.loads(evaluation().model_dump_json())
    assert list(written) == ["metadata", "summary", "results", "repoproof"]
    assert list(written["metadata"]) == [
        "timestamp", "harness_version", "model_name", "agent_name", "total_elapsed_seconds", "predictions_dir"
    ]  # fmt: skip
    assert list(written["summary"]) == [
        "total_repos", "python_repos", "java_repos", "avg_pass_at_1", "avg_api_coverage", "deployment_success_rate",
        "pass_at_1_by_lang", "ac_by_lang", "dsr_by_lang",
    ]  # fmt: skip
    assert written["results"][0] == {
        "repo_name": "blog", "lang": "python", "port": 8000, "framework": "", "exit_code": 0, "elapsed_seconds": 1.0,
        "dsr": {"success": True, "message": ""},
        "pass_at_1": {"passed": 8, "failed": 2, "errors": 0, "skipped": 0, "total": 10, "score": 0.8},
        "api_coverage": {"total_apis": 5, "implemented_apis": 4, "score": 0.8},
    }  # fmt: skip
