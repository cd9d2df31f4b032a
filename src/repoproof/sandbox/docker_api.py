"""The HTTP API of a Docker-compatible engine, over its unix socket: the few calls that a sandbox is made of."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from ..core.errors import Boundary, InfrastructureError

ANSWER_SECONDS = 120.0
"""Longest silence of the engine before it counts as gone. Its slowest call here (start, under load) takes a second or two."""


class EngineError(InfrastructureError):
    """The engine could not be asked, or refused."""

    def __init__(self, problem: str, *, status: int | None = None) -> None:
        self.status = status
        """HTTP status of the refusal; None if there was no answer at all."""
        super().__init__(f"Docker engine: {problem}", boundary=Boundary.SANDBOX)

    @property
    def absent(self) -> bool:
        """Whether what was asked for does not exist. Podman answers some such questions with status 500."""
        return self.status == 404 or (self.status is not None and "no such" in str(self).lower())


def find_socket(environment: Mapping[str, str] = os.environ) -> Path:
    """The engine's socket: DOCKER_HOST if set, or the first that exists of Docker's and Podman's usual places."""
    if host := environment.get("DOCKER_HOST"):
        if not host.startswith("unix://"):
            raise EngineError(f"DOCKER_HOST={host} is not a unix:// socket (forward it to one, e.g. with ssh -L)")
        return Path(host.removeprefix("unix://"))
    for place in usual_places(environment):
        if _exists(place):
            return place
    raise EngineError(
        "none found (start Docker, or `systemctl --user start podman.socket`, or set DOCKER_HOST=unix:///path/of/the.sock)"
    )


def usual_places(environment: Mapping[str, str]) -> list[Path]:
    """Where engines listen: Docker's before Podman's, the machine's before the user's."""
    runtime = environment.get("XDG_RUNTIME_DIR")
    return [
        Path("/var/run/docker.sock"),
        *([Path(runtime, "docker.sock")] if runtime else []),
        *([Path(home, ".docker/run/docker.sock")] if (home := environment.get("HOME")) else []),
        Path("/run/podman/podman.sock"),
        *([Path(runtime, "podman/podman.sock")] if runtime else []),
    ]


def _exists(place: Path) -> bool:
    try:
        return place.exists()
    except PermissionError:
        return False


@dataclass(frozen=True)
class DockerEngine:
    """One engine. Every call opens a connection of its own, so that one object serves all threads."""

    socket: Path

    def version(self) -> dict[str, Any]:
        return self._json("GET", "/version")

    def info(self) -> dict[str, Any]:
        return self._json("GET", "/info")

    def import_image(self, repository: str, archive: bytes) -> None:
        """Make `repository`:latest out of a tar of its root file system."""
        # The answer is a progress log with status 200 even if the import failed; a failure shows at the next create.
        self._call("POST", "/images/create", {"fromSrc": "-", "repo": repository}, archive, "application/x-tar")

    def create(self, config: dict[str, Any], name: str) -> str:
        """Create a container, return its id."""
        return self._json("POST", "/containers/create", {"name": name}, config)["Id"]

    def start(self, container: str) -> None:
        self._call("POST", f"/containers/{container}/start")

    def signal(self, container: str, name: str) -> None:
        """Send a signal to the container's first process. One that has already ended, or is gone, is fine."""
        self._call("POST", f"/containers/{container}/kill", {"signal": name}, accept=(404, 409, 500))

    def remove(self, container: str) -> None:
        """Kill and remove, with its volumes. One that is gone, or being removed by someone else, is fine."""
        self._call("DELETE", f"/containers/{container}", {"force": "1", "v": "1"}, accept=(404, 409))

    def cpu_seconds(self, container: str) -> float:
        """What a running container has used; 0 of one that has just ended."""
        # Podman answers with nothing at all then.
        told = self._call("GET", f"/containers/{container}/stats", {"stream": "false", "one-shot": "true"})
        return json.loads(told)["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9 if told.strip() else 0.0

    def image_path(self, image: str) -> str:
        """PATH as an image sets it; empty if it does not."""
        variables: list[str] = self._json("GET", f"/images/{image}/json")["Config"]["Env"] or []
        return next((v.removeprefix("PATH=") for v in variables if v.startswith("PATH=")), "")

    def state(self, container: str) -> dict[str, Any]:
        return self._json("GET", f"/containers/{container}/json")["State"]

    def labelled(self, label: str) -> list[tuple[str, str]]:
        """Id and name of all containers, running or not, that carry `label`."""
        found = self._json("GET", "/containers/json", {"all": "1", "filters": json.dumps({"label": [label]})})
        return [(container["Id"], container["Names"][0].lstrip("/")) for container in found]

    def attach(self, container: str) -> socket.socket:
        """A stream to the container's stdin and from its stdout and stderr. To be called before `start`, or output is lost."""
        return self._hijack(f"/containers/{container}/attach?stream=1&stdin=1&stdout=1&stderr=1")

    def prepare_terminal(self, container: str, command: Sequence[str], workdir: str) -> str:
        """Get ready to run a second command, with a terminal, in a running container; the id of this execution."""
        wanted = {"Cmd": list(command), "WorkingDir": workdir, "Tty": True}
        wanted |= {"AttachStdin": True, "AttachStdout": True, "AttachStderr": True}
        return self._json("POST", f"/containers/{container}/exec", body=wanted)["Id"]

    def enter_terminal(self, execution: str) -> socket.socket:
        """Run it: a stream to and from its terminal."""
        return self._hijack(f"/exec/{execution}/start", b'{"Detach": false, "Tty": true}')

    def resize_terminal(self, execution: str, *, rows: int, columns: int) -> None:
        """Give it another size. One whose command has ended is fine."""
        size = {"h": str(rows), "w": str(columns)}
        self._call("POST", f"/exec/{execution}/resize", size, accept=(404, 409, 500))

    def terminal_exit(self, execution: str) -> int:
        """Exit code of an execution whose stream has ended."""
        while (told := self._json("GET", f"/exec/{execution}/json"))["Running"]:
            time.sleep(0.01)  # the stream ends a moment earlier, and there is nothing to wait on
        return told["ExitCode"]

    def _hijack(self, path: str, body: bytes | None = None) -> socket.socket:
        connection = _UnixConnection(self.socket)
        headers = {"Connection": "Upgrade", "Upgrade": "tcp", "Content-Type": "application/json"}
        try:
            connection.request("POST", path, body=body, headers=headers)
            answer = connection.getresponse()
            if answer.status not in (101, 200):
                raise _refusal(answer.status, answer.read())
            # What the stream brought along with the answer would sit in its buffer; with `attach`, nothing runs yet.
            stream = connection.sock.dup()
        except (OSError, HTTPException) as error:
            raise self._unreachable(error) from error
        finally:
            connection.close()
        stream.settimeout(None)
        return stream

    def _json(self, method: str, path: str, query: Mapping[str, str] = {}, body: dict[str, Any] | None = None) -> Any:
        payload = None if body is None else json.dumps(body).encode()
        return json.loads(self._call(method, path, query, payload))

    def _call(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] = {},
        body: bytes | None = None,
        content_type: str = "application/json",
        accept: tuple[int, ...] = (),
    ) -> bytes:
        connection = _UnixConnection(self.socket)
        try:
            # Without a version in the path, each engine speaks its newest: no single version is served by all of them.
            connection.request(
                method,
                quote(path) + (f"?{urlencode(query)}" if query else ""),
                body=body,
                headers={"Content-Type": content_type},
            )
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, HTTPException) as error:
            raise self._unreachable(error) from error
        finally:
            connection.close()
        if answer.status >= 400 and answer.status not in accept:
            raise _refusal(answer.status, content)
        return content

    def _unreachable(self, error: Exception) -> EngineError:
        match error:
            case PermissionError():
                return EngineError(
                    f"{self.socket}: permission denied (join the group that owns it: `sudo usermod -aG docker $USER`, "
                    "and log in again; or use a rootless engine and set DOCKER_HOST)"
                )
            case FileNotFoundError():
                return EngineError(f"{self.socket}: no such socket (start the engine, or correct DOCKER_HOST)")
            case ConnectionRefusedError():
                return EngineError(f"{self.socket}: nothing listens there (start the engine, or correct DOCKER_HOST)")
            case _:
                return EngineError(f"{self.socket}: {type(error).__name__}: {error}")


class _UnixConnection(HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("docker", timeout=ANSWER_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def _refusal(status: int, content: bytes) -> EngineError:
    try:
        message = json.loads(content)["message"]
    except (ValueError, KeyError, TypeError):
        message = content.decode(errors="replace")[:500]
    return EngineError(f"{message} (HTTP {status})", status=status)


def frames(stream: socket.socket) -> Iterator[tuple[int, bytes]]:
    """The multiplexed output of an attached container without a terminal: 1 (stdout) or 2 (stderr), and what was written."""
    with stream.makefile("rb") as reader:
        while len(header := reader.read(8)) == 8:
            yield header[0], reader.read(int.from_bytes(header[4:]))
