"""Suites through the API: found, loaded, built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.small_suite import IDS, REFERENCE, TESTS, write_suite, write_tree

from repoproof import BadInput, api, build, load_suite
from repoproof.api.suites import _taken_over


def a_folder(root: Path, id: str, *, tests: str = TESTS) -> Path:
    """A task folder, as an author has it."""
    record = {
        "id": id, "language": "python", "port": 8123, "provenance": {"source": "ours", "licence": "Apache-2.0"},
        "endpoints": [{"method": "POST", "path": "/notes"}, {"method": "GET", "path": "/notes/{id}"}],
    }  # fmt: skip
    write_tree(root / "reference", REFERENCE)
    return write_tree(root, {"task.json": json.dumps(record), "README.md": "# Notes\n", "tests/test_notes.py": tests})


@pytest.mark.needs("bubblewrap")
def test_a_suite_is_built_of_task_folders(tmp_path):
    folders = [a_folder(tmp_path / name, name) for name in ("one", "two")]
    suite = build("microservice", folders, tmp_path / "made" / "suite", name="mine", version="0.1", licence="MIT")
    assert [task.id for task in suite] == ["one", "two"]
    assert suite.tasks[0].sealed.expected_tests == IDS
    assert load_suite(tmp_path / "made" / "suite").digest == suite.digest
    assert suite.info.builder.startswith("repoproof ")


@pytest.mark.needs("bubblewrap")
def test_a_folder_that_is_no_task_leaves_nothing_behind(tmp_path):
    good, bad = a_folder(tmp_path / "good", "good"), a_folder(tmp_path / "bad", "bad", tests="import nowhere\n")
    with pytest.raises(BadInput, match="the tests cannot be collected"):
        build("microservice", [good, bad], tmp_path / "made" / "suite", name="mine", version="0.1", licence="MIT")
    assert list((tmp_path / "made").iterdir()) == []


def everything(root: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in sorted(root.rglob("*"))
    }


@pytest.mark.needs("bubblewrap")
def test_a_task_is_added_and_what_was_there_stays_as_it_was(tmp_path):
    root = write_suite(tmp_path / "suite")
    before = everything(root)
    suite = api.add(root, a_folder(tmp_path / "other", "other"))
    assert [task.id for task in load_suite(root)] == [task.id for task in suite] == ["notes", "other"]
    after = everything(root)
    changed = {name for name, content in before.items() if after.get(name, b"gone") != content}
    assert changed == {"suite.json", "public/tasks.jsonl", "sealed/tasks.jsonl"}
    assert all(after[f"{half}/tasks.jsonl"].startswith(before[f"{half}/tasks.jsonl"]) for half in ("public", "sealed"))


@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize("fails", ["the tests", "the record"])
def test_a_task_that_cannot_be_added_leaves_the_suite_as_it_was(tmp_path, monkeypatch, fails):
    root = write_suite(tmp_path / "suite")
    folder = a_folder(tmp_path / "other", "other", tests="import nowhere\n" if fails == "the tests" else TESTS)
    if fails == "the record":
        # The README yields no endpoint, and none is declared: found only when the suite is checked as a whole.
        record = json.loads((folder / "task.json").read_text())
        (folder / "task.json").write_text(json.dumps(record | {"endpoints": []}))
    before = everything(root)
    with pytest.raises(BadInput):
        api.add(root, folder)
    assert everything(root) == before


def test_a_failure_at_the_very_last_step_of_adding_is_undone(tmp_path):
    """The copy's seal does not hold, which comes to light when everything has been moved."""
    root, copy = write_suite(tmp_path / "suite"), write_suite(tmp_path / "copy", ids=("notes", "other"))
    (copy / "public" / "more").mkdir()
    (copy / "public" / "more" / "file").touch()
    before = everything(root)
    with pytest.raises(BadInput, match="public/ is not what was sealed"):
        _taken_over(copy, root)
    assert everything(root) == before


def test_what_exists_is_not_built_over(tmp_path):
    with pytest.raises(BadInput, match="exists already"):
        build("microservice", [tmp_path], tmp_path, name="mine", version="0.1", licence="MIT")


@pytest.mark.parametrize(
    ("folders", "name", "complaint"),
    [
        ([], "mine", "folders: none is given (give one task folder at least)"),
        ("one", "mine", "folders: 'one' is one folder (give ['one'])"),
        (["one"], "b uilt", 'name: "b uilt" is not as it must be'),
    ],
)
def test_what_a_suite_cannot_be_built_of_is_said_in_the_words_of_the_caller(tmp_path, folders, name, complaint):
    with pytest.raises(BadInput) as raised:
        build("microservice", folders, tmp_path / "suite", name=name, version="1", licence="MIT")
    assert str(raised.value).startswith(complaint)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.needs("bubblewrap")
def test_a_language_without_a_toolchain_is_refused_by_file_and_field(tmp_path):
    root, folder = write_suite(tmp_path / "suite"), a_folder(tmp_path / "other", "other")
    record = json.loads((folder / "task.json").read_text())
    (folder / "task.json").write_text(json.dumps(record | {"language": "cobol"}))
    with pytest.raises(BadInput) as raised:
        api.add(root, folder)
    complaint = f"{folder}/task.json: task \"other\": language: no toolchain for 'cobol' (one of: java, node, python)"
    assert str(raised.value) == complaint


@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ("def test_x(:\n    pass\n", 'File "/tests/test_notes.py", line 1; SyntaxError: invalid syntax'),
        ("import nowhere\n", "ModuleNotFoundError: No module named 'nowhere'"),
        ("def helper():\n    pass\n", "no test was collected"),
    ],
)
def test_why_tests_cannot_be_collected_is_said_without_the_code(tmp_path, tests, said):
    root, folder = write_suite(tmp_path / "suite"), a_folder(tmp_path / "other", "other", tests=tests)
    with pytest.raises(BadInput) as raised:
        api.add(root, folder)
    assert str(raised.value).startswith(f"{folder}/tests: ")
    assert said in str(raised.value)
    assert len(str(raised.value)) < 300 + len(str(folder))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"lnguage": "python"}, "lnguage: unknown field (did you mean 'language'?)"),
        ({"port": 99999}, "port: 99999 is not in 1..65535 (Where the service must listen"),
        ({"tags": "a"}, 'tags: "a": input should be a list'),
    ],
)
def test_a_wrong_record_of_a_task_folder_is_named_by_field_and_mend(tmp_path, changed, said):
    root, folder = write_suite(tmp_path / "suite"), a_folder(tmp_path / "other", "other")
    record = json.loads((folder / "task.json").read_text())
    (folder / "task.json").write_text(json.dumps(record | changed))
    with pytest.raises(BadInput) as raised:
        api.add(root, folder)
    assert str(raised.value).startswith(f"{folder}/task.json: {said}")


def test_a_language_without_a_toolchain_is_refused_on_loading(tmp_path):
    with pytest.raises(BadInput, match=r"tasks.jsonl:1: task \"notes\": language: no toolchain for 'cobol'"):
        load_suite(write_suite(tmp_path / "suite", language="cobol"))


@pytest.mark.parametrize("name", ["we ird/name", "", ".."])
def test_a_name_that_no_task_can_have_starts_no_folder(tmp_path, name):
    with pytest.raises(BadInput, match=r"^name: '.*' is no task id \(letters, digits"):
        api.new("microservice", name, tmp_path / "folder")
    assert list(tmp_path.iterdir()) == []


def test_a_loaded_suite_is_taken_as_it_is(tmp_path):
    suite = load_suite(write_suite(tmp_path / "suite"))
    assert load_suite(suite) is suite


def test_a_bundled_suite_is_found_by_its_name_and_a_directory_of_that_name_first(tmp_path, monkeypatch):
    assert (api.find_suite("microservice-mini") / "suite.json").is_file()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "microservice-mini").mkdir()
    assert api.find_suite("microservice-mini") == Path("microservice-mini")


def test_a_suite_without_its_sealed_half_is_refused_before_anything_runs(tmp_path):
    root = write_suite(tmp_path / "suite")
    (root / "sealed").rename(tmp_path / "elsewhere")
    (tmp_path / "submissions").mkdir()
    before = everything(tmp_path)
    attempts = {
        "score": lambda: api.score(root, tmp_path / "submissions", tmp_path / "run"),
        "validate": lambda: api.validate(root),
        "add": lambda: api.add(root, tmp_path / "folder"),
    }
    for to, attempt in attempts.items():
        with pytest.raises(BadInput, match=rf"only the public half is here \({to} where sealed/ is\)"):
            attempt()
    assert everything(tmp_path) == before
