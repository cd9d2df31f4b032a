"""Expected ids come from collecting, whatever a published suite makes of it that no service is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from plugins.small_suite import write_tree

from repoproof import api
from repoproof.core.task import Task
from repoproof.families.microservice.formats.repogenesis import Taken

pytestmark = pytest.mark.needs("bubblewrap")

README = "# Notes\n\nFastAPI, on port 8123.\n\n- `POST /notes`\n- `GET /notes/{id}`\n"

GIVES_UP = """
import pytest, requests
try:
    requests.get("http://localhost:8123/health", timeout=1).raise_for_status()
    assert False
except Exception:
    {how}
from helper import URL
@pytest.mark.parametrize("n", [1, 2])
def test_a(n):
    assert requests.get(URL, timeout=1).status_code == 200
"""

HELPER = 'URL = "http://localhost:8123"\n'

Import = Callable[[Mapping[str, str]], tuple[Task, Taken]]


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    """`imported({path below tests/: text})`: the one task that comes of it, and what was said."""

    def imported(tests: Mapping[str, str], **beside: str) -> tuple[Task, Taken]:
        files = {f"published/notes/tests/{name}": text for name, text in tests.items()}
        files |= {f"published/notes/{name}": text for name, text in beside.items()}
        write_tree(tmp_path, {"published/notes/README.md": README, **files})
        found = api.import_repogenesis(tmp_path / "published", tmp_path / "suite")
        (task,), (taken,) = found.suite.tasks, found.tasks
        return task, taken

    return imported


@pytest.mark.parametrize(
    "how",
    [
        'pytest.exit("no service", returncode=0)',
        'pytest.skip("no service", allow_module_level=True)',
        'import sys; sys.exit("no service")',
        "import time; [time.sleep(100) for _ in range(30)]",
    ],
)
def test_a_suite_that_gives_up_while_it_is_imported_shows_all_its_tests(imported, how):
    task, taken = imported({"test_a.py": GIVES_UP.format(how=how), "helper.py": HELPER})
    assert task.test_ids == ("test_a.py::test_a[1]", "test_a.py::test_a[2]")
    assert not any("read from its source" in note for note in taken.notes)


def test_a_file_that_cannot_be_imported_counts_with_the_tests_that_its_source_shows(imported):
    task, taken = imported(
        {
            "test_a.py": "import json\ndef test_a(): ...\n",
            "test_b.py": 'import pytest\nTOKEN = open("/nowhere/token").read()\ndef test_b(): ...\nclass TestC:\n    def test_c(self): ...\n'
            "@pytest.mark.skip\ndef test_off(): ...\n",
        }
    )
    assert task.test_ids == ("test_a.py::test_a", "test_b.py::test_b", "test_b.py::TestC::test_c")
    (note,) = [note for note in taken.notes if "read from its source" in note]
    assert note.startswith("test_b.py: test ids read from its source, since it cannot be imported: FileNotFoundError")
    assert taken.notes[-1] == "disabled, hence not expected: test_b.py::test_off"


def test_folders_helpers_data_classes_and_parameters_are_all_collected(imported):
    task, _ = imported(
        {
            "conftest.py": "import pytest\n@pytest.fixture(scope='session', autouse=True)\ndef up():\n    pytest.exit('no service')\n",
            "api/__init__.py": "",
            "api/test_deep.py": "import unittest\nfrom .words import WORDS\nclass Old(unittest.TestCase):\n    def test_old(self): ...\n"
            "import pytest\n@pytest.mark.parametrize('word', WORDS)\ndef test_words(word): ...\n",
            "api/words.py": "from pathlib import Path\nWORDS = Path(__file__).with_name('words.txt').read_text().split()\n",
            "api/words.txt": "salt bread",
            "test_cwd.py": "import pytest\n@pytest.mark.parametrize('w', open('tests/api/words.txt').read().split())\ndef test_w(w): ...\n",
            "pytest.ini": "[pytest]\naddopts = --cov=app -n 4 --maxfail=1\nrequired_plugins = pytest-cov\npython_functions = test_*\n",
        }
    )
    assert task.test_ids == (
        "api/test_deep.py::Old::test_old",
        "api/test_deep.py::test_words[salt]",
        "api/test_deep.py::test_words[bread]",
        "test_cwd.py::test_w[salt]",
        "test_cwd.py::test_w[bread]",
    )


def test_what_was_inferred_is_said_and_what_a_solver_sees_is_the_readme(imported, tmp_path):
    task, taken = imported({"test_a.py": 'U = "http://localhost:8123/v1"\ndef test_a(): ...\n'})
    assert (task.language, task.framework, task.port) == ("python", "fastapi", 8123)
    assert taken.notes == (
        "language python, by its tests",
        "framework fastapi, by its README",
        "port 8123, from addresses in the tests",
    )
    public = [path for path in (tmp_path / "suite" / "public").rglob("*") if path.is_file()]
    assert sorted(path.name for path in public) == ["README.md", "tasks.jsonl"]


def test_a_suite_without_a_test_is_a_task_all_the_same(imported):
    task, taken = imported({"helper.py": "x = 1\n"})
    assert task.test_ids == ()
    assert taken.notes[-1] == "no test is collected"


def test_the_level_that_the_table_has_is_a_slice(tmp_path):
    write_tree(
        tmp_path, {"published/notes/README.md": README, "published/notes/tests/test_a.py": "def test_a(): ...\n"}
    )
    write_tree(tmp_path, {"table.json": '{"notes": {"lang": "python", "level": "hard", "domain": "notes"}}'})
    found = api.import_repogenesis(tmp_path / "published", tmp_path / "suite", specs=tmp_path / "table.json")
    assert found.suite.tasks[0].slices == {"framework": ("fastapi",), "domain": ("notes",), "difficulty": ("hard",)}
    assert found.suite.info.split == "test"
