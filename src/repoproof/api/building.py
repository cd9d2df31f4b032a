"""A task out of a running reference."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from ..core.config import ScoreConfig
from ..core.errors import BadInput
from ..core.paths import cache_root
from ..core.task import TASK_ID
from ..families import Bench
from ..families.microservice.build.pipeline import Built, Wanted, build
from ..sandbox import open_sandbox
from . import arguments
from .suites import add, is_suite

__all__ = ["Built", "build_from_reference"]


def build_from_reference(
    reference: Path | str,
    destination: Path | str,
    *,
    name: str = "",
    language: str = "",
    framework: str = "",
    port: int | None = None,
    deployments: int = 3,
    mutants: int = 60,
    seed: int = 0,
    licence: str = "NOASSERTION",
    schemathesis: bool = False,
    sandbox: str = "auto",
    on_event: Callable[[str], None] = lambda event: None,
) -> Built:
    """Exercise the service in folder `reference`, record what it answers, and write what is stable as a task: to the folder `destination`
    (must not exist), or into the suite that is there.

    What is not given (its `name`, language, framework, port) is told from the folder. `deployments` recordings are compared, and the tests
    must pass in as many more; `mutants` is how many broken versions the tests are tried on at most, drawn by `seed`. With `schemathesis`, it is fetched and makes up more requests from an OpenAPI document. Nothing of the service
    runs outside the sandbox, and its folder is not changed. Raises `BadInput` where it cannot be told, installed, started or exercised.
    """
    source, target = arguments.place(reference, "reference").resolve(), arguments.place(destination, "destination")
    into_suite = target.exists() and is_suite(target)
    if target.exists() and not into_suite:
        raise BadInput("exists already", file=target, mend="choose another place, or give a suite to add to")
    if not source.is_dir():
        raise BadInput("no such directory", file=source, mend="give the folder of a service that runs")
    id = arguments.line(name, "name") or source.name
    if not re.fullmatch(TASK_ID, id):
        mend = "letters, digits, `.`, `_` and `-`, at most 100, a letter or digit first"
        raise BadInput(f"{id!r} is no task id", field="name", mend=mend)
    wanted = Wanted(
        name=id,
        language=arguments.line(language, "language"),
        framework=arguments.line(framework, "framework"),
        port=None if port is None else arguments.whole(port, "port"),
        deployments=_at_least_two(deployments),
        mutants=mutants if mutants == 0 else arguments.whole(mutants, "mutants"),
        seed=seed,
        licence=arguments.line(licence, "licence"),
        schemathesis=schemathesis,
    )
    box = open_sandbox(sandbox)
    with tempfile.TemporaryDirectory() as logs, tempfile.TemporaryDirectory() as made:
        bench = Bench(
            box=box,
            cache=cache_root(),
            logs=Path(logs),
            log_prefix="",
            config=ScoreConfig(sandbox=box.name),
            config_hash="",
        )
        folder = Path(made) / id if into_suite else target
        built = build(source, folder, wanted, bench, on_event)
        if into_suite:
            add(target, folder)
    return built


def _at_least_two(deployments: int) -> int:
    if arguments.whole(deployments, "deployments") < 2:
        raise BadInput("one recording has nothing to be compared with", field="deployments", mend="2 or more")
    return deployments
