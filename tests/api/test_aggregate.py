"""Reports from several places in one record, and the command that prints it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.small_suite import REFERENCE, write_suite, write_tree

from repoproof import BadInput, api
from repoproof.cli import main
from repoproof.reports.aggregate import Aggregate, aggregate_page
from repoproof.reports.tables import Table


def theirs(path: Path, *, agent: str = "metagpt", **summary: object) -> Path:
    """One repository of each language; the python one passes half of its tests."""
    tests = {"passed": 1, "failed": 1, "errors": 0, "skipped": 0, "total": 2, "score": 0.5}
    none = {"passed": 0, "failed": 0, "errors": 0, "skipped": 0, "total": 0, "score": 0.0}
    apis = {"total_apis": 2, "implemented_apis": 1, "score": 0.5}
    report = {
        "metadata": {"model_name": "gpt-4o", "agent_name": agent, "harness_version": "1.0.0"},
        "summary": {
            "total_repos": 2, "python_repos": 1, "java_repos": 1,
            "avg_pass_at_1": 0.5, "avg_api_coverage": 0.5, "deployment_success_rate": 0.5,
            "pass_at_1_by_lang": {"python": 0.5, "java": 0.0}, "ac_by_lang": {"python": 0.5, "java": 0.5},
            "dsr_by_lang": {"python": 1.0, "java": 0.0}, **summary,
        },
        "results": [
            {"repo_name": "a", "lang": "python", "dsr": {"success": True}, "pass_at_1": tests, "api_coverage": apis},
            {"repo_name": "b", "lang": "java", "dsr": {"success": False}, "pass_at_1": none, "api_coverage": apis},
        ],
    }  # fmt: skip
    write_tree(path, {"report.json": json.dumps(report)})
    return path / "report.json"


@pytest.fixture
def ours(tmp_path) -> Path:
    suite = write_suite(tmp_path / "suite", ids=("first", "second"))
    write_tree(tmp_path / "answers/first", REFERENCE)
    api.score(suite, tmp_path / "answers", tmp_path / "run", static_only=True, agent_name="a", model_name="m")
    return tmp_path / "run"


def test_a_row_for_each_configuration_and_language_with_its_denominators(tmp_path):
    rows = api.aggregate([theirs(tmp_path / "x")]).rows
    assert [(row.language, row.repositories, row.pass_at_1.value, row.pass_at_1.over) for row in rows] == [
        ("java", 1, 0.0, 1),
        ("python", 1, 0.5, 1),
        ("all", 2, 0.5, 1),
    ]


def test_an_average_over_fewer_repositories_is_said_to_be_one(tmp_path):
    notes = api.aggregate([theirs(tmp_path / "x")]).notes
    assert notes == (
        f"{tmp_path}/x/report.json: all: Pass@1 0.5000 is over 1 of 2 repositories; over all of them it is 0.2500",
    )


@pytest.mark.parametrize("given", ["run", "run/report.json"])
def test_ours_is_read_from_its_run_directory_or_its_report(ours, given):
    rows = api.aggregate([ours.parent / given]).rows
    assert {(row.language, row.repositories, row.configuration.agent, row.scoring.value) for row in rows} == {
        ("python", 2, "a", "ours"),
        ("all", 2, "a", "ours"),
    }
    assert rows[0].pass_at_1.value is None


def test_an_evaluation_of_ours_is_read_from_its_output_directory(ours, tmp_path):
    api.run_evaluation(tmp_path / "suite", tmp_path / "answers", tmp_path / "results", skip_docker=True)
    rows = api.aggregate([tmp_path / "results"]).rows
    assert [(row.language, row.repositories, row.scoring.value) for row in rows] == [
        ("python", 2, "ours"),
        ("all", 2, "ours"),
    ]


def test_rows_over_different_suites_and_parts_of_them_are_named(ours, tmp_path):
    other = write_suite(tmp_path / "other", ids=("first", "other"))
    api.score(other, tmp_path / "answers", tmp_path / "part", static_only=True, tasks=("first",))
    api.run_evaluation(tmp_path / "suite", tmp_path / "answers", tmp_path / "results", skip_docker=True)
    assert api.aggregate([ours, tmp_path / "results"]).notes == ()
    notes = api.aggregate([ours, tmp_path / "part"]).notes
    assert notes[0] == f"{tmp_path}/part: subset: 1 of 2 tasks"
    assert notes[1].startswith("the rows are over different suites (") and notes[1].endswith("): not to be compared")


def test_what_cannot_be_is_named_with_its_file(tmp_path):
    file = theirs(tmp_path / "x", deployment_success_rate=0.285)
    (found,) = api.aggregate([file]).implausible
    assert (found.file, found.field, found.value) == (str(file), "summary.deployment_success_rate", "0.285")


def table(found: Aggregate) -> list[tuple[str, ...]]:
    """Titles and rows of the first table."""
    (first, *_) = (part for part in aggregate_page(found).parts if isinstance(part, Table))
    return [tuple(column.title for column in first.columns), *first.rows]


def test_rows_that_nothing_names_or_tells_apart_show_where_they_are_from(ours, tmp_path):
    known = theirs(tmp_path / "known")
    unknown = [theirs(tmp_path / name, agent="") for name in ("x", "y")]
    titles, *rows = table(api.aggregate([known, *unknown]))
    assert [row[titles.index("Source")] for row in rows] == ["", *map(str, unknown)]
    twice = [known, theirs(tmp_path / "again")]
    titles, *rows = table(api.aggregate(twice))
    assert [row[titles.index("Source")] for row in rows] == list(map(str, twice))
    assert "Source" not in table(api.aggregate([known, ours]))[0]


def test_one_language_is_one_table_and_several_are_summed_up_in_another(ours, tmp_path):
    def titles(found: Aggregate) -> list[str]:
        return [part.title for part in aggregate_page(found).parts if isinstance(part, Table)]

    assert titles(api.aggregate([ours])) == ["Python"]
    assert titles(api.aggregate([ours, theirs(tmp_path / "x")])) == ["Java", "Python", "All languages"]


def test_one_of_many_that_cannot_be_read_is_named_and_the_others_are_in_the_tables(tmp_path, capsys):
    right, torn, newer, odd = theirs(tmp_path / "x"), tmp_path / "torn.json", tmp_path / "newer.json", tmp_path / "nan"
    torn.write_text(right.read_text()[:200])
    newer.write_text('{"schema_version": 2, "suite": {}, "summary": {}, "results": []}')
    theirs(odd, avg_pass_at_1=float("nan"))
    found = api.aggregate([torn, newer, right, odd])
    assert {row.source for row in found.rows} == {str(right)}
    assert [each.source for each in found.unread] == [str(torn), str(newer), str(odd)]
    assert found.unread[1].why == (
        f"{newer}: schema_version: 2 cannot be read: this program reads version 1 (use another repoproof)"
    )
    assert main(["aggregate", *map(str, (torn, newer, right, odd)), "--format", "markdown"]) == 2
    shown = capsys.readouterr()
    assert [line.removeprefix("repoproof: ") for line in shown.err.splitlines()] == [each.why for each in found.unread]
    assert f"{torn} could not be read and is in no table" in shown.out
    with pytest.raises(BadInput, match="not JSON"):
        api.aggregate([torn, newer])


def test_a_configuration_of_a_report_that_cannot_be_read_is_not_called_unused(tmp_path):
    right, torn = theirs(tmp_path / "x"), tmp_path / "z/report.json"
    write_tree(tmp_path, {"z/report.json": "{", "who.toml": '[[configuration]]\nreport = "z"\n'})
    found = api.aggregate([right, torn], configurations=tmp_path / "who.toml")
    assert not any("no report is of" in note for note in found.notes)


CONFIGURATIONS = """
[[configuration]]
agent = "metagpt"
model = "gpt-4o"
category = "Agent"
organisation = "An organisation"
date = 2026-02-25

[[configuration]]
report = "y/report.json"
agent = "An IDE"
category = "IDE"

[[configuration]]
report = "z"
category = "CLI"
"""


def test_configurations_say_who_made_what(tmp_path):
    (tmp_path / "who.toml").write_text(CONFIGURATIONS)
    reports = [theirs(tmp_path / "x"), theirs(tmp_path / "y").parent]
    found = api.aggregate(reports, configurations=tmp_path / "who.toml")
    about = {(row.configuration.agent, row.configuration.model, row.configuration.category.value, row.configuration.date)
             for row in found.rows}  # fmt: skip
    assert about == {("metagpt", "gpt-4o", "Agent", "2026-02-25"), ("An IDE", "gpt-4o", "IDE", "")}
    assert found.notes[0] == f"{tmp_path}/who.toml: no report is of z"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[configuration]]\nagent = "a"\ncategory = "Robot"', "who.toml: configuration 1: category: "),
        ('[[configuration]]\ncategory = "IDE"', "who.toml: configuration 1: says not what it is about"),
        ('agent = "a"', r"who.toml: not a list of configurations \(write each as a table \[\[configuration\]\]\)"),
        ("[[", "who.toml: not TOML"),
    ],
)
def test_what_is_wrong_with_configurations_is_named(tmp_path, text, words):
    (tmp_path / "who.toml").write_text(text)
    with pytest.raises(BadInput, match=words):
        api.aggregate([], configurations=tmp_path / "who.toml")


def test_a_file_that_is_no_report_is_refused(tmp_path):
    write_tree(tmp_path, {"report.json": "{}"})
    with pytest.raises(BadInput, match="not a report: it has no summary and no results"):
        api.aggregate([tmp_path])


def test_the_command_ends_with_1_if_and_only_if_something_cannot_be(tmp_path, capsys):
    right, wrong = theirs(tmp_path / "x"), theirs(tmp_path / "y", total_repos=3)
    assert main(["aggregate", str(right)]) == 0
    assert "no impossible values" in capsys.readouterr().out
    assert main(["aggregate", str(right), str(wrong), "--format", "markdown"]) == 1
    assert "| summary.total_repos | 3 | python_repos and java_repos add up to 2 |" in capsys.readouterr().out


def test_leaderboards_are_checked_against_the_number_of_repositories(tmp_path, capsys):
    board = tmp_path / "board.tsv"
    board.write_text("Model\tLang\tPass@1\tAC\tDSR\nM\tJava\t12.1\t70\t10.0\n")
    # Markdown has no width that a long path of a temporary folder could break lines at.
    assert main(["aggregate", "--leaderboard", str(board), "--format", "markdown"]) == 1
    assert "8 repositories cannot give it" in capsys.readouterr().out
    assert main(["aggregate", "--leaderboard", str(board), "--repos", "java=10"]) == 0


@pytest.mark.parametrize("written", ["All", "overall", ""])
def test_a_row_over_all_languages_is_over_all_of_their_repositories(tmp_path, written):
    board = tmp_path / "board.tsv"
    board.write_text(f"Model\tLang\tPass@1\tAC\tDSR\nM\t{written}\t12.1\t70\t10.0\n")
    (row,) = api.aggregate(leaderboards=[board]).rows
    assert (row.language, row.repositories) == ("all", 30)


def test_numbers_that_no_metric_is_near_of_are_named_and_in_no_table(tmp_path):
    found = api.aggregate([theirs(tmp_path / "x", avg_pass_at_1=10**400)])
    assert [row.pass_at_1.value for row in found.rows if row.language == "all"] == [None]
    assert any(each.field == "summary.avg_pass_at_1" for each in found.implausible)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "aggregate: nothing to read (give REPORT, or --leaderboard FILE)"),
        (["x", "--repos", "java"], "aggregate: argument --repos: '' is not a whole number from 1 on"),
        (["/nonexistent/report.json"], "/nonexistent/report.json: no such file"),
    ],
)
def test_the_command_says_in_one_line_what_is_wrong(words, line, capsys):
    assert main(["aggregate", *words]) == 2
    assert capsys.readouterr().err.startswith(f"repoproof: {line}")
