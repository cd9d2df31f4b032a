"""Preparing Gradle trees for real, with the Gradle of this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from plugins.java_services import plain
from plugins.small_suite import PORT, write_tree

from repoproof.core.errors import Boundary, InfrastructureError
from repoproof.core.verdict import PhaseName
from repoproof.sandbox import ExecResult, Sandbox
from repoproof.toolchains import JavaToolchain, Prepared

pytestmark = [pytest.mark.slow, pytest.mark.needs("bubblewrap"), pytest.mark.needs("java"), pytest.mark.timeout(600)]
gradle = pytest.mark.needs("gradle")
network = pytest.mark.needs("network")

Inside = Callable[[Path, Prepared, str], ExecResult]
Prepare = Callable[[Mapping[str, str]], Prepared]


@pytest.fixture
def prepare(tmp_path: Path, box: Sandbox, cache: Path) -> Prepare:
    def prepared(files: Mapping[str, str]) -> Prepared:
        tree = write_tree(tmp_path / "tree", files)
        return JavaToolchain().prepare(tree, box=box, cache=cache, log=lambda name, content: print(content.decode()))

    return prepared


def project(dependency: str = "org.slf4j:slf4j-api:1.7.36", **files: str) -> dict[str, str]:
    """Of Gradle: its repositories are not where its dependencies come from."""
    build = f"""
plugins {{ id 'java'; id 'application' }}
repositories {{ maven {{ url 'http://127.0.0.1:9/' }}; mavenCentral() }}
dependencies {{ implementation '{dependency}' }}
mainClassName = 'org.example.Main'
"""
    sources = {name: content for name, content in plain().items() if name != "pom.xml"}
    return {**sources, "build.gradle": build, "gradlew": "#!/bin/sh\nexit 3\n", **files}


@gradle
@network
def test_a_project_is_built_offline_and_started_by_the_class_that_it_names(
    tmp_path: Path, prepare: Prepare, inside: Inside
) -> None:
    prepared = prepare(project())
    assert prepared.ok, prepared.phases
    assert prepared.tree is not None and not (tmp_path / "tree/build").exists()
    found = JavaToolchain().start_command(prepared.tree, port=PORT)
    assert found is not None and found.source == "main class org.example.Main, as the build says"
    assert found.command[2].endswith("slf4j-api-1.7.36.jar") and found.command[3] == "org.example.Main"
    again = prepare(project())
    assert all(phase.cached for phase in again.phases)
    assert inside(tmp_path, prepared, "./gradlew jar && test -f build/libs/*.jar").ok


@gradle
@network
@pytest.mark.parametrize(
    ("files", "phase", "words"),
    [
        (project("junit:junit:98.7"), PhaseName.FETCH, "junit:junit:98.7"),
        (project(**{"src/main/java/org/example/Notes.java": "class Notes { int x = true; }"}), PhaseName.BUILD, "incompatible types"),
        (project(**{"build.gradle": "no such thing"}), PhaseName.BUILD, "Could not get unknown property 'such'"),
    ],
)  # fmt: skip
def test_a_build_that_fails_is_said_in_gradle_s_words(
    prepare: Prepare, files: Mapping[str, str], phase: PhaseName, words: str
) -> None:
    prepared = prepare(files)
    assert (prepared.ok, prepared.phases[-1].name) == (False, phase)
    assert words in prepared.phases[-1].reason


def test_without_gradle_it_is_said_what_to_install(prepare: Prepare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPOPROOF_GRADLE", "/nonexistent")
    with pytest.raises(InfrastructureError, match=r"no Gradle .*REPOPROOF_GRADLE") as raised:
        prepare(project())
    assert raised.value.boundary is Boundary.TOOLCHAIN
