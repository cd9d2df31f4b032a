"""A wait ends at a Ctrl-C, even at one that cuts no system call short."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor

import pytest

from repoproof.core.waiting import as_completed, outcome, until


def never() -> Future[None]:
    return Future()


@pytest.mark.parametrize(
    "wait",
    [lambda: outcome(never()), lambda: list(as_completed([never(), never()])), lambda: until(threading.Event())],
    ids=["outcome", "as_completed", "until"],
)
def test_an_interrupt_that_another_thread_received_is_heard(wait: Callable[[], object]) -> None:
    def press_the_key() -> None:
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    # A shell's background job has the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    key = threading.Timer(0.2, press_the_key)
    try:
        with pytest.raises(KeyboardInterrupt):
            key.start()
            wait()
    finally:
        key.join()
        signal.signal(signal.SIGINT, before)


def test_what_was_awaited_comes_back_or_raises() -> None:
    failed, cancelled, held = Future[int](), Future[int](), threading.Event()
    cancelled.cancel()
    failed.set_exception(TimeoutError("its own"))
    with ThreadPoolExecutor(2) as pool:
        assert outcome(pool.submit(lambda: 3)) == 3
        slow, fast = pool.submit(held.wait, 60), pool.submit(lambda: None)
        done = as_completed([slow, fast])
        assert next(done) is fast
        held.set()
        assert list(done) == [slow]
    with pytest.raises(TimeoutError, match="its own"):
        outcome(failed)
    with pytest.raises(CancelledError):
        outcome(cancelled)
    over = threading.Event()
    over.set()
    until(over)
