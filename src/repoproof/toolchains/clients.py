"""Our own package clients (uv, npm): run outside the sandbox, in a clean directory, on sanitised data only."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from ..core.base import GiB
from ..core.errors import Boundary, InfrastructureError
from ..core.waiting import SPELL
from .store import allocated

_KEPT = re.compile(
    r"PATH|HOME|USER|LOGNAME|LANG|LC_.*|TMPDIR|XDG_.*|NETRC|SSL_CERT_.*|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS"
    r"|(?:HTTPS?|ALL|NO)_PROXY"
    r"|UV_(?:DEFAULT_INDEX|INDEX.*|EXTRA_INDEX_URL|FIND_LINKS|KEYRING_PROVIDER|NATIVE_TLS|SYSTEM_CERTS|INSECURE_HOST|HTTP_.*"
    r"|CONFIG_FILE|NO_CONFIG|CACHE_DIR|OFFLINE)"
    r"|NPM_CONFIG_(?:REGISTRY|USERCONFIG|GLOBALCONFIG|PROXY|HTTPS_PROXY|NOPROXY|CA|CAFILE|STRICT_SSL|FETCH_.*|_.*|.*:.*)|NPM_TOKEN",
    re.IGNORECASE,
)
"""Variables that say where and how to reach an index. All others would let a shell's state change what is scored."""


@dataclass(frozen=True)
class ClientResult:
    """How a client ended."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    @property
    def log(self) -> bytes:
        return (self.stdout + self.stderr).encode()


def settings() -> dict[str, str]:
    """The user's index, proxy and certificate settings, from the environment."""
    return {name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)}


@contextmanager
def clean_directory(files: Mapping[str, str]) -> Iterator[Path]:
    """A private directory holding only `files`: no configuration of anybody's is found in it."""
    with tempfile.TemporaryDirectory(prefix="repoproof-fetch-") as name:
        for file, content in files.items():
            Path(name, file).write_text(content, encoding="utf-8")
        yield Path(name)


class TooLong(InfrastructureError):
    """A client was ended: its time was over. Ours, unless the index answers well enough and it is the question that takes so long."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, boundary=Boundary.TOOLCHAIN)


class TooMuch(Exception):
    """A client was ended: what it wrote came to more than it may."""


def run_client(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    seconds: float,
    most_bytes: Mapping[Path, int] | None = None,
) -> ClientResult:
    """Run a client to its end; its children end with it. Raises `TooLong` past `seconds`, `InfrastructureError` if it does not start, and
    `TooMuch` once a directory of `most_bytes` holds more than that (looked at every second).
    """
    words = [str(word) for word in command]
    name = Path(words[0]).name
    try:
        process = subprocess.Popen(
            words,
            cwd=cwd,
            env=settings(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise InfrastructureError(f"{name} did not start: {error}", boundary=Boundary.TOOLCHAIN) from error
    with process:
        try:
            stdout, stderr = _watched(process, name, seconds, most_bytes or {})
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return ClientResult(process.returncode, stdout, stderr)


def _watched(
    process: subprocess.Popen[str], name: str, seconds: float, most_bytes: Mapping[Path, int]
) -> tuple[str, str]:
    end = monotonic() + seconds
    while True:
        left = end - monotonic()
        try:
            said = process.communicate(timeout=max(0.0, min(left, SPELL)))
        except subprocess.TimeoutExpired:
            said = None
        for directory, most in most_bytes.items():
            if allocated(directory) > most:
                raise TooMuch(f"more than {most / GiB:.0f} GiB")
        if said is not None:
            return said
        if left <= 0:
            raise TooLong(f"{name} took longer than {seconds:.0f} s to fetch dependencies")


def answers(command: Sequence[str | Path], seconds: float = 30.0) -> bool:
    """Whether a client's plain question to the index is answered soon."""
    try:
        with clean_directory({}) as place:
            return run_client(command, cwd=place, seconds=seconds).ok
    except InfrastructureError:
        return False


def first_lines(message: str, count: int = 4) -> str:
    """The telling start of a client's message, in one line, without addresses' credentials."""
    lines = [re.sub(r"^(error|cause):\s*", "", line.strip()) for line in message.splitlines() if line.strip()]
    return re.sub(r"://[^/@\s]+@", "://", " ".join(lines[:count]))[:400]
