"""Three tasks, and a script for each that passes."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugins.scripted_family import write_script, write_suite

TASKS = ("one", "two", "three")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite", TASKS)


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    for task in TASKS:
        write_script(tmp_path / "submissions", task, "exit 0")
    return tmp_path / "submissions"
