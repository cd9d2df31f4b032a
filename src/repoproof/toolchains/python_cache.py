"""Locks and environments of Python, each made once: what was resolved or installed before needs no network and no work."""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from ..core.base import GiB
from ..core.errors import Boundary, InfrastructureError
from ..core.verdict import PhaseName
from ..sandbox.base import ReadOnly, Sandbox
from .artifacts import fetched, wheelhouse
from .base import Log, PhaseLimits, Prepared, TimeLeft
from .fault import CandidateFault, refused_before, remember
from .interpreters import Interpreter, uv, uv_version
from .phases import Record
from .python_environment import ENV, environment_key, environment_mounts, environment_variables, install
from .python_lock import Lock, Locked, NeedsSource, resolve
from .python_sources import built
from .requirements import Declared, canonical, plain_requirements
from .store import Store

LIMITS = PhaseLimits(install=120.0, build=120.0)

MOST_SOURCES = 12
"""Packages without a wheel that one set of requirements may need."""

MOST_BYTES = 2 * GiB
"""Of wheels to download for one submission."""


@dataclass
class Environments:
    """Environments for one interpreter, taken from the store or made into it."""

    store: Store
    python: Interpreter
    box: Sandbox
    log: Log
    fresh: bool = False
    """Resolve and install anew, whatever is there."""
    exclude_newer: date | None = None
    time: TimeLeft = field(default_factory=lambda: TimeLeft(LIMITS.task))

    def prepared(self, wanted: Declared, record: Record) -> Prepared:
        """Fetch and install. Raises `CandidateFault`, which `record` then has as its last phase."""
        with record.phase(PhaseName.FETCH, limit=LIMITS.fetch) as fetching:
            fetching.notes = wanted.notes
            lock, fetching.cached = self._lock(wanted)
            key = environment_key(lock, self.python)
            found = None if self.fresh else self.store.find("python", key)
            if found is None:
                _check_size(lock)
                fetched(lock.wheels, self.store, seconds=LIMITS.fetch)
        with record.phase(PhaseName.INSTALL, limit=LIMITS.install) as installing:
            if found is None:
                with self.store.slot("python", key) as slot:
                    found = None if self.fresh else self.store.find("python", key)
                    if found is None:
                        found, installing.result = install(
                            lock,
                            self.python,
                            slot=slot,
                            store=self.store,
                            box=self.box,
                            log=self.log,
                            time=self.time,
                            seconds=LIMITS.install,
                        )
            installing.cached = installing.result is None
        return Prepared(
            ok=True,
            phases=tuple(record.phases),
            mounts=environment_mounts(found, self.python),
            environment=environment_variables(self.python),
            versions={"python": self.python.version, "uv": uv_version(uv()), "environment": key},
        )

    def _lock(self, wanted: Declared) -> tuple[Lock, bool]:
        """The lock of these declarations, and whether it was known."""
        if not wanted.requirements:
            return Lock(), True
        key = self._declared_key(wanted)
        with self.store.slot("python-locks", key) as slot:
            place = None if self.fresh else self.store.find("python-locks", key)
            if place is not None:
                if fault := refused_before(place):
                    raise fault
                lock = Lock.model_validate_json((place / "lock.json").read_bytes())
                # Wheels that were built here can be had from nowhere else: without them in the store, the lock is worth nothing.
                if all(self.store.find("artifacts", wheel.sha256) for wheel in lock.wheels if wheel.is_local):
                    return lock, True
            try:
                lock = self._resolved(wanted)
            except CandidateFault as fault:
                remember(fault, slot)
                raise
            place = slot.staging / "lock"
            place.mkdir()
            (place / "lock.json").write_text(lock.model_dump_json(indent=1))
            slot.publish(place)
            return lock, False

    def _declared_key(self, wanted: Declared) -> str:
        facts = {
            "requirements": wanted.requirements,
            "constraints": wanted.constraints,
            "hashes": {name: sorted(digests) for name, digests in wanted.hashes.items()},
            "prereleases": wanted.prereleases,
            "python": (self.python.version, self.python.platform),
            "exclude_newer": self.exclude_newer.isoformat() if self.exclude_newer else None,
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def _resolved(self, wanted: Declared) -> Lock:
        """Resolve with wheels only; where that has no solution, build the source archives in question and resolve again."""
        from_source: list[str] = []
        wheels: list[Path] = []
        with tempfile.TemporaryDirectory(prefix="repoproof-built-") as scratch:
            while True:
                ready = {canonical(wheel.name.split("-")[0]) for wheel in wheels}
                try:
                    lock = resolve(
                        wanted,
                        self.python,
                        seconds=LIMITS.fetch,
                        log=self.log,
                        exclude_newer=self.exclude_newer,
                        from_source=[name for name in from_source if name not in ready],
                        built=wheelhouse(wheels, Path(tempfile.mkdtemp(dir=scratch)) / "wheels") if wheels else None,
                    )
                except NeedsSource as needs:
                    untried = [name for name in needs.names if name not in from_source]
                    if not untried or len(from_source) == MOST_SOURCES:
                        raise needs.fault from None
                    # uv names packages in the order it met them: the last is the deepest dependency, so what most likely lacks.
                    from_source.append(untried[-1])
                    continue
                missing = [package for package in lock.packages if not package.wheels]
                if not missing:
                    fetched((wheel for wheel in lock.wheels if wheel.is_local), self.store, seconds=LIMITS.fetch)
                    return lock
                wheels += [self._built(package) for package in missing]

    def _built(self, package: Locked) -> Path:
        return built(
            package,
            self.python,
            self._backends,
            store=self.store,
            box=self.box,
            log=self.log,
            fetch_seconds=LIMITS.fetch,
            time=self.time,
            seconds=LIMITS.install,
        )

    @cached_property
    def _backends(self) -> Path:
        try:
            trusted = trusted_environment(
                bundled("backend-requirements.txt"), self.python, store=self.store, box=self.box, log=self.log
            )
        except CandidateFault as fault:
            problem = f"the environment that builds source archives could not be made: {fault.reason}"
            raise InfrastructureError(problem, boundary=Boundary.TOOLCHAIN) from fault
        return next(mount.source for mount in trusted.mounts if isinstance(mount, ReadOnly) and mount.target == ENV)


def trusted_environment(requirements: str, python: Interpreter, *, store: Store, box: Sandbox, log: Log) -> Prepared:
    """An environment of packages that no candidate chose, made like a candidate's. What is wrong with them is a `CandidateFault` here
    too: the caller knows whose they are."""
    environments = Environments(store, python, box, lambda name, content: log(f"runner-{name}", content))
    return environments.prepared(plain_requirements(requirements), Record())


def _check_size(lock: Lock) -> None:
    size = sum(wheel.size_bytes or 0 for wheel in lock.wheels)
    if size > MOST_BYTES:
        reason = f"the dependencies come to {size / GiB:.1f} GiB, more than {MOST_BYTES / GiB:.0f} GiB"
        raise CandidateFault(PhaseName.FETCH, reason)


def bundled(name: str) -> str:
    """A requirement file that comes with the package."""
    return files("repoproof.toolchains").joinpath(name).read_text(encoding="utf-8")
