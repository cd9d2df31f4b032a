"""Tasks out of RepoGenesis' published layout."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....core.task import TASK_ID
from ....sandbox import Sandbox
from ..adopt import append_line
from ..coverage import endpoints_in
from ..task import MicroserviceTask, Runner
from . import inference
from .collecting import expected_ids
from .golden_files import folder_of_tests, take_java_tests, take_python_tests
from .java_tests import read_tests
from .layout import Published
from .packages import foreign_modules, packages_for, requirement_files
from .python_tests import Suite, read_suite
from .specs import Spec

SOURCE = "RepoGenesis"


@dataclass(frozen=True)
class Taken:
    """One task, taken into a suite."""

    id: str
    language: str
    framework: str
    port: int
    tests: int
    """Expected tests."""
    runner: Runner
    notes: tuple[str, ...]
    """What was inferred, chosen, left out or found wrong."""


def take(published: Published, spec: Spec | None, suite: Path, box: Sandbox, *, licence: str) -> Taken:
    """Copy a published repository's README and golden tests into the unsealed tree `suite` and append its two records."""
    id = task_id(published.name)
    notes = [] if id == published.name else [f"its name {published.name!r} is no task id"]
    readme = published.readme.read_text(encoding="utf-8", errors="replace")
    listed = spec or Spec()
    language = listed.language or published.language
    if not listed.language:
        notes.append(f"language {language}, by its tests")
    framework = listed.framework or inference.framework_in(readme, language)
    if not listed.framework:
        notes.append(f"framework {framework}, by its README" if framework else "framework not known")
    tests = suite / "sealed" / "tests" / id
    take_some = take_java if published.language == "java" else take_python
    sealed, port, told = take_some(published, listed, tests, box, framework=framework, readme=readme)
    notes += told
    if not endpoints_in(readme):
        notes.append("its README yields no endpoint")
    specification = suite / "public" / "files" / id / "README.md"
    specification.parent.mkdir(parents=True)
    shutil.copyfile(published.readme, specification)
    record = {
        "id": id,
        "language": language,
        "framework": framework,
        "domain": listed.domain,
        "port": port,
        "specification": f"files/{id}/README.md",
        "provenance": {"source": SOURCE, "licence": licence},
    }
    append_line(suite / "public" / "tasks.jsonl", {key: value for key, value in record.items() if value})
    level = {"level": listed.difficulty} if listed.difficulty else {}
    append_line(suite / "sealed" / "tasks.jsonl", {"id": id, "tests": f"tests/{id}", **sealed, **level})
    return Taken(
        id,
        language,
        framework,
        port,
        len(sealed["expected_tests"]),
        Runner(sealed.get("runner", Runner.BLACK_BOX)),
        tuple(notes),
    )


def task_id(name: str) -> str:
    """The name, with what no task id has replaced."""
    return name if re.fullmatch(TASK_ID, name) else re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:100] or "task"


def take_python(
    published: Published, listed: Spec, tests: Path, box: Sandbox, *, framework: str, readme: str
) -> tuple[dict[str, Any], int, list[str]]:
    """Copy the tests to `tests`; their sealed record, the port, and notes."""
    first = read_suite(folder_of_tests(published.tests))
    notes = list(take_python_tests(published.tests, first.strings, tests))
    found = read_suite(tests)
    notes += [f"not Python: {problem}" for problem in found.unreadable]
    port, note = inference.port_of(listed.port, found, readme, language=published.language, framework=framework)
    notes += [note] if note else []
    packages = packages_for(found, requirement_files(published.tests, folder_of_tests(published.tests)))
    notes += packages.notes
    sealed: dict[str, Any] = {"expected_tests": []}
    locked = tests.parents[1] / "requirements" / f"{tests.name}.txt"
    if packages.lock:
        locked.parent.mkdir(exist_ok=True)
        locked.write_text(packages.lock, encoding="utf-8")
        sealed["test_requirements"] = f"requirements/{tests.name}.txt"
    if variables := inference.environment_of(found, port):
        sealed["test_environment"] = variables
        notes.append(f"told to the tests: {', '.join(f'{name}={value}' for name, value in variables.items())}")
    if modules := foreign_modules(found):
        sealed["runner"] = Runner.IN_PROCESS
        notes.append(white_box(modules, readme))
    task = _unplaced(port, sealed)
    ids, told = expected_ids(task, tests, locked if packages.lock else None, found, box)
    sealed["expected_tests"] = list(ids)
    return sealed, port, [*notes, *told, *([] if ids else ["no test is expected" if told else "no test is collected"])]


def white_box(modules: tuple[str, ...], readme: str) -> str:
    """How to say that tests import the code that they test."""
    tops = dict.fromkeys(module.split(".")[0] for module in modules)
    named = [top for top in tops if re.search(rf"\b{re.escape(top)}(\.py\b|/|\.)", readme)]
    known = "which its README names" if len(named) == len(tops) else "which its README never names"
    return f"white-box: its tests import {', '.join(modules)}, {known}"


def take_java(
    published: Published, listed: Spec, tests: Path, box: Sandbox, *, framework: str, readme: str
) -> tuple[dict[str, Any], int, list[str]]:
    """Copy the tests to `tests`; their sealed record, the port, and notes. They run in the candidate's process."""
    notes = list(take_java_tests(published.tests, tests))
    found = read_tests(tests)
    if found.disabled:
        notes.append(f"disabled, hence not expected: {', '.join(found.disabled)}")
    if found.conditional:
        named = ", ".join(f"{id} ({condition})" for id, condition in found.conditional.items())
        notes.append(f"expected, though a condition may leave them out: {named}")
    if not found.ids:
        notes.append("no test is found in its source")
    port, note = inference.port_of(listed.port, Suite(), readme, language="java", framework=framework)
    sealed = {"expected_tests": list(found.ids), "runner": Runner.IN_PROCESS}
    return sealed, port, [*notes, *([note] if note else [])]


def _unplaced(port: int, sealed: Mapping[str, Any]) -> MicroserviceTask:
    """A record that says where the tests look, to collect them by."""
    return MicroserviceTask.model_validate_json(
        json.dumps(
            {
                "id": "collecting",
                "port": port,
                "specification": "README.md",
                "provenance": {"source": SOURCE, "licence": ""},
                "sealed": {"tests": "tests", **sealed},
            }
        )
    )
