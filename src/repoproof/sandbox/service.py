"""A sandbox that is left running: the `Service` of either backend."""

from __future__ import annotations

import threading
from concurrent import futures
from concurrent.futures import Future

from .base import ExecResult
from .exchange import Exchange
from .tree import Tree


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
            self._tree.follow()
            self._outcome.set_result(self._tree.result(taken=self._exchange.finish()))
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
