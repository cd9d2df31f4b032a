"""Which statements ran, by the lines that did."""

from __future__ import annotations

from pathlib import Path

import pytest

from repoproof.analysis.statements import CoveredFile, covered_files

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
    assert covered_files(tree, {"app/main.py": lines}) == (CoveredFile(file="app/main.py", statements=7, ran=ran),)


def test_files_that_nothing_was_heard_of_count_and_others_do_not(tree):
    (tree / "never.py").write_text("x = 1\n")
    (tree / "empty.py").write_text("# nothing\n")
    (tree / "broken.py").write_text("def (:\n")
    (tree / "tests").mkdir()
    (tree / "tests/test_x.py").write_text("x = 1\n")
    heard = {"../../etc/passwd": [1], "\0": [1], "\ud800": [2], "gone.py": [1]}
    assert [(file.file, file.statements, file.ran) for file in covered_files(tree, heard)] == [
        ("never.py", 1, 0),
        ("app/main.py", 7, 0),
    ]
