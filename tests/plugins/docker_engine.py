"""A real Docker engine for tests: the one that answers already, or else a private one of our own (needs root and dockerd).

The private engine lives in one folder a machine and is shared by all test processes (pytest-xdist's workers, several runs): the first
starts it, the last stops it and deletes its data. It leaves the host's network alone. As a program, it runs a command beside an engine:

    python tests/plugins/docker_engine.py pytest tests/sandbox
"""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from repoproof.core.errors import InfrastructureError
from repoproof.sandbox.docker_api import DockerEngine, find_socket

HOME = Path(tempfile.gettempdir(), f"repoproof-test-engine-{os.geteuid()}")
NO_NETWORK = ("--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false")


def why_no_engine() -> str:
    """Why no engine can be had here, in a line; empty if one can."""
    try:
        DockerEngine(find_socket()).version()
    except InfrastructureError as error:
        if os.environ.get("DOCKER_HOST"):
            return str(error)
        if os.geteuid() != 0:
            return f"{error}; only root can start one of its own"
        if shutil.which("dockerd") is None:
            return f"{error}; dockerd is not installed (apt-get install docker.io)"
    return ""


@contextmanager
def engine() -> Iterator[DockerEngine]:
    """An engine that answers, named by DOCKER_HOST as long as the context lasts."""
    try:
        found = DockerEngine(find_socket())
        found.version()
    except InfrastructureError:
        if why := why_no_engine():
            raise RuntimeError(why) from None
    else:
        yield found
        return
    with _shared_private_engine() as private:
        os.environ["DOCKER_HOST"] = f"unix://{private.socket}"
        try:
            yield private
        finally:
            del os.environ["DOCKER_HOST"]


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[DockerEngine]:
    """A Docker engine that answers at DOCKER_HOST, for the whole session."""
    with engine() as found:
        yield found


@contextmanager
def _shared_private_engine() -> Iterator[DockerEngine]:
    HOME.mkdir(mode=0o755, exist_ok=True)
    private = DockerEngine(HOME / "docker.sock")
    # The folder stays, empty but for its locks: deleting a lock's file while another process waits for it would make two engines.
    with open(HOME / "users.lock", "w") as users:
        with _held(HOME / "change.lock"):
            fcntl.flock(users, fcntl.LOCK_SH)
            try:
                private.version()
            except InfrastructureError:
                _sweep()
                _start(private)
        try:
            yield private
        finally:
            with _held(HOME / "change.lock"):
                try:
                    fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    pass
                else:
                    _stop()
                    _sweep()


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    with open(lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _start(private: DockerEngine) -> None:
    dockerd = ["dockerd", "--host=fd://", "--log-level=warn", *NO_NETWORK]
    for option, place in (("data-root", "data"), ("exec-root", "exec"), ("pidfile", "pid")):
        dockerd.append(f"--{option}={HOME / place}")
    serve(private, dockerd, HOME / "log")


def serve(engine: DockerEngine, command: list[str], log: Path) -> subprocess.Popen[bytes]:
    """Start an engine that listens where `engine` asks; return once it answers."""
    # The listening socket is ours and handed over (as systemd does), so that the first question simply waits for the engine.
    listening = socket.socket(socket.AF_UNIX)
    with closing(listening), open(log, "wb") as output:
        listening.bind(str(engine.socket))
        listening.listen()
        process = subprocess.Popen(
            ["sh", "-c", 'exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"', "sh", *command],
            stdin=listening,
            stdout=output,
            stderr=output,
            cwd=log.parent,  # the engine leaves a file named "oom" wherever it was started
            start_new_session=True,
        )
    try:
        engine.version()
    except InfrastructureError as error:
        raise RuntimeError(f"{command[0]} did not start: {error}\n{log.read_text()[-2000:]}") from None
    return process


def _stop() -> None:
    try:
        dockerd = os.pidfd_open(int((HOME / "pid").read_text()))
    except (FileNotFoundError, ProcessLookupError):
        return
    signal.pidfd_send_signal(dockerd, signal.SIGTERM)
    select.select([dockerd], [], [], 60)
    os.close(dockerd)


def _sweep() -> None:
    """Unmount and delete what an engine left."""
    mounted = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for point in reversed([point for point in mounted if point.startswith(f"{HOME}/")]):
        subprocess.run(["umount", "--lazy", point], check=True)
    for left in HOME.iterdir():
        if left.suffix == ".lock":
            continue
        shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()


if __name__ == "__main__":
    with engine():
        sys.exit(subprocess.run(sys.argv[1:]).returncode)
