"""Coverage of a submission under the golden tests, on request: the tests run once more, against a service whose lines are counted.

The verdict is reached before, by an ordinary run: nothing that happens here can change it. Which lines ran is the service's own word, so
this is information, and no score.
"""

from __future__ import annotations

import json
import logging
from contextlib import ExitStack
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree, ignore_patterns

from ...analysis.statements import CoveredFile, covered_files
from ...core.errors import RepoProofError
from ...sandbox.base import Limits, ReadOnly, View, Writable
from ...toolchains import Prepared, TimeLeft, toolchain
from ...toolchains.python_coverage import coverage_environment
from .deploy import INSIDE_PYTHON, TEST_LIMITS, Startable, deployed
from .golden import run_golden_tests

log = logging.getLogger(__name__)

PORT = 39731
"""Where lines are heard of, on the loopback of the service."""
LAST_WORDS = 1.0
"""How long a service may still say what ran, once its tests are over, in seconds."""


def measured(it: Startable, tests: Path, folder: Path, environment: Prepared) -> tuple[CoveredFile, ...]:
    """Each of the submission's own Python files; none for other languages, or where it could not be measured."""
    if it.task.language != "python":
        return ()
    try:
        lines = _lines(it, tests, folder, environment)
    except RepoProofError as error:
        log.warning("%s: its coverage could not be measured: %s", it.task.id, error)
        return ()
    return covered_files(it.tree, lines)


def _lines(it: Startable, tests: Path, folder: Path, environment: Prepared) -> dict[str, list[int]]:
    """Lines that ran, by path relative to the submission."""
    limits, heard, results = toolchain(it.task.language).limits, folder / "heard", folder / "measured-results"
    for place in (heard, results):
        place.mkdir()
        place.chmod(0o777)  # written by the sandbox's unprivileged user
    observed = _observed(it, folder)
    with ExitStack() as stack:
        deployment = stack.enter_context(
            deployed(observed, TimeLeft(limits.task), limit_seconds=limits.start, log="service-measured")
        )
        stack.enter_context(
            it.box.start(
                [*INSIDE_PYTHON, "/runner/hear_lines.py", str(PORT), "/heard/lines.json"],
                view=View(
                    mounts=(ReadOnly(source=it.runner, target="/runner"), Writable(source=heard, target="/heard"))
                ),
                limits=_hearing_limits(limits.test),
                loopback=deployment.loopback,
            )
        )
        if deployment.responds:
            run_golden_tests(
                it.task, tests, it.runner, results, environment, it.box, deployment.loopback, seconds=limits.test
            )
        deployment.service.wait(LAST_WORDS)
    return _under_app(heard / "lines.json")


def _hearing_limits(seconds: float) -> Limits:
    return TEST_LIMITS.model_copy(update={"wall_seconds": seconds + 60})


def _observed(it: Startable, folder: Path) -> Startable:
    """The same submission, with coverage.py in its sandbox and our `sitecustomize` first on its path."""
    start = folder / "measuring"
    with as_file(files("repoproof.families.microservice") / "measuring") as ours:
        copytree(ours, start, ignore=ignore_patterns("__pycache__"))
    bench, prepared = it.record.bench, it.prepared
    environment = coverage_environment(it.box, bench.cache, it.record.log)
    path = prepared.environment.get("PYTHONPATH", "")
    return replace(
        it,
        prepared=prepared.model_copy(
            update={
                "mounts": (
                    *prepared.mounts,
                    ReadOnly(source=environment, target="/coverage/env"),
                    ReadOnly(source=start, target="/coverage/start"),
                ),
                "environment": {
                    **prepared.environment,
                    "PYTHONPATH": ":".join(filter(None, ("/coverage/start", path))),
                    "REPOPROOF_COVERAGE_PORT": str(PORT),
                },
            }
        ),
    )


def _under_app(heard: Path) -> dict[str, list[int]]:
    try:
        said = json.loads(heard.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return {file.removeprefix("/app/"): lines for file, lines in said.items() if file.startswith("/app/")}
