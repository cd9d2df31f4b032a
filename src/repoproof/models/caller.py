"""The process that makes the calls: `python -m repoproof.models.caller`, started by `outliving`.

Over one socket, its standard input, come an `Assignment` and then an `Ask` a line; what goes back is a `Ready`, and a `Told` for each, with a `Said` between them now and then.
When the other side ends, in whatever way, nothing new is sent; what is in flight is awaited and written down, for it will be paid.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from pydantic import Field

from ..core.base import Frozen, Text
from ..core.errors import Boundary, RepoProofError
from .base import Answer, Fault, FaultKind, Model, Request
from .endpoint import Endpoint
from .pacing import asking
from .recording import Recording, recorded

log = logging.getLogger(__name__)

NO_LIMIT = 2**62
"""Of a line, in bytes. As much is in memory as is being asked, whatever a buffer's limit is."""


class Assignment(Frozen):
    """What is told first."""

    endpoint: Endpoint
    recording: Recording


class Ready(Frozen):
    """What is answered first."""

    refusal: Text = ""
    """What is wrong with the assignment; the process ends then."""


class Ask(Frozen):
    """One question."""

    number: int
    request: Request
    label: Text = ""


class Told(Frozen):
    """What came of it, in whatever order."""

    number: int
    outcome: Answer | Fault = Field(union_mode="left_to_right")


class Said(Frozen):
    """A line for whoever watches."""

    words: Text


async def serve(connection: socket.socket) -> None:
    """Make all calls that are asked for over `connection`, and those that were begun when it ends."""
    reader, writer = await asyncio.open_unix_connection(sock=connection, limit=NO_LIMIT)

    def say(words: str) -> None:
        log.warning(words)
        _write(writer, Said(words=words))

    async with AsyncExitStack() as open_things:
        try:
            assignment = Assignment.model_validate_json(await reader.readline())
            endpoint = await open_things.enter_async_context(asking(assignment.endpoint, say=say))
            model = recorded(endpoint, assignment.recording, say=say)
        except (RepoProofError, OSError) as error:
            await _tell(writer, Ready(refusal=str(error)))
            return
        for ending in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(ending, endpoint.close)
        await _tell(writer, Ready())
        async with asyncio.TaskGroup() as calls:
            async for line in _lines(reader):
                calls.create_task(_call(model, Ask.model_validate_json(line), writer))
            endpoint.close()


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The other side's death may break the connection, or a line: that is an end like any other."""
    with suppress(ConnectionError):
        while (line := await reader.readline()).endswith(b"\n"):
            yield line


async def _call(model: Model, ask: Ask, writer: asyncio.StreamWriter) -> None:
    try:
        outcome = await model.ask(ask.request, label=ask.label)
    except Exception as error:
        # One question must not end the others, which are being paid for.
        log.exception("%s: our side failed", ask.label)
        foreseen = isinstance(error, RepoProofError)
        reason = str(error) if foreseen else f"{type(error).__name__}: {error}"
        boundary = error.boundary if foreseen else Boundary.HARNESS
        outcome = Fault(kind=FaultKind.BROKEN, reason=" ".join(reason.split()), boundary=boundary)
    await _tell(writer, Told(number=ask.number, outcome=outcome))


async def _tell(writer: asyncio.StreamWriter, what: Frozen) -> None:
    # Nobody may be there any more to hear of it.
    with suppress(ConnectionError):
        _write(writer, what)
        await writer.drain()


def _write(writer: asyncio.StreamWriter, what: Frozen) -> None:
    writer.write(what.model_dump_json().encode() + b"\n")


def main() -> None:
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s")
    connection = socket.socket(fileno=os.dup(0))
    # Nothing else is to read from, or hold open, what the other side waits on.
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    asyncio.run(serve(connection))


if __name__ == "__main__":
    main()
