"""Downloading what a lock names, by hash, into the store. Nothing downloaded is unpacked or run here."""

from __future__ import annotations

import hashlib
import netrc
import os
import shutil
import urllib.error
import urllib.parse
import urllib.request
from base64 import b64encode
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

from ..core.base import Frozen
from ..core.errors import Boundary, InfrastructureError
from .store import Store

_TRIES = 3
_AT_ONCE = 8
_SOCKET_SECONDS = 30.0
_CHUNK = 1 << 18


class Artifact(Frozen):
    """One file of an index: a wheel or a source archive."""

    filename: str
    url: str
    sha256: str
    size_bytes: int | None = None

    @property
    def is_local(self) -> bool:
        return self.url.startswith("file:")


def fetched(artifacts: Iterable[Artifact], store: Store, *, seconds: float) -> list[Path]:
    """Each artifact as a file in the store, downloaded where it is not there yet. Any failure is ours: the lock came from the index."""
    deadline = monotonic() + seconds
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        return list(pool.map(lambda artifact: _fetched(artifact, store, deadline), artifacts))


def _fetched(artifact: Artifact, store: Store, deadline: float) -> Path:
    found = store.find("artifacts", artifact.sha256)
    if found is None:
        with store.slot("artifacts", artifact.sha256) as slot:
            found = store.find("artifacts", artifact.sha256)
            if found is None:
                place = slot.staging / "file"
                place.mkdir(mode=0o755)
                place.chmod(0o755)
                _download(artifact, place / artifact.filename, deadline)
                found = slot.publish(place)
    return found / artifact.filename


def _download(artifact: Artifact, target: Path, deadline: float) -> None:
    for tries_left in reversed(range(_TRIES)):
        try:
            if _transfer(artifact.url, target, deadline) != artifact.sha256:
                raise OSError("its content does not have the hash that the index gives")
            target.chmod(0o644)
            return
        except (OSError, ValueError) as error:
            refused = isinstance(error, urllib.error.HTTPError) and error.code < 500
            if refused or not tries_left or monotonic() > deadline:
                problem = f"could not download {artifact.filename}: {error}"
                raise InfrastructureError(problem, boundary=Boundary.TOOLCHAIN) from error


def _transfer(url: str, target: Path, deadline: float) -> str:
    digest = hashlib.sha256()
    request = urllib.request.Request(_bare(url), headers={"User-Agent": "repoproof", **_credentials(url)})
    with urllib.request.urlopen(request, timeout=_SOCKET_SECONDS) as response, target.open("wb") as file:
        while block := response.read(_CHUNK):
            if monotonic() > deadline:
                raise TimeoutError("the time for fetching is over")
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def _bare(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _credentials(url: str) -> dict[str, str]:
    """What the user's settings say for this host: the address itself, an index on the same host, or netrc."""
    host = urllib.parse.urlsplit(url).hostname
    indexes = " ".join(
        os.environ.get(name, "") for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL")
    )
    for known in (url, *(word.split("=", 1)[-1] for word in indexes.split())):
        parts = urllib.parse.urlsplit(known)
        if parts.hostname == host and parts.username:
            return _basic(urllib.parse.unquote(parts.username), urllib.parse.unquote(parts.password or ""))
    try:
        entry = netrc.netrc(os.environ.get("NETRC")).authenticators(host or "")
    except (OSError, netrc.NetrcParseError):
        entry = None
    return _basic(entry[0], entry[2] or "") if entry else {}


def _basic(user: str, password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + b64encode(f"{user}:{password}".encode()).decode()}


def wheelhouse(files: Iterable[Path], place: Path) -> Path:
    """The files side by side in the new directory `place`, which the sandbox's user can read."""
    place.mkdir(mode=0o755)
    place.chmod(0o755)
    for file in files:
        try:
            (place / file.name).hardlink_to(file)  # both are ours and only ever bound read-only
        except OSError:
            shutil.copyfile(file, place / file.name)
    return place
