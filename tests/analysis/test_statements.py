"""Which statements ran, by the lines that did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repoproof.analysis.statements import CoveredCode, CoveredFile, covered_files

SOURCE = '''"""A docstring."""
import os

@app.get(
    "/x",
)
def f(
    x,
):
    """Another."""
    global y
    if (
        x
    ):
        return g(
            1,
        )
    else:
        pass
    return 2


class A: ...
'''


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree/app").mkdir(parents=True)
    (tmp_path / "tree/app/main.py").write_text(SOURCE)
    return tmp_path / "tree"


def covered(tree: Path, lines: dict[str, object]) -> CoveredCode:
    heard = tree.parent / "heard"
    said = [json.dumps({"file": f"/app/{file}", "lines": numbers}) for file, numbers in lines.items()]
    heard.write_text(
        "".join(f"{line}\n" for line in ["[", "[1]", '{"file": 1, "lines": []}', *said, '{"file": "/app/'])
    )
    return covered_files(tree, heard)


@pytest.mark.parametrize(
    ("lines", "ran"),
    [
        ([], 0),
        ([1, 10, 11], 0),
        ([2], 1),
        ([4], 1),
        ([7, 8], 1),
        ([13], 1),
        ([16], 1),
        ([18], 0),
        ([2, 7, 12, 15, 23], 5),
        ([2, 7, 12, 19, 20, 23], 6),
        (list(range(1, 100)), 7),
    ],
)
def test_a_statement_ran_if_one_of_its_lines_did(tree, lines, ran):
    # import, def, if, return, pass, return, class: neither docstrings nor `global`, `else` or the `...` of a class.
    files = (CoveredFile(file="app/main.py", statements=7, ran=ran),)
    assert covered(tree, {"app/main.py": lines}) == CoveredCode(files=files)


def test_files_that_nothing_was_heard_of_count_and_others_do_not(tree):
    (tree / "never.py").write_text("x = 1\n")
    (tree / "empty.py").write_text("# nothing\n")
    (tree / "broken.py").write_text("def (:\n")
    (tree / "tests").mkdir()
    (tree / "tests/test_x.py").write_text("x = 1\n")
    heard = {"../../etc/passwd": [1], "\0": [1], "\ud800": [2], "gone.py": [1], "never.py": [True, "1", 1.0, None]}
    found = covered(tree, heard)
    assert [(file.file, file.statements, file.ran) for file in found.files] == [
        ("never.py", 1, 0),
        ("app/main.py", 7, 0),
    ]
    assert found.share == 0.0


def test_where_nothing_was_heard_or_nothing_is_there_to_run_there_is_a_reason_and_no_share(tree):
    assert covered(tree, {}) == CoveredCode(why_not="no line of it ran")
    (tree / "app/main.py").write_text("# nothing\n")
    found = covered(tree, {"app/main.py": [1]})
    assert (found.share, found.why_not) == (None, "it has no statements of its own")
