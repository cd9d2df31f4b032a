"""Our own terminal, lent to a command in a running container."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import socket
import sys
import termios
import tty
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from .docker_api import DockerEngine

_PIECE = 65536


def attend(engine: DockerEngine, container: str, command: Sequence[str], workdir: str) -> int:
    """Run `command` with standard input and output as its terminal; its exit code."""
    execution = engine.prepare_terminal(container, command, workdir)
    with engine.enter_terminal(execution) as stream, _raw(sys.stdin.fileno()), _resized(engine, execution):
        _relay(stream, sys.stdin.fileno(), sys.stdout.fileno())
    return engine.terminal_exit(execution)


def _relay(stream: socket.socket, keyboard: int, screen: int) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        selector.register(keyboard, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fd == keyboard:
                    if typed := os.read(keyboard, _PIECE):
                        stream.sendall(typed)
                    else:
                        selector.unregister(keyboard)
                        stream.sendall(b"\x04")
                elif shown := stream.recv(_PIECE):
                    os.write(screen, shown)
                else:
                    return


@contextmanager
def _raw(keyboard: int) -> Generator[None]:
    if not os.isatty(keyboard):
        yield
        return
    before = termios.tcgetattr(keyboard)
    tty.setraw(keyboard)
    try:
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


@contextmanager
def _resized(engine: DockerEngine, execution: str) -> Generator[None]:
    def resize(*_: object) -> None:
        size = shutil.get_terminal_size()
        engine.resize_terminal(execution, rows=size.lines, columns=size.columns)

    resize()
    before = signal.signal(signal.SIGWINCH, resize)
    try:
        yield
    finally:
        signal.signal(signal.SIGWINCH, before)
