"""What was asked and answered, in a directory that survives being killed at any moment and that many processes may use at once.

    answers.jsonl   one `Recorded` call a line, only ever appended to
    claims          empty; a locked byte in it stands for a question that is being asked
    caller.log      what the process that makes the calls had to say

A call is on disk before anybody hears of its answer. What a crash leaves at the end of `answers.jsonl` is passed over, and the next
call starts on a fresh line. Two stores are joined by joining their `answers.jsonl`.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import logging
import os
import re
import struct
import sys
import threading
import weakref
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from ..core.base import Frozen, Text
from ..core.durable import append_lines, make_directory, naming
from ..core.errors import BadInput
from ..core.jsonl import parse_object, to_record
from .base import Answer, ChatRequest, Fault, FillRequest

log = logging.getLogger(__name__)

FIRST_LOOK_SECONDS = 0.01
LONGEST_LOOK_SECONDS = 0.25
"""Between two looks at whether a claim has been let go. The kernel tells nobody without a thread for each who waits."""


class Recorded(Frozen):
    """One line of `answers.jsonl`: a question, for whom it was asked, and what came of it."""

    key: str = Field(pattern="^[0-9a-f]{64}$")
    """Of the request: where its record is looked for."""
    job: Text = ""
    """Whose budget it was asked on."""
    label: Text = ""
    """What for: a task's id."""
    request: dict[str, object]
    """In canonical form."""
    answer: Answer | None = None
    fault: Fault | None = None
    """Written down for the budget and for whoever wonders; never given as an answer."""

    @model_validator(mode="after")
    def _one_outcome(self) -> Self:
        if (self.answer is None) == (self.fault is None):
            raise ValueError("there must be either an answer or a fault")
        return self

    @classmethod
    def of(cls, request: ChatRequest | FillRequest, outcome: Answer | Fault, *, job: str, label: str) -> Self:
        """What is written down when `request` came to this end."""
        answer, fault = (outcome, None) if isinstance(outcome, Answer) else (None, outcome)
        asked = request.canonical()
        return cls(key=request.key, job=job, label=label, request=asked, answer=answer, fault=fault)

    def line(self) -> bytes:
        # `key` comes first, and nothing inside an answer is spelled {"key": without a backslash: see `Store._calls`.
        return self.model_dump_json(exclude_none=True).encode() + b"\n"


class Spent(NamedTuple):
    """What calls have cost so far."""

    calls: int = 0
    """That were sent."""
    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    """Of the calls, added up."""
    failed: int = 0
    """Of the calls, those that brought no answer; what such a one may have cost all the same is in `tokens` and `usd`, by estimate."""

    def and_for(self, outcome: Answer | Fault) -> Spent:
        """With one more outcome."""
        calls, tokens, usd, seconds, failed = self
        failed += outcome.tries
        if isinstance(outcome, Answer):
            failed -= 1
            tokens += outcome.usage.tokens
            usd += outcome.cost_usd or 0.0
            seconds += outcome.failed_seconds
        if outcome.lost is not None:
            tokens += outcome.lost.tokens
            usd += outcome.lost.usd or 0.0
        return Spent(calls + outcome.tries, tokens, usd, seconds + outcome.seconds, failed)


class _Place(NamedTuple):
    """Where an answer is in the file."""

    offset: int
    length: int
    job: str


def must_exist(path: Path) -> None:
    """`BadInput` where no calls were recorded in `path`."""
    if not (path / "answers.jsonl").is_file():
        problem = "no such directory" if not path.exists() else "no answers.jsonl in it"
        near = next((file.parent for file in sorted(path.glob("*/answers.jsonl"))), None)
        mend = f"did you mean {near}?" if near else "give a store that calls were recorded in"
        raise BadInput(problem, file=path, mend=mend)


@dataclass
class Store:
    """A store on disk. Answers stay there: what is held in memory is where each of them is. Thread-safe."""

    path: Path
    _index: dict[str, tuple[_Place, ...]] = field(default_factory=dict[str, tuple[_Place, ...]], repr=False)
    """The latest answer of each job, in the order of the file."""
    _spent: dict[str, dict[str, Spent]] = field(default_factory=dict[str, dict[str, Spent]], repr=False)
    """By job and label."""
    _lines: int = 0
    _read_to: int = 0
    _seen: tuple[int, int] = (0, 0)
    """Inode and size of the file when it was last read."""
    _reading: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _claims: _Claims | None = field(default=None, repr=False)
    damaged: list[int] = field(default_factory=list[int])
    """Lines that hold no call (a crash while writing)."""

    @classmethod
    def existing(cls, path: Path) -> Store:
        """A store to read from; nothing is written to it. `BadInput` if there is none."""
        must_exist(path)
        store = cls(path)
        store._read()
        return store

    @classmethod
    def opened(cls, path: Path) -> Store:
        """A new or existing store, to read from and to add to."""
        if path.exists() and not path.is_dir():
            raise BadInput("not a directory", file=path, mend="give another store")
        file = path / "answers.jsonl"
        # What is added to must be ours: a link leads to anything, and a pipe would be waited on.
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise BadInput("not a regular file", file=file, mend="give another store")
        make_directory(path)
        store = cls(path)
        store._claims = _Claims(path / "claims")
        store._read()
        return store

    @property
    def answers_file(self) -> Path:
        return self.path / "answers.jsonl"

    def find(self, key: str, job: str | None = None) -> Answer | None:
        """The latest answer with that key, of that job where one is named; None if there is none so far, in whatever process.

        `BadInput` if the file is not one of ours.
        """
        self._read()
        places = self._index.get(key, ())
        place = next((place for place in reversed(places) if job is None or place.job == job), None)
        if place is None:
            return None
        with self.answers_file.open("rb") as file:
            line = os.pread(file.fileno(), place.length, place.offset)
        return Recorded.model_validate_json(line).answer

    def spent(self, job: str) -> dict[str, Spent]:
        """What all calls of that job have cost, by label."""
        self._read()
        with self._reading:
            return dict(self._spent.get(job, {}))

    def append(self, recorded: Recorded) -> None:
        """Add a call; it is on disk when this returns. `OSError` names the file."""
        append_lines(self.answers_file, recorded.line())

    @asynccontextmanager
    async def claim(self, key: str) -> AsyncGenerator[None]:
        """Wait until nobody else, in whatever process or thread, has claimed that key, and hold it. The dead hold nothing."""
        assert self._claims is not None, "only in a store that was opened for adding to"
        pause = FIRST_LOOK_SECONDS
        while not self._claims.take(key):
            await asyncio.sleep(pause)
            pause = min(LONGEST_LOOK_SECONDS, pause * 1.5)
        try:
            yield
        finally:
            self._claims.let_go(key)

    def _read(self) -> None:
        """Take in what was added, by whomever, since the last time."""
        with self._reading, suppress(FileNotFoundError), self.answers_file.open("rb") as file:
            status = os.fstat(file.fileno())
            if (status.st_ino, status.st_size) == self._seen:
                return
            if status.st_ino != self._seen[0] or status.st_size < self._read_to:
                self._forget()
            file.seek(self._read_to)
            for line in file:
                if not self._take_in(line):
                    break
            self._seen = (status.st_ino, status.st_size)

    def _forget(self) -> None:
        """What was read, since the file is another one now."""
        self._index.clear()
        self._spent.clear()
        self.damaged.clear()
        self._lines = self._read_to = 0

    def _take_in(self, line: bytes) -> bool:
        """False for the beginning of a line: it is being written, or never will be, and is read again when the file has grown."""
        calls = list(self._calls(line))
        if not calls and line.strip():
            if not line.endswith(b"\n"):
                return False
            self.damaged.append(self._lines + 1)
            log.warning("%s:%d holds no call (a crash?): passed over", self.answers_file, self._lines + 1)
        for recorded, start, length in calls:
            self._remember(recorded, _Place(self._read_to + start, length, sys.intern(recorded.job)))
        self._lines += line.endswith(b"\n")
        self._read_to += len(line)
        return True

    def _calls(self, line: bytes) -> Iterator[tuple[Recorded, int, int]]:
        """The call that a line holds, where in the line it begins, and how long it is.

        Several, where a file was joined to one whose last line was torn: what was paid for is not given up for what was not written.
        A line that is whole and yet no call of ours is `BadInput`: passed over, all of its like would be asked, and paid, again.
        """
        with suppress(ValidationError):
            yield Recorded.model_validate_json(line), 0, len(line)
            return
        try:
            value = parse_object(line, file=self.answers_file, line=None)
        except BadInput:
            starts = [match.start() for match in re.finditer(rb'\{"key":', line)]
            for start, end in pairwise([*starts, len(line)]):
                with suppress(ValidationError):
                    yield Recorded.model_validate_json(line[start:end]), start, end - start
        else:
            to_record(Recorded, value, file=self.answers_file, line=self._lines + 1)

    def _remember(self, recorded: Recorded, place: _Place) -> None:
        outcome = recorded.answer or recorded.fault
        assert outcome is not None
        labels = self._spent.setdefault(recorded.job, {})
        labels[recorded.label] = labels.get(recorded.label, Spent()).and_for(outcome)
        if recorded.answer is not None:
            others = tuple(other for other in self._index.get(recorded.key, ()) if other.job != recorded.job)
            self._index[recorded.key] = (*others, place)


class _Claims:
    """Bytes of a file, locked by open file description (`fcntl(2)`): between processes, and between stores within one.

    One description for all of a store's claims, since a process may have as many under way as it may open files; among themselves
    the locks of one description never conflict, so what this store holds is kept in a set besides.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._held: set[str] = set()
        self._one: threading.Lock = threading.Lock()
        with naming(file):
            self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        weakref.finalize(self, os.close, self._descriptor)

    def take(self, key: str) -> bool:
        with self._one:
            if key in self._held or not self._lock(fcntl.F_WRLCK, key):
                return False
            self._held.add(key)
            return True

    def let_go(self, key: str) -> None:
        with self._one:
            self._lock(fcntl.F_UNLCK, key)
            self._held.remove(key)

    def _lock(self, kind: int, key: str) -> bool:
        # struct flock: type, whence, start, length, pid. Far more bytes than there will ever be keys.
        lock = struct.pack("hhqqi4x", kind, os.SEEK_SET, int(key[:15], 16), 1, 0)
        try:
            with naming(self._file):
                fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, lock)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                return False
            raise
        return True
