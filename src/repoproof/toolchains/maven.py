"""Maven: artefacts fetched by a sandboxed Maven through our mirror, the tree built by a second one with no mirror at all."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from datetime import date
from importlib.resources import as_file, files
from pathlib import Path

from ..core.base import GiB
from ..core.errors import Boundary, InfrastructureError
from ..core.outcomes import Cause
from ..core.verdict import PhaseName
from ..sandbox.base import ExecResult, Limits, Mount, ReadOnly, Sandbox, Scratch, View
from .base import Log, PhaseLimits, TimeLeft
from .fault import CandidateFault, Refused, failure, refused_before, remember
from .java_runtime import Jdk
from .maven_mirror import METADATA, Mirror, listening
from .maven_program import Maven
from .maven_settings import Repository
from .phases import Record
from .reading import text, tree_hash
from .store import Slot, Store

LIMITS = PhaseLimits(install=300.0, build=300.0, start=20.0, test=600.0)

BUILD_LIMITS = Limits(cpus=2.0, memory_bytes=3 * GiB, disk_bytes=2 * GiB, pids=512)

LAYOUT = "1"
"""Raised when environments are made differently: makes old ones be built anew."""

HOME = "/tmp/.m2"
"""Where every Maven looks for its settings and artefacts, those that a start script calls included."""

CLASS_PATH = "target/repoproof.classpath"
"""In each module of a built tree: the class path of its dependencies at run time."""

_ID = "repoproof"
_PORT = 8099
_PYTHON = ("/usr/bin/python3", "-B", "-I", "-S")
_CLASS_PATH_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
_QUIET = ("--batch-mode", "--no-transfer-progress", "-Dmaven.test.skip=true", "-Dmaven.install.skip=true")
"""Tests are not even compiled: a candidate's own are no part of deploying it. Nothing is installed: where to is read-only."""
_BUILD = (*_QUIET, "package", _CLASS_PATH_GOAL, "-DincludeScope=runtime", f"-Dmdep.outputFile={CLASS_PATH}")
_AT_START = ("clean", "install:help")
"""Goals that start scripts use, beside those of the build: what they need is fetched with the rest."""

_UNRESOLVED = re.compile(
    r"Could not (?:find|transfer|resolve|collect)|Non-resolvable|could not be resolved|was not found in|Error resolving version"
    r"|Failed to read artifact descriptor|No versions available|Unresolveable build extension|No plugin found for prefix"
)


@dataclass
class Workshop:
    """Where one tree is built; each step is a phase of `record`."""

    store: Store
    jdk: Jdk
    maven: Maven
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
            # Made for another tree with the same project model, whose build asked for less.
            environment, key = self.environment(tree, more_than=environment)
            return environment, key, self.built(tree, environment, key)

    def environment(self, tree: Path, *, more_than: Path | None = None) -> tuple[Path, str]:
        """What building the tree needs from the network, from the store or made into it, and its key. `more_than` has not got it all."""
        with ExitStack() as held:
            fetching = held.enter_context(self.record.phase(PhaseName.FETCH, limit=LIMITS.fetch))
            before = self.exclude_newer.isoformat() if self.exclude_newer else ""
            key = self._hash(LAYOUT, before, *started_plugins(tree), *declarations(tree))
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
                    fault = why(fetching.result, mirror)
                    if fault.phase is PhaseName.FETCH:
                        remember(fault, slot)
                    raise fault
                place = kept(mirror.served, slot.staging / "kept")
                if more_than is not None:
                    keep_too(more_than, place)
                return slot.publish(place), key

    def _fetch(self, tree: Path, mirror: Mirror, slot: Slot) -> ExecResult:
        """The whole build, through the mirror: only a build knows what a build asks for. Nothing of it is kept."""
        home = slot.staging / "home"
        home.mkdir()
        (home / "settings.xml").write_text(settings(offline=False))
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
            relayed = [*_PYTHON, "/run/relay.py", str(_PORT), f"/run/mirror/{socket.name}"]
            command = [*relayed, self.maven.executable, *_AT_START, *started_plugins(tree), *_BUILD]
            seconds = LIMITS.fetch + self.time.at_most(LIMITS.build)
            result = self._run(command, mounts, seconds)
        self.time.seconds -= max(0.0, result.usage.wall_seconds - mirror.seconds)
        self.log("fetch", result.stdout + result.stderr)
        return result

    def built(self, tree: Path, environment: Path, key: str) -> Path:
        """The tree after `mvn package`, offline, from the store or made into it."""
        with ExitStack() as held:
            building = held.enter_context(self.record.phase(PhaseName.BUILD, limit=LIMITS.build))
            slot = held.enter_context(self.store.slot("java-builds", self._hash(LAYOUT, key, tree_hash(tree))))
            found = None if self.fresh else self.store.find("java-builds", slot.place.name)
            building.cached = found is not None
            if found is None:
                mounts = (
                    ReadOnly(source=environment, target=HOME),
                    Scratch(target="/app", seed=laid_out(tree, slot.staging / "seed"), keep=slot.staging / "built"),
                )
                command = [self.maven.executable, "--offline", *_BUILD]
                building.result = self._run(command, mounts, self.time.at_most(LIMITS.build))
                self.time.spend(building.result)
                self.log("build", building.result.stdout + building.result.stderr)
                if not building.result.ok:
                    said = words(building.result)
                    kind = _Incomplete if "offline mode" in said else CandidateFault
                    fault = failure(PhaseName.BUILD, "mvn package", building.result, said)
                    raise kind(fault.phase, fault.reason, fault.result)
                found = slot.publish(slot.staging / "built")
        return found

    def _run(self, command: Sequence[str], mounts: Sequence[Mount], seconds: float) -> ExecResult:
        view = View(
            mounts=(*self.jdk.mounts, *self.maven.mounts, *mounts),
            environment={**variables(self.jdk, self.maven), "JDK_JAVA_OPTIONS": BUILD_OPTIONS},
            workdir="/app",
        )
        return self.box.run(command, view=view, limits=BUILD_LIMITS.model_copy(update={"wall_seconds": seconds}))

    def _hash(self, *parts: str) -> str:
        facts = (self.jdk.version, self.jdk.platform, self.maven.version, *parts)
        return hashlib.sha256("\0".join(facts).encode()).hexdigest()


class _Incomplete(CandidateFault):
    """The build asks for something that its environment lacks."""


BUILD_OPTIONS = "-XX:MaxRAM=3g -XX:ActiveProcessorCount=2 -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""The sandbox shows a JVM the whole machine: what it may use of it is said here. A build is over before the second compiler pays."""


SERVICE_OPTIONS = "-XX:MaxRAM=1g -XX:MaxRAMPercentage=50 -XX:ActiveProcessorCount=1"
"""What a JVM would find out by itself in a container of a service's limits; without it, it sizes itself by the whole machine."""


def variables(jdk: Jdk, maven: Maven) -> dict[str, str]:
    """What Java programs and Maven find in their environment."""
    programs = (f"{jdk.home}/bin", str(Path(maven.executable).parent), "/usr/local/bin", "/usr/bin", "/bin")
    return {"JAVA_HOME": jdk.home, "PATH": ":".join(programs)}


def start_variables(jdk: Jdk, maven: Maven) -> dict[str, str]:
    """The same for a service: a start script that calls Maven builds as we do, from what is there."""
    return {
        **variables(jdk, maven),
        "JDK_JAVA_OPTIONS": SERVICE_OPTIONS,
        "MAVEN_ARGS": " ".join(("--offline", *_QUIET)),
    }


def started_plugins(tree: Path) -> list[str]:
    """For each plugin that a start line calls by its prefix (`mvn exec:java`), the goal that makes Maven fetch it and does nothing."""
    found: dict[str, None] = {}
    for name in ("start.sh", "Procfile"):
        with suppress(Refused):
            for line in (text(tree, name) or "").splitlines():
                if re.search(r"\bmvnw?\b", line):
                    found.update(
                        dict.fromkeys(re.findall(r"(?<=\s)([a-z][a-z0-9-]*):[a-z][a-zA-Z-]*(?=[\s\"';&|]|$)", line))
                    )
    return [f"{prefix}:help" for prefix in found]


def declarations(tree: Path) -> list[str]:
    """All that says what a build of the tree asks for: its project models and what is in `.mvn`, with their places."""
    found = [path for path in tree.rglob("*") if path.name == "pom.xml" or path.parent.name == ".mvn"]
    regular = [path for path in sorted(found) if path.is_file() and not path.is_symlink()]
    return [f"{path.relative_to(tree)}\n{hashlib.sha256(path.read_bytes()).hexdigest()}" for path in regular]


def laid_out(tree: Path, place: Path) -> Path:
    """A copy of the tree to build in: without what an earlier build left, and with our Maven for the wrapper's, which it would download."""
    modules = {path.parent for path in tree.rglob("pom.xml")}
    shutil.copytree(
        tree,
        place,
        symlinks=True,
        ignore=lambda folder, _: {"target", "mvnw", ".git"} if Path(folder) in modules else (),
    )
    for module in modules:
        if (module / "mvnw").exists():
            wrapper = place / module.relative_to(tree) / "mvnw"
            wrapper.write_text('#!/bin/sh\nexec mvn "$@"\n')
            wrapper.chmod(0o755)
    return place


def kept(served: Mapping[str, Path], place: Path) -> Path:
    """A Maven home that needs no network, in the new directory `place`: settings, and what was served as a local repository."""
    _public(place)
    (place / "settings.xml").write_text(settings(offline=True))
    (place / "settings.xml").chmod(0o644)
    for path, file in served.items():
        _linked(file, place / "repository" / re.sub(rf"{METADATA}$", f"maven-metadata-{_ID}.xml", path), place)
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


def settings(*, offline: bool) -> str:
    """Settings that know one repository: our mirror."""
    return (
        f"<settings><offline>{str(offline).lower()}</offline><mirrors><mirror><id>{_ID}</id><mirrorOf>*</mirrorOf>"
        f"<url>http://127.0.0.1:{_PORT}</url></mirror></mirrors></settings>\n"
    )


def why(result: ExecResult, mirror: Mirror) -> CandidateFault:
    """Why fetching came to nothing. Raises `InfrastructureError` if that is our failure."""
    if mirror.failures:
        raise InfrastructureError(f"the Maven repository: {mirror.failures[0]}", boundary=Boundary.TOOLCHAIN)
    if result.cause is Cause.TIMED_OUT and mirror.seconds >= LIMITS.fetch:
        raise InfrastructureError(
            f"the artefacts took longer than {LIMITS.fetch:g} s to fetch", boundary=Boundary.TOOLCHAIN
        )
    if mirror.excess:
        return CandidateFault(PhaseName.FETCH, mirror.excess)
    said = words(result)
    if result.cause is Cause.EXITED and _UNRESOLVED.search(said):
        return CandidateFault(PhaseName.FETCH, f"mvn: {said}")
    return failure(PhaseName.BUILD, "mvn package", result, said)


def words(result: ExecResult) -> str:
    """Maven's own, without its advice."""
    output = result.stdout.decode(errors="replace")
    said = re.findall(r"^(?:\[(?:ERROR|FATAL)\] ?)+(\S.*)$", output, re.MULTILINE)
    telling = [
        line for line in said if not re.match(r"-> \[Help|To see the full|Re-run Maven|For more info|\[Help", line)
    ]
    return re.sub(r"\s*-> \[Help \d+\]", "", " ".join(telling[:4]))[:400]


def _public(place: Path) -> None:
    place.mkdir(mode=0o755)
    place.chmod(0o755)
