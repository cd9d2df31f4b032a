"""A benchmark in RepoGenesis' published layout, from its tree to a score: nothing of it is missing from the denominator."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugins.published_layout import PYTHON, port_of, published_tree, references

import repoproof
from repoproof import api
from repoproof.cli import main
from repoproof.core.outcomes import Status

pytestmark = pytest.mark.needs("bubblewrap")

THREE = ("Parcels", "loan_desk", "javalin-notes")


def scored_empty(suite: Path, names: tuple[str, ...], tmp_path: Path) -> repoproof.Report:
    """The score of an empty folder for every second of `names`, and of nothing at all for the others."""
    for name in names[::2]:
        (tmp_path / "empty" / name).mkdir(parents=True)
    return repoproof.score(suite, tmp_path / "empty", tmp_path / "run")


def test_three_tasks_are_imported_checked_and_scored(tmp_path, capsys):
    published, suite = published_tree(tmp_path / "published", THREE), tmp_path / "suite"
    words = ["import", "repogenesis", str(published), "--specs", str(published / "constants.py"), "-o", str(suite)]
    assert main([*words, "--name", "published-mini", "--split", "train", "--licence", "Apache-2.0"]) == 0
    said = capsys.readouterr().out
    assert "Parcels: python, fastapi, port 8200, 25 tests\n" in said
    assert "  told to the tests: SERVICE_BASE_URL=http://127.0.0.1:8201/library/v1\n" in said
    assert "  disabled, hence not expected: org.example.NotesTest::forgets\n" in said
    assert f"{suite}: 3 tasks, sealed as sha256:" in said
    loaded = repoproof.load_suite(suite)
    assert (loaded.name, loaded.info.split, {task.id: task.port for task in loaded}) == (
        "published-mini",
        "train",
        {name: port_of(name) for name in THREE},
    )
    assert main(["check", str(references(tmp_path / "references", THREE)), str(suite)]) == 0
    report = scored_empty(suite, THREE, tmp_path)
    assert report.suite.split == "train"
    assert (report.denominator, set(report.strict.values())) == (3, {0.0})


@pytest.mark.slow
def test_tests_find_the_service_however_they_look_for_it(tmp_path):
    """Written out, by two usual variables with a path after the port, by a variable of their own, by a port alone."""
    names = PYTHON[:6]
    published = published_tree(tmp_path / "published", names)
    imported = api.import_repogenesis(published, tmp_path / "suite")
    assert {task.id: task.port for task in imported.suite} == {name: port_of(name) for name in names}
    report = repoproof.score(imported.suite, references(tmp_path / "references", names), tmp_path / "run")
    assert [(row.task, row.status) for row in report.tasks if row.status is not Status.PASSED] == []
    assert report.strict["pass_at_1"] == 1.0


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ('{"Parcels": {"lang": "pyhton"}}', "table.json: Parcels: lang: no toolchain for 'pyhton' (one of: java, node, python)"),
        ('{"Parcel": {}}', "published: none of its repositories is in the table, which has 'Parcel' (did you mean 'Parcels'?)"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table_is_said_of_the_table(tmp_path, monkeypatch, capsys, table, complaint):
    monkeypatch.chdir(tmp_path)
    published_tree(tmp_path / "published", ("Parcels",))
    (tmp_path / "table.json").write_text(table)
    assert main(["import", "repogenesis", "published", "--specs", "table.json", "-o", "suite"]) == 2
    assert capsys.readouterr().err == f"repoproof: {complaint}\n"
    assert not (tmp_path / "suite").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere", "-o", "suite"], "nowhere: no such directory"),
        (["hollow", "-o", "suite"], "hollow: no repository with a README and golden tests"),
        (["hollow", "-o", "hollow"], "hollow: exists already"),
        (["hollow", "--specs", "none.toml", "-o", "suite"], "none.toml: no such file"),
    ],
)
def test_what_cannot_be_imported_is_said_in_one_line_and_leaves_nothing(
    tmp_path, monkeypatch, capsys, words, complaint
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hollow").mkdir()
    assert main(["import", "repogenesis", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"repoproof: {complaint}")
    assert [path.name for path in tmp_path.iterdir()] == ["hollow"]
