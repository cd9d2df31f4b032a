"""Java: built with Maven or Gradle in the sandbox, its artefacts fetched by our mirror; started by its jar or main class."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from ..core.verdict import Phase
from ..sandbox.base import ReadOnly, Sandbox
from .base import Log, Prepared, StartCommand, TimeLeft
from .fault import CandidateFault
from .gradle import DECLARATIONS, GradleBuilder, gradle
from .java_runtime import jdk
from .java_start import start_command
from .java_workshop import HOME, LIMITS, SERVICE_OPTIONS, Workshop, java_variables
from .maven import MavenBuilder
from .maven_program import maven
from .maven_settings import repository
from .phases import Record
from .reading import inside
from .store import Store


class JavaToolchain:
    """`Toolchain` of Java. A candidate's wrapper is not run: what builds is ours."""

    language = "java"
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
        runtime = jdk(store)
        versions = {"java": runtime.version}
        if not (declared := _declared(tree)):
            environment = {**java_variables(runtime), "JDK_JAVA_OPTIONS": SERVICE_OPTIONS}
            return Prepared(ok=True, phases=(), mounts=runtime.mounts, environment=environment, versions=versions)
        address, record = repository(), Record()
        builder = MavenBuilder(maven(store, address)) if declared == "pom.xml" else GradleBuilder(gradle(store))
        versions |= {builder.identity[0]: builder.identity[1]}
        time = time or TimeLeft(LIMITS.task)
        workshop = Workshop(store, runtime, builder, address, box, log, fresh, exclude_newer, record, time)
        try:
            environment, key, built = workshop.build(tree)
        except CandidateFault as fault:
            phases = record.phases or [Phase(name=fault.phase, ok=False, reason=fault.reason)]
            return Prepared(ok=False, phases=tuple(phases), versions=versions)
        return Prepared(
            ok=True,
            phases=tuple(record.phases),
            mounts=(*runtime.mounts, *builder.mounts, ReadOnly(source=environment, target=HOME)),
            environment=builder.start_variables(runtime),
            versions={**versions, "environment": key},
            tree=built,
        )

    def start_command(self, tree: Path, *, port: int, framework: str = "") -> StartCommand | None:
        return start_command(tree, port=port, framework=framework)


def _declared(tree: Path) -> str:
    """The file that says how the tree is built; empty if none does, and it is up to its start script."""
    return next((name for name in ("pom.xml", *DECLARATIONS) if inside(tree, name)), "")
