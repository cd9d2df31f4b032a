"""Validation through the API. What it finds in which task: tests/families."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from plugins.small_suite import IDS, TESTS, write_suite

from repoproof import BadInput, load_suite, validate
from repoproof.core.suite_files import read_health

ALWAYS = "\n\ndef test_nothing():\n    pass\n"


@pytest.mark.needs("bubblewrap")
def test_what_is_found_is_reported_told_and_written_down_and_quarantines(tmp_path: Path) -> None:
    root = write_suite(
        tmp_path / "suite",
        ids=("left", "chosen"),
        tests={"test_notes.py": TESTS + ALWAYS},
        expected=(*IDS, "test_notes.py::test_nothing"),
    )
    told = []
    found = validate(root, repeat=1, tasks=["chosen"], on_event=told.append)
    assert (found.tasks, found.reference_passed, found.empty_passed, found.quarantined) == (1, 1.0, 0.0, 1.0)
    assert found.health[0].non_discriminating == ("test_notes.py::test_nothing",)
    assert [(event.health, event.done, event.of) for event in told] == [(found.health[0], 1, 1)]
    assert read_health(root) == found.health
    assert list(load_suite(root).quarantined) == ["chosen"]


def test_a_task_that_was_never_run_is_not_validated(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^repeat: 0 is not a whole number from 1 on"):
        validate(write_suite(tmp_path / "suite"), repeat=0)


@pytest.mark.parametrize("error", [errno.EROFS, errno.ENOSPC])
def test_a_suite_that_cannot_be_written_to_is_refused_before_anything_runs(tmp_path: Path, monkeypatch, error) -> None:
    """A read-only file system, which no ordinary test can mount."""

    def refuse(dir: Path) -> None:
        raise OSError(error, os.strerror(error))

    root = write_suite(tmp_path / "suite")
    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(BadInput, match=r"suite/health.jsonl: cannot be written: .* \(validate a copy of the suite\)"):
        validate(root, sandbox="there is none of this name")
