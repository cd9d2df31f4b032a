"""Maven, as a workshop uses it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..sandbox.base import ExecResult, Mount
from .fault import Refused
from .java_runtime import Jdk
from .java_workshop import CLASS_PATH, MIRROR_ID, MIRROR_PORT, SERVICE_OPTIONS, hashes, java_variables
from .maven_program import MAVEN_HOME, Maven
from .reading import text

_QUIET = ("--batch-mode", "--no-transfer-progress", "-Dmaven.test.skip=true", "-Dmaven.install.skip=true")
"""Tests are not even compiled: a candidate's own are no part of deploying it. Nothing is installed: where to is read-only."""
_CLASS_PATH_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
_AT_START = ("clean", "install:help")
"""Goals that start scripts use, beside those of the build: what they need is fetched with the rest."""

_UNRESOLVED = re.compile(
    r"Could not (?:find|transfer|resolve|collect)|Non-resolvable|could not be resolved|was not found in|Error resolving version"
    r"|Failed to read artifact descriptor|No versions available|Unresolveable build extension|No plugin found for prefix"
)


@dataclass(frozen=True)
class MavenBuilder:
    """Packages a tree and tells its class path."""

    maven: Maven
    goals: tuple[str, ...] = ("package",)
    scope: str = "runtime"
    """Whose dependencies the class path has: `runtime` or `test`."""

    name = "mvn package"

    @property
    def identity(self) -> Sequence[str]:
        return ("maven", self.maven.version, *self._build)

    @property
    def mounts(self) -> Sequence[Mount]:
        return self.maven.mounts

    def variables(self, jdk: Jdk) -> dict[str, str]:
        return java_variables(jdk, f"{MAVEN_HOME}/bin")

    def start_variables(self, jdk: Jdk) -> dict[str, str]:
        """Of a service: a start script that calls Maven builds as we do, from what is there."""
        arguments = " ".join(("--offline", *_QUIET))
        return {**self.variables(jdk), "JDK_JAVA_OPTIONS": SERVICE_OPTIONS, "MAVEN_ARGS": arguments}

    def home(self, *, offline: bool) -> Mapping[str, str]:
        return {
            "settings.xml": f"<settings><offline>{str(offline).lower()}</offline><mirrors><mirror><id>{MIRROR_ID}</id>"
            f"<mirrorOf>*</mirrorOf><url>http://127.0.0.1:{MIRROR_PORT}</url></mirror></mirrors></settings>\n"
        }

    def fetching(self, tree: Path) -> Sequence[str]:
        return (self.maven.executable, *_AT_START, *started_plugins(tree), *self._build)

    def building(self) -> Sequence[str]:
        return (self.maven.executable, "--offline", *self._build)

    def declarations(self, tree: Path) -> Sequence[str]:
        said = (path for path in tree.rglob("*") if path.name == "pom.xml" or path.parent.name == ".mvn")
        return (*started_plugins(tree), *hashes(tree, said))

    def words(self, result: ExecResult) -> str:
        """Maven's own, without its advice."""
        output = result.stdout.decode(errors="replace")
        said = re.findall(r"^(?:\[(?:ERROR|FATAL)\] ?)+(\S.*)$", output, re.MULTILINE)
        advice = re.compile(r"-> \[Help|To see the full|Re-run Maven|For more info|\[Help")
        telling = [line for line in said if not advice.match(line)]
        return re.sub(r"\s*-> \[Help \d+\]", "", " ".join(telling[:4]))[:400]

    def is_unresolved(self, said: str) -> bool:
        return _UNRESOLVED.search(said) is not None

    def is_incomplete(self, said: str) -> bool:
        return "offline mode" in said

    @property
    def _build(self) -> tuple[str, ...]:
        told = (_CLASS_PATH_GOAL, f"-DincludeScope={self.scope}", f"-Dmdep.outputFile={CLASS_PATH}")
        return (*_QUIET, *self.goals, *told)


def started_plugins(tree: Path) -> list[str]:
    """For each plugin that a start line calls by its prefix (`mvn exec:java`), the goal that makes Maven fetch it and does nothing."""
    prefixes: list[str] = []
    for name in ("start.sh", "Procfile"):
        with suppress(Refused):
            lines = [line for line in (text(tree, name) or "").splitlines() if re.search(r"\bmvnw?\b", line)]
            prefixes += re.findall(r"(?<=\s)([a-z][a-z0-9-]*):[a-z][a-zA-Z-]*(?=[\s\"';&|]|$)", "\n".join(lines))
    return [f"{prefix}:help" for prefix in dict.fromkeys(prefixes)]
