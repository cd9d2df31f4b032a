"""What cannot be: each kind of impossible value is found where it stands, and a right report has none."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.core.outcomes import Status
from repoproof.reports.leaderboard import doubts_about_leaderboard, percentages, read_leaderboard
from repoproof.reports.plausibility import doubts_about_evaluation, doubts_about_report, why_no_share


def a_result(name: str, lang: str, passed: int, total: int, implemented: int, apis: int, deployed: bool) -> dict:
    return {
        "repo_name": name,
        "lang": lang,
        "dsr": {"success": deployed, "message": ""},
        "pass_at_1": {
            "passed": passed, "failed": total - passed, "errors": 0, "skipped": 0, "total": total,
            "score": round(passed / total, 4) if total else 0.0,
        },
        "api_coverage": {"total_apis": apis, "implemented_apis": implemented, "score": round(implemented / apis, 4)},
    }  # fmt: skip


RIGHT: dict[str, Any] = {
    "metadata": {"model_name": "m", "agent_name": "a"},
    "summary": {
        "total_repos": 3,
        "python_repos": 2,
        "java_repos": 1,
        "avg_pass_at_1": 0.2667,
        "avg_api_coverage": 0.6,
        "deployment_success_rate": 0.6667,
        "pass_at_1_by_lang": {"python": 0.4, "java": 0.0},
        "ac_by_lang": {"python": 0.65, "java": 0.5},
        "dsr_by_lang": {"python": 1.0, "java": 0.0},
    },
    "results": [
        a_result("blog", "python", 8, 10, 4, 5, True),
        a_result("quiet", "python", 0, 0, 2, 4, True),
        a_result("judge", "java", 0, 6, 1, 2, False),
    ],
}


def changed(path: str, value: object) -> dict:
    report = copy.deepcopy(RIGHT)
    *way, last = (int(step) if step.isdecimal() else step for step in path.split("/"))
    place: Any = report
    for step in way:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return report


def test_a_right_report_is_not_doubted():
    assert list(doubts_about_evaluation(RIGHT)) == []


def test_averages_may_leave_out_what_reported_nothing_as_published():
    report = changed("summary/pass_at_1_by_lang/python", 0.8)
    report["summary"]["avg_pass_at_1"] = 0.4
    assert list(doubts_about_evaluation(report)) == []


@pytest.mark.parametrize(
    ("path", "value", "field", "why"),
    [
        ("summary/deployment_success_rate", 0.28, "summary.deployment_success_rate", "3 repositories cannot give it: the nearest are 0 (0 of 3) and 0.3333 (1 of 3)"),
        ("summary/dsr_by_lang/python", 0.4, "summary.dsr_by_lang.python", "2 repositories cannot give it"),
        ("summary/avg_pass_at_1", 41.2, "summary.avg_pass_at_1", "is not in 0 to 1: is it a percentage?"),
        ("summary/avg_pass_at_1", -0.1, "summary.avg_pass_at_1", "is not in 0 to 1"),
        ("summary/avg_pass_at_1", "0.85", "summary.avg_pass_at_1", "is a text, no number"),
        ("summary/avg_pass_at_1", True, "summary.avg_pass_at_1", "is no number"),
        ("summary/avg_pass_at_1", float("nan"), "summary.avg_pass_at_1", "is not in 0 to 1"),
        ("summary/avg_pass_at_1", 10**400, "summary.avg_pass_at_1", "is not in 0 to 1"),
        ("summary/total_repos", 10**400, "summary.total_repos", "is no whole number from 0 on"),
        ("results/0/pass_at_1/passed", 10**400, "results[0].pass_at_1.passed", "is no whole number from 0 on"),
        ("results/0/pass_at_1/score", ..., "results[0].pass_at_1.score", "is no number"),
        ("summary/avg_pass_at_1", 0.31, "summary.avg_pass_at_1", "the results make it 0.2667 over 3 or 0.4000 over 2"),
        ("summary/avg_api_coverage", 0.7, "summary.avg_api_coverage", "the results make it 0.6000 over 3"),
        ("summary/total_repos", 4, "summary.total_repos", "python_repos and java_repos add up to 3"),
        ("summary/python_repos", 3, "summary.python_repos", "2 results are in python"),
        ("summary/python_repos", "2", "summary.python_repos", "is a text, no whole number from 0 on"),
        ("results/0/pass_at_1/total", 11, "results[0].pass_at_1.total", "passed, failed, errors and skipped add up to 10"),
        ("results/0/pass_at_1/score", 0.9, "results[0].pass_at_1.score", "8 of 10 is 0.8000"),
        ("results/0/pass_at_1/score", 80, "results[0].pass_at_1.score", "is not in 0 to 1: is it a percentage?"),
        ("results/0/pass_at_1/errors", -1, "results[0].pass_at_1.errors", "is no whole number from 0 on"),
        ("results/0/api_coverage/implemented_apis", 6, "results[0].api_coverage.implemented_apis", "there are only 5"),
        ("results/0/api_coverage/score", 0.5, "results[0].api_coverage.score", "4 of 5 is 0.8000"),
        ("results/0/dsr/success", "yes", "results[0].dsr.success", "is neither true nor false"),
        ("results/0/repo_name", "judge", "results", "one repository, and 2 results of it"),
        ("results/0", 3, "results[0]", "is no object"),
        ("results", ..., "results", "is no list of repositories"),
        ("summary", ..., "summary", "is no object"),
    ],
)  # fmt: skip
def test_each_kind_of_impossible_value_is_named(path, value, field, why):
    found = [(doubt.field, doubt.why) for doubt in doubts_about_evaluation(changed(path, value))]
    assert any(place == field and said.startswith(why) for place, said in found), found


def test_an_average_outside_of_its_languages_is_doubted_where_no_results_are_given():
    report = changed("results", [])
    report["summary"]["avg_pass_at_1"] = 0.5
    assert any(d.why == "the languages have 0.0000 to 0.4000" for d in doubts_about_evaluation(report))


def test_other_languages_are_counted_too():
    report = changed("results/2/lang", "node")
    report["summary"]["java_repos"] = 0
    for metric in ("pass_at_1", "ac", "dsr"):
        by_language = report["summary"][f"{metric}_by_lang"]
        by_language["node"] = by_language.pop("java")
    assert list(doubts_about_evaluation(report)) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
PLACES = st.sampled_from(
    ["summary", "results", "summary/avg_pass_at_1", "summary/total_repos", "summary/dsr_by_lang", "results/0"]
    + [f"results/1/{name}" for name in ("lang", "dsr", "pass_at_1", "pass_at_1/total", "api_coverage/total_apis")]
)


@given(PLACES, JSON)
def test_no_value_is_too_strange_to_be_looked_at(path: str, value: object):
    list(doubts_about_evaluation(changed(path, value)))


@given(st.integers(1, 60), st.data())
def test_what_a_share_can_be_is_never_doubted(of: int, data: st.DataObject):
    exact = 100 * data.draw(st.integers(0, of)) / of
    for decimals in (0, 1, 2):
        for value in (round(exact, decimals), int(exact * 10**decimals) / 10**decimals):
            assert why_no_share(value, of, 10.0**-decimals, scale=100.0) == ""


def test_a_report_of_ours_is_recomputed(report: Callable, four_verdicts):
    scored = report(four_verdicts)
    assert list(doubts_about_report(scored)) == []
    better = scored.model_copy(update={"strict": {**scored.strict, "pass_at_1": 0.5}})
    (doubt,) = doubts_about_report(better)
    assert (doubt.field, doubt.value) == ("strict.pass_at_1", 0.5)
    assert doubt.why.startswith("the tasks make it 0.1666")


def test_more_passed_tests_than_there_are_tests(report: Callable, verdict):
    scored = report([verdict("a", Status.PASSED, passed=2, of=2)])
    row = scored.tasks[0].model_copy(update={"tests_passed": 3})
    (doubt,) = doubts_about_report(scored.model_copy(update={"tasks": (row,)}))
    assert (doubt.field, doubt.why) == ("tasks[0].tests_passed", "there are only 2 tests")


HEADER = "#,Model,Category,Lang,Pass@1,AC,DSR,Org,Date,Link\n"
REPOSITORIES = {"python": 22, "java": 8}


@pytest.mark.parametrize(
    ("row", "doubts"),
    [
        ("1,M,IDE,Python,23.67,73.91,95.45,O,2026-02-25,https://x", []),
        ("1,M,IDE,Python,23.67%,-,95%,O,2026-02-25,https://x", []),
        ("1,M,Agent,Java,21.45,74.14,28.5,O,2026-02-25,https://x", [("line 2: DSR", "28.5")]),
        ("1,M,Agent,Java,21.45,74.14,12.5,O,2026-02-25,https://x", []),
        ("1,M,Agent,Python,21.45,74.14,12.5,O,2026-02-25,https://x", [("line 2: DSR", "12.5")]),
        ("1,M,Agent,All,21.45,74.14,33.33,O,2026-02-25,https://x", []),
        ("1,M,CLI,Java,123.4,74.14,100,O,2026-02-25,https://x", [("line 2: Pass@1", "123.4")]),
        ("1,M,CLI,Java,12.3,-4,100,O,2026-02-25,https://x", [("line 2: AC", "-4")]),
        ("1,M,CLI,Java,nan,74.14,100,O,2026-02-25,https://x", [("line 2: Pass@1", "nan")]),
        ("1,M,CLI,Java,high,74.14,100,O,2026-02-25,https://x", [("line 2: Pass@1", "high")]),
        ("1,M,CLI,Rust,12.3,74.14,100,O,2026-02-25,https://x", [("line 2: Lang", "Rust")]),
    ],
)
def test_rows_of_a_leaderboard(tmp_path, row, doubts):
    file = tmp_path / "board.csv"
    file.write_text(HEADER + row + "\n")
    found = doubts_about_leaderboard(read_leaderboard(file), REPOSITORIES)
    assert [(doubt.field, doubt.value) for doubt in found] == doubts


def test_a_leaderboard_in_fractions_is_held_against_one(tmp_path):
    file = tmp_path / "board.json"
    file.write_text('[{"Model": "M", "Lang": "Java", "Pass@1": 0.2, "AC": 0.7, "DSR": 0.285}]')
    rows = read_leaderboard(file)
    assert not percentages(rows)
    (doubt,) = doubts_about_leaderboard(rows, REPOSITORIES)
    assert doubt.why == "8 repositories cannot give it: the nearest are 0.25 (2 of 8) and 0.375 (3 of 8)"
