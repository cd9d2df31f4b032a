"""What all tests share: `needs(tool)` skips where a tool is absent, or fails under REPOPROOF_REQUIRE=all."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes is the machine's doing.
settings.register_profile("repoproof", deadline=None)
settings.load_profile("repoproof")


def _bubblewrap() -> str:
    from repoproof.core.errors import RepoProofError
    from repoproof.sandbox import open_sandbox

    try:
        open_sandbox("bubblewrap")
    except RepoProofError as error:
        return str(error)
    return ""


def _docker() -> str:
    from plugins.docker_engine import why_no_engine

    return why_no_engine()


def _node() -> str:
    from repoproof.core.errors import RepoProofError
    from repoproof.toolchains.interpreters import find_node

    try:
        find_node()
    except RepoProofError as error:
        return str(error)
    return ""


def _java() -> str:
    from repoproof.core.errors import RepoProofError
    from repoproof.toolchains.java_runtime import find_java
    from repoproof.toolchains.maven_settings import repository

    try:
        find_java()
        repository()
    except RepoProofError as error:
        return str(error)
    return ""


def _gradle() -> str:
    from repoproof.core.errors import RepoProofError
    from repoproof.toolchains.gradle import find_gradle

    try:
        find_gradle()
    except RepoProofError as error:
        return str(error)
    return ""


def _cgroup() -> str:
    from repoproof.sandbox.cgroup import mechanism

    return "" if mechanism() != "rlimits" else "no writable cgroup (run as root, or delegate a cgroup v2 subtree)"


def _network() -> str:
    with tempfile.TemporaryDirectory() as folder:
        asked = subprocess.run(
            ["uv", "pip", "install", "--quiet", "--no-cache", "--no-deps", "--target", folder, "iniconfig"],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        )
    return "" if asked.returncode == 0 else f"no package index: {asked.stderr.strip()[-200:]}"


def _qemu() -> str:
    if os.geteuid() != 0 or (platform.machine(), sys.version_info[:2]) != ("x86_64", (3, 11)):
        return "a guest is made by root, on x86-64, with Debian 12's python3.11"
    absent = [program for program in ("qemu-system-x86_64", "mmdebstrap") if shutil.which(program) is None]
    return f"{' and '.join(absent)} not installed (apt-get install qemu-system-x86 mmdebstrap)" if absent else ""


def _emulator() -> str:
    other = {"x86_64": "aarch64", "aarch64": "x86_64"}.get(platform.machine(), "x86_64")
    program = f"qemu-{other}-static"
    return "" if shutil.which(program) else f"no {program} (apt-get install qemu-user-static)"


def _compilers() -> str:
    """Those of Debian 12, which made the programs that we ship."""
    for compiler in ("x86_64-linux-gnu-gcc", "aarch64-linux-gnu-gcc"):
        if shutil.which(compiler) is None:
            return f"no {compiler} (apt-get install gcc gcc-aarch64-linux-gnu)"
        version = subprocess.check_output([compiler, "-dumpfullversion"], text=True).strip()
        if not version.startswith("12.2."):
            return f"{compiler} is {version}, not Debian 12's 12.2"
    return ""


TOOLS: dict[str, Callable[[], str]] = {
    "bubblewrap": _bubblewrap,
    "compilers": _compilers,
    "docker": _docker,
    "emulator": _emulator,
    "gradle": _gradle,
    "java": _java,
    "node": _node,
    "podman": lambda: "" if shutil.which("podman") else "podman is not installed (apt-get install podman)",
    "root": lambda: "" if os.geteuid() == 0 else "needs root",
    "cgroup": _cgroup,
    "network": _network,
    "qemu": _qemu,
}  # fmt: skip


@cache
def why_not(tool: str) -> str:
    """One line why `tool` cannot be used here; empty if it can."""
    return TOOLS[tool]()


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for tool in mark.args:
            if reason := why_not(tool):
                if os.environ.get("REPOPROOF_REQUIRE") == "all":
                    pytest.fail(f"{tool} is required here: {reason}", pytrace=False)
                pytest.skip(f"needs {tool}: {reason}")
