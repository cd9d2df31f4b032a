"""RepoGenesis' published layout, made of our own tasks: READMEs and golden tests in separate trees, tests that find the service in each of
the ways that published ones do, a table of the repositories. Run as a script: `published_layout.py DIRECTORY`."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]  # as a script

from plugins import java_services  # noqa: E402

MINI = Path(__file__).parents[2] / "suites" / "microservice-mini"

READMES, PYTHON_TESTS, JAVA_READMES = "repo_readme_verified_python_no_t", "repo_readme_verified", "repo_readme_verified_java_no_t"  # fmt: skip

SOURCES = ("parcel-tracking", "library-loans", "recipe-catalogue", "sensor-readings")
PREFIXES = {"library-loans": "/library/v1", "recipe-catalogue": "/api", "sensor-readings": "/api/sensors"}
FRAMEWORKS = {"parcel-tracking": "fastapi", "library-loans": "flask", "recipe-catalogue": "django", "sensor-readings": "starlette"}  # fmt: skip

PYTHON = (
    "Parcels", "loan_desk", "recipe-box", "Sensors", "courier", "Town-Library", "cookbook", "weather.station", "depot", "reading_room",
    "kitchen", "telemetry", "Mailbag", "borrowing", "menus", "gauges", "PostOffice", "shelf", "larder", "probes", "dispatch", "lending",
)  # fmt: skip
"""22 names; each is one of our Python tasks under another name and port."""
JAVA = ("javalin-notes", "spark-memo", "spring-jotter", "micronaut-pad", "quarkus-slips", "Javalin-Diary", "SpringLog", "quarkus_pins")  # fmt: skip
"""8 names; each is a small service of notes. Of two, the tests start the framework itself."""
SPRING_BOOT_TEST, QUARKUS_TEST = "SpringLog", "quarkus_pins"

WAYS = (
    'BASE = "{address}"',
    'BASE = os.environ.get("SERVICE_BASE_URL", "{address}").rstrip("/")',
    'BASE = os.getenv("API_BASE_URL", "{address}")',
    'BASE = "{address}"',
    'DEFAULT = "{address}"\nBASE = (os.environ.get("TARGET_URL") or DEFAULT).rstrip("/")',
    'PORT = int(os.environ.get("TARGET_PORT", "{port}"))\nBASE = f"http://localhost:{{PORT}}{prefix}"',
)
"""How tests find the service. Half of the published ones have the address written out."""

JAVA_FRAMEWORKS = {"javalin": "Javalin", "spark": "Spark Java", "spring": "Spring Boot", "micronaut": "Micronaut", "quarkus": "Quarkus"}  # fmt: skip

JAVA_README = """# {name}

A service of notes with **{framework}** on port {port}. `org.example.Main.start(int)` starts it on a port, 0 for any that is free, and returns the port.

- **API Name**: `POST /notes`: `{{"text": "..."}}`, answers 201 with the note and its `id`
- **API Name**: `GET /notes/{{id}}`: the note, or 404
- **API Name**: `GET /health`
"""

JAVA_TEST = """package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NotesTest {
    static int port;

    @BeforeAll
    static void start() throws Exception {
        port = Main.start(0);
    }

    static HttpResponse<String> send(String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .header("Content-Type", "application/json")
                .method(method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void isHealthy() throws Exception {
        assertEquals(200, send("GET", "/health", null).statusCode());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bread", "salt"})
    void keepsWhatItIsTold(String text) throws Exception {
        HttpResponse<String> made = send("POST", "/notes", "{\\"text\\": \\"" + text + "\\"}");
        assertEquals(201, made.statusCode());
        assertTrue(made.body().contains(text));
    }

    @Disabled("not decided yet")
    @Test
    void forgets() {}

    @Nested
    class WhatIsNotThere {
        @Test
        void isNotFound() throws Exception {
            assertEquals(404, send("GET", "/notes/none", null).statusCode());
        }
    }
}
"""

SPRING_SUITE = """
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class NotesTest {
    @LocalServerPort int port;
"""
SPRING_IMPORTS = """
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
"""
QUARKUS_SUITE = """
@QuarkusTest
class NotesTest {
    @ConfigProperty(name = "quarkus.http.test-port") int port;
"""
QUARKUS_IMPORTS = """
import io.quarkus.test.junit.QuarkusTest;
import org.eclipse.microprofile.config.inject.ConfigProperty;
"""

JAVA_IDS = ("org.example.NotesTest::isHealthy", "org.example.NotesTest::keepsWhatItIsTold", "org.example.NotesTest$WhatIsNotThere::isNotFound")  # fmt: skip

JAVA_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>notes</artifactId><version>1.0</version>
<properties><maven.compiler.release>17</maven.compiler.release></properties></project>
"""

JAVA_SERVICE = """package org.example;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

public class Main {
    private static final Map<String, String> NOTES = new ConcurrentHashMap<>();

    public static void main(String[] arguments) throws IOException {
        start(Integer.parseInt(System.getenv("PORT")));
    }

    public static int start(int port) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
        server.createContext("/health", exchange -> answer(exchange, 200, "{\\"status\\": \\"ok\\"}"));
        server.createContext("/notes", Main::notes);
        server.start();
        return server.getAddress().getPort();
    }

    private static void notes(HttpExchange exchange) throws IOException {
        if (exchange.getRequestMethod().equals("POST")) {
            String id = String.valueOf(NOTES.size() + 1);
            String note = new String(exchange.getRequestBody().readAllBytes()).replaceFirst("[{]", "{\\"id\\": \\"" + id + "\\", ");
            NOTES.put(id, note);
            answer(exchange, 201, note);
        } else {
            String note = NOTES.get(exchange.getRequestURI().getPath().replace("/notes/", ""));
            answer(exchange, note == null ? 404 : 200, note == null ? "{}" : note);
        }
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        exchange.sendResponseHeaders(status, body.length());
        exchange.getResponseBody().write(body.getBytes());
        exchange.close();
    }
}
"""


def source_of(name: str) -> str:
    return SOURCES[PYTHON.index(name) % len(SOURCES)]


def port_of(name: str) -> int:
    return 8200 + (PYTHON + JAVA).index(name)


def published_tree(root: Path, names: Iterable[str] = PYTHON + JAVA) -> Path:
    """Write READMEs and golden tests of `names` below `root`, and the table of all of them as `constants.py`."""
    names = tuple(names)
    for name in names:
        if name in PYTHON:
            _python(root, name)
        else:
            _java(root, name)
    entries = "".join(f"    {name!r}: {_spec(name)!r},\n" for name in names[1:])
    table = f"REPO_SPECS: dict[str, dict] = {{\n{entries}}}\nREPO_SPECS[{names[0]!r}] = {_spec(names[0])!r}\n"
    (root / "constants.py").write_text(f'raise SystemExit("this module is to be read, not run")\n\n{table}')
    return root


def references(root: Path, names: Iterable[str] = PYTHON + JAVA) -> Path:
    """Write a solution for each of `names` below `root`."""
    for name in names:
        if name in PYTHON:
            shutil.copytree(MINI / "submissions" / "reference" / source_of(name), root / name)
        elif name in (SPRING_BOOT_TEST, QUARKUS_TEST):
            for place, text in framework_reference(name).items():
                _write(root / name / place, text)
        else:
            _write(root / name / "pom.xml", JAVA_POM)
            _write(root / name / "src/main/java/org/example/Main.java", JAVA_SERVICE)
    return root


def _spec(name: str) -> dict[str, object]:
    if name in JAVA:
        return {
            "lang": "java",
            "port": port_of(name),
            "framework": next(word for word in JAVA_FRAMEWORKS if name.lower().startswith(word)),
        }
    return {"lang": "python", "port": port_of(name), "framework": FRAMEWORKS[source_of(name)]}


def _python(root: Path, name: str) -> None:
    source, port = source_of(name), port_of(name)
    theirs = str(8101 + SOURCES.index(source))
    readme = (MINI / "public" / "files" / source / "README.md").read_text(encoding="utf-8").replace(theirs, str(port))
    _write(root / READMES / name / "README.md", readme)
    _write(root / PYTHON_TESTS / name / "README.md", readme)
    tests = root / PYTHON_TESTS / name / "tests"
    shutil.copytree(MINI / "sealed" / "tests" / source, tests, ignore=shutil.ignore_patterns("__pycache__"))
    prefix = PREFIXES.get(source, "")
    way = WAYS[PYTHON.index(name) % len(WAYS)].format(
        address=f"http://localhost:{port}{prefix}", port=port, prefix=prefix
    )
    conftest = (tests / "conftest.py").read_text(encoding="utf-8")
    written, count = re.subn(r"^BASE = .*$", lambda _: way, conftest, flags=re.MULTILINE)
    assert count == 1
    (tests / "conftest.py").write_text(written, encoding="utf-8")


def _java(root: Path, name: str) -> None:
    framework = next(title for word, title in JAVA_FRAMEWORKS.items() if name.lower().startswith(word))
    readme = JAVA_README.format(name=name, framework=framework, port=port_of(name))
    _write(root / JAVA_READMES / name / "README.md", readme)
    golden = root / PYTHON_TESTS / name
    started = JAVA_TEST[JAVA_TEST.index("\nclass NotesTest") : JAVA_TEST.index("\n    static HttpResponse")]
    beginning, imports = {
        SPRING_BOOT_TEST: (SPRING_SUITE, SPRING_IMPORTS),
        QUARKUS_TEST: (QUARKUS_SUITE, QUARKUS_IMPORTS),
    }.get(name, (started, ""))
    suite = JAVA_TEST.replace(started, beginning)
    if imports:
        suite = suite.replace("    static HttpResponse", "    HttpResponse").replace(
            "\nimport static", f"{imports}\nimport static", 1
        )
        _write(golden / "pom.xml", framework_reference(name)["pom.xml"])
    _write(golden / "src/test/java/org/example/NotesTest.java", suite)


def framework_reference(name: str) -> dict[str, str]:
    """A solution of one whose tests start the framework; what they need is in its project model, as in a generated one."""
    files, needed = {
        SPRING_BOOT_TEST: (java_services.spring_boot("3.5.7"), "org.springframework.boot:spring-boot-starter-test"),
        QUARKUS_TEST: (java_services.quarkus(), "io.quarkus:quarkus-junit5"),
    }[name]
    before, _, after = files["pom.xml"].rpartition("</dependencies>")
    wanted = java_services.artifact(needed, inner="<scope>test</scope>")
    return {**files, "pom.xml": f"{before}{wanted}</dependencies>{after}"}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    print(published_tree(Path(sys.argv[1])))
