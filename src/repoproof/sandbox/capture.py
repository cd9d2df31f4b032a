"""Keeping what a sandboxed process writes, up to a limit: our own memory stays flat however much that is."""

from __future__ import annotations

from typing import Literal

Stream = Literal["stdout", "stderr"]


class Capture:
    """stdout and stderr of one process tree, together bounded."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[Stream, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
        self.written = 0
        """Bytes that arrived, kept or not."""

    def add(self, stream: Stream, piece: bytes) -> None:
        self._kept[stream] += piece[: max(0, self._limit - self.written)]
        self.written += len(piece)

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return self.written >= self._limit

    @property
    def stdout(self) -> bytes:
        return bytes(self._kept["stdout"])

    @property
    def stderr(self) -> bytes:
        return bytes(self._kept["stderr"])
