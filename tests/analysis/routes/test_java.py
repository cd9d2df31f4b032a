"""Java trees that are hostile, large or broken, and the settings beside them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repoproof.analysis.endpoints import Endpoint, coverage
from repoproof.analysis.routes import find_routes
from repoproof.analysis.routes.java_settings import Settings, read_settings

GOOD = 'import io.javalin.Javalin;\nclass Good { public static void main(String[] a) { Javalin.create().get("/good", h); } }'
SPRING = """import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.*;
@SpringBootApplication @RestController @RequestMapping("/api") class Spring { static final String A = "/a" + Spring.B; static final String B = "/b";
@GetMapping({A, "/c"}) void a() {} @RequestMapping(path = "/{id:[0-9]+}", method = RequestMethod.PUT) void b(int x) {} }
"""
JAXRS = """import io.quarkus.runtime.Quarkus;
import jakarta.ws.rs.*;
@Path("/x") class R extends Base<String> implements Api { @GET @Path("{id}") public void a() {} @Path("sub") public Sub sub() { return new Sub("x") { void y() {} }; } }
class Sub { Sub(String a) { this.a = a; } final String a; @POST public void b() {} }
"""
JAVALIN = """import io.javalin.Javalin;
import static io.javalin.apibuilder.ApiBuilder.*;
enum P { A("/a"), B("/b"); final String path; P(String path) { this.path = path; } }
record Q(String path, int n) { static Q of(String s) { return new Q(s, 1); } }
class Main { private final Javalin app = Javalin.create(c -> { c.router.contextPath = "/v" + 1; c.router.apiBuilder(() -> { path("x", () -> { crud("{id}", h); get(Main::h); }); }); });
public static void main(String... a) { new Main().run(switch (a.length) { case 0 -> "x"; default -> { yield "y"; } }); }
void run(String s) { for (P p : P.values()) app.get(p.path + s, ctx -> { try { x(); } catch (E e) {} finally {} }); app.post(Q.of("/q").path(), h); int[] z = {1}; do { z[0]++; } while (z[0] < 3); } }
"""

HOSTILE = {
    "a type that is its own supertype": "class A extends A implements A { } interface B extends C {} interface C extends B {}",
    "a type that is in itself": "class A { class A { class A { static final String X = A.X; } } }",
    "constants in a circle": 'class A { static final String X = B.Y; } class B { static final String Y = "/" + A.X; }',
    "annotations on each other": "@C @interface B {} @B @interface C {} @B @C class D { @B void x() {} }",
    "an annotation on itself": '@B @interface B { @B String value(); }\n@B("x") class D {}',
    "objects that make each other": "class A { B b = new B(); A a = new A(); public static void main(String[] x) { new A(); } } class B { A a = new A(); B(B b) {} }",
    "a method that calls itself": "class A { public static void main(String[] x) { main(x); f(() -> main(x)); } static void f(Runnable r) { r.run(); f(r); } }",
    "work that doubles": "class A { public static void main(String[] x) {"
    + "".join(f"f{at}();" for at in range(2))
    + "}"
    + "".join(f"static void f{at}() {{ f{at + 1}(); f{at + 1}(); }}" for at in range(40))
    + "}",
    "a text that doubles": 'class A { public static void main(String[] x) { String s = "aaaaaaaaaa"; for (;;) { '
    + "s = s + s; s += s;" * 60
    + " } } }",
    "a list that doubles": 'import java.util.*;\nclass A { public static void main(String[] x) { var s = new ArrayList<String>(); s.add(""); '
    + "s.addAll(s); for (var t : s) s.addAll(s);" * 20
    + " } }",
    "a list of itself": "import java.util.*;\nclass A { public static void main(String[] x) { var s = new ArrayList<Object>(); s.add(s); for (Object t : s) s.add(t); s.forEach(s::add); } }",
    "deep brackets": "class A { public static void main(String[] x) { f(" + "(" * 3_000 + ")" * 3_000 + "); } }",
    "deep blocks": "class A { public static void main(String[] x) " + "{" * 3_000 + "}" * 3_000 + " }",
    "deep types": "class A {" * 500 + "}" * 500,
    "deep generics": "class A extends B" + "<B" * 2_000 + ">" * 2_000 + " {}",
    "a long sum": 'class A { static final String X = "a"'
    + ' + "b"' * 20_000
    + "; public static void main(String[] x) { f(X); } }",
    "a long chain of calls": "class A { public static void main(String[] x) { a" + ".b()" * 5_000 + "; } }",
    "nested lambdas": "class A { public static void main(String[] x) { f(" + "() -> f(" * 500 + ")" * 500 + "); } }",
    "no bytes of text": "\x00\ufffd\x01 ((( class {",
    "nothing": "",
    "an escape without end": 'class A { static final String X = "\\u',
    "an annotation without end": '@RestController @GetMapping("/x',
    "an import of nothing": "import ;\nimport static *;\npackage ;\nclass { void () {} }",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_does_not_hide_its_neighbours(source: str, tmp_path: Path) -> None:
    (tmp_path / "Good.java").write_text(GOOD)
    (tmp_path / "Bad.java").write_text(source)
    (tmp_path / "Spring.java").write_text(SPRING)
    assert {"GET /good", "GET /api/c"} <= {str(route) for route in find_routes(tmp_path, language="java")}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
@given(source=st.sampled_from([SPRING, JAXRS, JAVALIN]), data=st.data())
def test_a_mutilated_source_does_not_bring_the_reader_down(source: str, data: st.DataObject, tmp_path: Path) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(source)))
        end = data.draw(st.integers(start, min(len(source), start + 12)))
        words = ["", "(", ")", "{", "}", "@", '"', ",", "new ", "-> ", "::", "<", ">", ".", "class X {", "static "]
        source = source[:start] + data.draw(st.sampled_from(words)) + source[end:]
    (tmp_path / "App.java").write_text(source)
    assert all(route.file == "App.java" for route in find_routes(tmp_path, language="java"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100)
@given(text=st.text(max_size=200))
def test_no_text_brings_the_reader_down(text: str, tmp_path: Path) -> None:
    for name in ("App.java", "application.properties", "application.yml", "config.yml", "pom.xml"):
        (tmp_path / name).write_text(text, errors="replace")
    assert find_routes(tmp_path, language="java") == ()


def test_a_service_that_is_none_has_no_endpoints(tmp_path: Path) -> None:
    """The README in a comment and calls with the right names: endpoints for whoever matches words, routes for nobody."""
    (tmp_path / "Main.java").write_text(
        '/* GET /items, DELETE /items/{id}\n@GetMapping("/items") */\nclass Main { public static void main(String[] a) { db.delete("/items/{id}", x); map.get("/items"); '
        'String s = "app.get(\\"/items\\", ctx -> {})"; get("/items", h); } void get(String path, Object h) {} }'
    )
    declared = [Endpoint(method="GET", path="/items"), Endpoint(method="DELETE", path="/items/{id}")]
    assert set(coverage(declared, find_routes(tmp_path, language="java")).values()) == {None}


def test_links_and_devices_are_not_followed(tmp_path: Path) -> None:
    outside, tree = tmp_path / "Outside.java", tmp_path / "tree"
    outside.write_text(GOOD.replace("/good", "/outside"))
    tree.mkdir()
    (tree / "Good.java").write_text(GOOD)
    (tree / "loop").symlink_to(tree, target_is_directory=True)
    (tree / "Link.java").symlink_to(outside)
    (tree / "application.yml").symlink_to(tree / "nothing")
    os.mkfifo(tree / "Pipe.java")
    (tree / "Folder.java").mkdir()
    assert [str(route) for route in find_routes(tree, language="java")] == ["GET /good"]


def test_a_large_tree_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "App.java").write_text(SPRING)
    body = "".join(f"  private int helper{at}(int x) {{ return x + {at}; }}\n" for at in range(40))
    for at in range(1_000):
        (tmp_path / f"C{at}.java").write_text(
            f'import org.springframework.web.bind.annotation.*;\n@RestController @RequestMapping("/c{at}") class C{at} {{\n  @GetMapping("/{{id}}") void a() {{}}\n{body}}}'
        )
    found = find_routes(tmp_path, language="java")
    assert sum(route.path.startswith("/c") for route in found) == 1_000


SETTINGS = {
    "properties": (
        "application.properties",
        "# a=0\n! b=0\na = 1\nb:2\nc d\ne=f=g\nlong=1\\\n  2\n",
        {"a": "1", "b": "2", "c": "d", "e": "f=g", "long": "12"},
    ),
    "nested YAML": ("application.yml", "a:\n  b-c:\n    d: 1\n  e: x\n", {"a.bc.d": "1", "a.e": "x"}),
    "documents of profiles": (
        "application.yml",
        "a: 1\n---\nspring.config.activate.on-profile: x\na: 2\nb: 3\n---\nc: 4\n",
        {"a": "1", "c": "4"},
    ),
    "parts of profiles": (
        "application.properties",
        "a=1\n#---\nspring.config.activate.on-profile=x\nb=2\n#---\nc=3",
        {"a": "1", "c": "3"},
    ),
    "YAML that is none": ("application.yml", "a: [\n", {}),
    "another file": ("logback.properties", "a=1", {}),
}


@pytest.mark.parametrize(("name", "text", "values"), SETTINGS.values(), ids=SETTINGS)
def test_settings_are_read(name: str, text: str, values: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "src" / "main" / "resources"
    folder.mkdir(parents=True)
    (folder / name).write_text(text)
    assert dict(read_settings(tmp_path).get("", Settings()).values) == values


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("/a", "/a"),
        ("${x}", "1"),
        ("${y:/d}", "/d"),
        ("${y:${x}}", "1"),
        ("/${x}/${x}", "/1/1"),
        ("${y}", None),
        ("${loop}", None),
        ("${", None),
    ],
)
def test_placeholders_are_filled(text: str, filled: str | None, tmp_path: Path) -> None:
    (tmp_path / "application.properties").write_text("x=1\nloop=a${loop}\n")
    assert read_settings(tmp_path)[""].filled(text) == filled


def test_constants_are_what_java_makes_of_them(read_java: Callable[[Mapping[str, str]], list[str]]) -> None:
    expressions = {
        "'/' + \"a\"": "/a",
        '"/b" + 1 + 2': "/b12",
        '"/c\\u0064"': "/cd",
        '("/e")': "/e",
        '(String) "/f"': "/f",
        '"/g".concat("h")': "/gh",
        'String.join("/", "", "i", "j")': "/i/j",
        '"/K".toLowerCase()': "/k",
        'true ? "/l" : "/no"': "/l",
        '"/m/x".replace("x", "y").trim()': "/m/y",
        '"/n" + (1 == 1 ? "yes" : "no")': "/nyes",
        'List.of("/no", "/o").get(1)': "/o",
        'new String[]{"/p"}[0]': "/p",
        'Map.of("k", "/q").get("k")': "/q",
        'Map.of("k", "/no").getOrDefault("x", "/r")': "/r",
        'Optional.of("s").map(x -> "/" + x).get()': "/s",
    }
    calls = "".join(f"app.get({expression}, h);\n" for expression in expressions)
    source = f"import io.javalin.Javalin;\nimport java.util.*;\nclass A {{ public static void main(String[] a) {{ var app = Javalin.create();\n{calls} }} }}"
    assert read_java({"A.java": source}) == sorted(f"GET {path}" for path in expressions.values())
