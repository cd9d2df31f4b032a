"""Runs in a sandbox: runs a command while passing connections on its loopback on to our mirror's socket. Standard library only.

Usage: maven_relay.py PORT SOCKET COMMAND...
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from contextlib import suppress


def main(port: int, path: str, *command: str) -> int:
    with socket.create_server(("127.0.0.1", port), backlog=64) as listening:
        threading.Thread(target=relay, args=(listening, path), daemon=True).start()
        return subprocess.run(command).returncode


def relay(listening: socket.socket, path: str) -> None:
    while True:
        client, _ = listening.accept()
        mirror = socket.socket(socket.AF_UNIX)
        try:
            mirror.connect(path)
        except OSError:
            client.close()
            continue
        for source, target in ((client, mirror), (mirror, client)):
            threading.Thread(target=passed_on, args=(source, target), daemon=True).start()


def passed_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(1 << 16):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
