"""Submissions whose code shares a process with the golden tests can write to their records: that is their word and no more, and it neither
breaks the scoring, nor takes the host's disk, nor lets a file of the host pass for records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.small_suite import write_suite, write_tree

import repoproof
from repoproof.core.outcomes import Status
from repoproof.core.suite_files import seal_suite
from repoproof.families.microservice.golden import MOST_RECORDED, read_records

IDS = ("test_sums.py::test_adds", "test_sums.py::test_more")
TESTS = "from sums import add\n\ndef test_adds():\n    assert add(1, 1) == 2\n\ndef test_more():\n    assert add(2, 2) == 4\n"
RECORDS = "/results/results.jsonl"
RIGHT = "def add(a, b):\n    return a + b\n"

HOSTILE = {
    "a pipe in the place of the records": f"import os\nos.unlink({RECORDS!r})\nos.mkfifo({RECORDS!r})\n",
    "a link in the place of the records": f"import os\nos.rename({RECORDS!r}, '/results/old')\nos.symlink('/etc/passwd', {RECORDS!r})\n",
    "a second file beside them": "open('/results/more', 'w').write('x')\n",
    "a record as deep as it is long": f"open({RECORDS!r}, 'a').write('[' * 200_000 + chr(10))\n",
    "a record of no kind": f"open({RECORDS!r}, 'a').write('{{\"id\": 5}}' + chr(10))\n",
}  # fmt: skip


def white_box(root: Path) -> Path:
    """A suite of one task whose tests import the submission."""
    write_suite(root, tests={"test_sums.py": TESTS}, expected=IDS)
    file = root / "sealed" / "tasks.jsonl"
    record = json.loads(file.read_text())
    del record["reference"]
    file.write_text(json.dumps({**record, "runner": "in_process"}) + "\n")
    seal_suite(root)
    return root


def scored(tmp_path: Path, source: str, **beside: str):
    write_tree(tmp_path / "submissions" / "notes", {"sums.py": source, **beside})
    return repoproof.score(white_box(tmp_path / "suite"), tmp_path / "submissions", tmp_path / "run").tasks[0]


@pytest.mark.needs("bubblewrap")
@pytest.mark.needs("network")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_done_to_the_records_is_the_submissions_own_loss(tmp_path, kind):
    row = scored(tmp_path, f"{HOSTILE[kind]}\n{RIGHT}")
    assert (row.status, row.tests_passed) == (Status.START_FAILED, 0)


HOOK = "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n"
FORGES = "import json, os\nwith open('/results/results.jsonl', 'a') as f:\n    for i in {ids}:\n        f.write(json.dumps(dict(id=i, outcome='passed', seconds=0, message='')) + chr(10))\nos._exit(0)\n"
BROUGHT = {
    "its own conftest and settings": {"conftest.py": HOOK, "tests/conftest.py": HOOK, "pytest.ini": "[pytest]\naddopts = -p conftest\n"},
    "sitecustomize": {"sitecustomize.py": "import _pytest.python as p\np.pytest_pyfunc_call = lambda pyfuncitem: True\n"},
    "a pytest": {"pytest.py": FORGES.format(ids=IDS)},
    "settings of our runner": {"suite_settings.py": FORGES.format(ids=IDS)},
    "a plugin that is registered": {
        "own.py": HOOK, "own-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: own\nVersion: 1\n",
        "own-1.dist-info/entry_points.txt": "[pytest11]\nown = own\n",
    },
}  # fmt: skip


@pytest.mark.needs("bubblewrap")
@pytest.mark.needs("network")
@pytest.mark.parametrize("what", BROUGHT)
def test_what_it_brings_for_pytest_decides_nothing(tmp_path, what):
    row = scored(tmp_path, "def add(a, b):\n    return 0\n", **BROUGHT[what])
    assert (row.status, row.tests_passed) == (Status.START_FAILED, 0)
    tests = json.loads((tmp_path / "run" / "verdicts.jsonl").read_text())["tests"]
    assert [test["outcome"] for test in tests] == ["failed", "failed"]


@pytest.mark.needs("bubblewrap")
@pytest.mark.needs("network")
def test_records_do_not_outgrow_the_disk_of_the_sandbox(tmp_path):
    fill = f"with open({RECORDS!r}, 'ab') as file:\n    for _ in range(2000):\n        file.write(bytes(1 << 20))\n"
    row = scored(tmp_path, fill + RIGHT)
    assert (row.status, row.tests_passed) == (Status.START_FAILED, 0)
    logs = json.loads((tmp_path / "run" / "verdicts.jsonl").read_text())["logs"]
    assert "File too large" in (tmp_path / "run" / logs["tests"]).read_text()


GOOD = {"id": "a", "outcome": "passed", "seconds": 0.1, "message": ""}


@pytest.mark.parametrize(
    "line",
    [
        "3", "null", "[]", "[" * 200_000, '"id"', "{", json.dumps({"id": 5}), json.dumps({"id": "a"}),
        json.dumps({**GOOD, "outcome": "perfect"}), json.dumps({**GOOD, "outcome": ["passed"]}),
        json.dumps({**GOOD, "seconds": float("nan")}), json.dumps({**GOOD, "seconds": -1}), json.dumps({**GOOD, "seconds": "1"}),
        json.dumps({**GOOD, "message": None}), json.dumps({"collected": 5}), json.dumps({"collected": [5]}),
        json.dumps({"collect_error": "a"}), json.dumps({"collect_skipped": 5, "message": ""}), '{"a": ' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_what_no_runner_writes_ends_the_records(tmp_path, line):
    file = tmp_path / "results.jsonl"
    file.write_text("".join(f"{text}\n" for text in (json.dumps(GOOD), line, json.dumps({**GOOD, "id": "b"}))))
    assert [record["id"] for record in read_records(file)] == ["a"]


def test_no_more_is_read_than_a_suite_can_say(tmp_path):
    file = tmp_path / "results.jsonl"
    with file.open("wb") as sparse:
        sparse.write(f"{json.dumps(GOOD)}\n".encode())
        sparse.truncate(100 * MOST_RECORDED)
    assert [record["id"] for record in read_records(file)] == ["a"]
