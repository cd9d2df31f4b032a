"""Where Java trees are built, whatever builds them: once through our mirror to learn what a build asks for, once with no mirror at all."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import date
from importlib.resources import as_file, files
from pathlib import Path
from typing import Protocol

from ..core.base import GiB
from ..core.errors import Boundary, InfrastructureError
from ..core.outcomes import Cause
from ..core.verdict import PhaseName
from ..sandbox.base import ExecResult, Limits, Mount, ReadOnly, Sandbox, Scratch, View
from .base import Log, PhaseLimits, TimeLeft
from .fault import CandidateFault, failure, refused_before, remember
from .java_runtime import Jdk
from .maven_mirror import METADATA, Mirror, listening
from .maven_settings import Repository
from .phases import Record
from .reading import tree_hash
from .store import Slot, Store

LIMITS = PhaseLimits(install=300.0, build=300.0, start=20.0, test=600.0)

BUILD_LIMITS = Limits(cpus=2.0, memory_bytes=3 * GiB, disk_bytes=2 * GiB, pids=512)

LAYOUT = "2"
"""Raised when environments are made differently: makes old ones be built anew."""

HOME = "/tmp/.m2"
"""Where every Maven looks for its settings and artefacts, those that a start script calls included."""

MIRROR_PORT = 8099
MIRROR_ID = "repoproof"

CLASS_PATH = "target/repoproof.classpath"
"""In each module of a built tree: the class path of its dependencies."""

BUILD_OPTIONS = "-XX:MaxRAM=3g -XX:ActiveProcessorCount=2 -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""The sandbox shows a JVM the whole machine: what it may use of it is said here. A build is over before the second compiler pays."""

SERVICE_OPTIONS = "-XX:MaxRAM=1g -XX:MaxRAMPercentage=50 -XX:ActiveProcessorCount=1 -XX:TieredStopAtLevel=1"
"""What a JVM would find out by itself in a container of a service's limits; without it, it sizes itself by the whole machine. The second
compiler would take more than half of the processor time that a start may take (Spring Boot: 4.3 s with it, 1.8 s without)."""

_PYTHON = ("/usr/bin/python3", "-B", "-I", "-S")


class Builder(Protocol):
    """A build tool, as a workshop uses it."""

    @property
    def name(self) -> str:
        """What is said to have failed: `mvn package`."""
        ...

    @property
    def identity(self) -> Sequence[str]:
        """All of it that decides what comes out."""
        ...

    @property
    def mounts(self) -> Sequence[Mount]: ...

    def variables(self, jdk: Jdk) -> Mapping[str, str]: ...

    def home(self, *, offline: bool) -> Mapping[str, str]:
        """The files of `HOME` that make it ask our mirror, or what was kept of it."""
        ...

    def fetching(self, tree: Path) -> Sequence[str]:
        """The command that asks for all that building and starting the tree needs."""
        ...

    def building(self) -> Sequence[str]:
        """The command that builds a tree, offline."""
        ...

    def declarations(self, tree: Path) -> Sequence[str]:
        """All of the tree that says what a build asks for."""
        ...

    def words(self, result: ExecResult) -> str:
        """Why it failed, in its own words."""
        ...

    def is_unresolved(self, said: str) -> bool:
        """Whether that is for something that the repository does not have."""
        ...

    def is_incomplete(self, said: str) -> bool:
        """Whether that is for something that was not fetched."""
        ...


@dataclass
class Workshop:
    """Where one tree is built; each step is a phase of `record`."""

    store: Store
    jdk: Jdk
    builder: Builder
    repository: Repository
    box: Sandbox
    log: Log
    fresh: bool
    exclude_newer: date | None
    record: Record
    time: TimeLeft

    def build(self, tree: Path) -> tuple[Path, str, Path]:
        """The environment that the tree was built in, its key, and the tree as built. Raises `CandidateFault`."""
        environment, key = self.environment(tree)
        try:
            return environment, key, self.built(tree, environment, key)
        except _Incomplete:
            # Made for another tree with the same declarations, whose build asked for less.
            environment, key = self.environment(tree, more_than=environment)
            return environment, key, self.built(tree, environment, key)

    def environment(self, tree: Path, *, more_than: Path | None = None) -> tuple[Path, str]:
        """What building the tree needs from the network, from the store or made into it, and its key. `more_than` has not got it all."""
        with ExitStack() as held:
            fetching = held.enter_context(self.record.phase(PhaseName.FETCH, limit=LIMITS.fetch))
            before = self.exclude_newer.isoformat() if self.exclude_newer else ""
            key = self._hash(before, *self.builder.declarations(tree))
            slot = held.enter_context(self.store.slot("java", key))
            found = None if self.fresh or more_than else self.store.find("java", key)
            fetching.cached = found is not None
            if found is not None:
                if fault := refused_before(found):
                    raise fault
                return found, key
            mirror = Mirror(self.store, self.repository, seconds=LIMITS.fetch, exclude_newer=self.exclude_newer)
            with closing(mirror):
                fetching.result = self._fetch(tree, mirror, slot)
                if not fetching.result.ok:
                    fault = self._why(fetching.result, mirror)
                    if fault.phase is PhaseName.FETCH:
                        remember(fault, slot)
                    raise fault
                place = kept(mirror.served, slot.staging / "kept")
                if more_than is not None:
                    keep_too(more_than, place)
                _written(self.builder.home(offline=True), place)
                return slot.publish(place), key

    def _fetch(self, tree: Path, mirror: Mirror, slot: Slot) -> ExecResult:
        """The whole build, through the mirror: only a build knows what a build asks for. Nothing of it is kept."""
        home = slot.staging / "home"
        home.mkdir()
        _written(self.builder.home(offline=False), home)
        with (
            listening(mirror, slot.staging / "mirror") as socket,
            as_file(files("repoproof.toolchains") / "maven_relay.py") as relay,
        ):
            mounts = (
                ReadOnly(source=relay, target="/run/relay.py"),
                ReadOnly(source=socket.parent, target="/run/mirror"),
                Scratch(target=HOME, seed=home),
                Scratch(target="/app", seed=laid_out(tree, slot.staging / "seed")),
            )
            relayed = [*_PYTHON, "/run/relay.py", str(MIRROR_PORT), f"/run/mirror/{socket.name}"]
            seconds = LIMITS.fetch + self.time.at_most(LIMITS.build)
            result = self._run([*relayed, *self.builder.fetching(tree)], mounts, seconds)
        self.time.seconds -= max(0.0, result.usage.wall_seconds - mirror.seconds)
        self.log("fetch", result.stdout + result.stderr)
        return result

    def built(self, tree: Path, environment: Path, key: str) -> Path:
        """The tree after its build, offline, from the store or made into it."""
        with ExitStack() as held:
            building = held.enter_context(self.record.phase(PhaseName.BUILD, limit=LIMITS.build))
            slot = held.enter_context(self.store.slot("java-builds", self._hash(key, tree_hash(tree))))
            found = None if self.fresh else self.store.find("java-builds", slot.place.name)
            building.cached = found is not None
            if found is None:
                mounts = (
                    ReadOnly(source=environment, target=HOME),
                    Scratch(target="/app", seed=laid_out(tree, slot.staging / "seed"), keep=slot.staging / "built"),
                )
                result = self._run(self.builder.building(), mounts, self.time.at_most(LIMITS.build))
                building.result = result
                self.time.spend(result)
                self.log("build", result.stdout + result.stderr)
                if not result.ok:
                    said = self.builder.words(result)
                    fault = failure(PhaseName.BUILD, self.builder.name, result, said)
                    raise _Incomplete(fault.phase, fault.reason, result) if self.builder.is_incomplete(said) else fault
                found = slot.publish(slot.staging / "built")
        return found

    def _run(self, command: Sequence[str], mounts: Sequence[Mount], seconds: float) -> ExecResult:
        view = View(
            mounts=(*self.jdk.mounts, *self.builder.mounts, *mounts),
            environment={**self.builder.variables(self.jdk), "JDK_JAVA_OPTIONS": BUILD_OPTIONS},
            workdir="/app",
        )
        return self.box.run(command, view=view, limits=BUILD_LIMITS.model_copy(update={"wall_seconds": seconds}))

    def _why(self, result: ExecResult, mirror: Mirror) -> CandidateFault:
        """Why fetching came to nothing. Raises `InfrastructureError` if that is our failure."""
        if mirror.failures:
            raise InfrastructureError(f"the Maven repository: {mirror.failures[0]}", boundary=Boundary.TOOLCHAIN)
        if result.cause is Cause.TIMED_OUT and mirror.seconds >= LIMITS.fetch:
            problem = f"the artefacts took longer than {LIMITS.fetch:g} s to fetch"
            raise InfrastructureError(problem, boundary=Boundary.TOOLCHAIN)
        if mirror.excess:
            return CandidateFault(PhaseName.FETCH, mirror.excess)
        said = self.builder.words(result)
        if result.cause is Cause.EXITED and self.builder.is_unresolved(said):
            return CandidateFault(PhaseName.FETCH, said)
        return failure(PhaseName.BUILD, self.builder.name, result, said)

    def _hash(self, *parts: str) -> str:
        facts = (LAYOUT, self.jdk.version, self.jdk.platform, *self.builder.identity, *parts)
        return hashlib.sha256("\0".join(facts).encode()).hexdigest()


class _Incomplete(CandidateFault):
    """The build asks for something that its environment lacks."""


def java_variables(jdk: Jdk, *programs: str) -> dict[str, str]:
    """What Java programs find in their environment, with folders of other `programs` on the path."""
    return {
        "JAVA_HOME": jdk.home,
        "PATH": ":".join((*programs, f"{jdk.home}/bin", "/usr/local/bin", "/usr/bin", "/bin")),
    }


def hashes(tree: Path, paths: Iterable[Path]) -> list[str]:
    """What is said by the regular files among `paths`, each with its place in the tree."""
    regular = [path for path in sorted(paths) if path.is_file() and not path.is_symlink()]
    return [f"{path.relative_to(tree)}\n{hashlib.sha256(path.read_bytes()).hexdigest()}" for path in regular]


_LEFT_BY_BUILDS = {
    "pom.xml": {"target"},
    "build.gradle": {"build", ".gradle"},
    "build.gradle.kts": {"build", ".gradle"},
}
_WRAPPERS = {"mvnw": "mvn", "gradlew": "gradle"}


def laid_out(tree: Path, place: Path) -> Path:
    """A copy of the tree to build in: without what an earlier build left, and with our programs for the wrappers', which they would
    download."""
    left: dict[Path, set[str]] = {}
    for declaration, folders in _LEFT_BY_BUILDS.items():
        for path in tree.rglob(declaration):
            left.setdefault(path.parent, {*_WRAPPERS, ".git"}).update(folders)
    shutil.copytree(tree, place, symlinks=True, ignore=lambda folder, _: left.get(Path(folder), ()))
    for module in left:
        for name, program in _WRAPPERS.items():
            if (module / name).exists():
                wrapper = place / module.relative_to(tree) / name
                wrapper.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
                wrapper.chmod(0o755)
    return place


def kept(served: Mapping[str, Path], place: Path) -> Path:
    """What was served, as a Maven repository in the new directory `place`: local to a Maven, and one to ask for anything else."""
    _public(place)
    for path, file in served.items():
        _linked(file, place / "repository" / path, place)
        if path.endswith(METADATA):
            local = re.sub(rf"{METADATA}$", f"maven-metadata-{MIRROR_ID}.xml", path)
            _linked(file, place / "repository" / local, place)
    return place


def keep_too(environment: Path, place: Path) -> None:
    """What only `environment` has is in `place` too."""
    for file in (environment / "repository").rglob("*"):
        target = place / file.relative_to(environment)
        if file.is_file() and not target.exists():
            _linked(file, target, place)


def _linked(file: Path, target: Path, place: Path) -> None:
    for folder in reversed([parent for parent in target.parents if parent.is_relative_to(place)]):
        if not folder.exists():
            _public(folder)
    try:
        target.hardlink_to(file)  # both are ours and only ever bound read-only
    except OSError:
        shutil.copyfile(file, target)
        target.chmod(0o644)


def _written(contents: Mapping[str, str], place: Path) -> None:
    for name, content in contents.items():
        file = place / name
        if not file.parent.exists():
            _public(file.parent)
        file.write_text(content, encoding="utf-8")
        file.chmod(0o755 if content.startswith("#!") else 0o644)


def _public(place: Path) -> None:
    place.mkdir(mode=0o755)
    place.chmod(0o755)
