"""Hears which lines a service ran, and writes them down: `hear_lines.py PORT FILE`. Each connection brings `{file: [lines]}` as JSON.

What it hears is the service's own word. Sizes are limited, nothing else is believed.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import suppress

MESSAGE_BYTES = 4 << 20
MOST_FILES = 5_000
MOST_LINES = 1_000_000


def main(port: int, path: str) -> None:
    heard: dict[str, set[int]] = {}
    with socket.create_server(("127.0.0.1", port)) as server:
        while True:
            with suppress(OSError, ValueError, RecursionError):
                add(heard, message(server))
                write(heard, path)


def message(server: socket.socket) -> object:
    connection, _ = server.accept()
    with connection, connection.makefile("rb") as content:
        connection.settimeout(2)
        return json.loads(content.read(MESSAGE_BYTES))


def add(heard: dict[str, set[int]], said: object) -> None:
    for file, lines in said.items() if isinstance(said, dict) else ():
        if isinstance(lines, list) and (file in heard or len(heard) < MOST_FILES):
            heard.setdefault(file, set()).update(line for line in lines if type(line) is int and 0 < line < MOST_LINES)


def write(heard: dict[str, set[int]], path: str) -> None:
    with open(f"{path}.new", "w") as file:
        json.dump({name: sorted(lines) for name, lines in heard.items()}, file)
    os.replace(f"{path}.new", path)  # noqa: PTH105


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
