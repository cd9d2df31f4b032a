"""Hears what a service says of what runs of it, and writes it to `FOLDER/heard`: `hear.py PORT FOLDER`.

Each of its processes keeps a connection and sends lines. Once `FOLDER/ask` is there, each is asked, by one byte, for what it has not said
yet, and answers with that and the line `done`; when all have, or are gone, this is over. `FOLDER/heard` is there as soon as it listens.

What it hears is the service's own word. Sizes are limited, and the exit code is TOO_MUCH where they did not suffice; whether anything is
to be believed is asked of what was written down.
"""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from selectors import EVENT_READ, BaseSelector, DefaultSelector
from typing import BinaryIO

MOST_BYTES = 64 << 20
"""Of all that is said, by whatever process, with the lines that are not finished."""
MOST_CONNECTIONS = 512
"""At a time. Twice as many as a service may have threads."""
TOO_MUCH = 3
TICK_SECONDS = 0.05


def main(port: int, folder: str) -> int:
    """Listen at `port` of this host, and write to `folder`; gives the exit code."""
    with (
        socket.create_server(("127.0.0.1", port), backlog=256) as server,
        open(f"{folder}/heard", "wb") as file,
        DefaultSelector() as selector,
    ):
        return 0 if listen(server, file, selector, f"{folder}/ask") else TOO_MUCH


def listen(server: socket.socket, file: BinaryIO, selector: BaseSelector, ask: str) -> bool:
    """Write to `file` what is said to `server`, until all were asked, as of when `ask` exists, and answered. False if it ended before that,
    since more was said than MOST_BYTES, or over more than MOST_CONNECTIONS."""
    selector.register(server, EVENT_READ)
    unfinished: dict[socket.socket, bytearray] = {}
    """Of each connection, the beginning of its next line."""
    silent: set[socket.socket] = set()
    """Asked, and not done yet."""
    asked = False
    while True:
        ready = [key.fileobj for key, _ in selector.select(TICK_SECONDS)]
        for connection in ready:
            assert isinstance(connection, socket.socket)
            if connection is server:
                with suppress(OSError):
                    new, _ = server.accept()
                    new.setblocking(False)
                    selector.register(new, EVENT_READ)
                    unfinished[new] = bytearray()
                    if asked:
                        question(new, silent)
            elif (lines := heard(connection, unfinished[connection])) is None:
                selector.unregister(connection)
                connection.close()
                del unfinished[connection]
                silent.discard(connection)
            else:
                file.writelines(line + b"\n" for line in lines if line != b"done")
                if b"done" in lines:
                    silent.discard(connection)
            said = file.tell() + sum(map(len, unfinished.values()))
            if said > MOST_BYTES or len(unfinished) > MOST_CONNECTIONS:
                return False
        file.flush()
        if asked and not ready and not silent:
            return True
        if not asked and os.path.exists(ask):  # noqa: PTH110
            asked = True
            for connection in unfinished:
                question(connection, silent)


def heard(connection: socket.socket, unfinished: bytearray) -> list[bytes] | None:
    """The whole lines that came; None if no more will."""
    try:
        content = connection.recv(1 << 20)
    except OSError:
        return None
    if not content:
        return None
    unfinished += content
    if b"\n" not in content:
        return []
    *lines, rest = bytes(unfinished).split(b"\n")
    unfinished[:] = rest
    return lines


def question(connection: socket.socket, silent: set[socket.socket]) -> None:
    """Ask for what was not said yet; until the answer is whole, the connection is among `silent`."""
    silent.add(connection)
    with suppress(OSError):
        connection.send(b"?")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2]))
