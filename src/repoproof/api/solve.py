"""Solve: have a model answer the tasks of a suite."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from ..completions.templates import template
from ..core.errors import BadInput
from ..core.suite import Suite
from ..families import family
from ..models.base import Sampling
from ..models.budget import UNLIMITED, Budget, Ledger
from ..models.endpoint import Endpoint
from ..models.opening import opened, spent_before
from ..models.recording import Mode, Recording
from ..models.store import must_exist
from ..solvers.attempts import Attempted, Key
from ..solvers.direct import Direct
from ..solvers.output import Output, Settings
from ..solvers.presets import PRESETS
from ..solvers.solving import Begun, Job, OnEvent, Solving, Spending, prepare, wanted_keys
from . import arguments
from .asking import budget_of, endpoint_of, mode_of, ran
from .suites import load_suite, select

log = logging.getLogger(__name__)


def solve(
    suite: Suite | Path | str,
    model: Endpoint | str,
    output: Path | str,
    *,
    budget: Budget | str | None = None,
    task_budget: Budget | str = UNLIMITED,
    samples: int = PRESETS["greedy"].samples,
    sampling: Sampling = PRESETS["greedy"].sampling,
    workers: int = 4,
    tasks: Sequence[str] = (),
    language: str = "",
    models: Path | str | None = None,
    recording: Mode | str = Mode.AUTO,
    store: Path | str | None = None,
    on_event: OnEvent = lambda event: None,
) -> Solving:
    """Have `model` answer the tasks of `suite` (all, or those chosen), `samples` times each, into the directory `output`.

    Goes on with what is in `output` already: attempts that were answered are kept, and faults asked again. Calls are recorded in
    `store` (by default a hidden one in `output`) as `recording` says. `budget` must be given unless replaying; `unlimited` is a budget.
    The public half of the suite is enough. `models` is a models.toml to look the model up in. Raises `BadInput` where anything given
    is wrong: nothing was asked then. What the endpoint does never raises.
    """
    place, mode = arguments.place(output, "output"), mode_of(recording)
    samples, workers = arguments.whole(samples, "samples"), arguments.whole(workers, "workers")
    run_budget, budget_a_task = budget_of(budget, "budget", mode), budget_of(task_budget, "task_budget", mode)
    loaded = load_suite(suite)
    chosen = select(loaded, arguments.texts(tasks, "tasks"), arguments.line(language, "language"))
    endpoint = endpoint_of(model, models, to_be_asked=mode is not Mode.REPLAY)
    if sampling.n != 1:
        raise BadInput("one call makes one attempt", field="sampling", mend="leave n at 1, and give samples")
    Ledger(run_budget, budget_a_task).check(endpoint)
    if mode is Mode.REPLAY and store is not None:
        must_exist(arguments.place(store, "store"))
    for task in chosen:
        if task.id in loaded.quarantined:
            log.warning("%s is quarantined: its answers are paid for, and not counted", task.id)
    of, solver = family(loaded.info.family), Direct()
    with Output.locked(place) as held:
        settings = held.settle(
            Settings(
                suite=loaded.name,
                suite_version=loaded.info.version,
                public_digest=_public_digest(loaded),
                model=endpoint.model,
                solver=solver.name,
                template=template(of.template).identity,
                sampling=sampling,
            )
        )
        wanted = wanted_keys(chosen, samples)
        left = [key for key in wanted if key not in held.done]
        on_event(Begun(len(wanted), len(wanted) - len(left)))
        by_id = {task.id: task for task in chosen}
        workspaces = held.work / "workspaces"
        prepare(of, [by_id[id] for id in dict.fromkeys(key.task for key in left)], workspaces)
        record = _record(mode, store, held, settings)
        ledger = Ledger(run_budget, budget_a_task, spent=spent_before(record))

        async def made() -> dict[Key, Attempted]:
            async with opened(endpoint, recording=record, ledger=ledger) as opened_model:
                job = Job(held, settings, of, by_id, workspaces, solver, opened_model, on_event)
                return await job.make_all(left, workers=workers)

        try:
            ended = ran(made()) if left else {}
        finally:
            held.sort([task.id for task in loaded])
        last = [ended.get(key) or held.done[key] for key in wanted]
        spent = Spending.of(ledger.spent, priced=endpoint.prices is not None, earlier=mode is not Mode.OFF)
        return Solving.of(
            held,
            loaded,
            settings,
            last,
            kept=len(wanted) - len(left),
            endpoint=endpoint,
            spent=None if mode is Mode.REPLAY else spent,
        )


def _public_digest(suite: Suite) -> str:
    assert suite.info.digests is not None
    return suite.info.digests.public


def _record(mode: Mode, store: Path | str | None, held: Output, settings: Settings) -> Recording:
    if mode is Mode.OFF:
        if store is not None:
            raise BadInput("goes with recording", field="store", mend="leave it out, or record")
        return Recording()
    return Recording(
        mode=mode, store=held.hidden if store is None else arguments.place(store, "store"), job=settings.job
    )
