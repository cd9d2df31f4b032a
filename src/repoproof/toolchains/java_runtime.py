"""The JDK that candidates run on: found on this machine, made visible in a sandbox."""

from __future__ import annotations

import os
import platform
import re
import shutil
from functools import lru_cache
from pathlib import Path

from ..sandbox.base import ReadOnly
from .interpreters import Interpreter, absent, borrowed, output_of
from .store import Store

OLDEST_JAVA = 17

JAVA_HOME = "/opt/java"


class Jdk(Interpreter):
    """A JDK; `executable` is its `java`."""

    home: str
    """JAVA_HOME inside a sandbox."""


def find_java() -> dict[str, str]:
    """Facts of the JDK that candidates run on: `REPOPROOF_JAVA`, `JAVA_HOME`, the `javac` on PATH."""
    for home in _homes():
        version = _java_version(home)
        if version and int(version.split(".")[0]) >= OLDEST_JAVA:
            return {"home": str(home), "executable": str(home / "bin/java"), "version": version}
    mend = f"apt-get install openjdk-{OLDEST_JAVA}-jdk-headless, or set REPOPROOF_JAVA to the home of one"
    raise absent(f"no JDK {OLDEST_JAVA} or newer", mend)


def jdk(store: Store) -> Jdk:
    """The JDK, made visible to sandboxes."""
    facts = find_java()
    home, version = Path(facts["home"]), facts["version"]
    inside, mounts = str(home), ()
    if not home.is_relative_to("/usr"):
        copy = borrowed(store, home, version, leave_out=("src.zip", "jmods", "demo", "man"))
        inside, mounts = JAVA_HOME, (ReadOnly(source=copy, target=JAVA_HOME),)
    return Jdk(
        executable=f"{inside}/bin/java",
        outside=home / "bin/java",
        version=version,
        platform=f"{platform.system()}-{platform.machine()}".lower(),
        mounts=mounts,
        home=inside,
    )


def _homes() -> list[Path]:
    if named := os.environ.get("REPOPROOF_JAVA"):
        return [Path(named).resolve()]
    set_up = os.environ.get("JAVA_HOME")
    on_path = shutil.which("javac")
    return [
        *([Path(set_up).resolve()] if set_up else []),
        *([Path(on_path).resolve().parents[1]] if on_path else []),
    ]


@lru_cache
def _java_version(home: Path) -> str:
    """`17.0.15`; empty if there is no JDK at `home`."""
    said = output_of([str(home / "bin/java"), "--version"]) if (home / "bin/javac").is_file() else None
    found = re.match(r"\S+ (\d+[\d.]*)", said or "")
    return found[1] if found else ""
