"""Gradle, as a workshop uses it: where there is one. None can be fetched from a Maven repository."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..core.base import Frozen
from ..sandbox.base import ExecResult, Mount, ReadOnly
from .interpreters import absent, borrowed, output_of
from .java_runtime import Jdk, find_java
from .java_workshop import HOME, MIRROR_PORT, SERVICE_OPTIONS, hashes, java_variables
from .store import Store

GRADLE_HOME = "/opt/gradle"
GRADLE_CLASS_PATH = "build/repoproof.classpath"
GRADLE_MAIN_CLASS = "build/repoproof.main"

DECLARATIONS = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")

_OPTIONS = (
    "--no-daemon",
    "--console=plain",
    "--quiet",
    f"--init-script={HOME}/init.gradle",
    "--gradle-user-home=/tmp/gradle",
)
_UNRESOLVED = re.compile(r"Could not (?:find|resolve|GET|HEAD)|was not found in any of the following sources")

_INIT = """// Every repository is ours, whatever the project says; one task packages what there is to package and tells what it runs with.
def address = new URI('@ADDRESS@')
def redirected = { repositories ->
    repositories.all { one ->
        if (one instanceof org.gradle.api.artifacts.repositories.MavenArtifactRepository && one.url?.scheme != 'file') {
            one.url = address
            if (one.hasProperty('allowInsecureProtocol')) one.allowInsecureProtocol = true
        }
    }
}
def settled = { settings ->
    settings.pluginManagement.repositories {
        maven {
            url = address
            if (it.hasProperty('allowInsecureProtocol')) it.allowInsecureProtocol = true
        }
    }
    redirected(settings.pluginManagement.repositories)
    if (settings.hasProperty('dependencyResolutionManagement')) {
        redirected(settings.dependencyResolutionManagement.repositories)
    }
}
if (gradle.metaClass.respondsTo(gradle, 'beforeSettings')) gradle.beforeSettings(settled) else gradle.settingsEvaluated(settled)
allprojects {
    redirected(buildscript.repositories)
    redirected(repositories)
}
gradle.projectsEvaluated {
    gradle.rootProject.allprojects { project ->
        def packaged = ['classes', 'jar', 'bootJar', 'shadowJar', 'quarkusBuild'].findAll { project.tasks.findByName(it) }
        def task = project.tasks.create('repoproof')
        task.dependsOn(packaged)
        task.doLast {
            if (packaged) {
                def folders = project.sourceSets.main.output.files
                def others = project.sourceSets.main.runtimeClasspath.files - folders
                new File(project.buildDir, 'repoproof.classpath').text = others.join(':')
                def application = project.extensions.findByName('application')
                def main = project.findProperty('mainClassName')
                if (!main && application?.hasProperty('mainClass')) main = application.mainClass.getOrNull()
                new File(project.buildDir, 'repoproof.main').text = main ?: ''
            }
        }
    }
}
"""


class Gradle(Frozen):
    """A Gradle in a sandbox."""

    executable: str
    version: str
    mounts: tuple[Mount, ...] = ()


def find_gradle() -> dict[str, str]:
    """Facts of the Gradle that builds: `REPOPROOF_GRADLE`, else the one on PATH."""
    named, on_path = os.environ.get("REPOPROOF_GRADLE"), shutil.which("gradle")
    home = Path(named).resolve() if named else Path(on_path).resolve().parents[1] if on_path else None
    version = _version(home, find_java()["home"]) if home else ""
    if home is None or not version:
        mend = "install it from your distribution, or set REPOPROOF_GRADLE to the home of one; a wrapper's own is not downloaded"
        raise absent("no Gradle", mend)
    return {"home": str(home), "executable": str(home / "bin/gradle"), "version": version}


def gradle(store: Store) -> Gradle:
    """Gradle, made visible to sandboxes."""
    facts = find_gradle()
    home, version = Path(facts["home"]), facts["version"]
    if home.is_relative_to("/usr"):
        return Gradle(executable=str(home / "bin/gradle"), version=version)
    mount = ReadOnly(source=borrowed(store, home, version, leave_out=("docs", "src")), target=GRADLE_HOME)
    return Gradle(executable=f"{GRADLE_HOME}/bin/gradle", version=version, mounts=(mount,))


@dataclass(frozen=True)
class GradleBuilder:
    """Packages a tree, and tells its class path and its main class."""

    gradle: Gradle

    name = "gradle"

    @property
    def identity(self) -> Sequence[str]:
        return ("gradle", self.gradle.version, *_OPTIONS, _INIT)

    @property
    def mounts(self) -> Sequence[Mount]:
        return self.gradle.mounts

    def variables(self, jdk: Jdk) -> dict[str, str]:
        return java_variables(jdk)

    def start_variables(self, jdk: Jdk) -> dict[str, str]:
        """Of a service: a start script that calls Gradle builds as we do, from what is there."""
        return {**java_variables(jdk, f"{HOME}/bin"), "JDK_JAVA_OPTIONS": SERVICE_OPTIONS}

    def home(self, *, offline: bool) -> Mapping[str, str]:
        address = f"file://{HOME}/repository" if offline else f"http://127.0.0.1:{MIRROR_PORT}"
        return {
            "init.gradle": _INIT.replace("@ADDRESS@", address),
            "bin/gradle": f'#!/bin/sh\nexec {self.gradle.executable} {" ".join(_OPTIONS)} "$@"\n',
        }

    def fetching(self, tree: Path) -> Sequence[str]:
        return self.building()

    def building(self) -> Sequence[str]:
        return (self.gradle.executable, *_OPTIONS, "repoproof")

    def declarations(self, tree: Path) -> Sequence[str]:
        said = (
            path
            for path in tree.rglob("*")
            if path.suffix in (".gradle", ".kts", ".properties", ".toml", ".lockfile")
            or "buildSrc" in path.relative_to(tree).parts
        )
        return hashes(tree, said)

    def words(self, result: ExecResult) -> str:
        """The compiler's first error, then what Gradle says went wrong."""
        output = result.stderr.decode(errors="replace")
        compiler = re.search(r"^\S+:\d+: error: .*$", output, re.MULTILINE)
        gradle = re.search(r"\* What went wrong:\n(.*?)(?=\n\* |\Z)", output, re.DOTALL)
        return " ".join(" ".join(found for found in (compiler and compiler[0], gradle and gradle[1]) if found).split())[
            :400
        ]

    def is_unresolved(self, said: str) -> bool:
        return _UNRESOLVED.search(said) is not None

    def is_incomplete(self, said: str) -> bool:
        return self.is_unresolved(said)


@lru_cache
def _version(home: Path, java: str) -> str:
    """`8.10`; empty if there is no Gradle at `home`."""
    if not (home / "bin/gradle").is_file():
        return ""
    said = output_of(["/usr/bin/env", f"JAVA_HOME={java}", str(home / "bin/gradle"), "--version"])
    found = re.search(r"^Gradle (\d[\w.-]*)", said or "", re.MULTILINE)
    return found[1] if found else ""
