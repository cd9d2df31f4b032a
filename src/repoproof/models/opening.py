"""A model, ready to be asked: its endpoint, its pace, its record and its budget put together."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import TypeVar

from ..core.waiting import outcome
from .base import Answer, ChatRequest, Fault, FillRequest, Model
from .budget import Ledger
from .endpoint import Endpoint
from .outliving import outliving
from .pacing import asking
from .recording import Mode, Recording, recalling, replaying
from .store import Spent

Asked = TypeVar("Asked", ChatRequest, FillRequest, ChatRequest | FillRequest)

LOOK_AHEAD = 2
"""Questions that are on their way or answered and not yet taken, for each worker: one slow answer holds up few others."""


@asynccontextmanager
async def opened(
    endpoint: Endpoint, *, recording: Recording | None = None, ledger: Ledger | None = None
) -> AsyncGenerator[Model]:
    """The model at `endpoint`, as long as the context lasts.

    What the recording holds is answered from it, and costs nothing of the ledger; the rest is asked, and taken down in both.
    `BadInput` where it cannot be asked at all. A replay needs neither key nor endpoint, and spends nothing.
    """
    if recording is not None and recording.mode is Mode.REPLAY:
        yield replaying(recording)
        return
    if ledger is not None:
        ledger.check(endpoint)
    async with _asked(endpoint, recording) as model:
        budgeted = model if ledger is None else ledger.around(model)
        yield budgeted if recording is None else recalling(budgeted, recording)


def _asked(endpoint: Endpoint, recording: Recording | None) -> AbstractAsyncContextManager[Model]:
    if recording is None or recording.mode is Mode.OFF:
        return asking(endpoint)
    return outliving(endpoint, recording)


def spent_before(recording: Recording | None) -> dict[str, Spent]:
    """What the recording's job has spent so far, by label: where the ledger of one that goes on begins."""
    if recording is None or recording.mode in (Mode.OFF, Mode.REPLAY):
        return {}
    return recording.opened().spent(recording.job)


def ask_all(
    opening: Callable[[], AbstractAsyncContextManager[Model]],
    requests: Iterable[Asked],
    workers: int,
    *,
    label: Callable[[Asked], str] = lambda request: "",
) -> Iterator[tuple[Asked, Answer | Fault]]:
    """Ask `workers` questions at a time, for who is not asynchronous; answers come in the order of the questions.

    Requests are taken, in the caller's thread, only a little ahead of the answers, however many there are. Who stops early (closes
    the iterator) abandons what is on its way. `opening` is `lambda: opened(endpoint)`, say; it is called in another thread.
    """
    with _living(opening) as (model, loop):
        places = asyncio.Semaphore(workers)

        async def asked(request: Asked) -> Answer | Fault:
            async with places:
                return await model.ask(request, label=label(request))

        ahead = deque[tuple[Asked, Future[Answer | Fault]]]()
        try:
            for request in requests:
                ahead.append((request, asyncio.run_coroutine_threadsafe(asked(request), loop)))
                if len(ahead) >= LOOK_AHEAD * workers:
                    yield _first(ahead)
            while ahead:
                yield _first(ahead)
        finally:
            for _, future in ahead:
                future.cancel()


def _first(ahead: deque[tuple[Asked, Future[Answer | Fault]]]) -> tuple[Asked, Answer | Fault]:
    request, future = ahead[0]
    answer = outcome(future)
    ahead.popleft()
    return request, answer


@contextmanager
def _living(
    opening: Callable[[], AbstractAsyncContextManager[Model]],
) -> Generator[tuple[Model, asyncio.AbstractEventLoop]]:
    """A model that is open in a loop in a thread of its own, and that loop."""
    begun: Future[tuple[Model, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def live() -> None:
        stop = asyncio.Event()
        async with opening() as model:
            begun.set_result((model, asyncio.get_running_loop(), stop))
            await stop.wait()

    def ended(life: Future[None]) -> None:
        if not begun.done() and (error := life.exception()) is not None:
            begun.set_exception(error)

    with ThreadPoolExecutor(1, "asking") as thread:
        life = thread.submit(lambda: asyncio.run(live()))
        life.add_done_callback(ended)
        model, loop, stop = outcome(begun)
        try:
            yield model, loop
        finally:
            loop.call_soon_threadsafe(stop.set)
            outcome(life)
