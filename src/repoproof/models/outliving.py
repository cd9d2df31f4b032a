"""Calls that outlive whoever asked: a call that is under way will be paid for, so its answer must not be lost with a killed process.

They are made in a process of a session of its own (`caller`), which neither Ctrl-C nor `kill -9` of ours reaches. It notices that we
are gone by the end of the socket between us.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from io import BufferedWriter
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from ..core.base import Frozen
from ..core.durable import make_directory
from ..core.errors import BadInput, Boundary, InfrastructureError, RepoProofError
from .base import Answer, ChatRequest, Fault, FaultKind, FillRequest, Model
from .caller import NO_LIMIT, Ask, Assignment, Ready, Said, Told
from .endpoint import Endpoint
from .recording import Mode, Recording

log = logging.getLogger(__name__)

STARTS = 4
"""Of callers, in all: one that dies takes what was asked with it, and the next question starts another."""
FAREWELL = 10.0
"""Between the end of what a caller says and its own end, in seconds."""

_HEARD: TypeAdapter[Told | Said] = TypeAdapter(Annotated[Told | Said, Field(union_mode="left_to_right")])
"""Reads a line of a caller's."""


@asynccontextmanager
async def outliving(endpoint: Endpoint, recording: Recording) -> AsyncGenerator[Model]:
    """`recorded(asking(endpoint), recording)`, in a process that lives until what it began is written down, whatever becomes of us.

    `BadInput` if the endpoint or the store cannot be used. Left by an exception, it does not wait for calls that are under way.
    """
    if recording.mode not in (Mode.RECORD, Mode.AUTO) or recording.store is None:
        raise BadInput(f"{recording.mode} writes nothing down", field="recording", mend="use record or auto")
    store = recording.store.resolve()
    make_directory(store)
    assignment = Assignment(endpoint=endpoint, recording=recording.model_copy(update={"store": store}))
    asked = _Outliving(assignment, store / "caller.log")
    try:
        await asked.start()
        yield asked
    except BaseException:
        asked.abandon()
        raise
    await asked.end()


class _Outliving:
    """A caller, and another one in its place when it dies."""

    def __init__(self, assignment: Assignment, log_file: Path) -> None:
        self._assignment = assignment
        self._log_file = log_file
        self._starts = 0
        self._starting = asyncio.Lock()
        self._caller: _Caller | None = None

    async def start(self) -> None:
        self._starts += 1
        self._caller = await _Caller.started(self._assignment, self._log_file)

    async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
        async with self._starting:
            if self._caller is None or self._caller.death:
                if self._starts == STARTS:
                    return _broken(f"the process that makes the calls died {STARTS} times: see {self._log_file}")
                try:
                    await self.start()
                except (RepoProofError, OSError) as error:
                    return _broken(str(error))
            caller = self._caller
        assert caller is not None
        return await caller.ask(request, label)

    async def end(self) -> None:
        if self._caller is not None:
            await self._caller.end()

    def abandon(self) -> None:
        if self._caller is not None:
            self._caller.abandon()


class _Caller:
    """One process, from our side."""

    def __init__(self, process: subprocess.Popen[bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.death = ""
        """Why it answers no more; empty while it does."""
        self._process = process
        self._reader = reader
        self._writer = writer
        self._numbers = itertools.count()
        self._under_way: dict[int, asyncio.Future[Answer | Fault]] = {}
        """Whether or not anybody still waits for them."""
        self._listening: asyncio.Task[None] | None = None

    @classmethod
    async def started(cls, assignment: Assignment, log_file: Path) -> _Caller:
        """A process that has understood its assignment. `BadInput` if it says that it cannot do it."""
        ours, theirs = socket.socketpair()
        with theirs, log_file.open("ab") as output:
            process = _process(theirs, output)
        caller = cls(process, *await asyncio.open_unix_connection(sock=ours, limit=NO_LIMIT))
        ready = b""
        try:
            with suppress(ConnectionError):
                await caller._send(assignment)
                ready = await caller._reader.readline()
            if not ready:
                problem = f"the process that makes the calls {await caller._how_it_ended()}: see {log_file}"
                raise InfrastructureError(problem, boundary=Boundary.HARNESS)
            if refusal := Ready.model_validate_json(ready).refusal:
                raise BadInput(refusal)
        except BaseException:
            caller.abandon()
            raise
        caller._listening = asyncio.create_task(caller._listen(log_file))
        return caller

    async def ask(self, request: ChatRequest | FillRequest, label: str) -> Answer | Fault:
        """Only while it lives."""
        number = next(self._numbers)
        told = self._under_way[number] = asyncio.get_running_loop().create_future()
        # Where it cannot be sent, `_listen` is about to say why.
        with suppress(ConnectionError):
            await self._send(Ask(number=number, request=request, label=label))
        return await told

    async def end(self) -> None:
        """Wait until it has ended, unless it is busy with what nobody waits for any more."""
        if self._under_way or self.death or self._listening is None:
            self.abandon()
            return
        self._writer.write_eof()
        await self._listening
        self.abandon()

    def abandon(self) -> None:
        """Leave it to itself: it sends nothing new, writes down what comes, and ends."""
        if self._listening is not None:
            self._listening.cancel()
        self._writer.transport.abort()

    async def _send(self, what: Frozen) -> None:
        self._writer.write(what.model_dump_json().encode() + b"\n")
        await self._writer.drain()

    async def _listen(self, log_file: Path) -> None:
        """Hand out what it tells. When it ends, all who wait hear of it."""
        try:
            with suppress(ConnectionError):
                while (line := await self._reader.readline()).endswith(b"\n"):
                    told = _HEARD.validate_json(line)
                    if isinstance(told, Said):
                        log.warning(told.words)
                        continue
                    waiting = self._under_way.pop(told.number)
                    if not waiting.done():
                        waiting.set_result(told.outcome)
            ended = await self._how_it_ended()
        except Exception as error:
            ended = f"said what is not understood ({type(error).__name__})"
        self.death = f"the process that makes the calls {ended}: see {log_file}"
        for waiting in self._under_way.values():
            if not waiting.done():
                # It may have been sent, and then counts.
                waiting.set_result(_broken(self.death, tries=1))
        self._under_way.clear()
        self._writer.transport.abort()

    async def _how_it_ended(self) -> str:
        try:
            status = await asyncio.to_thread(self._process.wait, FAREWELL)
        except subprocess.TimeoutExpired:
            return "hung up"
        return f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"


def _process(connection: socket.socket, output: BufferedWriter) -> subprocess.Popen[bytes]:
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH", ""))))
    process = subprocess.Popen(
        [sys.executable, "-m", "repoproof.models.caller"],
        cwd="/",
        env={**os.environ, "PYTHONPATH": path},
        stdin=connection.fileno(),
        # Pipes that it had from us would stay open after our death, and who reads them would wait.
        stdout=output,
        stderr=output,
        start_new_session=True,
    )
    # A daemon thread, since it may outlive us. (The event loop's own way to start a process would end it with the loop.)
    threading.Thread(target=process.wait, name="caller", daemon=True).start()
    return process


def _broken(reason: str, *, tries: int = 0) -> Fault:
    return Fault(kind=FaultKind.BROKEN, reason=reason, boundary=Boundary.HARNESS, tries=tries)
