"""A task out of a service that runs, from its folder to mutants that its tests find."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.notes_service import NOTES
from plugins.small_suite import write_tree

import repoproof
from repoproof import api
from repoproof.cli import main
from repoproof.core.errors import BadInput

REFERENCES = Path(__file__).parents[3] / "suites/microservice-mini/sealed/reference"
FLASK = "from flask import Flask\napp = Flask(__name__)\n@app.get('/x')\ndef x(): return {}\n"
WANTED_RATE = 0.8
"""Of mutants that recorded tests are to find."""


@pytest.mark.needs("bubblewrap")
def test_a_service_is_exercised_and_its_tests_find_what_is_broken(tmp_path, capsys):
    by_chance = ',\n            "lucky": random.random() < 0.5, "tags": list({"red", "green", "blue", "black"})}'
    service = (
        NOTES["service.py"].replace('%S")}', f'%S"){by_chance}').replace("import os\n", "import os\nimport random\n")
    )
    reference, folder = write_tree(tmp_path / "notes", {**NOTES, "service.py": service}), tmp_path / "task"
    before = sorted(path.name for path in reference.rglob("*"))
    words = ["build", "microservice", "--reference", str(reference), "-o", str(folder), "--deployments", "2"]
    assert main([*words, "--port", "8199", "--mutants", "5"]) == 0
    said = capsys.readouterr().out
    built = json.loads((folder / "build.json").read_text())
    assert set(built["exercised"]) == {"GET /health", "POST /notes", "GET /notes/{id}"}
    assert {one["what"]: one["why"] for one in built["dropped"]}["GET /broken"].startswith("no request was found")
    score = built["score"]
    assert (score["tried"], score["killed"]) == (5, 5)
    assert "5 of 5 mutants found (100%)" in said
    tests = (folder / "tests/test_notes.py").read_text()
    assert '"at": text(' in tests, "a time is described, not expected"
    assert '"lucky": FLAG' in tests and "True" not in tests and "False" not in tests, "nor is a coin"
    assert 'Among(["black", "blue", "green", "red"])' in tests, "nor is the order of a set"
    assert built["times"] == 12 and "POST /notes: lucky" in built["unsteady"]
    assert ".has(404, " in tests and ".has(422, " in tests
    assert "/broken" not in tests and "500" not in tests
    readme = (folder / "README.md").read_text()
    assert "**Draft.**" in readme and "### `POST /notes`" in readme
    assert '- 422 with `{error: "invalid", fields: ["text", ...]}`: without text; ' in readme
    assert '- 404 with `{error: "not_found"}`: of an unknown id' in readme
    assert sorted(path.name for path in reference.rglob("*")) == before
    # It is what other commands take.
    suite = api.build("microservice", [folder], tmp_path / "suite", name="notes", version="1", licence="Apache-2.0")
    (task,) = suite
    assert set(task.test_ids) == set(built["tests"])


@pytest.mark.needs("bubblewrap")
def test_a_service_that_does_not_start_is_refused_in_its_own_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_tree(tmp_path / "notes", {**NOTES, "service.py": "import nothing_such\n"})
    with pytest.raises(BadInput) as raised:
        api.build_from_reference("notes", "task", port=8199)
    assert str(raised.value) == (
        "notes: the reference does not respond: its start command exited with 1: service.py:1: ModuleNotFoundError:"
        " No module named 'nothing_such' (declare what provides `nothing_such` in its requirements.txt)"
    )
    assert not (tmp_path / "task").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"reference": "nowhere"}, "no such directory"),
        ({"name": "a/b"}, "is no task id"),
        ({"deployments": 1}, "one recording has nothing to be compared with"),
        ({"mutants": -1}, "not a whole number"),
        ({"destination": "notes"}, "exists already"),
        ({"reference": "empty"}, r"^empty: is empty \("),
        ({"reference": "flask", "framework": "django"}, "'django', but its routes are of flask"),
        ({"reference": "flask", "language": "java"}, "'java', but its files are those of python"),
    ],
)
@pytest.mark.needs("bubblewrap")
def test_what_cannot_be_asked_for_is_refused_before_anything_runs(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    write_tree(tmp_path / "notes", NOTES)
    write_tree(tmp_path / "flask", {"requirements.txt": "flask", "app.py": FLASK})
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match=words):
        api.build_from_reference(**{"reference": "notes", "destination": "task", **arguments})


@pytest.mark.slow
@pytest.mark.needs("bubblewrap", "network")
def test_schemathesis_makes_up_requests_from_the_document_that_become_tests(tmp_path):
    reference = write_tree(tmp_path / "notes", NOTES)
    plain = api.build_from_reference(reference, tmp_path / "plain", port=8199, mutants=0)
    more = api.build_from_reference(reference, tmp_path / "more", port=8199, mutants=0, schemathesis=True)
    assert set(plain.tests) < set(more.tests)
    made_up = [id for id in more.tests if "by_a_faulty_request" in id or "by_a_valid_request" in id]
    assert made_up and (tmp_path / "more/tests/test_notes.py").read_text().isascii()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.needs("bubblewrap", "node", "network")
@pytest.mark.parametrize("name", ["parcel-tracking", "community-polls"])
def test_tests_recorded_from_our_references_find_most_mutants_and_are_healthy(tmp_path, name):
    built = api.build_from_reference(REFERENCES / name, tmp_path / name, licence="Apache-2.0")
    assert len(built.exercised) == len(built.endpoints)
    assert built.score is not None and built.score.fates
    assert built.score.rate >= WANTED_RATE, [fate.mutant.place for fate in built.score.survivors]
    suite = tmp_path / "suite"
    api.build("microservice", [tmp_path / name], suite, name="recorded", version="1", licence="Apache-2.0")
    (health,) = repoproof.validate(suite, repeat=2).health
    assert health.healthy, health.reasons
