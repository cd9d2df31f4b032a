"""Asking at most once: what a store holds is not asked again, and what is asked is written down."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from enum import StrEnum
from pathlib import Path
from typing import Self, TypeVar

from pydantic import model_validator

from ..core.base import Frozen, Text
from ..core.errors import BadInput, Boundary, RepoProofError
from .base import Answer, ChatRequest, Fault, FaultKind, FillRequest, Model
from .nearest import Questions
from .store import Recorded, Store

log = logging.getLogger(__name__)

T = TypeVar("T")


class Mode(StrEnum):
    """What a store is for."""

    OFF = "off"
    """Nothing: ask always, write nothing down."""
    RECORD = "record"
    """Ask and write down. What the same job was answered before it was killed is all that is not asked again."""
    REPLAY = "replay"
    """Never ask: what the store does not hold is a fault."""
    AUTO = "auto"
    """Use what the store holds, from whatever job; ask and write down what it does not."""


class Recording(Frozen):
    """Where calls are written down and looked for."""

    mode: Mode = Mode.OFF
    store: Path | None = None
    """A directory."""
    job: Text = ""
    """One piece of work, however often it is killed and started again: its calls are made once, and are its to pay."""

    @model_validator(mode="after")
    def _has_store(self) -> Self:
        if self.mode is not Mode.OFF and self.store is None:
            raise BadInput(f"{self.mode} needs a directory", field="store", mend="say where calls are recorded")
        return self

    def opened(self) -> Store:
        """The store, to read from and, unless replaying, to add to. `BadInput` if it cannot be."""
        assert self.store is not None, "only where there is one"
        return Store.existing(self.store) if self.mode is Mode.REPLAY else Store.opened(self.store)


PATIENCE_SECONDS = 1.0
"""Of waiting for what somebody else is asking, until it is said."""


def recorded(model: Model, recording: Recording, *, say: Callable[[str], None] = log.warning) -> Model:
    """`model`, asked only what the recording leaves open; what it answers is on disk before it is returned.

    A question that is being asked by somebody else, in another process too, is awaited and not asked twice; `say` gets a line, once.
    """
    match recording.mode:
        case Mode.OFF:
            return model
        case Mode.REPLAY:
            return replaying(recording)
        case Mode.RECORD | Mode.AUTO:
            return _Asking(model, recording.opened(), recording, say)


def recalling(model: Model, recording: Recording) -> Model:
    """`model`, asked only what the recording leaves open, and nothing written down.

    For the outside of a budget whose inside is `recorded` or `outliving`: what is held already costs nothing, and is not refused.
    """
    match recording.mode:
        case Mode.OFF:
            return model
        case Mode.REPLAY:
            return replaying(recording)
        case Mode.RECORD | Mode.AUTO:
            return _Recalling(model, recording.opened(), recording)


def replaying(recording: Recording) -> Model:
    """What the store holds and nothing else; no endpoint is needed. `BadInput` if there is no such store."""
    store = recording.opened()
    return _Recalling(_Nobody(store), store, recording)


class _Nobody:
    """The model behind a replay: it is never asked."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._questions: asyncio.Future[Questions] | None = None

    async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
        what = f'request {request.key[:12]} to "{request.model}"' + (f" for {label}" if label else "")
        if self._questions is None:
            self._questions = asyncio.ensure_future(asyncio.to_thread(Questions, self._store.answers_file))
        questions = await asyncio.shield(self._questions)
        if (too_long := questions.too_long(request)) is not None:
            return too_long
        why = questions.difference(request, label)
        return Fault(kind=FaultKind.NOT_RECORDED, reason=f"{self._store.path} holds no answer to {what}: {why}")


class _Recalling:
    """First the store, then the model."""

    def __init__(self, model: Model, store: Store, recording: Recording) -> None:
        self._model = model
        self._store = store
        self._recording = recording

    async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
        found = await self._found(request.key)
        return found if found is not None else await self._model.ask(request, label=label)

    async def _found(self, key: str) -> Answer | None:
        """The job's own answer, else anybody's unless recording anew."""
        return await asyncio.to_thread(self._find, key)

    def _find(self, key: str) -> Answer | None:
        own = self._store.find(key, self._recording.job)
        return own if own is not None or self._recording.mode is Mode.RECORD else self._store.find(key)


class _Asking(_Recalling):
    """First the store, then the model, one at a time for each question; then the store has it."""

    _failure: Fault | None = None
    """Once a call could not be written down: no further one is paid for."""
    _waiting = 0
    """Questions that somebody else is asking."""
    _has_said = False

    def __init__(self, model: Model, store: Store, recording: Recording, say: Callable[[str], None]) -> None:
        super().__init__(model, store, recording)
        self._say = say

    async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
        key = request.key
        if (found := await self._found(key)) is not None:
            return found
        async with self._claimed(key):
            # Whoever held the claim until now has written down what came of it.
            if (found := await self._found(key)) is not None:
                return found
            if self._failure is not None:
                return self._failure
            outcome = await self._model.ask(request, label=label)
            if isinstance(outcome, Fault) and not outcome.tries:
                return outcome
            call = Recorded.of(request, outcome, job=self._recording.job, label=label)
            return await _to_the_end(lambda: self._written(call, outcome))

    @asynccontextmanager
    async def _claimed(self, key: str) -> AsyncGenerator[None]:
        async with AsyncExitStack() as held:
            impatient = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._say_once)
            self._waiting += 1
            try:
                await held.enter_async_context(self._store.claim(key))
            finally:
                impatient.cancel()
                self._waiting -= 1
            yield

    def _say_once(self) -> None:
        if not self._has_said:
            self._has_said = True
            calls = f"{self._waiting} calls that are" if self._waiting > 1 else "a call that is"
            self._say(
                f"{self._store.path}: waiting for {calls} in flight already, of another run or of one that was killed"
            )

    def _written(self, call: Recorded, outcome: Answer | Fault) -> Answer | Fault:
        try:
            self._store.append(call)
        except (OSError, RepoProofError) as error:
            reason = f"what was answered could not be written down: {error}"
            self._failure = Fault(kind=FaultKind.BROKEN, reason=reason, boundary=Boundary.HARNESS)
            return self._failure.model_copy(update={"tries": outcome.tries, "seconds": outcome.seconds})
        return outcome


async def _to_the_end(function: Callable[[], T]) -> T:
    """What `function` returns, from a thread. Who is cancelled meanwhile leaves only when it is done."""
    thread = asyncio.ensure_future(asyncio.to_thread(function))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        await asyncio.wait([thread])
        raise
