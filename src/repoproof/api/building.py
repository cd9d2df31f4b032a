"""A task out of a running reference."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from ..core.config import ScoreConfig
from ..core.errors import BadInput
from ..core.paths import cache_root
from ..core.task import TASK_ID
from ..families import Bench
from ..families.microservice.build.pipeline import Built, Wanted, build
from ..families.microservice.build.writing import PROMPT_TOKENS, Writer, Writing
from ..models.base import Answer, ChatRequest, Fault
from ..models.budget import Budget, Ledger
from ..models.endpoint import Endpoint
from ..models.opening import opened
from ..models.recording import Mode, Recording
from ..models.store import must_exist
from ..sandbox import open_sandbox
from . import arguments
from .asking import budget_of, endpoint_of, mode_of, ran
from .suites import add, is_suite

__all__ = ["Built", "Writing", "build_from_reference"]


def build_from_reference(
    reference: Path | str,
    destination: Path | str,
    *,
    name: str = "",
    language: str = "",
    framework: str = "",
    port: int | None = None,
    deployments: int = 6,
    mutants: int = 60,
    seed: int = 0,
    licence: str = "NOASSERTION",
    schemathesis: bool = False,
    model: Endpoint | str | None = None,
    budget: Budget | str | None = None,
    models: Path | str | None = None,
    recording: Mode | str = Mode.OFF,
    store: Path | str | None = None,
    sandbox: str = "auto",
    on_event: Callable[[str], None] = lambda event: None,
) -> Built:
    """Exercise the service in folder `reference`, record what it answers, and write what is stable as a task: to the folder `destination`
    (must not exist), or into the suite that is there.

    What is not given (its `name`, language, framework, port) is told from the folder. Recordings of `deployments` are compared, and the
    tests must pass in as many more; `mutants` is how many broken versions the tests are tried on at most, drawn by `seed`. With `schemathesis`,
    it is fetched and makes up more requests from an OpenAPI document. With a `model`, that is asked once, within `budget` (which must be
    given unless replaying), to write README.md; the call is recorded in `store` as `recording` says. The skeleton stays where its text is
    not fit, and `Built.writing` says why. Nothing of the service runs outside the sandbox, and its folder is not changed. Raises
    `BadInput` where it cannot be told, installed, started or exercised.
    """
    source, target = arguments.place(reference, "reference"), arguments.place(destination, "destination")
    into_suite = target.exists() and is_suite(target)
    if target.exists() and not into_suite:
        raise BadInput("exists already", file=target, mend="choose another place, or give a suite to add to")
    if not source.is_dir():
        raise BadInput("no such directory", file=source, mend="give the folder of a service that runs")
    id = arguments.line(name, "name") or source.resolve().name
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
    writer = _writer(id, model, budget, models, recording, store)
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
        built = build(source, folder, wanted, bench, on_event, writer)
        if into_suite:
            add(target, folder)
    return built


def _at_least_two(deployments: int) -> int:
    if arguments.whole(deployments, "deployments") < 2:
        raise BadInput("one recording has nothing to be compared with", field="deployments", mend="2 or more")
    return deployments


def _writer(
    task: str,
    model: Endpoint | str | None,
    budget: Budget | str | None,
    models: Path | str | None,
    recording: Mode | str,
    store: Path | str | None,
) -> Writer | None:
    """The model, known to be one that can be asked before anything is built; None where none is to be."""
    mode = mode_of(recording)
    if model is None:
        given = {"budget": budget, "models": models, "store": store}
        if idle := next((name for name, value in given.items() if value is not None), None):
            raise BadInput("goes with a model", field=idle, mend="leave it out, or give a model")
        return None
    if store is not None and mode is Mode.OFF:
        raise BadInput("goes with recording", field="store", mend="leave it out, or record")
    limit = budget_of(budget, "budget", mode)
    endpoint = endpoint_of(model, models, to_be_asked=mode is not Mode.REPLAY)
    place = None if store is None else arguments.place(store, "store")
    if mode is Mode.REPLAY and place is not None:
        must_exist(place)
    record = Recording(mode=mode, store=place, job=uuid4().hex)
    ledger = Ledger(limit)

    async def asked(request: ChatRequest | None) -> Answer | Fault | None:
        async with opened(endpoint, recording=record, ledger=ledger) as living:
            return None if request is None else await living.ask(request, label=task)

    def ask(request: ChatRequest) -> Answer | Fault:
        outcome = ran(asked(request))
        assert outcome is not None
        return outcome

    ran(asked(None))
    room = PROMPT_TOKENS if endpoint.context_tokens is None else min(PROMPT_TOKENS, endpoint.context_tokens // 2)
    return Writer(endpoint.model, ask, room)
