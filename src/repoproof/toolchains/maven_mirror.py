"""Our mirror of a Maven repository: a sandboxed Maven asks it over a socket, and only it asks the network.

Whatever the sandbox says, it can make us do one thing: fetch a released file of the user's repository by its path. What is kept was
written by us, after its checksum; nothing that comes from a sandbox is.
"""

from __future__ import annotations

import hashlib
import os
import re
import socketserver
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from time import monotonic

from ..core.base import GiB
from ..core.errors import Boundary, InfrastructureError
from .maven_client import Client, Refusal
from .maven_settings import Repository
from .store import Store

MOST_BYTES = 2 * GiB
"""Of artefacts for one submission."""
MOST_FILES = 20_000

_TRIES = 3
_PATH = re.compile(r"/((?:[A-Za-z0-9_][\w.+-]*/){2,}[A-Za-z0-9_][\w.+-]*)", re.ASCII)
_CHECKSUMS = {".sha1": hashlib.sha1, ".md5": hashlib.md5}
_NOT_KEPT = (".asc", ".sha256", ".sha512")
METADATA = "maven-metadata.xml"


class Mirror:
    """One Maven's questions and their answers."""

    def __init__(
        self, store: Store, repository: Repository, *, seconds: float, exclude_newer: date | None = None
    ) -> None:
        self.served: dict[str, Path] = {}
        """Path in the repository -> file, of all that was asked for and is there."""
        self.failures: list[str] = []
        """What the repository did not answer properly: ours."""
        self.excess = ""
        """Why no more is fetched for this submission; empty as long as that is not so."""
        self._store = store
        self._repository = repository
        self._client = Client(repository)
        self._deadline = monotonic() + seconds
        self._exclude_newer = exclude_newer
        self._checksums = ThreadPoolExecutor(max_workers=8)
        self._metadata = tempfile.TemporaryDirectory(prefix="repoproof-maven-")
        self._bytes = 0
        self._absent: set[str] = set()
        self._lock = threading.Lock()
        self._asking = 0
        self._since = 0.0
        self._asked_seconds = 0.0

    @property
    def seconds(self) -> float:
        """How long the network was waited for, by whatever number of questions at once."""
        with self._lock:
            return self._asked_seconds + (monotonic() - self._since if self._asking else 0.0)

    def answer(self, path: str) -> Path | None:
        """The file at `path` of the repository, or None. Raises `OSError` where the repository does not say."""
        with self._lock:
            if path in self.served or path in self._absent:
                return self.served.get(path)
            if len(self.served) + len(self._absent) > MOST_FILES or self._bytes > MOST_BYTES:
                self.excess = f"the build asks for more than {MOST_FILES} files or {MOST_BYTES // GiB} GiB"
                return None
        try:
            found = self._fresh(path) if path.endswith("/" + METADATA) else self._kept(path)
        except OSError as error:
            self.failures.append(f"{path}: {error}")
            raise
        with self._lock:
            if found is None or self._is_too_new(found):
                self._absent.add(path)
                return None
            self.served[path] = found
            self._bytes += found.stat().st_size
        return found

    def close(self) -> None:
        self._checksums.shutdown(wait=False, cancel_futures=True)
        self._client.close()
        self._metadata.cleanup()

    def _kept(self, path: str) -> Path | None:
        """A released file, from the store or into it."""
        if "-SNAPSHOT/" in path:
            return None
        key = hashlib.sha256(f"{self._repository.address}\0{path}".encode()).hexdigest()
        found = self._store.find("maven-artifacts", key)
        if found is None:
            with self._store.slot("maven-artifacts", key) as slot:
                found = self._store.find("maven-artifacts", key)
                if found is None:
                    place = slot.staging / "file"
                    place.mkdir(mode=0o755)
                    place.chmod(0o755)
                    if not self._download(path, place / "content"):
                        return None
                    found = slot.publish(place)
        return found / "content"

    def _fresh(self, path: str) -> Path | None:
        """What versions there are: not kept, since it changes."""
        target = Path(self._metadata.name, hashlib.sha256(path.encode()).hexdigest())
        return target if self._download(path, target) else None

    def _is_too_new(self, file: Path) -> bool:
        if self._exclude_newer is None:
            return False
        return datetime.fromtimestamp(file.stat().st_mtime, UTC).date() > self._exclude_newer

    def _download(self, path: str, target: Path) -> bool:
        """Whether the repository has it; then it is at `target`, its checksum right and its time that of its publication."""
        with self._network():
            for tries_left in reversed(range(_TRIES)):
                try:
                    checksum = self._checksums.submit(self._checksum, path)
                    digest, published = self._transfer(path, target)
                    told = checksum.result()
                    if told != digest:
                        raise OSError("its content does not have the checksum that the repository gives")
                    target.chmod(0o644)
                    if published is not None:
                        os.utime(target, (published, published))
                    return True
                except (OSError, ValueError) as error:
                    target.unlink(missing_ok=True)
                    status = error.status if isinstance(error, Refusal) else 0
                    if 400 <= status < 500 and status not in (401, 407, 408, 429):
                        return False
                    if status in (401, 407) or not tries_left or monotonic() > self._deadline:
                        raise OSError(str(error)) from error
        return False

    def _transfer(self, path: str, target: Path) -> tuple[str, float | None]:
        digest, size = hashlib.sha1(usedforsecurity=False), 0
        with self._client.asked(path) as response, target.open("wb") as file:
            while block := response.read(1 << 18):
                if monotonic() > self._deadline:
                    raise TimeoutError("the time for fetching is over")
                size += len(block)
                if size > MOST_BYTES:
                    raise OSError(f"larger than {MOST_BYTES // GiB} GiB")
                digest.update(block)
                file.write(block)
            said = response.headers.get("Content-Length")
            if said is not None and int(said) != size:
                raise OSError("the connection ended early")
            modified = response.headers.get("Last-Modified")
        return digest.hexdigest(), parsedate_to_datetime(modified).timestamp() if modified else None

    def _checksum(self, path: str) -> str:
        with self._client.asked(path + ".sha1") as response:
            return response.read().decode("ascii", "replace").lower().partition(" ")[0].strip()

    @contextmanager
    def _network(self) -> Iterator[None]:
        with self._lock:
            self._asking += 1
            if self._asking == 1:
                self._since = monotonic()
        try:
            yield
        finally:
            with self._lock:
                self._asking -= 1
                if not self._asking:
                    self._asked_seconds += monotonic() - self._since


def pinned(path: str, sha256: str, store: Store, repository: Repository, *, seconds: float = 120.0) -> Path:
    """The file at `path` of the repository, which must have that hash: for programs of our own choice."""
    with closing(Mirror(store, repository, seconds=seconds)) as mirror:
        try:
            found = mirror.answer(path)
        except OSError as error:
            raise InfrastructureError(f"{repository.address}: {error}", boundary=Boundary.TOOLCHAIN) from error
    if found is None:
        raise InfrastructureError(f"{repository.address} has no {path}", boundary=Boundary.TOOLCHAIN)
    if hashlib.sha256(found.read_bytes()).hexdigest() != sha256:
        raise InfrastructureError(f"{repository.address}: {path} is not what it should be", boundary=Boundary.TOOLCHAIN)
    return found


@contextmanager
def listening(mirror: Mirror, place: Path) -> Iterator[Path]:
    """The mirror answers HTTP on a socket in the new directory `place`, which any user may connect to."""
    place.mkdir()
    place.chmod(0o755)
    path = place / "socket"
    with _Server(path, mirror) as server:
        path.chmod(0o666)
        serving = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        serving.start()
        try:
            yield path
        finally:
            server.shutdown()
            serving.join()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, path: Path, mirror: Mirror) -> None:
        self.mirror = mirror
        # The address of a socket has 108 bytes at most: its directory is named by a descriptor.
        folder = os.open(path.parent, os.O_PATH | os.O_CLOEXEC)
        try:
            super().__init__(f"/proc/self/fd/{folder}/{path.name}", _Handler)
        finally:
            os.close(folder)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is none of our concern."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    @property
    def _mirror(self) -> Mirror:
        assert isinstance(self.server, _Server)
        return self.server.mirror

    def do_GET(self) -> None:
        self._respond(with_content=True)

    def do_HEAD(self) -> None:
        self._respond(with_content=False)

    def _respond(self, *, with_content: bool) -> None:
        asked = _PATH.fullmatch(self.path)
        path = asked[1] if asked else ""
        checksum = next((end for end in _CHECKSUMS if path.endswith(end)), "")
        try:
            wanted = path.removesuffix(checksum)
            file = self._mirror.answer(wanted) if wanted and not wanted.endswith(_NOT_KEPT) else None
        except OSError:
            return self._send(502, b"")
        if file is None:
            return self._send(404, b"")
        content = file.read_bytes()
        if checksum:
            content = _CHECKSUMS[checksum](content, usedforsecurity=False).hexdigest().encode()
        return self._send(200, content, with_content=with_content)

    def _send(self, status: int, content: bytes, *, with_content: bool = True) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if with_content:
            self.wfile.write(content)

    def address_string(self) -> str:
        return "sandbox"

    def log_message(self, format: str, *args: object) -> None:
        """Maven says what it asked for."""
