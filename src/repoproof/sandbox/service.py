"""What either backend does with a tree once it is launched: follow it to its end, or leave it running, as a `Service`."""

from __future__ import annotations

import threading
from collections.abc import Generator
from concurrent import futures
from concurrent.futures import Future
from contextlib import contextmanager

from .base import ExecResult, Service
from .exchange import Exchange
from .tree import Tree


def followed(tree: Tree, exchange: Exchange) -> ExecResult:
    """How it ended, with what it had to leave, once it has."""
    tree.follow()
    return tree.result(taken=exchange.finish())


@contextmanager
def left_running(tree: Tree, exchange: Exchange) -> Generator[Service]:
    """The tree, when its command has begun or cannot; it is ended at the end."""
    service = FollowedService(tree, exchange)
    try:
        tree.begun.wait()
        if not tree.has_begun:
            service.stop()
        yield service
    finally:
        service.end()


class FollowedService:
    """A `Service`: a tree that a thread of its own follows."""

    def __init__(self, tree: Tree, exchange: Exchange) -> None:
        self._tree = tree
        self._exchange = exchange
        self._outcome: Future[ExecResult] = Future()
        self._thread = threading.Thread(target=self._follow, name="repoproof-service")
        self._thread.start()

    def _follow(self) -> None:
        try:
            self._outcome.set_result(followed(self._tree, self._exchange))
        except BaseException as error:
            self._outcome.set_exception(error)

    @property
    def running(self) -> bool:
        return not self._outcome.done()

    @property
    def command_exit(self) -> int | None:
        return self._tree.command_exit

    def wait(self, seconds: float) -> bool:
        return bool(futures.wait([self._outcome], timeout=seconds).done)

    def stop(self) -> ExecResult:
        self._tree.request_end()
        return self._outcome.result()

    def end(self) -> None:
        """Stop it whatever comes of it."""
        self._tree.request_end()
        self._thread.join()
