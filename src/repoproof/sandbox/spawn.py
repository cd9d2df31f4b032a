"""Starting processes that die with us, from any thread.

The kernel ties "kill me when my parent dies" to the *thread* that forked. A worker thread that starts a service and ends would take
it along, so that one thread, which lives as long as the process, does all the starting.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import Future

_Request = tuple[Future["subprocess.Popen[bytes]"], list[str], dict[str, object]]


class _Spawner:
    def __init__(self) -> None:
        self._requests: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="repoproof-spawner", daemon=True).start()

    def _serve(self) -> None:
        while True:
            future, command, options = self._requests.get()
            try:
                future.set_result(subprocess.Popen(command, **options))  # pyright: ignore[reportCallIssue, reportArgumentType]
            except BaseException as error:
                future.set_exception(error)

    def spawn(self, command: list[str], options: dict[str, object]) -> subprocess.Popen[bytes]:
        future: Future[subprocess.Popen[bytes]] = Future()
        self._requests.put((future, command, options))
        return future.result()


_lock = threading.Lock()
_spawner: _Spawner | None = None


def _forget() -> None:
    # A forked child has no thread but the one that forked.
    global _spawner, _lock
    _spawner, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)


def spawn(
    command: Sequence[str],
    *,
    stdin: int | None = subprocess.DEVNULL,
    stdout: int | None = subprocess.DEVNULL,
    stderr: int | None = subprocess.DEVNULL,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start `command` with an environment of PATH alone, out of a thread that lives as long as this process."""
    global _spawner
    with _lock:
        spawner = _spawner = _spawner or _Spawner()
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    return spawner.spawn(
        list(command),
        {
            "stdin": stdin,
            "stdout": stdout,
            "stderr": stderr,
            "pass_fds": tuple(pass_fds),
            "env": environment,
            "cwd": "/",
        },
    )


class ProcessMonitor:
    """A spawned process, with which its sandbox ends."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.gone = os.pidfd_open(process.pid)
        """Readable once the process has ended."""

    def kill(self) -> None:
        self._process.kill()

    def reap(self) -> float:
        _, status, used = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        os.close(self.gone)
        # In a process namespace of its own every descendant is waited for by somebody, so that this is the whole tree's.
        return used.ru_utime + used.ru_stime
