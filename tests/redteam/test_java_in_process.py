"""Submissions in Java whose code shares a process with the golden tests: what they bring for JUnit, for javac and for our launcher decides
nothing, and what they do to the records is their own loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from plugins.java_services import artifact, dependencies, plain, plugins, pom
from plugins.small_suite import write_tree

from repoproof.core.paths import cache_root
from repoproof.sandbox import open_sandbox
from repoproof.toolchains.java_tests import InProcessRun, run_in_process

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("bubblewrap"),
    pytest.mark.needs("java"),
    pytest.mark.needs("network"),
    pytest.mark.timeout(300),
]

JAVA, RESOURCES = "src/main/java", "src/main/resources"

GOLDEN = """package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class GoldenTest {
    @Test void isRight() { assertEquals("right", Notes.find("no such note")); }
}
"""

Run = Callable[[Mapping[str, str]], InProcessRun]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    box = open_sandbox("bubblewrap")

    def in_process(files: Mapping[str, str]) -> InProcessRun:
        tree = write_tree(tmp_path / "tree", {**plain(), **files})
        tests = write_tree(tmp_path / "tests", {"src/test/java/org/example/GoldenTest.java": GOLDEN})
        folder = tmp_path / "folder"
        folder.mkdir()
        for place in (folder, *folder.parents[:2]):
            place.chmod(0o755)
        said: list[bytes] = []
        done = run_in_process(
            tree, tests, folder, box=box, cache=cache_root(), log=lambda name, content: said.append(content), seconds=60
        )
        print(b"".join(said).decode(errors="replace")[-3000:], done.phases)
        if done.process is not None:
            print(
                done.process.stdout.decode(errors="replace")[-2000:],
                done.process.stderr.decode(errors="replace")[-2000:],
            )
        return done

    return in_process


def passed(done: InProcessRun) -> list[str]:
    return [record["id"] for record in done.records if record["outcome"] == "passed"]


def notes(static: str) -> dict[str, str]:
    """The class that the golden tests call, with code that runs as soon as it is loaded."""
    name = f"{JAVA}/org/example/Notes.java"
    return {name: plain()[name].replace("private Notes() {}", f"private Notes() {{}}\n    static {{ {static} }}")}


ASSERTIONS = """package org.junit.jupiter.api;
public final class Assertions {
    public static void assertEquals(Object expected, Object actual) {}
}
"""
RECORDS = """package repoproof;
final class Records {
    Records(java.nio.file.Path path, String nonce) { System.out.println("OURS NO MORE " + nonce); }
    void write(String... members) {}
    static String text(String value) { return value; }
}
"""
OWN_GOLDEN = "package org.example; class GoldenTest { @org.junit.jupiter.api.Test void isRight() {} }\n"
JUNIT = dependencies("org.junit.jupiter:junit-jupiter-api:5.10.2")

SCANNER = """package org.example;

import java.net.URI;
import java.util.List;
import java.util.function.Predicate;
import org.junit.platform.commons.support.Resource;
import org.junit.platform.commons.support.scanning.*;

public class Scanner implements ClasspathScanner {
    static class Loads extends ClassLoader {
        Class<?> made() throws Exception {
            byte[] content = Scanner.class.getResourceAsStream("/GoldenTest.own").readAllBytes();
            return defineClass("org.example.GoldenTest", content, 0, content.length);
        }
    }
    private List<Class<?>> own() {
        System.out.println("SCANNED BY THE SUBMISSION");
        return List.of();
    }
    public List<Class<?>> scanForClassesInPackage(String name, ClassFilter filter) { return own(); }
    public List<Class<?>> scanForClassesInClasspathRoot(URI root, ClassFilter filter) { return own(); }
    public List<Resource> scanForResourcesInPackage(String name, Predicate<Resource> filter) { return List.of(); }
    public List<Resource> scanForResourcesInClasspathRoot(URI root, Predicate<Resource> filter) { return List.of(); }
}
"""

PROCESSOR = """package org.example;

import java.util.Set;
import javax.annotation.processing.*;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;

@SupportedAnnotationTypes("*")
public class Processor extends AbstractProcessor {
    @Override public SourceVersion getSupportedSourceVersion() { return SourceVersion.latest(); }
    @Override public void init(ProcessingEnvironment environment) { if (!System.getProperty("user.dir").startsWith("/app")) System.err.println("PROCESSED BY THE SUBMISSION"); }
    @Override public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) { return false; }
}
"""
SERVICES = f"{RESOURCES}/META-INF/services"

SHADOWS = {
    "JUnit": ({f"{JAVA}/org/junit/jupiter/api/Assertions.java": ASSERTIONS}, "isRight"),
    "the launcher": ({f"{JAVA}/repoproof/Records.java": RECORDS}, "isRight"),
    "the golden tests": ({"pom.xml": pom(JUNIT), f"{JAVA}/org/example/GoldenTest.java": OWN_GOLDEN}, "isRight"),
    "how tests are found": (
        {"pom.xml": pom(dependencies("org.junit.platform:junit-platform-commons:1.13.4")), f"{JAVA}/org/example/Scanner.java": SCANNER,
         f"{SERVICES}/org.junit.platform.commons.support.scanning.ClasspathScanner": "org.example.Scanner\n"}, "isRight",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", SHADOWS)
def test_what_it_puts_in_the_place_of_ours_is_not_used(run, what):
    files, test = SHADOWS[what]
    done = run(files)
    assert [(record["id"], record["outcome"]) for record in done.records] == [
        (f"org.example.GoldenTest::{test}", "failed")
    ]
    assert done.finished and done.process is not None
    assert b"NO MORE" not in done.process.stdout and b"BY THE SUBMISSION" not in done.process.stdout


PLUGIN = """package org.example;

import com.sun.source.util.JavacTask;

public class Plugin implements com.sun.source.util.Plugin {
    @Override public String getName() { return "Own"; }
    @Override public boolean autoStart() { return !System.getProperty("user.dir").startsWith("/app"); }
    @Override public void init(JavacTask task, String... arguments) { System.err.println("PROCESSED BY THE SUBMISSION"); }
}
"""
WORDS = "/x\n-processorpath /app/target/classes\n-Xplugin:Own\n-cp /x"

TWO = dependencies("org.slf4j:slf4j-api:2.0.17", "org.slf4j:slf4j-nop:2.0.17")
LATE = plugins(
    artifact(
        "org.apache.maven.plugins:maven-resources-plugin",
        element="plugin",
        inner="<executions><execution><id>default-resources</id><phase>process-classes</phase></execution></executions>",
    )
)
"""Registered after its own sources were compiled, which would not do without them."""
ITS_PLUGIN = {f"{SERVICES}/com.sun.source.util.Plugin": "org.example.Plugin\n"}

PROCESSORS = {
    "a registered processor": {
        "pom.xml": pom(LATE), f"{SERVICES}/javax.annotation.processing.Processor": "org.example.Processor\n",
    },
    "a plugin of the compiler that starts itself": {"pom.xml": pom(LATE), **ITS_PLUGIN},
    "words before each path": {"pom.xml": pom(TWO + LATE, properties=f"<mdep.prefix>{WORDS}</mdep.prefix>"), **ITS_PLUGIN},
    "words between the paths": {
        "pom.xml": pom(TWO + LATE, properties=f"<mdep.pathSeparator>{WORDS}</mdep.pathSeparator>"), **ITS_PLUGIN,
    },
}  # fmt: skip


@pytest.mark.parametrize("how", PROCESSORS)
def test_no_code_of_it_runs_while_the_golden_tests_are_compiled(run, capsys, how):
    done = run(
        {f"{JAVA}/org/example/Processor.java": PROCESSOR, f"{JAVA}/org/example/Plugin.java": PLUGIN, **PROCESSORS[how]}
    )
    assert "PROCESSED BY THE SUBMISSION" not in capsys.readouterr().out
    assert [(record["id"], record["outcome"]) for record in done.records] == [
        ("org.example.GoldenTest::isRight", "failed")
    ]
