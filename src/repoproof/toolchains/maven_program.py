"""The Maven that builds candidates: one release, whatever this machine has, so that a verdict does not depend on it."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from functools import lru_cache
from pathlib import Path

from ..core.base import Frozen
from ..core.errors import BadInput
from ..sandbox.base import Mount, ReadOnly
from .interpreters import borrowed, output_of
from .java_runtime import find_java
from .maven_mirror import pinned
from .maven_settings import Repository
from .store import Store

VERSION = "3.9.11"
_ARCHIVE = f"org/apache/maven/apache-maven/{VERSION}/apache-maven-{VERSION}-bin.zip"
_SHA256 = "0d7125e8c91097b36edb990ea5934e6c68b4440eef4ea96510a0f6815e7eeadb"

MAVEN_HOME = "/opt/maven"


class Maven(Frozen):
    """A Maven at `MAVEN_HOME` in a sandbox."""

    version: str
    mounts: tuple[Mount, ...]

    @property
    def executable(self) -> str:
        return f"{MAVEN_HOME}/bin/mvn"


def maven(store: Store, repository: Repository) -> Maven:
    """The release that all candidates are built with, fetched by its hash, or the Maven at `REPOPROOF_MAVEN`."""
    if named := os.environ.get("REPOPROOF_MAVEN"):
        home = Path(named).resolve()
        version = _version(home, find_java()["home"])
        if not version:
            raise BadInput(f"there is no Maven at {home}", mend="set REPOPROOF_MAVEN to a Maven's home, or unset it")
        return _bound(borrowed(store, home, version, leave_out=()), version)
    found = store.find("programs", _SHA256)
    if found is None:
        archive = pinned(_ARCHIVE, _SHA256, store, repository)
        with store.slot("programs", _SHA256) as slot:
            found = store.find("programs", _SHA256) or slot.publish(_unpacked(archive, slot.staging / "maven"))
    return _bound(found, VERSION)


def _bound(home: Path, version: str) -> Maven:
    return Maven(version=version, mounts=(ReadOnly(source=home, target=MAVEN_HOME),))


def _unpacked(archive: Path, place: Path) -> Path:
    """The release's folder, readable for everyone; its hash vouches for what is in it."""
    with zipfile.ZipFile(archive) as files:
        files.extractall(place)
    home = place / f"apache-maven-{VERSION}"
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
    return home


@lru_cache
def _version(home: Path, java: str) -> str:
    """`3.9.11`; empty if there is no Maven at `home`."""
    if shutil.which("mvn", path=str(home / "bin")) is None:
        return ""
    said = output_of(["/usr/bin/env", f"JAVA_HOME={java}", str(home / "bin/mvn"), "--version"])
    found = re.search(r"Apache Maven (\d[\w.-]*)", said or "")
    return found[1] if found else ""
