"""What Spring applications answer to, read from their source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from repoproof.analysis.routes import find_routes

APP = """package a;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
@SpringBootApplication
public class App { public static void main(String[] args) { SpringApplication.run(App.class, args); } }
"""
IMPORTS = """package a.web;
import java.util.List;
import org.springframework.stereotype.*;
import org.springframework.web.bind.annotation.*;
"""
FUNCTIONS = """package a.web;
import org.springframework.context.annotation.*;
import org.springframework.http.HttpMethod;
import org.springframework.web.servlet.function.*;
import static org.springframework.web.servlet.function.RouterFunctions.*;
import static org.springframework.web.servlet.function.RequestPredicates.*;
"""
PROPERTIES = "src/main/resources/application.properties"
YAML = "src/main/resources/application.yml"


def controller(body: str, head: str = "@RestController", rest: str = "") -> dict[str, str]:
    return {"a/App.java": APP, "a/web/C.java": f"{IMPORTS}{head}\npublic class C {{ {body} }}\n{rest}"}


def functional(expression: str) -> dict[str, str]:
    bean = f"@Bean RouterFunction<ServerResponse> routes(Handler h) {{ return {expression}; }}"
    return {
        "a/App.java": APP,
        "a/web/Routes.java": f'{FUNCTIONS}@Configuration class Routes {{ {bean} RouterFunction<ServerResponse> other() {{ return route(POST("/other"), h::x); }} }}\nclass Handler {{}}',
    }


GET_X = '@GetMapping("/x") String x() { return ""; }'

CASES: dict[str, tuple[dict[str, str], str]] = {
    "shorthands": (
        controller(
            '@GetMapping("/a") void a() {} @PostMapping("/b") void b() {} @PutMapping("/c") void c() {} @PatchMapping("/d") void d() {} @DeleteMapping("/e") void e() {}'
        ),
        "DELETE /e, GET /a, PATCH /d, POST /b, PUT /c",
    ),
    "a path of the class": (
        controller(
            '@GetMapping void all() {} @GetMapping("/{id}") void one() {} @PostMapping("") void make() {}',
            '@RestController @RequestMapping("/api/things")',
        ),
        "GET /api/things, GET /api/things/{id}, POST /api/things",
    ),
    "slashes left out and doubled": (
        controller(
            '@GetMapping("a") void a() {} @GetMapping("/b") void b() {}', '@RestController @RequestMapping("api/")'
        ),
        "GET /api/a, GET /api/b",
    ),
    "the root": (controller('@GetMapping void a() {} @PostMapping("/") void b() {}'), "GET /, POST /"),
    "named elements": (
        controller(
            '@GetMapping(value = "/a", produces = "x") void a() {} @PostMapping(path = "/b", consumes = {"y"}) void b() {}'
        ),
        "GET /a, POST /b",
    ),
    "several paths and methods": (
        controller(
            '@RequestMapping(value = {"/a", "/b"}, method = {RequestMethod.GET, RequestMethod.HEAD}) void a() {} @GetMapping({"/c", "/d"}) void c() {}',
            '@RestController @RequestMapping({"/v1", "/v2"})',
        ),
        ", ".join(
            [
                *(f"GET /{v}/{p}" for v in ("v1", "v2") for p in "abcd"),
                *(f"HEAD /{v}/{p}" for v in ("v1", "v2") for p in "ab"),
            ]
        ),
    ),
    "a mapping without a method takes all": (controller('@RequestMapping("/a") void a() {}'), "ANY /a"),
    "methods of the class": (
        controller(
            '@RequestMapping("/b") void b() {}',
            '@RestController @RequestMapping(path = "/a", method = RequestMethod.PUT)',
        ),
        "PUT /a/b",
    ),
    "a method imported by name": (
        {
            "a/App.java": APP,
            "a/C.java": 'package a;\nimport org.springframework.web.bind.annotation.RequestMapping;\nimport org.springframework.web.bind.annotation.RestController;\nimport static org.springframework.web.bind.annotation.RequestMethod.POST;\n@RestController class C { @RequestMapping(path = "/a", method = POST) void a() {} }',
        },
        "POST /a",
    ),
    "annotations with their package": (
        {
            "a/App.java": APP,
            "a/C.java": 'package a;\n@org.springframework.web.bind.annotation.RestController class C { @org.springframework.web.bind.annotation.GetMapping("/a") void a() {} }',
        },
        "GET /a",
    ),
    "patterns in parameters": (
        controller(
            '@GetMapping("/a/{id:[0-9]{1,3}}") void a() {} @GetMapping("/b/{*rest}") void b() {} @GetMapping("/c/**") void c() {}'
        ),
        "GET /a/{id}, GET /b/{rest}, GET /c/{wildcard}",
    ),
    "constants of the class, of another and of an interface": (
        {
            "a/App.java": APP,
            "a/Other.java": 'package a;\npublic final class Other { public static final String E = "/e"; }',
            "a/web/C.java": IMPORTS
            + 'import static a.Other.E;\n@RestController @RequestMapping(Paths.ROOT) class C { private static final String A = "/a"; @GetMapping(A) void a() {} @GetMapping(Paths.B + A) void b() {} @GetMapping(C.A + "/" + Paths.In.D) void c() {} @PostMapping(E) void e() {} }\ninterface Paths { String ROOT = "/api"; String B = "/b"; class In { static final String D = "d"; } }',
        },
        "GET /api/a, GET /api/a/d, GET /api/b/a, POST /api/e",
    ),
    "a constant that cannot be told": (
        controller('@GetMapping(Elsewhere.PATH) void a() {} @GetMapping("/b") void b() {}'),
        "GET /b",
    ),
    "placeholders": (
        controller(
            '@GetMapping("${paths.a}") void a() {} @GetMapping("${paths.b:/b}") void b() {} @GetMapping("${paths.c}") void c() {}'
        )
        | {PROPERTIES: "paths.a = /x/${paths.more}\npaths.more=y\n"},
        "GET /b, GET /x/y",
    ),
    "a context path": (
        controller(GET_X) | {PROPERTIES: "# server.servlet.context-path=/no\nserver.servlet.context-path=/api\n"},
        "GET /api/x",
    ),
    "a context path and a servlet path in YAML": (
        controller(GET_X)
        | {YAML: "server:\n  servlet:\n    contextPath: /api\nspring:\n  mvc:\n    servlet:\n      path: /v1\n"},
        "GET /api/v1/x",
    ),
    "a context path of a profile": (
        controller(GET_X)
        | {
            YAML: "server:\n  port: 1\n---\nspring:\n  config:\n    activate:\n      on-profile: prod\nserver:\n  servlet:\n    context-path: /prod\n"
        },
        "GET /x",
    ),
    "a context path with a default, and one without": (
        controller(GET_X) | {PROPERTIES: "server.servlet.context-path=${BASE:/b}\n"},
        "GET /b/x",
    ),
    "a context path that cannot be told": (
        controller(GET_X) | {PROPERTIES: "server.servlet.context-path=${BASE}\n"},
        "",
    ),
    "WebFlux has a base path of its own": (
        controller(GET_X)
        | {
            "pom.xml": "<artifactId>spring-boot-starter-webflux</artifactId>",
            PROPERTIES: "spring.webflux.base-path=/flux\nserver.servlet.context-path=/no\n",
        },
        "GET /flux/x",
    ),
    "a prefix for annotated controllers": (
        controller(GET_X)
        | {
            "a/Web.java": 'package a;\nimport org.springframework.context.annotation.Configuration;\nimport org.springframework.web.bind.annotation.RestController;\nimport org.springframework.web.method.HandlerTypePredicate;\nimport org.springframework.web.servlet.config.annotation.*;\n@Configuration class Web implements WebMvcConfigurer { public void configurePathMatch(PathMatchConfigurer c) { c.addPathPrefix("/api", HandlerTypePredicate.forAnnotation(RestController.class)); } }'
        },
        "GET /api/x",
    ),
    "prefixes by a rule of one's own": (
        controller(GET_X)
        | {
            "a/Web.java": 'package a;\nimport org.springframework.context.annotation.Configuration;\nimport org.springframework.web.servlet.config.annotation.*;\n@Configuration class Web implements WebMvcConfigurer { public void configurePathMatch(PathMatchConfigurer c) { c.addPathPrefix("/no", t -> t.getPackageName().startsWith("b.")); c.addPathPrefix("/yes", t -> t.getPackage().getName().equals("a.web")); } }'
        },
        "GET /yes/x",
    ),
    "mappings of an interface": (
        {
            "a/App.java": APP,
            "a/web/C.java": IMPORTS
            + '@RestController class C implements Api { @Override public void all() {} public void one(String id) {} }\n@RequestMapping("/api") interface Api { @GetMapping void all(); @GetMapping("/{id}") void one(@PathVariable String id); @PostMapping("/{id}") default void other(int a, int b) {} }',
        },
        "GET /api, GET /api/{id}, POST /api/{id}",
    ),
    "mappings of a superclass, and one that is mapped anew": (
        {
            "a/App.java": APP,
            "a/web/C.java": IMPORTS
            + '@RestController @RequestMapping("/users") class Users extends Base<String> { @Override @GetMapping("/everyone") public void all() {} }\n@RestController @RequestMapping("/notes") class Notes extends Base<Long> {}\nabstract class Base<T> { @GetMapping("/all") public void all() {} @DeleteMapping("/{id}") public void delete(@PathVariable T id) {} }',
        },
        "DELETE /notes/{id}, DELETE /users/{id}, GET /notes/all, GET /users/everyone",
    ),
    "annotations of one's own": (
        {
            "a/App.java": APP,
            "a/web/C.java": IMPORTS
            + 'import org.springframework.core.annotation.AliasFor;\n@Api("/api") class C { @Fetch("/a") void a() {} @Json(path = "/b") void b() {} }\n@RestController @RequestMapping @interface Api { @AliasFor(annotation = RequestMapping.class, attribute = "path") String[] value() default {}; }\n@RequestMapping(method = RequestMethod.GET) @interface Fetch { @AliasFor(annotation = RequestMapping.class) String[] value(); }\n@RequestMapping(method = RequestMethod.POST, path = "/json") @interface Json { @AliasFor(annotation = RequestMapping.class, attribute = "path") String[] path(); }',
        },
        "GET /api/a, POST /api/b",
    ),
    "a controller of the older kind": (controller("@ResponseBody " + GET_X, "@Controller"), "GET /x"),
    "no controller": (controller(GET_X, "@Component"), ""),
    "a controller that is not scanned": (
        controller(GET_X)
        | {"b/D.java": IMPORTS.replace("a.web", "b") + '@RestController class D { @GetMapping("/d") void d() {} }'},
        "GET /x",
    ),
    "packages that are scanned": (
        {
            "a/App.java": APP.replace(
                "@SpringBootApplication\n", '@SpringBootApplication(scanBasePackages = {"b", "c.d"})\n'
            ),
            "a/E.java": IMPORTS.replace("a.web", "a") + '@RestController class E { @GetMapping("/e") void e() {} }',
            "b/D.java": IMPORTS.replace("a.web", "b") + '@RestController class D { @GetMapping("/d") void d() {} }',
            "c/d/F.java": IMPORTS.replace("a.web", "c.d") + '@RestController class F { @GetMapping("/f") void f() {} }',
            "cd/G.java": IMPORTS.replace("a.web", "cd") + '@RestController class G { @GetMapping("/g") void g() {} }',
        },
        "GET /d, GET /f",
    ),
    "a scan of a configuration that is scanned": (
        {
            "a/App.java": APP,
            "a/More.java": "package a;\nimport org.springframework.context.annotation.*;\n@Configuration @ComponentScan(basePackageClasses = b.D.class) class More {}",
            "b/D.java": IMPORTS.replace("a.web", "b")
            + '@RestController public class D { @GetMapping("/d") void d() {} }',
        },
        "GET /d",
    ),
    "an imported controller and one that a method makes": (
        {
            "a/App.java": APP.replace(
                "@SpringBootApplication\n",
                "@SpringBootApplication @org.springframework.context.annotation.Import(b.D.class)\n",
            ).replace(
                "public static void main",
                "@org.springframework.context.annotation.Bean b.E e() { return new b.E(); } public static void main",
            ),
            "b/D.java": IMPORTS.replace("a.web", "b")
            + '@RestController public class D { @GetMapping("/d") void d() {} }',
            "b/E.java": IMPORTS.replace("a.web", "b")
            + '@RestController public class E { @GetMapping("/e") void e() {} }',
        },
        "GET /d, GET /e",
    ),
    "an application that is its own controller": (
        {
            "a/App.java": IMPORTS.replace("a.web", "a")
            + "import org.springframework.boot.autoconfigure.*;\n@RestController @EnableAutoConfiguration public class App { "
            + GET_X
            + " }"
        },
        "GET /x",
    ),
    "a nested controller": (
        controller("", "", "class Outer { @RestController static class In { " + GET_X + " } }"),
        "GET /x",
    ),
    "an abstract controller and an interface": (
        {
            "a/App.java": APP,
            "a/web/C.java": IMPORTS
            + "@RestController abstract class C { "
            + GET_X
            + ' }\n@RestController interface I { @GetMapping("/i") void i(); }',
        },
        "",
    ),
    "a client is no controller": (
        {
            "a/App.java": APP,
            "a/web/C.java": IMPORTS
            + '@org.springframework.cloud.openfeign.FeignClient("x") interface C { @GetMapping("/x") String x(); }',
        },
        "",
    ),
    "no application": ({"a/C.java": IMPORTS + "@RestController class C { " + GET_X + " }"}, ""),
    "comments, strings and other people's annotations": (
        {
            "a/App.java": APP,
            "a/C.java": 'package a;\nimport org.springframework.web.bind.annotation.RestController;\nimport com.acme.GetMapping;\n@RestController class C { @GetMapping("/a") void a() {}\n// @PostMapping("/b") void b() {}\n/* @PutMapping("/c") */ String s = "@GetMapping(\\"/d\\")"; void d() { rest.delete("/e"); map.get("/f"); webClient.get().uri("/g"); } }\n/* @RestController class D { @GetMapping("/h") void h() {} } */',
        },
        "",
    ),
    "tests": (
        controller(GET_X)
        | {
            "src/test/java/a/T.java": IMPORTS + '@RestController class T { @GetMapping("/t") void t() {} }',
            "src/integrationTest/java/a/U.java": IMPORTS + '@RestController class U { @GetMapping("/u") void u() {} }',
        },
        "GET /x",
    ),
    "modules, each with its settings": (
        {
            "one/src/main/java/a/App.java": APP,
            "one/src/main/java/a/C.java": IMPORTS.replace("a.web", "a")
            + '@RestController class C { @GetMapping("/c") void c() {} }',
            "one/src/main/resources/application.properties": "server.servlet.context-path=/one\n",
            "two/src/main/java/b/App.java": APP.replace("package a;", "package b;"),
            "two/src/main/java/b/D.java": IMPORTS.replace("a.web", "b")
            + '@RestController class D { @GetMapping("/d") void d() {} }',
        },
        "GET /d, GET /one/c",
    ),
    "a router function": (
        functional(
            'route(GET("/a"), h::a).andRoute(POST("/b").and(accept(JSON)), h::b).and(route(method(HttpMethod.PUT).and(path("/c")), h::c))'
        ),
        "GET /a, POST /b, PUT /c",
    ),
    "a builder of router functions": (
        functional(
            'route().GET("/a", h::a).POST("/b", accept(JSON), h::b).path("/c", b -> b.GET("/{id}", h::c).DELETE(h::d)).nest(path("/e").and(accept(JSON)), () -> route().PUT("/f", h::f).build()).add(other()).filter(x).build()'
        ),
        "DELETE /c, GET /a, GET /c/{id}, POST /b, POST /other, PUT /e/f",
    ),
    "nested router functions": (
        functional(
            'nest(path("/api"), nest(path("/v1"), route(GET("/a").or(GET("/b")), h::a)).andNest(path("/v2"), route(method(HttpMethod.GET), h::x)))'
        ),
        "GET /api/v1/a, GET /api/v1/b, GET /api/v2",
    ),
    "a router function of WebFlux that is no bean": (
        {
            "a/App.java": APP,
            "a/web/R.java": FUNCTIONS.replace("servlet.function", "reactive.function.server")
            + '@Configuration class R { @Bean public RouterFunction<ServerResponse> a() { return RouterFunctions.route(RequestPredicates.GET("/a"), x -> null); } RouterFunction<ServerResponse> b() { return RouterFunctions.route(RequestPredicates.GET("/b"), x -> null); } }',
        },
        "GET /a",
    ),
    "router functions under a context path": (
        functional('route(GET("/a"), h::a)') | {PROPERTIES: "server.servlet.context-path=/api"},
        "GET /api/a",
    ),
}


@pytest.mark.parametrize(("files", "listed"), CASES.values(), ids=CASES)
def test_routes_of_a_spring_application(
    files: Mapping[str, str], listed: str, read_java: Callable[[Mapping[str, str]], list[str]]
) -> None:
    assert ", ".join(read_java(files)) == listed


def test_a_route_says_where_it_was_mapped(tmp_path: Path) -> None:
    (tmp_path / "App.java").write_text(APP)
    (tmp_path / "C.java").write_text(
        IMPORTS + '@RestController\nclass C {\n  @Deprecated\n  @GetMapping("/a")\n  void a() {}\n}'
    )
    found = find_routes(tmp_path, language="java")
    assert [(str(route), route.file, route.line, route.framework) for route in found] == [
        ("GET /a", "C.java", 8, "spring")
    ]
