"""Installed Python environments: made in a sandbox, offline, out of verified wheels; kept by the content of their lock."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from ..core.base import GiB
from ..core.verdict import PhaseName
from ..sandbox.base import ExecResult, Limits, Mount, ReadOnly, Sandbox, Scratch, View
from .artifacts import fetched, wheelhouse
from .base import Log, TimeLeft
from .fault import failure
from .interpreters import UV, Interpreter, uv, uv_mount
from .python_lock import Lock
from .store import Slot, Store

ENV = "/env"
"""Where an environment is, when it is made and ever after: its scripts name that path."""

LENT = f"{ENV}/lib/repoproof"
"""What start scripts find beside the environment: on PYTHONPATH its packages for virtual environments that they make themselves, on
PATH something that stands for the tools in `STOOD_FOR`. See `lent/`."""

STOOD_FOR = ("poetry", "uv", "pipenv", "pdm")

LAYOUT = "3"
"""Raised when environments are made differently: makes old ones be built anew."""

INSTALL_LIMITS = Limits(cpus=2.0, memory_bytes=4 * GiB, disk_bytes=2 * GiB, pids=512)

_INSTALL = f"""
{UV} venv --allow-existing --python "$1" {ENV}
if [ -s /lock/requirements.txt ]; then
    {UV} pip install --python {ENV}/bin/python --no-deps --require-hashes --no-index --find-links /wheels --no-build \\
        --compile-bytecode -r /lock/requirements.txt
fi
rm -rf {ENV}/.cache
cp -r /lock/lent {LENT}
chmod 755 {LENT} {LENT}/project-tool
for tool in {" ".join(STOOD_FOR)}; do ln -s project-tool {LENT}/$tool; done
"""

# The unpacked cache lies on the environment's own file system and is gone with it, so links to it are safe, and halve the space.
_UV_SETTINGS = {
    "UV_OFFLINE": "1",
    "UV_NO_CONFIG": "1",
    "UV_NO_PROGRESS": "1",
    "UV_PYTHON_DOWNLOADS": "never",
    "UV_CACHE_DIR": f"{ENV}/.cache",
    "UV_LINK_MODE": "hardlink",
}


def environment_key(lock: Lock, python: Interpreter) -> str:
    """Hash of everything that decides what an environment contains."""
    facts = (LAYOUT, python.version, python.platform, python.executable, lock.requirements)
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()


def install(
    lock: Lock, python: Interpreter, *, slot: Slot, store: Store, box: Sandbox, log: Log, time: TimeLeft, seconds: float
) -> tuple[Path, ExecResult]:
    """Make the environment of `lock` and publish it in `slot`. Raises `CandidateFault` if its packages do not install."""
    wheels = wheelhouse(fetched(lock.wheels, store, seconds=seconds), slot.staging / "wheels")
    locked = slot.staging / "lock"
    locked.mkdir()
    (locked / "requirements.txt").write_text(lock.requirements)
    with as_file(files("repoproof.toolchains") / "lent") as lent:
        shutil.copytree(
            lent, locked / "lent", ignore=shutil.ignore_patterns("__pycache__"), copy_function=shutil.copyfile
        )
    for place in (locked, *locked.rglob("*")):
        place.chmod(0o755 if place.is_dir() else 0o644)
    view = View(
        mounts=(
            *python.mounts,
            uv_mount(store, uv()),
            ReadOnly(source=wheels, target="/wheels"),
            ReadOnly(source=locked, target="/lock"),
            Scratch(target=ENV, keep=slot.staging / "env"),
        ),
        environment={**python.environment, **_UV_SETTINGS},
    )
    limits = INSTALL_LIMITS.model_copy(update={"wall_seconds": time.at_most(seconds)})
    result = box.run(("sh", "-ec", _INSTALL, "install", python.executable), view=view, limits=limits)
    time.spend(result)
    log("install", result.stdout + result.stderr)
    if not result.ok:
        raise failure(PhaseName.INSTALL, "installing the dependencies", result)
    return slot.publish(slot.staging / "env"), result


def environment_variables(python: Interpreter, extra_paths: Sequence[str] = ()) -> dict[str, str]:
    """What a program in the environment needs."""
    variables = {
        "PATH": f"{ENV}/bin:/usr/local/bin:/usr/bin:/bin:{LENT}",
        "VIRTUAL_ENV": ENV,
        "PYTHONUNBUFFERED": "1",
        # A start script that installs what is there already finds it; one that wants more fails at once, not after retries.
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    if extra_paths:
        variables["PYTHONPATH"] = ":".join(extra_paths)
    return {**python.environment, **variables}


def environment_mounts(env: Path, python: Interpreter) -> tuple[Mount, ...]:
    return (*python.mounts, ReadOnly(source=env, target=ENV))
