"""The trees that a sandbox runs at the moment, so that an interrupt can end them all."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

from .tree import Tree


class LiveTrees:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._trees: set[Tree] = set()
        self._interrupted = False

    @contextmanager
    def holding(self, tree: Tree) -> Generator[None]:
        """Count `tree` among the living; after an interrupt, it ends as soon as it is followed."""
        with self._lock:
            self._trees.add(tree)
            if self._interrupted:
                tree.request_end()
        try:
            yield
        finally:
            with self._lock:
                self._trees.remove(tree)

    def interrupt(self) -> None:
        """End all trees, and any that comes later."""
        with self._lock:
            self._interrupted = True
            for tree in self._trees:
                tree.request_end()
