"""Node: packages resolved and fetched by our npm, installed in the sandbox, built there if starting needs it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ..core.base import GiB
from ..core.verdict import PhaseName
from ..sandbox.base import ExecResult, Limits, Mount, ReadOnly, Sandbox, Scratch, View
from .base import Log, PhaseLimits, Prepared, StartCommand, TimeLeft
from .fault import CandidateFault, failure, refused_before, remember
from .interpreters import Node, node
from .node_start import build_script, needs_development, start_command
from .npm_client import MOST_BYTES, QUIET, download, locked, npm_problem, registries
from .npm_manifest import Manifest, manifest
from .phases import Record
from .reading import tree_hash
from .start import can_be_run
from .store import Slot, Store, allocated

LIMITS = PhaseLimits(install=300.0, build=300.0)

INSTALL_LIMITS = Limits(cpus=2.0, memory_bytes=4 * GiB, disk_bytes=3 * GiB, pids=512)
"""Its disk holds the largest download, or the largest `node_modules` with the largest tree beside it."""

MODULES = "/app/node_modules"

_START_VARIABLES = {"npm_config_dry_run": "true", "npm_config_audit": "false", "npm_config_fund": "false"}
"""A start script that begins with `npm install` finds all of it there; without this, npm would fail to rewrite what is read-only."""

LAYOUT = "2"
"""Raised when environments are made differently: makes old ones be built anew."""


class NodeToolchain:
    """`Toolchain` of Node. Development dependencies are installed only where starting or building uses their tools."""

    language = "node"
    limits = LIMITS

    def prepare(
        self,
        tree: Path,
        *,
        box: Sandbox,
        cache: Path,
        log: Log,
        fresh: bool = False,
        exclude_newer: date | None = None,
        time: TimeLeft | None = None,
    ) -> Prepared:
        store = Store(cache)
        runtime = node(store)
        record = Record()
        work = _Preparation(store, runtime, box, log, fresh, exclude_newer, record, time or TimeLeft(LIMITS.task))
        versions = {"node": runtime.version, "npm": runtime.npm_version}
        try:
            modules, key = work.modules(tree)
            built = work.built(tree, build_script(tree), modules, key)
        except CandidateFault:
            return Prepared(ok=False, phases=tuple(record.phases), versions=versions)
        bound: tuple[Mount, ...] = (ReadOnly(source=modules, target=MODULES),) if modules else ()
        return Prepared(
            ok=True,
            phases=tuple(record.phases),
            mounts=(*runtime.mounts, *bound),
            environment={**_variables(runtime), **_START_VARIABLES},
            versions={**versions, **({"environment": key} if key else {})},
            tree=built,
        )

    def start_command(self, tree: Path, *, port: int, framework: str = "") -> StartCommand | None:
        return start_command(tree, port=port, framework=framework)


@dataclass
class _Preparation:
    """One tree on its way; each step is a phase of `record`."""

    store: Store
    runtime: Node
    box: Sandbox
    log: Log
    fresh: bool
    exclude_newer: date | None
    record: Record
    time: TimeLeft

    def modules(self, tree: Path) -> tuple[Path | None, str]:
        """The installed node_modules, from the store or made into it, and their key; None where nothing is declared."""
        with ExitStack() as held:
            with self.record.phase(PhaseName.FETCH, limit=LIMITS.fetch) as fetching:
                wanted = manifest(tree, development=needs_development(tree))
                fetching.notes = wanted.notes
                fetching.cached = True
                if not wanted.source:
                    return None, ""
                lock, fetching.cached = self._lock(wanted)
                key = self._hash(LAYOUT, wanted.package, lock)
                slot = held.enter_context(self.store.slot("node", key))
                found = None if self.fresh else self.store.find("node", key)
                addresses: dict[str, str] = {}
                if found is None:
                    fetching.cached = False
                    addresses = registries(self.runtime)
                    cache = slot.staging / "npm"
                    download(wanted.package, lock, self.runtime, cache=cache, seconds=LIMITS.fetch, log=self.log)
            with self.record.phase(PhaseName.INSTALL, limit=LIMITS.install) as installing:
                installing.cached = found is not None
                if found is None:
                    found, installing.result = self._install(wanted, lock, addresses, slot)
            return found, key

    def _lock(self, wanted: Manifest) -> tuple[str, bool]:
        """The complete lock of what is declared, and whether it was known."""
        before = self.exclude_newer.isoformat() if self.exclude_newer else ""
        with self.store.slot("node-locks", key := self._hash(wanted.package, wanted.lock, before)) as slot:
            known = None if self.fresh else self.store.find("node-locks", key)
            if known is not None:
                if fault := refused_before(known):
                    raise fault
                return (known / "package-lock.json").read_text(encoding="utf-8"), True
            cache = slot.staging / "npm"
            try:
                lock = locked(
                    wanted.package,
                    wanted.lock,
                    self.runtime,
                    cache=cache,
                    seconds=LIMITS.fetch,
                    log=self.log,
                    exclude_newer=self.exclude_newer,
                )
            except CandidateFault as fault:
                remember(fault, slot)
                raise
            (slot.staging / "lock").mkdir()
            (slot.staging / "lock/package-lock.json").write_text(lock, encoding="utf-8")
            slot.publish(slot.staging / "lock")
            return lock, False

    def _install(self, wanted: Manifest, lock: str, addresses: dict[str, str], slot: Slot) -> tuple[Path, ExecResult]:
        seed = slot.staging / "seed"
        seed.mkdir()
        (seed / "package.json").write_text(wanted.package, encoding="utf-8")
        (seed / "package-lock.json").write_text(lock, encoding="utf-8")
        npm = " ".join(self.runtime.npm)
        quiet = " ".join(QUIET)
        (seed / ".npmrc").write_text(
            "".join(f"{name}={address}\n" for name, address in addresses.items()), encoding="utf-8"
        )
        commands = [f"{npm} ci --offline --cache /npm {quiet}"]
        if any(entry.get("hasInstallScript") for entry in json.loads(lock)["packages"].values()):
            commands.append(
                f"{npm} rebuild --offline --cache /npm --foreground-scripts --no-audit --no-fund --loglevel=error"
            )
        view = View(
            mounts=(
                *self.runtime.mounts,
                Scratch(target="/npm", seed=slot.staging / "npm"),
                Scratch(target="/app", seed=seed, keep=slot.staging / "work"),
            ),
            environment=_variables(self.runtime) | {"npm_config_ignore_scripts": "false"},
            workdir="/app",
        )
        limits = INSTALL_LIMITS.model_copy(update={"wall_seconds": self.time.at_most(LIMITS.install)})
        result = self.box.run(("sh", "-ec", "\n".join(commands)), view=view, limits=limits)
        self.time.spend(result)
        self.log("install", result.stdout + result.stderr)
        if not result.ok:
            _, words = npm_problem(result.stderr.decode(errors="replace"))
            raise failure(PhaseName.INSTALL, "installing the dependencies", result, words)
        modules = slot.staging / "work/node_modules"
        if modules.is_symlink() or (modules.exists() and not modules.is_dir()):
            # Bound from here, a link would show the service whatever it leads to on this machine.
            reason = "an install script put something else in the place of node_modules"
            raise CandidateFault(PhaseName.INSTALL, reason, result)
        modules.mkdir(exist_ok=True)
        if (size := allocated(modules)) > MOST_BYTES:
            reason = f"the dependencies come to {size / GiB:.1f} GiB, more than {MOST_BYTES / GiB:.0f} GiB"
            raise CandidateFault(PhaseName.INSTALL, reason, result)
        return slot.publish(modules), result

    def built(self, tree: Path, script: str, modules: Path | None, environment: str) -> Path | None:
        """The tree after its build script, or None where starting needs no build."""
        if not script:
            return None
        with ExitStack() as held:
            building = held.enter_context(self.record.phase(PhaseName.BUILD, limit=LIMITS.build))
            if not can_be_run(script):
                raise CandidateFault(PhaseName.BUILD, "the build script is too long, or not text")
            key = self._hash(script, environment, tree_hash(tree))
            slot = held.enter_context(self.store.slot("node-builds", key))
            found = None if self.fresh else self.store.find("node-builds", key)
            building.cached = found is not None
            if found is None:
                found, building.result = self._build(tree, script, modules, slot)
        return found

    def _build(self, tree: Path, script: str, modules: Path | None, slot: Slot) -> tuple[Path, ExecResult]:
        seed = slot.staging / "seed"
        shutil.copytree(
            tree,
            seed,
            symlinks=True,
            ignore=lambda place, _: ["node_modules"] if modules and Path(place) == tree else [],
        )
        if modules:
            # Build tools write beside what they use (`node_modules/.cache`): they get a copy, made by the sandbox from these links.
            shutil.copytree(modules, seed / "node_modules", symlinks=True, copy_function=os.link)
        view = View(
            mounts=(*self.runtime.mounts, Scratch(target="/app", seed=seed, keep=slot.staging / "built")),
            environment=_variables(self.runtime),
            workdir="/app",
        )
        limits = INSTALL_LIMITS.model_copy(update={"wall_seconds": self.time.at_most(LIMITS.build)})
        result = self.box.run(("sh", "-ec", script), view=view, limits=limits)
        self.time.spend(result)
        self.log("build", result.stdout + result.stderr)
        if not result.ok:
            raise failure(PhaseName.BUILD, "the build script", result)
        if modules:
            shutil.rmtree(slot.staging / "built/node_modules", ignore_errors=True)
        return slot.publish(slot.staging / "built"), result

    def _hash(self, *parts: str) -> str:
        facts = (self.runtime.version, self.runtime.npm_version, self.runtime.platform, self.runtime.executable, *parts)
        return hashlib.sha256("\0".join(facts).encode()).hexdigest()


def _variables(runtime: Node) -> dict[str, str]:
    return {
        "PATH": f"{MODULES}/.bin:{Path(runtime.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "npm_config_offline": "true",
        "npm_config_update_notifier": "false",
        **({"npm_config_nodedir": runtime.headers} if runtime.headers else {}),
    }
