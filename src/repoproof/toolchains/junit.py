"""JUnit, versions of our choice, with the launcher of ours that runs it: compiled once, kept by what it was made of."""

from __future__ import annotations

import hashlib
import shutil
from importlib.resources import as_file, files
from pathlib import Path

from ..core.base import Frozen
from ..core.errors import Boundary, InfrastructureError
from ..sandbox.base import Limits, Mount, ReadOnly, Sandbox, Scratch, View
from .java_runtime import Jdk
from .java_workshop import java_variables
from .maven_mirror import pinned
from .maven_settings import Repository
from .store import Store

_CONSOLE = "org/junit/platform/junit-platform-console-standalone/{0}/junit-platform-console-standalone-{0}.jar"
_ENGINES = {
    5: (_CONSOLE.format("1.14.4"), "7c6968cbcaf4301c729f202b23b7d736c5d88be625fc7d27ad5d746146a8bc28"),
    6: (_CONSOLE.format("6.0.3"), "3ba0d6150af79214a1411f9ea2fbef864eef68b68c89a17f672c0b89bff9d3a2"),
}
_JUNIT_4 = {
    "junit/junit/4.13.2/junit-4.13.2.jar": "8e495b634469d64fb8acfa3495a065cbacc8a0fff55ce1e31007be4c16dc57d3",
    "org/hamcrest/hamcrest-core/1.3/hamcrest-core-1.3.jar": "66fdef91e9739348df7a096aa384a5685f4e875584cce89386a7a47251c4d8e9",
}
OURS = ("org/junit/", "junit/junit/", "org/opentest4j/", "org/apiguardian/")
"""Folders of a repository whose artefacts give way to these."""

PLACE = "/opt/junit"
MAIN = "repoproof.Launch"


class Junit(Frozen):
    """Jupiter, JUnit 4 and our launcher at `PLACE` in a sandbox."""

    source: Path
    names: tuple[str, ...]

    @property
    def mount(self) -> Mount:
        return ReadOnly(source=self.source, target=PLACE)

    @property
    def class_path(self) -> tuple[str, ...]:
        return tuple(f"{PLACE}/{name}" for name in self.names)


def junit(generation: int, store: Store, jdk: Jdk, box: Sandbox, repository: Repository) -> Junit:
    """The JUnit that tests written for Jupiter 5 or 6 run with; either runs tests of JUnit 4."""
    path, hash = _ENGINES[generation]
    with as_file(files("repoproof.toolchains") / "junit_launcher") as sources:
        content = b"".join(file.read_bytes() for file in sorted(sources.rglob("*.java")))
        key = hashlib.sha256(f"{hash} {jdk.version} {hashlib.sha256(content).hexdigest()}".encode()).hexdigest()
        with store.slot("programs", key) as slot:
            found = store.find("programs", key)
            if found is None:
                place = slot.staging / "junit"
                place.mkdir(mode=0o755)
                place.chmod(0o755)
                for wanted, expected in {path: hash, **_JUNIT_4}.items():
                    shutil.copyfile(pinned(wanted, expected, store, repository), place / Path(wanted).name)
                    (place / Path(wanted).name).chmod(0o644)
                _compile(sources, place, jdk, box)
                found = slot.publish(place)
    jars = sorted(file.name for file in found.glob("*.jar"))
    return Junit(source=found, names=("launcher", *jars))


def _compile(sources: Path, place: Path, jdk: Jdk, box: Sandbox) -> None:
    line = f"javac -proc:none -nowarn -d /launcher -cp '{PLACE}/*' $(find /sources -name '*.java')"
    view = View(
        mounts=(
            *jdk.mounts,
            ReadOnly(source=sources, target="/sources"),
            ReadOnly(source=place, target=PLACE),
            Scratch(target="/launcher", keep=place.parent / "launcher"),
        ),
        environment=java_variables(jdk),
    )
    ended = box.run(("sh", "-ec", line), view=view, limits=Limits(cpus=2.0))
    if not ended.ok:
        raise InfrastructureError(
            f"our launcher of JUnit did not compile: {ended.stderr.decode(errors='replace')[-300:]}",
            boundary=Boundary.TOOLCHAIN,
        )
    (place.parent / "launcher").rename(place / "launcher")
