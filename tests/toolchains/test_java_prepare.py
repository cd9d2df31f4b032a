"""Preparing Java trees for real: repository, mirror, Maven, sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from plugins.java_services import artifact, dependencies, plain, plugins, pom
from plugins.small_suite import PORT, write_tree

from repoproof.core.errors import Boundary, InfrastructureError
from repoproof.core.verdict import PhaseName
from repoproof.sandbox import ExecResult, Sandbox
from repoproof.toolchains import JavaToolchain, Prepared

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("bubblewrap"),
    pytest.mark.needs("java"),
    pytest.mark.needs("network"),
    pytest.mark.timeout(600),
]

Inside = Callable[[Path, Prepared, str], ExecResult]


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's mirror of the repository is a closed port."""
    (tmp_path / "home/.m2").mkdir(parents=True)
    mirror = "<mirror><id>m</id><mirrorOf>*</mirrorOf><url>http://127.0.0.1:9</url></mirror>"
    (tmp_path / "home/.m2/settings.xml").write_text(f"<settings><mirrors>{mirror}</mirrors></settings>")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def prepare(tmp_path: Path, box: Sandbox, cache: Path) -> Callable[[Mapping[str, str]], Prepared]:
    def prepared(
        files: Mapping[str, str], *, log: Callable[[str, bytes], None] = lambda name, content: None
    ) -> Prepared:
        return JavaToolchain().prepare(write_tree(tmp_path / "tree", files), box=box, cache=cache, log=log)

    return prepared


Prepare = Callable[..., Prepared]


def ran_at(phase: str, script: str) -> str:
    """A plugin of the project model that runs a shell line during the build."""
    configuration = f"<configuration><executable>sh</executable><arguments><argument>-c</argument><argument>{script}</argument></arguments></configuration>"
    execution = f"<execution><phase>{phase}</phase><goals><goal>exec</goal></goals>{configuration}</execution>"
    return plugins(
        artifact(
            "org.codehaus.mojo:exec-maven-plugin:3.5.0", element="plugin", inner=f"<executions>{execution}</executions>"
        )
    )


def test_a_build_leaves_the_submission_alone_and_is_kept(tmp_path: Path, prepare: Prepare, inside: Inside) -> None:
    prepared = prepare(plain())
    assert prepared.ok, prepared.phases
    assert [phase.name for phase in prepared.phases] == [PhaseName.FETCH, PhaseName.BUILD]
    assert prepared.tree is not None and not (tmp_path / "tree/target").exists()
    command = JavaToolchain().start_command(prepared.tree, port=PORT)
    assert command is not None and command.command == ("java", "-cp", "target/classes", "org.example.Main")
    assert b"org.example.Main" in inside(tmp_path, prepared, "jar tf target/notes-1.0.jar | tr / .").stdout


def test_a_second_preparation_needs_no_network_and_runs_nothing_but_a_changed_source_is_built(
    prepare: Prepare, request: pytest.FixtureRequest
) -> None:
    assert prepare(plain()).ok
    request.getfixturevalue("nowhere")
    assert all(phase.cached and phase.cause is None for phase in prepare(plain()).phases)
    changed = prepare(plain(sources="package org.example;\n\nclass Notes {}\n"))
    assert changed.ok and [phase.cached for phase in changed.phases] == [True, False]


def test_a_dependency_that_does_not_exist_is_the_candidate_s_failure_and_remembered(
    prepare: Prepare, request: pytest.FixtureRequest
) -> None:
    files = plain(body=dependencies("junit:junit:98.7"))
    first = prepare(files)
    assert (first.ok, first.phases[-1].name) == (False, PhaseName.FETCH)
    assert "junit:junit:jar:98.7" in first.phases[-1].reason
    request.getfixturevalue("nowhere")
    assert prepare(files).phases[-1].reason == first.phases[-1].reason


@pytest.mark.usefixtures("nowhere")
def test_an_unreachable_repository_is_our_failure(tmp_path: Path, box: Sandbox) -> None:
    with pytest.raises(InfrastructureError, match="Connection refused") as raised:
        tree = write_tree(tmp_path / "tree", plain())
        JavaToolchain().prepare(tree, box=box, cache=tmp_path / "new", log=lambda name, content: None)
    assert raised.value.boundary is Boundary.TOOLCHAIN


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"src/main/java/org/example/Notes.java": "package org.example; class Notes { int x = true; }"}, "incompatible types"),
        ({"pom.xml": "<project>"}, "Non-readable POM"),
        ({"pom.xml": pom("").replace("<version>1.0</version>", "")}, "'version' is missing"),
    ],
)  # fmt: skip
def test_a_build_that_fails_is_said_in_maven_s_words(prepare: Prepare, files: Mapping[str, str], words: str) -> None:
    prepared = prepare({**plain(), **files})
    assert (prepared.ok, prepared.phases[-1].name) == (False, PhaseName.BUILD)
    assert words in prepared.phases[-1].reason


def test_what_the_candidate_brings_for_maven_decides_nothing(prepare: Prepare) -> None:
    elsewhere = "<id>other</id><url>http://127.0.0.1:9</url>"
    body = f"<repositories><repository>{elsewhere}</repository></repositories><pluginRepositories><pluginRepository>{elsewhere}</pluginRepository></pluginRepositories>"
    prepared = prepare({
        **plain(body=body),
        "mvnw": "#!/bin/sh\nexit 3\n",
        ".mvn/wrapper/maven-wrapper.properties": "distributionUrl=http://127.0.0.1:9/maven.zip\n",
        "settings.xml": "<settings><localRepository>/app/none</localRepository></settings>",
        "target/classes/org/example/Left.class": "left over",
        "src/test/java/org/example/NotesTest.java": "this does not compile",
    })  # fmt: skip
    assert prepared.ok, prepared.phases
    assert prepared.tree is not None and not (prepared.tree / "target/classes/org/example/Left.class").exists()


def test_a_start_script_may_build_again_with_the_wrapper_or_run_a_plugin(
    tmp_path: Path, prepare: Prepare, inside: Inside
) -> None:
    start = "./mvnw clean install\nmvn -q exec:java -Dexec.mainClass=org.example.Main\n"
    prepared = prepare({**plain(), "mvnw": "#!/bin/sh\nexit 3\n", "start.sh": start})
    assert prepared.ok, prepared.phases
    assert inside(tmp_path, prepared, "./mvnw clean install && test -f target/notes-1.0.jar").ok
    shown = inside(tmp_path, prepared, "mvn exec:exec -Dexec.executable=echo -Dexec.args=here")
    assert b"here" in shown.stdout, shown.stdout


def test_code_of_a_build_sees_no_host_reaches_no_network_and_changes_nothing_that_is_kept(
    tmp_path: Path, prepare: Prepare, cache: Path, inside: Inside
) -> None:
    """The attacker's project model runs a program: on the host, it could read hidden tests, or change another submission's artefacts."""
    (tmp_path / "hidden").write_text("answer")
    jar = "/tmp/.m2/repository/org/apache/maven/plugins/maven-jar-plugin"
    script = (
        f"mkdir -p target; for file in {tmp_path}/hidden /home {cache}; do ls $file; done 2>target/unseen;"
        f" (echo evil > {jar}/evil.jar) 2>target/unwritten;"
        " curl -s -m 3 http://192.0.2.1/ 2>&amp;1; echo $? >target/reached; true"
    )
    prepared = prepare(plain(body=ran_at("process-classes", script)))
    assert prepared.ok, prepared.phases
    seen = inside(tmp_path, prepared, "cat target/unseen target/unwritten target/reached").stdout.decode()
    assert seen.count("No such file") >= 3 and "Read-only file system" in seen
    assert seen.endswith("\n7\n"), "curl's word for a refused connection"
    assert not inside(tmp_path, prepared, f"ls {jar}/evil.jar").ok
    assert not list(cache.rglob("evil.jar"))


def test_a_build_that_outlasts_its_time_is_the_candidate_s_failure(
    prepare: Prepare, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert prepare(plain(body=ran_at("process-classes", "true"))).ok
    limits = JavaToolchain.limits.model_copy(update={"build": 1.0, "fetch": 5.0})
    monkeypatch.setattr("repoproof.toolchains.java_workshop.LIMITS", limits)
    prepared = prepare(plain(body=ran_at("process-classes", "sleep 100")))
    assert (prepared.ok, prepared.phases[-1].reason) == (False, "mvn package failed: the time limit was reached")
