"""How hard an endpoint is pressed: calls at once, calls and tokens a minute, and when a call is tried again."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from .base import Answer, ChatRequest, Fault, FaultKind, FillRequest, Model
from .client import Client, Outcome, connected
from .endpoint import Endpoint
from .wire import estimated_prompt_tokens

LONGEST_DELAY = 60.0
"""Between two tries, in seconds, whatever the endpoint says."""


@asynccontextmanager
async def asking(endpoint: Endpoint, *, closing: asyncio.Event | None = None) -> AsyncGenerator[Model]:
    """The endpoint itself: no record, no budget.

    Once `closing` is set, nothing new is sent and nothing is tried again: such questions end as `ABANDONED`. What is in flight
    comes to its end.
    """
    async with connected(endpoint) as client:
        yield _Paced(endpoint, client, closing or asyncio.Event())


class _Rate:
    """So many a minute, spread evenly. What is taken may exceed what is there; the next one waits until it is made up for."""

    def __init__(self, a_minute: int) -> None:
        self.a_second = a_minute / 60
        self.level = self.full = max(1.0, self.a_second)
        self.at = time.monotonic()

    def take(self, amount: float) -> None:
        """May be negative: what was taken before and not used."""
        self.level = min(self.full, self.filled() - amount)
        self.at = time.monotonic()

    def wait_seconds(self) -> float:
        """Until at least one is there."""
        return max(0.0, (1.0 - self.filled()) / self.a_second)

    def filled(self) -> float:
        return min(self.full, self.level + (time.monotonic() - self.at) * self.a_second)


@dataclass
class _Paced:
    endpoint: Endpoint
    client: Client
    closing: asyncio.Event
    places: asyncio.Semaphore = field(init=False)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by who waits for the rates: first come, first served."""
    requests: _Rate | None = field(init=False)
    tokens: _Rate | None = field(init=False)

    def __post_init__(self) -> None:
        endpoint = self.endpoint
        self.places = asyncio.Semaphore(endpoint.concurrency)
        self.requests = _Rate(endpoint.requests_per_minute) if endpoint.requests_per_minute else None
        self.tokens = _Rate(endpoint.tokens_per_minute) if endpoint.tokens_per_minute else None

    async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
        # A place is kept while waiting to try again: what is overloaded gets less to do.
        async with self.places:
            last: Fault | None = None
            for number in itertools.count(1):
                if not await self.may_send(request):
                    break
                outcome = await self.sent(request)
                if isinstance(outcome.result, Answer):
                    return outcome.result.model_copy(update={"tries": number})
                last = _together(last, outcome.result)
                if not last.kind.is_retryable or number == self.endpoint.tries:
                    return last
                if not await self.slept(self.delay(request, number, outcome)):
                    break
            return _abandoned(last)

    async def may_send(self, request: ChatRequest | FillRequest) -> bool:
        """Wait for this call's turn; False where nothing is to be sent any more."""
        async with self.turn:
            rates = [rate for rate in (self.requests, self.tokens) if rate is not None]
            while (wait := max((rate.wait_seconds() for rate in rates), default=0.0)) > 0:
                if not await self.slept(wait):
                    return False
            if self.closing.is_set():
                return False
            if self.requests is not None:
                self.requests.take(1)
            if self.tokens is not None:
                self.tokens.take(_reserve(request))
            return True

    async def sent(self, request: ChatRequest | FillRequest) -> Outcome:
        outcome = await self.client.call(request)
        if self.tokens is not None and isinstance(outcome.result, Answer):
            self.tokens.take(outcome.result.usage.tokens - _reserve(request))
        return outcome

    def delay(self, request: ChatRequest | FillRequest, number: int, outcome: Outcome) -> float:
        """Twice as long each time, and spread: what failed together must not come back together. The same in each run."""
        if outcome.retry_after is not None:
            return min(LONGEST_DELAY, outcome.retry_after)
        spread = random.Random(f"{request.key} {number}").uniform(0.5, 1.5)
        return min(LONGEST_DELAY, self.endpoint.first_delay_seconds * 2 ** (number - 1) * spread)

    async def slept(self, seconds: float) -> bool:
        """False where the wait was cut short, since nothing is to be sent any more."""
        try:
            await asyncio.wait_for(self.closing.wait(), seconds)
        except TimeoutError:
            return True
        return False


def _reserve(request: ChatRequest | FillRequest) -> int:
    """Tokens that a call may take, until it is known what it took."""
    return estimated_prompt_tokens(request) + (request.sampling.max_tokens or 0) * request.sampling.n


def _together(before: Fault | None, last: Fault) -> Fault:
    """The last fault, with the tries and seconds of all."""
    if before is None:
        return last
    return last.model_copy(update={"tries": before.tries + last.tries, "seconds": before.seconds + last.seconds})


def _abandoned(last: Fault | None) -> Fault:
    if last is None:
        return Fault(kind=FaultKind.ABANDONED, reason="who asked has gone")
    reason = f"who asked has gone, after {last.kind}: {last.reason}"
    return last.model_copy(update={"kind": FaultKind.ABANDONED, "reason": reason})
