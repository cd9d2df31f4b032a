"""Task folders: the scaffold to start from, and taking a finished one into a suite."""

from __future__ import annotations

import json
import logging
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from ...analysis.metrics import difficulty, measure_code
from ...core.errors import BadInput, Boundary
from ...core.jsonl import read_json, to_record
from ...core.paths import cache_root
from ...sandbox import Limits, Sandbox, open_sandbox
from ...toolchains import runner_environment
from .coverage import endpoints_in
from .defects import gist
from .expected import expected_of
from .golden import COLLECT_TESTS, golden_view, read_records, service_urls
from .task import MicroserviceTask
from .workspace import lay_out, reachable_folder

log = logging.getLogger(__name__)

PARTS = {"task.json": "the visible record", "README.md": "the specification", "tests": "golden tests", "reference": "the reference solution"}  # fmt: skip
"""What a task folder holds."""

JUNK = shutil.ignore_patterns(
    "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache", ".venv", "node_modules", ".git"
)


def scaffold(name: str, destination: Path) -> None:
    """Write a small, complete, healthy task to `destination` (must not exist yet), to be changed into the one wanted."""
    if destination.exists():
        raise BadInput("exists already", file=destination, mend="choose another name or -o")
    with as_file(files("repoproof.families.microservice") / "template") as template:
        shutil.copytree(template, destination, ignore=JUNK)
    for file in ("task.json", "README.md"):
        path = destination / file
        path.write_text(path.read_text(encoding="utf-8").replace("NAME", name), encoding="utf-8")
    try:
        read_record(destination)
    except BadInput:
        shutil.rmtree(destination)
        raise


def read_record(source: Path) -> dict[str, Any]:
    """The visible record of a task folder, checked."""
    path = source / "task.json"
    for part, what in PARTS.items():
        if not (source / part).exists():
            raise BadInput(f"{part} ({what}) is missing", file=source, mend="see `repoproof new microservice NAME`", boundary=Boundary.TASK)  # fmt: skip
    record = read_json(path)
    to_record(MicroserviceTask, {**record, "specification": "README.md"}, file=path)
    return record


def adopt(source: Path, suite: Path) -> str:
    """Copy the task in folder `source` into the unsealed tree `suite` and append its two records; returns its id.

    Expected test ids come from collecting the tests in a sandbox; what they have disabled is not expected, and logged as a warning. Raises
    `BadInput` for a folder that is no task, or an id that is taken.
    """
    record = read_record(source)
    id = record["id"]
    public, sealed = suite / "public", suite / "sealed"
    for taken in (public / "files" / id, sealed / "tests" / id, sealed / "reference" / id):
        if taken.exists():
            raise BadInput(f"task {id!r} is in the suite already", file=taken, mend="change its id, or remove the old one", boundary=Boundary.TASK)  # fmt: skip
    expected, notes = collect(source / "tests", open_sandbox(), port=record["port"])
    if not expected:
        problem = f"no test is expected; {notes[0]}" if notes else "no test was collected"
        mend = "enable one" if notes else "name files test_*.py and functions test_*"
        raise BadInput(problem, file=source / "tests", mend=mend, boundary=Boundary.TASK)
    for note in notes:
        log.warning("%s: %s", id, note)
    task = MicroserviceTask.model_validate({**record, "specification": "README.md"})
    endpoints = task.endpoints or endpoints_in((source / "README.md").read_text(encoding="utf-8"))
    (public / "files" / id).mkdir(parents=True)
    (sealed / "tests").mkdir(parents=True, exist_ok=True)
    (sealed / "reference").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source / "README.md", public / "files" / id / "README.md")
    shutil.copytree(source / "tests", sealed / "tests" / id, ignore=JUNK)
    shutil.copytree(source / "reference", sealed / "reference" / id, ignore=JUNK)
    metrics = measure_code(source / "reference")
    append_line(public / "tasks.jsonl", {**record, "specification": f"files/{id}/README.md"})
    append_line(
        sealed / "tasks.jsonl",
        {
            "id": id,
            "tests": f"tests/{id}",
            "expected_tests": list(expected),
            "reference": f"reference/{id}",
            "difficulty": difficulty(metrics, endpoints=len(endpoints)).model_dump(),
        },
    )
    return id


def append_line(path: Path, record: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


def collect(tests: Path, box: Sandbox, *, port: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of the tests in `tests` that are expected, and notes on the others: collected (imported, not run) in a sandbox. `BadInput` with
    pytest's words if that fails."""
    environment = runner_environment(None, box=box, cache=cache_root(), log=lambda name, content: None)
    with reachable_folder() as folder:
        runner, golden, results = lay_out(folder, tests)
        ran = box.run(
            COLLECT_TESTS,
            # Modules read where the service is while they are imported.
            view=golden_view(environment, runner, golden, results, service_urls(port)),
            limits=Limits(wall_seconds=60),
        )
        lines = read_records(results / "results.jsonl")
    problems = [line for line in lines if "collect_error" in line]
    collected = [line for line in lines if "collected" in line]
    if problems or not collected:
        said = problems[0]["message"] if problems else (ran.stdout + ran.stderr).decode("utf-8", "replace")
        raise BadInput(f"the tests cannot be collected: {gist(said)}", file=tests, mend="they may import pytest, requests, httpx", boundary=Boundary.TASK)  # fmt: skip
    first = collected[0]
    ids, notes = expected_of(first["collected"], first.get("disabled", ()), first.get("left_out", {}))
    skipped = [line for line in lines if "collect_skipped" in line]
    return ids, (
        *notes,
        *(f"not expected: {line['collect_skipped']}, which skips itself: {gist(line['message'])}" for line in skipped),
    )
