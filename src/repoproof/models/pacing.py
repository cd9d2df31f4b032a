"""How hard an endpoint is pressed: calls at once, calls and tokens a minute, and when a call is tried again."""

from __future__ import annotations

import asyncio
import itertools
import logging
import random
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from .base import Answer, ChatRequest, Fault, FaultKind, FillRequest, Lost
from .client import Client, Outcome, connected
from .endpoint import Endpoint
from .retries import Retries
from .wire import most

log = logging.getLogger(__name__)

LONGEST_DELAY = 60.0
"""Between two tries, in seconds, whatever the endpoint says."""


@asynccontextmanager
async def asking(endpoint: Endpoint, *, say: Callable[[str], None] = log.warning) -> AsyncGenerator[Paced]:
    """The endpoint itself, a `Model`: no record, no budget. `say` gets a line, now and then, on what is tried again."""
    async with connected(endpoint) as client:
        yield Paced(endpoint, client, Retries(endpoint, say))


class Rate:
    """So many a minute, spread evenly: at most a second's worth at once. All times are those of one monotonic clock.

    What is taken may exceed what is there; the next one waits until that is made up for.
    """

    def __init__(self, a_minute: int, now: float) -> None:
        self._a_second = a_minute / 60
        self._level = self._full = max(1.0, self._a_second)
        self._at = now

    def take(self, amount: float, now: float) -> None:
        """May be negative: what was taken before and not used."""
        self._level = min(self._full, self._filled(now) - amount)
        self._at = now

    def wait_seconds(self, now: float) -> float:
        """Until there is one."""
        return max(0.0, (1.0 - self._filled(now)) / self._a_second)

    def _filled(self, now: float) -> float:
        return min(self._full, self._level + (now - self._at) * self._a_second)


def delay_seconds(
    request: ChatRequest | FillRequest, tries: int, endpoint: Endpoint, retry_after: float | None
) -> float:
    """Before the next try, after so many: what the endpoint says, else twice as long each time. At most a minute.

    Spread, for what failed together must not come back together; and the same in each run.
    """
    if retry_after is not None:
        return min(LONGEST_DELAY, retry_after)
    spread = random.Random(f"{request.key} {tries}").uniform(0.5, 1.5)
    # 2**1023 is the largest power that a float holds.
    return min(LONGEST_DELAY, endpoint.first_delay_seconds * 2.0 ** min(tries - 1, 1000) * spread)


@dataclass
class Paced:
    """An endpoint that is asked no harder than it may be."""

    endpoint: Endpoint
    client: Client
    retries: Retries
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    places: asyncio.Semaphore = field(init=False)
    waiting: int = 0
    """For a place."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by who waits for the rates: first come, first served."""
    requests: Rate | None = field(init=False)
    tokens: Rate | None = field(init=False)

    def __post_init__(self) -> None:
        endpoint, now = self.endpoint, time.monotonic()
        self.places = asyncio.Semaphore(endpoint.concurrency)
        self.requests = Rate(endpoint.requests_per_minute, now) if endpoint.requests_per_minute else None
        self.tokens = Rate(endpoint.tokens_per_minute, now) if endpoint.tokens_per_minute else None

    def close(self) -> None:
        """Send nothing new from now on, and try nothing again: such questions end as `ABANDONED`. What is in flight comes to its end."""
        self.closing.set()
        # Who waits for a place leaves now: a claim on its question would hold up whoever asks it next.
        for _ in range(self.waiting):
            self.places.release()

    async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
        if self.closing.is_set():
            return _abandoned(None)
        self.waiting += 1
        # A place is kept while waiting to try again: what is overloaded gets less to do.
        async with self.places:
            self.waiting -= 1
            last: Fault | None = None
            for number in itertools.count(1):
                if not await self.may_send(request):
                    break
                outcome = await self.sent(request)
                if isinstance(outcome.result, Answer):
                    before = {"failed_seconds": last.seconds, "lost": last.lost} if last is not None else {}
                    return outcome.result.model_copy(update={"tries": number} | before)
                last = _together(last, outcome.result)
                if not last.kind.is_retryable or number == self.endpoint.tries:
                    return last
                delay = delay_seconds(request, number, self.endpoint, outcome.retry_after)
                if not self.closing.is_set():
                    self.retries.heard_of(outcome.result, delay, number + 1, time.monotonic())
                if not await self.slept(delay):
                    break
            return _abandoned(last)

    async def may_send(self, request: ChatRequest | FillRequest) -> bool:
        """Wait for this call's turn; False where nothing is to be sent any more."""
        async with self.turn:
            rates = [rate for rate in (self.requests, self.tokens) if rate is not None]
            while (wait := max((rate.wait_seconds(time.monotonic()) for rate in rates), default=0.0)) > 0:
                if not await self.slept(wait):
                    return False
            if self.closing.is_set():
                return False
            if self.requests is not None:
                self.requests.take(1, time.monotonic())
            if self.tokens is not None:
                self.tokens.take(most(request).tokens, time.monotonic())
            return True

    async def sent(self, request: ChatRequest | FillRequest) -> Outcome:
        outcome = await self.client.call(request)
        if self.tokens is not None and (used := _used(outcome.result)) is not None:
            self.tokens.take(used - most(request).tokens, time.monotonic())
        return outcome

    async def slept(self, seconds: float) -> bool:
        """False where the wait was cut short, since nothing is to be sent any more."""
        try:
            await asyncio.wait_for(self.closing.wait(), seconds)
        except TimeoutError:
            return True
        return False


def _used(result: Answer | Fault) -> int | None:
    """Tokens that a call took; None where nobody knows. A 4xx or 5xx takes none."""
    if isinstance(result, Answer):
        return result.usage.tokens
    return None if result.status_code is None else 0


def _together(before: Fault | None, last: Fault) -> Fault:
    """The last fault, with what all of them took."""
    if before is None:
        return last
    lost = [fault.lost for fault in (before, last) if fault.lost is not None]
    return last.model_copy(
        update={
            "tries": before.tries + last.tries,
            "seconds": before.seconds + last.seconds,
            "lost": Lost(tokens=sum(one.tokens for one in lost), usd=_sum(one.usd for one in lost)) if lost else None,
        }
    )


def _sum(amounts: Iterable[float | None]) -> float | None:
    """None where it is not known."""
    known = list(amounts)
    return None if None in known else sum(amount or 0.0 for amount in known)


def _abandoned(last: Fault | None) -> Fault:
    if last is None:
        return Fault(kind=FaultKind.ABANDONED, reason="who asked has gone")
    reason = f"who asked has gone, after {last.kind}: {last.reason}"
    return last.model_copy(update={"kind": FaultKind.ABANDONED, "reason": reason})
