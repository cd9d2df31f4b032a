"""What Micronaut applications answer to, read from their source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from repoproof.analysis.routes import find_routes

APP = "package a;\nimport io.micronaut.runtime.Micronaut;\npublic class App { public static void main(String[] args) { Micronaut.run(App.class, args); } }\n"
IMPORTS = "package a;\nimport io.micronaut.http.annotation.*;\n"
PROPERTIES = "src/main/resources/application.properties"
YAML = "src/main/resources/application.yml"


def controller(body: str, head: str = '@Controller("/x")', rest: str = "") -> dict[str, str]:
    return {"a/App.java": APP, "a/C.java": f"{IMPORTS}{head} public class C {{ {body} }}\n{rest}"}


CASES: dict[str, tuple[dict[str, str], str]] = {
    "methods": (
        controller(
            '@Get("/a") void a() {} @Post("/b") void b() {} @Put("/c") void c() {} @Patch("/d") void d() {} @Delete("/e") void e() {} @Head("/f") void f() {} @Options("/g") void g() {}'
        ),
        "DELETE /x/e, GET /x/a, HEAD /x/f, OPTIONS /x/g, PATCH /x/d, POST /x/b, PUT /x/c",
    ),
    "no path": (controller("@Get void a() {} @Post void b() {}"), "GET /x, POST /x"),
    "no path of the class": (
        controller('@Get void a() {} @Get("/hello") void b() {}', "@Controller"),
        "GET /, GET /hello",
    ),
    "slashes left out": (controller('@Get("a") void a() {}', '@Controller("api/v1")'), "GET /api/v1/a"),
    "elements by name": (
        controller(
            '@Get(uri = "/a", produces = "text/plain") void a() {} @Post(value = "/b", single = true) void b() {} @Put(uris = {"/c", "/d"}) void c() {}'
        ),
        "GET /x/a, POST /x/b, PUT /x/c, PUT /x/d",
    ),
    "several methods on one": (controller('@Get("/a") @Post("/b") void a() {}'), "GET /x/a, POST /x/b"),
    "templates": (
        controller(
            '@Get("/a/{id}") void a() {} @Get("/b/{id:[0-9]+}") void b() {} @Get("/c{?page,size}") void c() {} @Get("/d/{+rest}") void d() {} @Get("/e/{id}{?x*}{&y}") void e() {}'
        ),
        "GET /x/a/{id}, GET /x/b/{id}, GET /x/c, GET /x/d/{rest}, GET /x/e/{id}",
    ),
    "sections that may be left out": (
        controller('@Get("/a{/id}") void a() {} @Get("{/name}") void b() {} @Get("/c{.kind}") void c() {}'),
        "GET /x, GET /x/a, GET /x/a/{id}, GET /x/c, GET /x/c.{kind}, GET /x/{name}",
    ),
    "constants": (
        controller(
            'static final String A = "/a"; @Get(A) void a() {} @Get(Paths.B + "/{id}") void b() {}',
            "@Controller(Paths.ROOT)",
            'interface Paths { String ROOT = "/api"; String B = "/b"; }',
        ),
        "GET /api/a, GET /api/b/{id}",
    ),
    "a constant that cannot be told": (controller("@Get(Elsewhere.X) void a() {}"), ""),
    "placeholders": (
        controller('@Get("/${a.b:c}") void a() {} @Get("/${x}") void b() {}', '@Controller("${api.path}")')
        | {YAML: "api:\n  path: /p\n"},
        "GET /p/c",
    ),
    "a context path": (
        controller('@Get("/a") void a() {}') | {PROPERTIES: "micronaut.server.context-path=/api"},
        "GET /api/x/a",
    ),
    "a context path in YAML": (
        controller('@Get("/a") void a() {}') | {YAML: "micronaut:\n  server:\n    context-path: ${CONTEXT:/api}\n"},
        "GET /api/x/a",
    ),
    "mappings of an interface": (
        {
            "a/App.java": APP,
            "a/C.java": IMPORTS
            + '@Controller("/x") public class C implements Operations { public String one(String id) { return id; } }\ninterface Operations { @Get("/{id}") String one(String id); }',
        },
        "GET /x/{id}",
    ),
    "mappings of a superclass": (
        {
            "a/App.java": APP,
            "a/C.java": IMPORTS
            + '@Controller("/x") class C extends Base {}\nabstract class Base { @Get("/all") void all() {} }',
        },
        "GET /x/all",
    ),
    "a method of one's own": (
        controller('@CustomHttpMethod(method = "PATCH", value = "/a") void a() {}'),
        "PATCH /x/a",
    ),
    "a nested controller": (
        controller("", "", 'class Outer { @Controller("/n") static class In { @Get void a() {} } }'),
        "GET /n",
    ),
    "an application that is built": (
        controller('@Get("/a") void a() {}')
        | {"a/App.java": APP.replace("Micronaut.run(App.class, args)", 'Micronaut.build(args).packages("a").start()')},
        "GET /x/a",
    ),
    "no application": ({"a/C.java": IMPORTS + '@Controller("/x") class C { @Get("/a") void a() {} }'}, ""),
    "clients, filters and errors": (
        {
            "a/App.java": APP,
            "a/D.java": IMPORTS
            + 'import io.micronaut.http.client.annotation.Client;\n@Client("/x") interface D { @Get("/a") String a(); }\n@Filter("/b") class E { @Get("/c") void c() {} }\n@Controller("/e") class F { @Error(status = HttpStatus.NOT_FOUND) void e() {} void g() { client.delete("/h"); map.get("/i"); } }',
        },
        "",
    ),
    "comments, strings and other people's annotations": (
        {
            "a/App.java": APP,
            "a/C.java": 'package a;\nimport io.micronaut.http.annotation.Controller;\nimport com.acme.Get;\n@Controller("/x") class C { @Get("/a") void a() {}\n// @Post("/b") void b() {}\n String s = "@Put(\\"/c\\")"; }\n/* @Controller class D {} */',
        },
        "",
    ),
}


@pytest.mark.parametrize(("files", "listed"), CASES.values(), ids=CASES)
def test_routes_of_a_micronaut_application(
    files: Mapping[str, str], listed: str, read_java: Callable[[Mapping[str, str]], list[str]]
) -> None:
    assert ", ".join(read_java(files)) == listed


def test_a_route_says_where_it_was_mapped(tmp_path: Path) -> None:
    (tmp_path / "App.java").write_text(APP)
    (tmp_path / "C.java").write_text(IMPORTS + '@Controller("/x")\nclass C {\n  @Get("/a")\n  void a() {}\n}')
    found = find_routes(tmp_path, language="java")
    assert [(str(route), route.file, route.line, route.framework) for route in found] == [
        ("GET /x/a", "C.java", 5, "micronaut")
    ]
