"""What of this machine RepoProof can use, what is missing, and how to get it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from ..core.base import Frozen
from ..core.errors import BadInput, RepoProofError
from ..core.paths import cache_root, state_root
from .base import Limits, Sandbox, View
from .cgroup import mechanism

_VERSION_NEEDED = (0, 7)
"""bubblewrap's first release that can limit the size of a tmpfs."""


class Finding(Frozen):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    """What was found."""
    mend: str = ""
    """What to do about it; empty if it is ok."""
    needed: bool = False
    """Whether nothing can be scored without it."""


def probe() -> list[Finding]:
    """Look at everything. Each probe tries the real thing, as far as there is one."""
    sandboxes = [bubblewrap(), docker()]
    usable = [finding.name for finding in sandboxes if finding.ok]
    verdict = Finding(
        name="a sandbox",
        ok=bool(usable),
        detail=f"{usable[0]} will be used" if usable else "none works: nothing can be run",
        mend="" if usable else "mend one of bubblewrap or docker",
        needed=True,
    )
    # A profile of its own lets bwrap make namespaces where others may not: they only matter when it does not work.
    causes = [] if sandboxes[0].ok else [user_namespaces()]
    return [verdict, *sandboxes, *causes, limits(), cache()]


def bubblewrap() -> Finding:
    """Whether the bubblewrap sandbox runs a program."""
    if sys.platform != "linux":
        return _missing(
            "bubblewrap", f"needs Linux, this is {platform.system()}", "use Docker Desktop: --sandbox docker"
        )
    program = shutil.which("bwrap")
    if program is None:
        return _missing("bubblewrap", "bwrap is not installed", "apt-get install bubblewrap, or dnf install bubblewrap")
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()
    version = said[-1] if said else "unknown"
    if said and tuple(map(int, version.split(".")[:2])) < _VERSION_NEEDED:
        needed = ".".join(map(str, _VERSION_NEEDED))
        return _missing("bubblewrap", f"{program} is version {version}", f"install version {needed} or newer")

    def opened() -> Sandbox:
        from .bubblewrap import BubblewrapSandbox

        return BubblewrapSandbox(program)

    return _runs_true("bubblewrap", f"{program} {version}", opened, _mend_namespaces())


def docker() -> Finding:
    """Whether a Docker-compatible engine answers and runs a program."""

    def opened() -> Sandbox:
        from .docker import DockerSandbox

        return DockerSandbox()

    mend = "start Docker, or `systemctl --user start podman.socket`, or set DOCKER_HOST=unix:///path/of/the.sock"
    return _runs_true("docker", "engine", opened, mend)


def user_namespaces() -> Finding:
    """Whether ordinary users may make namespaces; bubblewrap needs it."""
    name = "user namespaces"
    if sys.platform != "linux":
        return _missing(name, "not on this system", "use Docker Desktop: --sandbox docker")
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    try:
        tried = subprocess.run([*as_nobody, "unshare", "--user", "true"], capture_output=True, text=True)
    except FileNotFoundError as error:
        return _missing(name, f"{error.filename} is not installed", "apt-get install util-linux")
    if tried.returncode == 0 and not _apparmor_restricts():
        return Finding(name=name, ok=True, detail="ordinary users may make them")
    return _missing(name, tried.stderr.strip() or "AppArmor takes away their privileges", _mend_namespaces())


def limits() -> Finding:
    """What holds the limits of memory, processes and CPU time."""
    if sys.platform != "linux":
        return Finding(name="limits", ok=True, detail="the Docker engine's")
    found = mechanism()
    if found != "rlimits":
        return Finding(name="limits", ok=True, detail=found)
    return _missing(
        "limits",
        "no writable control group: limits are approximate, and running out of memory is seen by watching only",
        "run under `systemd-run --user --scope -p Delegate=yes`, or as root",
    )


def cache() -> Finding:
    """Where environments are kept."""
    try:
        state_root()
        return Finding(name="cache", ok=True, detail=str(cache_root()))
    except BadInput as error:
        return Finding(name="cache", ok=False, detail=str(error), mend=error.mend or "", needed=True)


def _missing(name: str, detail: str, mend: str) -> Finding:
    return Finding(name=name, ok=False, detail=detail, mend=mend)


def _runs_true(name: str, what: str, opened: Callable[[], Sandbox], mend: str) -> Finding:
    try:
        box = opened()
        result = box.run(["true"], view=View(), limits=Limits(wall_seconds=60))
    except RepoProofError as error:
        # Where the user's own settings are at fault, the error knows the mend.
        return _missing(name, str(error), (isinstance(error, BadInput) and error.mend) or mend)
    if not result.ok:
        return _missing(name, f"{what}: `true` ended as {result.cause}", mend)
    return Finding(name=name, ok=True, detail=f"{what}, limits by {box.fingerprint()['limits']}")


def _apparmor_restricts() -> bool:
    try:
        return Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").read_text().strip() == "1"
    except OSError:
        return False


def _mend_namespaces() -> str:
    """How to get user namespaces here."""
    if _apparmor_restricts():
        return (
            "this system's AppArmor restricts user namespaces (Ubuntu 23.10 and newer): as root, install the profile "
            "bwrap-userns-restrict of the package apparmor-profiles, or `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
        )
    if Path("/.dockerenv").exists():
        return "inside Docker: run it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
    return "as root: `sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1`"
