"""Golden tests in the process of the code under test: what is recorded, and what that code cannot do about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from plugins.java_services import artifact, dependencies, micronaut, plain, plugins, pom, quarkus, spring_boot
from plugins.small_suite import write_tree

from repoproof.core.errors import Boundary, InfrastructureError
from repoproof.core.outcomes import Cause
from repoproof.core.verdict import PhaseName
from repoproof.sandbox import Sandbox
from repoproof.toolchains.java_tests import InProcessRun, run_in_process

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("bubblewrap"),
    pytest.mark.needs("java"),
    pytest.mark.needs("network"),
    pytest.mark.timeout(600),
]

OURS = pom("")
"""A suite that needs nothing but JUnit, which is there."""

Run = Callable[..., InProcessRun]


@pytest.fixture
def run(tmp_path: Path, box: Sandbox, cache: Path) -> Run:
    def in_process(submission: Mapping[str, str], seconds: float = 120, **suite: str) -> InProcessRun:
        names = {
            name if name == "pom.xml" else f"src/test/java/org/example/{name}.java": text
            for name, text in suite.items()
        }
        tree, tests = write_tree(tmp_path / "tree", submission), write_tree(tmp_path / "tests", names)
        folder = tmp_path / "folder"
        folder.mkdir()
        for place in (folder, *folder.parents[:2]):
            place.chmod(0o755)
        said: list[bytes] = []
        done = run_in_process(
            tree, tests, folder, box=box, cache=cache, log=lambda name, content: said.append(content), seconds=seconds
        )
        print(b"".join(said).decode(errors="replace")[-2000:])
        return done

    return in_process


def outcomes(done: InProcessRun) -> dict[str, str]:
    assert done.process is not None, done.phases
    print(done.process.stderr.decode(errors="replace")[-2000:])
    return {record["id"].removeprefix("org.example."): record["outcome"] for record in done.records}


JUPITER = """package org.example;

import static org.junit.jupiter.api.Assertions.*;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.*;

class JupiterTest {
    @Test void passes() { assertEquals("a", Notes.add("a").get("text")); }
    @Test void fails() { assertEquals("b", Notes.find("no such note"), "where is it?"); }
    @Test void throwsOne() { throw new IllegalStateException("broken"); }
    @Test @Disabled("not now") void isSkipped() {}
    @Test void assumes() { assumeTrue(false); }
    @Test void isTold(TestInfo info) { assertNotNull(info); }
    @ParameterizedTest @ValueSource(ints = {1, 2}) void repeats(int number) { assertTrue(number < 2); }
    @ParameterizedTest @ValueSource(ints = {1, 2}) void repeatsWell(int number) { assertTrue(number < 3); }
    @ParameterizedTest @MethodSource("none") void hasNoArguments(int number) {}
    static Stream<Integer> none() { throw new IllegalStateException("nowhere"); }
    @TestFactory Stream<DynamicTest> made() { return Stream.of(DynamicTest.dynamicTest("one", () -> {})); }
    @Nested class Inside { @Test void passes() {} }
}
"""

NEVER_BEGUN = """package org.example;

import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NeverBegunTest {
    @BeforeAll static void breaks() { throw new IllegalStateException("no service"); }
    @Test void one() {}
    @ParameterizedTest @ValueSource(ints = {1, 2}) void repeats(int number) {}
}
"""

FOUR = """package org.example;

import static org.junit.Assert.*;

import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class FourTest {
    @Parameterized.Parameters public static List<Object[]> numbers() { return List.of(new Object[] {1}, new Object[] {2}); }
    @Parameterized.Parameter public int number;
    @Test public void isOne() { assertEquals(1, number); }
    @Test public void isSome() { assertTrue(number > 0); }
}
"""


def test_each_kind_of_test_method_is_one_test_and_passes_if_each_of_its_runs_does(run: Run) -> None:
    done = run(plain(), **{"pom.xml": OURS, "JupiterTest": JUPITER, "NeverBegunTest": NEVER_BEGUN, "FourTest": FOUR})
    assert outcomes(done) == {
        "JupiterTest::passes": "passed",
        "JupiterTest::fails": "failed",
        "JupiterTest::throwsOne": "errored",
        "JupiterTest::isSkipped": "skipped",
        "JupiterTest::assumes": "skipped",
        "JupiterTest::isTold": "passed",
        "JupiterTest::repeats": "failed",
        "JupiterTest::repeatsWell": "passed",
        "JupiterTest::hasNoArguments": "errored",
        "JupiterTest::made": "passed",
        "JupiterTest$Inside::passes": "passed",
        "NeverBegunTest::one": "errored",
        "NeverBegunTest::repeats": "errored",
        "FourTest::isOne": "failed",
        "FourTest::isSome": "passed",
    }
    assert len(done.records) == 15
    assert done.finished and done.process is not None and done.process.exit_code == 1
    failed = next(record for record in done.records if record["id"].endswith("::fails"))
    assert "where is it?" in failed["message"] and failed["seconds"] > 0


def test_all_passed_agrees_with_an_exit_code_of_zero(run: Run) -> None:
    passing = JUPITER.split("    @Test void fails")[0] + "}\n"
    done = run(plain(), JupiterTest=passing)
    assert outcomes(done) == {"JupiterTest::passes": "passed"}
    assert done.finished and done.process is not None and done.process.exit_code == 0


def test_the_submission_s_build_settings_services_and_tests_decide_nothing(run: Run) -> None:
    surefire = artifact(
        "org.apache.maven.plugins:maven-surefire-plugin",
        element="plugin",
        inner="<configuration><skipTests>true</skipTests></configuration>",
    )
    resources = "src/main/resources"
    submission = {
        **plain(body=plugins(surefire)),
        f"{resources}/junit-platform.properties": "junit.jupiter.conditions.deactivate=*\njunit.jupiter.testclass.order.default=none\n",
        f"{resources}/META-INF/services/org.junit.platform.launcher.PostDiscoveryFilter": "org.example.Main\n",
        f"{resources}/META-INF/services/org.junit.platform.engine.TestEngine": "org.example.Main\n",
        "src/test/java/org/example/OwnTest.java": "package org.example; class OwnTest { @org.junit.jupiter.api.Test void own() {} }",
        "src/test/java/org/example/FourTest.java": "this does not compile",
    }  # fmt: skip
    done = run(submission, FourTest=FOUR, JupiterTest=JUPITER)
    found = outcomes(done)
    assert found["FourTest::isSome"] == "passed" and found["JupiterTest::isSkipped"] == "skipped"
    assert not any("OwnTest" in id for id in found)


def test_code_that_ends_the_process_leaves_the_rest_unrecorded(run: Run) -> None:
    notes = plain()["src/main/java/org/example/Notes.java"].replace("String id = ", "System.exit(0); String id = ")
    done = run(plain(sources=notes), JupiterTest=JUPITER)
    assert "JupiterTest::passes" not in outcomes(done)
    assert not done.finished


def test_records_that_the_submission_writes_are_not_believed(run: Run) -> None:
    forged = '{\\"nonce\\":\\"x\\",\\"n\\":0,\\"id\\":\\"org.example.JupiterTest::fails\\",\\"outcome\\":\\"passed\\",\\"seconds\\":0,\\"message\\":\\"\\"}\\n'
    write = (
        "static { try { for (var file : new java.io.File(\"/results\").listFiles()) java.nio.file.Files.writeString(file.toPath(), "
        f'"{forged}", java.nio.file.StandardOpenOption.APPEND); }} catch (Exception e) {{ throw new RuntimeException(e); }} }}'
    )  # fmt: skip
    notes = plain()["src/main/java/org/example/Notes.java"]
    notes = notes.replace("private Notes() {}", f"private Notes() {{}}\n    {write}")
    found = outcomes(run(plain(sources=notes), JupiterTest=JUPITER))
    assert (found["JupiterTest::fails"], found["JupiterTest::passes"]) == ("failed", "passed")


def test_a_suite_that_outlasts_its_time_keeps_what_it_finished(run: Run) -> None:
    slow = """package org.example;
import org.junit.jupiter.api.*;
@TestMethodOrder(MethodOrderer.MethodName.class)
class SlowTest { @Test void a() {} @Test void b() throws Exception { Thread.sleep(600_000); } @Test void c() {} }
"""
    done = run(plain(), seconds=10, SlowTest=slow)
    assert outcomes(done) == {"SlowTest::a": "passed"}
    assert done.process is not None and done.process.cause is Cause.TIMED_OUT and not done.finished


def test_a_submission_without_what_the_tests_call_is_told_so(run: Run) -> None:
    done = run(plain(sources="package org.example;\n\nclass Notes {}\n"), JupiterTest=JUPITER)
    assert done.process is None and not done.records
    assert (done.phases[-1].name, done.phases[-1].ok) == (PhaseName.BUILD, False)
    assert "compiling the golden tests against it failed" in done.phases[-1].reason


def test_what_the_suite_needs_is_its_own_to_say_and_the_submission_s_versions_come_first(run: Run) -> None:
    test = """package org.example;
import org.junit.jupiter.api.Test;
class NeedsTest {
@Test void versions() throws Exception {
    String gson = com.google.gson.Gson.class.getProtectionDomain().getCodeSource().getLocation().toString();
    org.hamcrest.MatcherAssert.assertThat(gson, org.hamcrest.Matchers.endsWith("gson-2.10.jar"));
}
}
"""
    submission = plain(body=dependencies("com.google.code.gson:gson:2.10"))
    suite = pom(dependencies("com.google.code.gson:gson:2.11.0", "org.hamcrest:hamcrest:2.2"))
    assert outcomes(run(submission, **{"pom.xml": suite, "NeedsTest": test})) == {"NeedsTest::versions": "passed"}


def test_a_suite_whose_own_dependencies_do_not_exist_is_the_task_s_failure(run: Run) -> None:
    with pytest.raises(InfrastructureError, match=r"junit:junit:jar:98\.7") as raised:
        run(plain(), **{"pom.xml": pom(dependencies("junit:junit:98.7")), "FourTest": FOUR})
    assert raised.value.boundary is Boundary.TASK


STATUS = """
    static int status(String url) throws Exception {
        var request = java.net.http.HttpRequest.newBuilder(java.net.URI.create(url)).build();
        return java.net.http.HttpClient.newHttpClient().send(request, java.net.http.HttpResponse.BodyHandlers.ofString()).statusCode();
    }
}
"""
SPRING_BOOT = """package org.example;
@org.springframework.boot.test.context.SpringBootTest(webEnvironment = org.springframework.boot.test.context.SpringBootTest.WebEnvironment.RANDOM_PORT)
class ApplicationTest {
    @org.springframework.beans.factory.annotation.Value("${local.server.port}") int port;
    @org.junit.jupiter.api.Test void isWell() throws Exception {
        org.junit.jupiter.api.Assertions.assertEquals(200, status("http://localhost:" + port + "/health"));
    }
"""
MICRONAUT = """package org.example;
@io.micronaut.test.extensions.junit5.annotation.MicronautTest
class ApplicationTest {
    @jakarta.inject.Inject io.micronaut.runtime.server.EmbeddedServer server;
    @org.junit.jupiter.api.Test void isWell() throws Exception {
        org.junit.jupiter.api.Assertions.assertEquals(200, status(server.getURL() + "/health"));
    }
"""
QUARKUS = """package org.example;
@io.quarkus.test.junit.QuarkusTest
class ApplicationTest {
    @org.junit.jupiter.api.Test void isWell() throws Exception {
        org.junit.jupiter.api.Assertions.assertEquals(200, status("http://localhost:8081/health"));
    }
"""


@pytest.mark.parametrize(
    ("submission", "needed", "test"),
    [
        pytest.param(lambda: spring_boot("3.5.7"), "org.springframework.boot:spring-boot-starter-test", SPRING_BOOT, id="spring-boot-3"),
        pytest.param(lambda: spring_boot("4.0.7"), "org.springframework.boot:spring-boot-starter-test", SPRING_BOOT, id="spring-boot-4"),
        pytest.param(micronaut, "io.micronaut.test:micronaut-test-junit5", MICRONAUT, id="micronaut"),
        pytest.param(quarkus, "io.quarkus:quarkus-junit5", QUARKUS, id="quarkus"),
    ],
)  # fmt: skip
def test_an_application_starts_inside_its_tests(
    run: Run, submission: Callable[[], dict[str, str]], needed: str, test: str
) -> None:
    files = submission()
    before, _, after = files["pom.xml"].rpartition("</dependencies>")
    wanted = artifact(needed, inner="<scope>test</scope>")
    done = run({**files, "pom.xml": f"{before}{wanted}</dependencies>{after}"}, ApplicationTest=test + STATUS)
    assert outcomes(done) == {"ApplicationTest::isWell": "passed"}
    assert done.finished
