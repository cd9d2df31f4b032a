"""What everything that asks a model begins with: which endpoint, and a loop to ask it in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from ..core.errors import BadInput
from ..core.waiting import outcome
from ..models.budget import UNLIMITED, UNLIMITED_WORD, Budget, parse_budget
from ..models.endpoint import Endpoint
from ..models.endpoints import find_endpoint
from ..models.recording import Mode
from . import arguments

T = TypeVar("T")


def endpoint_of(model: Endpoint | str, models: Path | str | None, *, to_be_asked: bool = True) -> Endpoint:
    """The endpoint that a caller means: one of their own, or by name, from `models` or where a models.toml is looked for."""
    if isinstance(model, Endpoint):
        return model
    file = None if models is None else arguments.place(models, "models")
    return find_endpoint(arguments.line(model, "model"), file, to_be_asked=to_be_asked)


def mode_of(value: object) -> Mode:
    """The way of recording that a caller means."""
    try:
        return Mode(value)
    except ValueError:
        known = ", ".join(Mode)
        raise BadInput(f"{value!r} is no way of recording", field="recording", mend=f"one of: {known}") from None


def budget_of(value: Budget | str | None, argument: str, mode: Mode) -> Budget:
    """The budget that a caller means; only a replay needs none."""
    if value is None and mode is Mode.REPLAY:
        return UNLIMITED
    if value is None:
        mend = f"for example usd=5,tokens=2M; {UNLIMITED_WORD} has to be said"
        raise BadInput("is missing", field=argument, mend=mend)
    if isinstance(value, Budget):
        return value
    try:
        return parse_budget(arguments.line(value, argument))
    except BadInput as error:
        raise BadInput(": ".join(filter(None, (error.field, error.problem))), field=argument, mend=error.mend) from None


def ran(asking: Coroutine[Any, Any, T]) -> T:
    """Run it to its end; in a notebook, which has an event loop of its own already, beside that."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(asking)
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T] | None]] = Future()
    ended: Future[T] = Future()
    interrupted = threading.Event()

    async def beside() -> T:
        begun.set_result((asyncio.get_running_loop(), asyncio.current_task()))
        if interrupted.is_set():
            asking.close()
            raise asyncio.CancelledError
        return await asking

    def run() -> None:
        try:
            ended.set_result(asyncio.run(beside()))
        except BaseException as error:
            ended.set_exception(error)

    try:
        threading.Thread(target=run, name="asking").start()
        return outcome(ended)
    except KeyboardInterrupt:
        # It reaches this thread only, at any line, be it within `start`; the other one would go on asking, and paying.
        interrupted.set()
        if begun.done():
            loop, task = begun.result()
            if task is not None:
                with suppress(RuntimeError):  # The loop has just ended.
                    loop.call_soon_threadsafe(task.cancel)
            wait([ended])
        raise
