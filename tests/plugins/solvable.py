"""Suites whose tasks a scripted server can tell apart, and the rules by which it answers them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from plugins.small_suite import REFERENCE, write_suite

from repoproof.completions.filetree import render_tree
from repoproof.core.suite_files import seal_suite
from repoproof.models.scripted import Rule

RIGHT = render_tree(REFERENCE)
"""The answer that every task of such a suite wants."""


def solvable_suite(root: Path, *ids: str) -> Path:
    """A suite as `write_suite` makes it, in which each README names its task."""
    write_suite(root, ids=ids)
    for id in ids:
        (root / "public" / "files" / id / "README.md").write_text(f"# Notes of {id}.\n")
    seal_suite(root)
    return root


def to(id: str, *replies: str, **how: object) -> Rule:
    """A rule for questions about that task."""
    return Rule.model_validate({"contains": f"# Notes of {id}.", "replies": replies, **how})


def models_toml(folder: Path, base_url: str, **fields: object) -> Path:
    """A file in which the model `m` is at `base_url`, and is tried again at once."""
    values = {"model": "m-1", "base_url": base_url, "first_delay_seconds": 0.0, "tries": 2, **fields}
    lines = [f"{name} = {value!r}" if isinstance(value, str) else f"{name} = {value}" for name, value in values.items()]
    (file := folder / "models.toml").write_text("\n".join(["[m]", *lines]) + "\n")
    return file


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "repoproof", *map(str, words)]


def environment(**variables: str) -> dict[str, str]:
    """This process's, without what says where models are."""
    named = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "REPOPROOF_MODELS")
    return {name: value for name, value in os.environ.items() if name not in named} | variables


def repoproof(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command, to its end."""
    return subprocess.run(command(*words), capture_output=True, text=True, check=False, env=environment(**variables))


def difference(a: Path, b: Path) -> str:
    """Where two outputs differ, outside what is their own; empty for nowhere."""
    return subprocess.run(["diff", "-r", "-x", ".solve", a, b], capture_output=True, text=True, check=False).stdout


def lines_of(file: Path) -> Sequence[str]:
    return file.read_text().splitlines() if file.exists() else []
