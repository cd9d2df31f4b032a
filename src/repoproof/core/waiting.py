"""Waiting so that a Ctrl-C is heard.

Python hears a signal between two steps of the main thread, or because a wait is cut short by it. One that comes after the last step and before the wait begins cuts nothing short: it would be heard only when the wait ends by itself, which may be in an hour. So no wait here is longer than a spell.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future
from threading import Event
from typing import TypeVar

T = TypeVar("T")

SPELL = 0.5
"""The longest that a wait may last before it is begun again, in seconds; also how late an interrupt may be heard."""


def outcome(future: Future[T]) -> T:
    """What it returns, or raises, once it is done."""
    while not future.done():
        concurrent.futures.wait([future], SPELL)
    return future.result()


def as_completed(futures: Collection[Future[T]]) -> Iterator[Future[T]]:
    """Each once it is done."""
    waiting = set(futures)
    while waiting:
        done, waiting = concurrent.futures.wait(waiting, SPELL, FIRST_COMPLETED)
        yield from done


def until(event: Event) -> None:
    """Returns once the event is set."""
    while not event.wait(SPELL):
        pass
