"""Packages that an index has only as source archives: built into wheels in the sandbox, offline, never outside it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ..core.base import GiB
from ..core.verdict import PhaseName
from ..sandbox.base import Limits, Mount, ReadOnly, Sandbox, Scratch, View
from .artifacts import fetched
from .base import Log, TimeLeft
from .fault import CandidateFault, failure
from .interpreters import UV, Interpreter, uv, uv_mount
from .python_environment import environment_mounts, environment_variables
from .python_lock import Locked
from .requirements import canonical
from .store import Store

BUILD_LIMITS = Limits(cpus=2.0, memory_bytes=2 * GiB, pids=512)

_BUILD = f"{UV} build --wheel --no-build-isolation --python /env/bin/python --out-dir /wheel /source/*"


def built(
    package: Locked,
    python: Interpreter,
    backends: Path,
    *,
    store: Store,
    box: Sandbox,
    log: Log,
    fetch_seconds: float,
    time: TimeLeft,
    seconds: float,
) -> Path:
    """The wheel of a source archive. `backends` is an environment with the common build backends.

    Raises `CandidateFault` if it does not build, or builds something else than its name and version.
    """
    assert package.source is not None
    key = hashlib.sha256(f"{package.source.sha256} {python.version} {python.platform}".encode()).hexdigest()
    if (known := store.find("built-wheels", key)) is not None:
        return next(known.glob("*.whl"))
    (archive,) = fetched([package.source], store, seconds=fetch_seconds)
    what = f"building {package.name} {package.version} from source"
    with store.slot("built-wheels", key) as slot:
        if (known := store.find("built-wheels", key)) is not None:
            return next(known.glob("*.whl"))
        mounts: tuple[Mount, ...] = (
            *environment_mounts(backends, python),
            uv_mount(store, uv()),
            ReadOnly(source=archive.parent, target="/source"),
            Scratch(target="/wheel", keep=slot.staging / "wheel"),
        )
        settings = {
            "UV_OFFLINE": "1",
            "UV_NO_CONFIG": "1",
            "UV_NO_PROGRESS": "1",
            "UV_CACHE_DIR": "/tmp/uv",
            "UV_NO_BUILD_ISOLATION": "1",
        }
        view = View(mounts=mounts, environment={**environment_variables(python), **settings})
        limits = BUILD_LIMITS.model_copy(update={"wall_seconds": time.at_most(seconds)})
        result = box.run(("sh", "-ec", _BUILD), view=view, limits=limits)
        time.spend(result)
        log(f"build-{package.name}", result.stdout + result.stderr)
        if not result.ok:
            raise failure(PhaseName.INSTALL, what, result)
        wheel = _only_wheel(slot.staging / "wheel", package, what)
        # Alone: whatever else the build left there is not to be found beside it.
        alone = slot.staging / "alone"
        alone.mkdir(mode=0o755)
        alone.chmod(0o755)
        wheel.chmod(0o644)
        wheel.rename(alone / wheel.name)
        return slot.publish(alone) / wheel.name


def _only_wheel(place: Path, package: Locked, what: str) -> Path:
    """What was built is the work of untrusted code: it must not pass for another package."""
    wheels = [path for path in place.glob("*.whl") if path.is_file() and not path.is_symlink()]
    for wheel in wheels:
        parts = wheel.name.split("-")
        if canonical(parts[0]) == package.name and _same_version(parts[1], package.version):
            return wheel
    raise CandidateFault(PhaseName.INSTALL, f"{what} gave {', '.join(wheel.name for wheel in wheels) or 'no wheel'}")


def _same_version(one: str, other: str) -> bool:
    return (
        re.sub(r"[-_]", ".", one.lower()).strip("v") == re.sub(r"[-_+]", ".", other.lower()).strip("v") or one == other
    )
