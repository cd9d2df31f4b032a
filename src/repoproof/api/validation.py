"""Validation: a suite's tasks prove themselves."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import NamedTuple

from ..core.config import RunOptions, ScoreConfig
from ..core.errors import BadInput, InfrastructureError
from ..core.health import Health
from ..core.paths import cache_root
from ..core.suite import Suite
from ..core.suite_files import HEALTH, write_health
from ..core.task import Task
from ..core.waiting import as_completed
from ..families import Bench, family
from ..reports.validation import ValidationReport, validation_of
from ..sandbox import open_sandbox
from ..sandbox.base import Sandbox
from . import arguments
from .suites import load_whole_suite, select

log = logging.getLogger(__name__)

RETRY_DELAYS = (1.0, 4.0)
"""How long to wait before trying again where our own side failed, in seconds."""


class Validated(NamedTuple):
    """A task's health is known, and written down."""

    health: Health
    done: int
    """Tasks that are known, this one included."""
    of: int


def validate(
    suite: Suite | Path | str,
    *,
    repeat: int = 3,
    tasks: Sequence[str] = (),
    sandbox: str = "auto",
    workers: int = 1,
    fresh: bool = False,
    on_event: Callable[[Validated], None] = lambda event: None,
) -> ValidationReport:
    """Run each task's reference `repeat` times under varied environments, an empty submission and stubs; write what is found to the
    suite's `health.jsonl`, task by task.

    Raises `BadInput` for a wrong suite, `InfrastructureError` where our own side fails: nothing is then said of the task at hand.
    """
    repeat, workers = arguments.whole(repeat, "repeat"), arguments.whole(workers, "workers")
    loaded = load_whole_suite(suite, to="validate")
    chosen = select(loaded, arguments.texts(tasks, "tasks"), "")
    _can_be_written_to(loaded.root)
    box = open_sandbox(sandbox)
    of = family(loaded.info.family)

    stopped = Event()

    def proved(task: Task) -> Health:
        for delay in RETRY_DELAYS:
            try:
                return once(task)
            except InfrastructureError as error:
                log.warning("%s: %s: %s; trying again in %.0f s", task.id, error.boundary, error, delay)
                if stopped.wait(delay):
                    raise
        return once(task)

    def once(task: Task) -> Health:
        with tempfile.TemporaryDirectory() as logs:
            bench = Bench(
                box=box,
                cache=cache_root(),
                logs=Path(logs),
                log_prefix="",
                config=ScoreConfig(sandbox=box.name, cutoff=loaded.info.cutoff),
                config_hash="",
                options=RunOptions(fresh=fresh),
            )
            return of.validate(task, bench, repeat=repeat)

    found: dict[str, Health] = {}
    with ThreadPoolExecutor(workers) as pool, _stopped_on_failure(pool, box, stopped):
        for future in as_completed([pool.submit(proved, task) for task in chosen]):
            health = future.result()
            write_health(loaded.root, [health])
            found[health.task] = health
            on_event(Validated(health, done=len(found), of=len(chosen)))
    return validation_of([found[task.id] for task in chosen])


def _can_be_written_to(root: Path) -> None:
    """Tried before anything runs: what is found would be lost."""
    try:
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as error:
        raise BadInput(
            f"cannot be written: {error.strerror}", file=root / HEALTH, mend="validate a copy of the suite"
        ) from None


@contextmanager
def _stopped_on_failure(pool: ThreadPoolExecutor, box: Sandbox, stopped: Event) -> Iterator[None]:
    """Whatever ends the caller's loop early ends what still runs as well; otherwise the pool would be waited for to its end."""
    try:
        yield
    except BaseException:
        stopped.set()
        pool.shutdown(wait=False, cancel_futures=True)
        box.interrupt()
        raise
