"""Golden tests in Java that run in the process of the code under test: compiled against it and started by us, never by its build."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from ..core.base import Frozen, GiB, MiB
from ..core.errors import Boundary, InfrastructureError
from ..core.outcomes import Cause
from ..core.verdict import Phase, PhaseName
from ..sandbox.base import ExecResult, Limits, Mount, ReadOnly, Sandbox, Scratch, View, Writable
from .base import Log, TimeLeft
from .fault import CandidateFault, failure
from .java_runtime import Jdk, jdk
from .java_workshop import CLASS_PATH, HOME, LIMITS, Workshop, java_variables
from .junit import MAIN, OURS, Junit, junit
from .maven import MavenBuilder
from .maven_program import maven
from .maven_settings import repository
from .phases import Record
from .reading import text
from .store import Store

TEST_LIMITS = Limits(cpus=2.0, memory_bytes=2 * GiB, pids=512, disk_bytes=256 * MiB, output_bytes=32 * MiB)
"""Of the tests and the code under test together."""

_OPTIONS = "-XX:MaxRAM=2g -XX:MaxRAMPercentage=50 -XX:ActiveProcessorCount=2 -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
_SUITE = "/opt/suite"
_NOWHERE = "/opt/none"
_RECORDS = "/results/records.jsonl"
MOST_RECORDED = 64 * MiB
"""How much of the records is read: tens of thousands of tests, each with its message."""
_CLASSES = "/app/target/test-classes"
"""Where frameworks look for the tests of what is in `target/classes`."""


@dataclass(frozen=True)
class InProcessRun:
    """What came of running a suite in the process of a submission's code: what that process says is as trustworthy as the code in it."""

    phases: tuple[Phase, ...]
    """Fetching and building the submission, and compiling the suite against it. If the last is not ok, nothing ran."""
    records: tuple[dict, ...] = ()
    """One for each finished test, as those of `inside/run_tests.py`: `id`, `outcome`, `seconds`, `message`."""
    process: ExecResult | None = None
    """None if nothing ran."""
    finished: bool = False
    """Whether the launcher reached its end, and its exit code agrees with what it recorded."""


def run_in_process(
    tree: Path,
    tests: Path,
    folder: Path,
    *,
    box: Sandbox,
    cache: Path,
    log: Log,
    seconds: float,
    fresh: bool = False,
    exclude_newer: date | None = None,
    time: TimeLeft | None = None,
    variables: Mapping[str, str] | None = None,
) -> InProcessRun:
    """Run the suite `tests` (`src/test/java`, `src/test/resources`, and a pom.xml for what it needs beside the submission's own
    dependencies) in the process of the submission `tree`, whose own `src/test` is left out.

    `folder` is an empty directory that the sandbox can reach. Failures of the submission are data; `InfrastructureError` of the task where
    the suite's own dependencies cannot be had.
    """
    store, address, record = Store(cache), repository(), Record()
    runtime = jdk(store)
    builder = MavenBuilder(maven(store, address), scope="test")
    time = time or TimeLeft(LIMITS.task)
    workshop = Workshop(store, runtime, builder, address, box, log, fresh, exclude_newer, record, time)
    try:
        environment, _, built = workshop.build(_without_tests(tree, folder / "bare"))
        found = _class_path(built, environment, tests, folder, workshop)
        suite = _Suite(built, runtime, junit(found.jupiter, store, runtime, box, address), found, box, log, time)
        with record.phase(PhaseName.BUILD, limit=LIMITS.build) as compiling:
            compiling.result = suite.compiled(tests, folder)
    except CandidateFault:
        return InProcessRun(tuple(record.phases))
    nonce = secrets.token_hex(32)
    process = suite.run(tests, folder, nonce, time.at_most(seconds), variables or {})
    time.spend(process)
    lines = vouched(folder / "results/records.jsonl", nonce)
    if not lines and process.cause in (Cause.EXITED, Cause.SIGNALLED):
        # No code of the submission runs before the launcher's first record.
        said = (process.stdout + process.stderr)[-400:].decode("utf-8", "replace")
        raise InfrastructureError(f"the launcher of the tests did not start: {said}", boundary=Boundary.HARNESS)
    finish = next((line for line in lines if "finished" in line), None)
    agrees = finish is not None and process.cause is Cause.EXITED and process.exit_code == finish["finished"]
    if finish is not None and not agrees:
        # The launcher ends the process itself right after this record: somebody else wrote one of the two.
        lines = []
    tested = tuple(line for line in lines if "id" in line)
    return InProcessRun(tuple(record.phases), tested, process, finished=agrees)


class _ClassPath(Frozen):
    """What a suite is compiled and run with, beside JUnit and itself."""

    mounts: tuple[Mount, ...]
    environment: Path
    """Of the submission."""
    paths: tuple[str, ...]
    jupiter: int
    """The generation of Jupiter that the tests were written for."""


@dataclass(frozen=True)
class _Suite:
    """A suite beside the built submission that it tests."""

    built: Path
    jdk: Jdk
    junit: Junit
    found: _ClassPath
    box: Sandbox
    log: Log
    time: TimeLeft

    def compiled(self, tests: Path, folder: Path) -> ExecResult:
        """Compile the suite into `folder/classes`. Nothing of the submission itself runs here: its classes are no annotation processors."""
        processing = micronaut_processors(self.found.environment, self.found.paths)
        arguments = ["-d /classes", "-nowarn", "-parameters", "-g", f"-cp {self._joined}", *processing]
        (folder / "arguments").write_text("\n".join(arguments))
        (folder / "arguments").chmod(0o644)
        view = View(
            mounts=(
                *self._shared,
                ReadOnly(source=self.built, target="/app"),
                ReadOnly(source=tests, target="/tests"),
                ReadOnly(source=folder / "arguments", target="/run/arguments"),
                Scratch(target="/classes", keep=folder / "classes"),
            ),
            environment=java_variables(self.jdk),
        )
        limits = TEST_LIMITS.model_copy(update={"wall_seconds": self.time.at_most(LIMITS.build)})
        line = "find /tests/src/test/java -name '*.java' > /tmp/sources && exec javac @/run/arguments @/tmp/sources"
        result = self.box.run(("sh", "-ec", line), view=view, limits=limits)
        self.time.spend(result)
        self.log("build", result.stdout + result.stderr)
        if not result.ok:
            raise failure(PhaseName.BUILD, "compiling the golden tests against it", result)
        return result

    def run(self, tests: Path, folder: Path, nonce: str, seconds: float, variables: Mapping[str, str]) -> ExecResult:
        """Run them. The nonce is in nobody's sight but the launcher's, before any other code is loaded."""
        (folder / "results").mkdir()
        (folder / "results/records.jsonl").touch()
        (folder / "results/records.jsonl").chmod(0o666)  # written by the sandbox's unprivileged user
        resources = tests / "src/test/resources"
        view = View(
            mounts=(
                *self._shared,
                Scratch(target="/app", seed=self.built),
                ReadOnly(source=folder / "classes", target=_CLASSES),
                *([ReadOnly(source=resources, target="/tests/resources")] if resources.is_dir() else []),
                # The file alone: whoever is in the launcher's process can neither replace it nor add a second one.
                Writable(source=folder / "results/records.jsonl", target=_RECORDS),
            ),
            environment={**java_variables(self.jdk), "JDK_JAVA_OPTIONS": _OPTIONS, **variables},
            workdir="/app",
        )
        # No file may outgrow the sandbox's own disk: that of the records lies on the host's.
        bounded = ("/bin/sh", "-c", f'ulimit -f {TEST_LIMITS.disk_bytes // 512} 2>/dev/null; exec "$@"', "sh")
        command = [*bounded, "java", "-cp", self._joined, MAIN, _RECORDS, _CLASSES]
        limits = TEST_LIMITS.model_copy(update={"wall_seconds": seconds})
        return self.box.run(command, view=view, limits=limits, stdin=f"{nonce}\n".encode())

    @property
    def _shared(self) -> tuple[Mount, ...]:
        return (*self.jdk.mounts, *self.found.mounts, self.junit.mount)

    @property
    def _joined(self) -> str:
        return ":".join((*self.junit.class_path, _CLASSES, "/tests/resources", *self.found.paths))


def vouched(file: Path, nonce: str) -> list[dict]:
    """The launcher's records: those with its nonce, in the order of their numbers; nothing after one that is missing or not whole."""
    lines: list[dict] = []
    with file.open("rb") as opened:
        content = opened.read(MOST_RECORDED)
    for line in content.splitlines():
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and record.get("nonce") == nonce:
            if record.get("n") != len(lines):
                break
            lines.append(record)
    return lines


def _without_tests(tree: Path, place: Path) -> Path:
    """A copy of the submission without any tests of its own."""
    shutil.copytree(
        tree, place, symlinks=True, ignore=lambda folder, _: ("test",) if Path(folder).name == "src" else ()
    )
    return place


def _class_path(built: Path, environment: Path, tests: Path, folder: Path, workshop: Workshop) -> _ClassPath:
    """The submission, its dependencies, then those of the suite that it has not got."""
    mounts: tuple[Mount, ...] = (ReadOnly(source=environment, target=HOME),)
    paths = _listed(built)
    if (tests / "pom.xml").is_file():
        (folder / "suite").mkdir()
        shutil.copyfile(tests / "pom.xml", folder / "suite/pom.xml")
        suite, declared = _resolved(folder / "suite", workshop)
        mounts = (*mounts, ReadOnly(source=suite, target=_SUITE))
        have = {_artifact(path) for path in paths}
        paths += [path.replace(HOME, _SUITE, 1) for path in declared if _artifact(path) not in have]
    jupiter = 6 if any("/junit-jupiter-api/6." in path for path in paths) else 5
    others = [path for path in paths if not _artifact(path).startswith(OURS)]
    return _ClassPath(mounts=mounts, environment=environment, paths=("/app/target/classes", *others), jupiter=jupiter)


def micronaut_processors(environment: Path, paths: Iterable[str]) -> list[str]:
    """javac's arguments: the processors of Micronaut, whose tests are beans that it writes while they are compiled; or none at all."""
    repository = environment / "repository"
    for jar in sorted(repository.glob("io/micronaut/micronaut-inject-java/*/*.jar")):
        version = jar.parent.name
        if jar.stem != f"micronaut-inject-java-{version}":  # its sources
            continue
        beside = (
            "io/micronaut/*/" + version,
            "io/micronaut/sourcegen/*/*",
            "org/ow2/asm/*/*",
            "com/github/javaparser/*/*",
        )
        found = [place for pattern in beside for place in sorted(repository.glob(f"{pattern}/*.jar"))]
        inside = [f"{HOME}/{place.relative_to(environment).as_posix()}" for place in found]
        with zipfile.ZipFile(jar) as archive:
            names = archive.read("META-INF/services/javax.annotation.processing.Processor").decode().split()
        artefacts = [path for path in paths if path.startswith((HOME, _SUITE))]
        return [f"-processorpath {':'.join((*inside, *artefacts))}", f"-processor {','.join(names)}"]
    # Plugins of the compiler start themselves if they are on this path, which without a word is the class path.
    return ["-proc:none", f"-processorpath {_NOWHERE}"]


def _resolved(suite: Path, workshop: Workshop) -> tuple[Path, list[str]]:
    """The artefacts that the suite's own project model names, and their class path."""
    assert isinstance(workshop.builder, MavenBuilder)
    builder = replace(workshop.builder, goals=())
    try:
        environment, _, built = replace(workshop, builder=builder, record=Record(), time=TimeLeft(LIMITS.task)).build(
            suite
        )
    except CandidateFault as fault:
        problem = f"what the tests need cannot be had: {fault.reason}"
        raise InfrastructureError(problem, boundary=Boundary.TASK) from fault
    return environment, _listed(built)


def _listed(built: Path) -> list[str]:
    """The class path that the build told. What it says besides, which a project model can make it do, would be words to the compiler."""
    return [path for path in (text(built, CLASS_PATH) or "").strip().split(":") if re.fullmatch(r"/[^\s\"'\\*]+", path)]


def _artifact(path: str) -> str:
    """`group/artifact/` as folders, of a path in a repository."""
    return "/".join(path.partition("/repository/")[2].split("/")[:-2]) + "/"
