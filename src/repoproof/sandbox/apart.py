"""Our own functions, in a process of their own, where they read what a candidate wrote: a source that takes a parser for ever, fills its
memory or crashes it ends that process, and neither holds up nor ends whatever else is being scored.

Starting an interpreter and importing our readers takes a hundred times as long as reading a small repository. So one process, started
at the first call, imports them once and forks for each call. It ends when we do.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path
from threading import Lock
from typing import Any

from ..core.base import GiB, MiB
from ..core.errors import Boundary, InfrastructureError

CPU_SECONDS = 60
WALL_SECONDS = 300
"""For a machine that is busy with other things."""
MEMORY_BYTES = 2 * GiB
ANSWER_BYTES = 64 * MiB
REQUEST_BYTES = 64 * 1024


class Unreadable(Exception):
    """The function did not come to an end, in one line: what it read made it so."""


def apart(function: str, *arguments: str) -> Any:
    """What `function` (`package.module:name`) returns for `arguments`, as JSON has it. Raises `Unreadable`."""
    answer, end = _answered(json.dumps([function, *arguments]).encode())
    match end:
        case "time":
            raise Unreadable(f"reading it took longer than {WALL_SECONDS} s")
        case "size":
            raise Unreadable(f"reading it gave more than {ANSWER_BYTES // MiB} MiB")
        case 0:
            return json.loads(answer)
        case int(status) if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            raise Unreadable(f"reading it took more than {CPU_SECONDS} s of processor time")
        case int(status) if os.WIFSIGNALED(status):
            raise Unreadable(f"reading it ended by signal {os.WTERMSIG(status)}")
        case _:
            raise Unreadable(f"reading it failed: {answer.decode('utf-8', 'replace')[:300]}")


def _answered(request: bytes) -> tuple[bytes, int | str]:
    """The answer, and how the process that gave it ended: its wait status, `time` or `size`."""
    for _ in range(2):
        ours, theirs = os.pipe()
        with open(ours, "rb") as pipe:
            try:
                _reader.ask(request, theirs)
            finally:
                os.close(theirs)
            content = pipe.read(ANSWER_BYTES + REQUEST_BYTES)
        answer, _, end = content.rpartition(b"\n")
        if end:
            return answer, json.loads(end)
        # No last line: the forking process itself has died, and with it nothing of the candidate's.
        _reader.forget()
    raise InfrastructureError("the process that reads sources ends at once", boundary=Boundary.HARNESS)


class _Reader:
    """The process that forks, from our side. One for the whole program; started when it is first needed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._owner = 0
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: bytes, answer_to: int) -> None:
        with self._lock:
            for attempt in range(2):
                try:
                    socket.send_fds(self._running(), [request], [answer_to])
                    return
                except (BrokenPipeError, ConnectionResetError):
                    self._close()
                    if attempt:
                        raise

    def forget(self) -> None:
        with self._lock:
            self._close()

    def _running(self) -> socket.socket:
        if self._socket is None or self._owner != os.getpid():  # a fork of ours must not share its parent's socket
            package = str(Path(__file__).resolve().parents[2])
            path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH", ""))))
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", __name__], cwd="/", env={**os.environ, "PYTHONPATH": path},
                    stdin=theirs.fileno(), stdout=subprocess.DEVNULL, start_new_session=True,
                )  # fmt: skip
            self._socket, self._owner = ours, os.getpid()
        return self._socket

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        if self._process is not None and self._owner == os.getpid():
            self._process.wait()
        self._socket = self._process = None


_reader = _Reader()
atexit.register(_reader.forget)


def _serve() -> None:
    """Fork for each request that comes by standard input, until nobody can send any more."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # who asked may have been killed: then all end without a word
    requests = socket.socket(fileno=0)
    while True:
        request, answers, _, _ = socket.recv_fds(requests, REQUEST_BYTES, 1)
        if not request:
            return
        function, *arguments = json.loads(request)
        module, _, name = function.partition(":")
        loaded = importlib.import_module(module)  # here, so that it is there for all to come
        for other in getattr(loaded, "READERS_APART", ()):
            importlib.import_module(other)
        gc.freeze()
        if os.fork() == 0:
            requests.close()
            os._exit(_watch(answers[0], getattr(loaded, name), arguments))
        os.close(answers[0])


def _watch(answers: int, function: Any, arguments: list[str]) -> int:
    """Have a child call it; say on the last line how that ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if child == 0:
        os._exit(_call(answers, function, arguments))
    late: list[bool] = []

    def end_it(number: int, frame: object) -> None:
        late.append(True)
        os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, end_it)
    signal.alarm(WALL_SECONDS)
    _, status = os.waitpid(child, 0)
    signal.alarm(0)
    end: int | str = "time" if late else "size" if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 3 else status
    os.write(answers, f"\n{json.dumps(end)}".encode())
    return 0


def _call(answers: int, function: Any, arguments: list[str]) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open(answers, "wb", closefd=False) as pipe:
        try:
            answer = json.dumps(function(*arguments)).encode()
        except BaseException as error:
            pipe.write(" ".join(f"{type(error).__name__}: {error}".split()).encode("utf-8", "replace")[:1000])
            return 1
        if len(answer) > ANSWER_BYTES:
            return 3
        pipe.write(answer)
    return 0


if __name__ == "__main__":
    _serve()
