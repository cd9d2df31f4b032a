"""A published benchmark is a tree that nobody has vouched for: importing it runs nothing of it outside of a sandbox, reads nothing beside it,
and comes to an end."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from plugins.small_suite import write_tree

from repoproof import api
from repoproof.core.errors import BadInput
from repoproof.families.microservice.formats.python_tests import read_suite

pytestmark = [pytest.mark.needs("bubblewrap"), pytest.mark.timeout(120)]

README = "# Notes\n\nFastAPI, on port 8123.\n\n- `GET /notes`\n"
SECRET = "a secret of the host"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_tree(
        tmp_path / "host",
        {"secret": SECRET, "tests/test_x.py": f"x = {SECRET!r}\n", "src/test/java/XTest.java": f"// {SECRET}\n"},
    )
    files = {"README.md": README, "tests/test_a.py": "def test_a(): ...\n"}
    return write_tree(tmp_path / "published", {f"notes/{name}": text for name, text in files.items()})


def linked(name: str, target: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        (root / "other").mkdir()
        write_tree(root / "other", {"README.md": README})
        (root / "other" / name).unlink(missing_ok=True)
        (root / "other" / name).symlink_to(root.parent / "host" / target)

    return make


def piped(root: Path) -> None:
    os.mkfifo(root / "notes/tests/helper.py")
    os.mkfifo(root / "notes/tests/data")


def endless(root: Path) -> None:
    (root / "notes/tests/helper.py").symlink_to("/dev/zero")


ODD = {
    "a README that is a link": linked("README.md", "secret"),
    "tests that are a link": linked("tests", "tests"),
    "sources that are a link": linked("src", "src"),
    "a build file that is a link": linked("pom.xml", "secret"),
    "requirements that are a link": linked("requirements-test.txt", "secret"),
    "pipes": piped,
    "a file without an end": endless,
    "a loop": lambda root: (root / "loop").symlink_to(root),
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD)
def test_what_leads_out_of_it_or_is_no_file_is_left_out_and_named(root, tmp_path, kind):
    ODD[kind](root)
    imported = api.import_repogenesis(root, tmp_path / "suite")
    assert [task.id for task in imported.suite.tasks] == ["notes"]
    assert any(note.startswith("left out: ") for note in imported.notes)
    written = [path for path in (tmp_path / "suite").rglob("*") if path.is_file()]
    assert not any(SECRET in path.read_text() for path in written)


def test_a_tree_that_is_too_large_is_refused(root, tmp_path):
    with (root / "notes/tests/data.bin").open("wb") as sparse:
        sparse.truncate(20 << 30)
    with pytest.raises(BadInput, match="oversize"):
        api.import_repogenesis(root, tmp_path / "suite")
    assert not (tmp_path / "suite").exists()


def test_code_of_it_runs_in_the_sandbox_only(root, tmp_path):
    there = tmp_path / "ran"
    there.mkdir()
    there.chmod(0o777)
    code = f"from contextlib import suppress\nwith suppress(OSError):\n    open({str(there / 'file')!r}, 'w')\n"
    asks = "import os\ndef test_home(): ...\nfor name in sorted(os.listdir('/')):\n    globals()['test_' + name] = lambda: None\n"
    write_tree(
        root / "notes",
        {
            "setup.py": code,
            "conftest.py": code,
            "tests/conftest.py": code,
            "tests/test_a.py": code + asks,
            "constants.py": code,
        },
    )
    imported = api.import_repogenesis(root, tmp_path / "suite")
    assert list(there.iterdir()) == []
    seen = {id.rpartition("::test_")[2] for id in imported.suite.tasks[0].test_ids}
    assert {"tests", "usr"} <= seen and "root" not in seen


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "+".join(["'a'"] * 1500),
        "x = " + "-" * 2500 + "1",
        "x = a" + "[0]" * 900,
        "x = " + "(" * 9000,
        "x = a" + "()" * 2500,
    ],
)
def test_source_that_is_nested_without_end_is_said_not_to_be_readable(tmp_path, source):
    suite = read_suite(write_tree(tmp_path, {"test_a.py": f"{source}\n", "test_b.py": "def test_b(): ...\n"}))
    assert (len(suite.unreadable), suite.ids) == (1, ("test_b.py::test_b",))
