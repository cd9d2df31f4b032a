"""What JAX-RS resources answer to, whoever serves them, read from their source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from repoproof.analysis.routes import find_routes

Read = Callable[[Mapping[str, str]], list[str]]

IMPORTS = "package a;\nimport jakarta.ws.rs.*;\nimport jakarta.ws.rs.core.*;\nimport java.util.*;\n"
POM = {"pom.xml": "<groupId>io.quarkus</groupId>"}
PROPERTIES = "src/main/resources/application.properties"
GET_A = '@GET @Path("/a") public String a() { return ""; }'


def quarkus(body: str, head: str = '@Path("/x")', rest: str = "") -> dict[str, str]:
    return {**POM, "a/R.java": f"{IMPORTS}{head} public class R {{ {body} }}\n{rest}"}


RESOURCES: dict[str, tuple[dict[str, str], str]] = {
    "methods": (
        quarkus(
            '@GET public void a() {} @POST public void b() {} @PUT @Path("/c") public void c() {} @PATCH @Path("d") public void d() {} @DELETE @Path("{id}") public void e() {} @HEAD public void f() {} @OPTIONS public void g() {}'
        ),
        "DELETE /x/{id}, GET /x, HEAD /x, OPTIONS /x, PATCH /x/d, POST /x, PUT /x/c",
    ),
    "the older namespace": (
        {**POM, "a/R.java": 'package a;\nimport javax.ws.rs.*;\n@Path("/x") public class R { ' + GET_A + " }"},
        "GET /x/a",
    ),
    "slashes left out and doubled": (quarkus('@GET @Path("/a") public void a() {}', '@Path("x/")'), "GET /x/a"),
    "an empty path and the root": (
        quarkus('@GET public void a() {} @GET @Path("") public void b() {}', '@Path("/")'),
        "GET /",
    ),
    "patterns and spaces in parameters": (
        quarkus(
            '@GET @Path("/a/{id: [0-9]{1,3}}") public void a() {} @GET @Path("/b/{ name }/c") public void b() {} @GET @Path("/d/{rest:.*}") public void d() {}'
        ),
        "GET /x/a/{id}, GET /x/b/{name}/c, GET /x/d/{rest}",
    ),
    "constants": (
        quarkus(
            'static final String A = "/a"; @GET @Path(A + Paths.B) public void a() {} @GET @Path(Elsewhere.C) public void c() {}',
            "@Path(Paths.ROOT)",
            'final class Paths { static final String ROOT = "/api"; static final String B = "/{b}"; }',
        ),
        "GET /api/a/{b}",
    ),
    "several methods on one": (quarkus('@GET @HEAD @Path("/a") public void a() {}'), "GET /x/a, HEAD /x/a"),
    "a method of one's own": (
        quarkus('@Amend @Path("/a") public void a() {}', '@Path("/x")', '@HttpMethod("PATCH") @interface Amend {}'),
        "PATCH /x/a",
    ),
    "a method of one's own, by constant": (
        quarkus("@Amend public void a() {}", '@Path("/x")', "@HttpMethod(HttpMethod.PATCH) @interface Amend {}"),
        "PATCH /x",
    ),
    "annotations of an interface": (
        {
            **POM,
            "a/R.java": IMPORTS
            + '@Path("/x") interface Api { @GET @Path("/{id}") String one(@PathParam("id") String id); @POST void make(); }\npublic class R implements Api { @Override public String one(String id) { return id; } @Override public void make() {} }',
        },
        "GET /x/{id}, POST /x",
    ),
    "annotations of a superclass, and a method that is annotated anew": (
        {
            **POM,
            "a/R.java": IMPORTS
            + '@Path("/users") class R extends Base {}\n@Path("/notes") class S extends Base { @Override @GET @Path("/every") public void all() {} }\nabstract class Base { @GET @Path("/all") public void all() {} @DELETE @Path("{id}") public void gone() {} }',
        },
        "DELETE /notes/{id}, DELETE /users/{id}, GET /notes/every, GET /users/all",
    ),
    "a sub-resource": (
        quarkus(
            '@Path("/{id}/notes") public Notes notes(@PathParam("id") String id) { return new Notes(id); } @Path("classes") public Class<Classes> classes() { return Classes.class; } @Path("declared") public Declared declared() { return context.get(x); }',
            '@Path("/users")',
            'class Notes { Notes(String id) {} @GET public void all() {} @Path("/{note}") @PUT public void one() {} }\n@Path("/ignored") class Classes { @GET public void all() {} }\nclass Declared { @GET public void all() {} @Path("again") public Declared again() { return this; } }',
        ),
        "GET /ignored, GET /users/classes, GET /users/declared, GET /users/{id}/notes, PUT /users/{id}/notes/{note}",
    ),
    "a nested resource": (
        quarkus("", "", 'class Outer { @Path("/n") public static class In { @GET public void a() {} } }'),
        "GET /n",
    ),
    "no path of the class": (quarkus(GET_A, "@ApplicationScoped"), ""),
    "a client": (
        {
            **POM,
            "a/C.java": IMPORTS
            + 'import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;\n@Path("/x") @RegisterRestClient interface C { '
            + '@GET @Path("/a") String a(); }',
        },
        "",
    ),
    "comments, strings and other people's annotations": (
        {
            **POM,
            "a/R.java": 'package a;\nimport jakarta.ws.rs.Path;\nimport com.acme.GET;\n@Path("/x") class R { @GET public void a() {}\n// @Path("/b") @PUT public void b() {}\n String s = "@GET @Path(\\"/c\\")"; public void d() { client.target("/e").get(); map.get("/f"); db.delete("/g"); } }',
        },
        "",
    ),
}

QUARKUS: dict[str, tuple[dict[str, str], str]] = {
    "the root path of the server": (quarkus(GET_A) | {PROPERTIES: "quarkus.http.root-path=/root\n"}, "GET /root/x/a"),
    "the path of the resources": (
        quarkus(GET_A) | {PROPERTIES: "quarkus.rest.path=/api\nquarkus.http.root-path=/root/"},
        "GET /root/api/x/a",
    ),
    "the path of the resources in YAML": (
        quarkus(GET_A) | {"src/main/resources/application.yml": "quarkus:\n  resteasy-reactive:\n    path: api\n"},
        "GET /api/x/a",
    ),
    "the path of an application": (
        quarkus(GET_A, rest='@ApplicationPath("/api") class App extends Application {}')
        | {PROPERTIES: "quarkus.rest.path=/no"},
        "GET /api/x/a",
    ),
    "an application that names its classes": (
        quarkus(
            GET_A,
            rest='class App extends Application { @Override public Set<Class<?>> getClasses() { return Set.of(S.class); } }\n@Path("/s") class S { @GET public void s() {} }',
        ),
        "GET /s",
    ),
    "an import is enough": (
        {"a/R.java": IMPORTS + 'import io.quarkus.runtime.Quarkus;\n@Path("/x") class R { ' + GET_A + " }"},
        "GET /x/a",
    ),
    "a build file that has it in a comment": (
        {"pom.xml": "<!-- io.quarkus -->", "a/R.java": IMPORTS + '@Path("/x") class R { ' + GET_A + " }"},
        "",
    ),
    "routes of the router": (
        {
            **POM,
            "a/R.java": "package a;\nimport io.quarkus.vertx.web.*;\nimport io.vertx.ext.web.Router;\nimport io.vertx.core.http.HttpMethod;\nimport jakarta.enterprise.event.Observes;\n"
            '@RouteBase(path = "api") class R { @Route(path = "/a", methods = Route.HttpMethod.GET) void a() {} @Route(methods = {Route.HttpMethod.PUT, Route.HttpMethod.POST}) void helloWorld() {} @Route(regex = ".*b") void b() {} }\n'
            'class S { void init(@Observes Router router) { router.get("/c").handler(h); router.route("/d/:id").method(HttpMethod.DELETE).handler(h); router.route(HttpMethod.POST, "/e").handler(h); router.route("/f").handler(h); } void other(Router router) { router.get("/g").handler(h); } }',
        },
        "ANY /f, DELETE /d/{id}, GET /api/a, GET /c, POST /api/hello-world, POST /e, PUT /api/hello-world",
    ),
}

MAIN = "package a;\nimport java.util.List;\nimport io.dropwizard.core.*;\nimport io.dropwizard.core.setup.*;\n"
RESOURCES_OF_DROPWIZARD = (
    IMPORTS
    + '@Path("/x") class R { R(Dao dao) {} @GET public void x() {} }\n@Path("/y") class S { @GET public void y() {} }\n@Path("/z") class T { @GET public void z() {} }\nclass Dao {}'
)


def dropwizard(body: str, rest: str = "") -> dict[str, str]:
    run = f"@Override public void run(Settings settings, Environment environment) {{ {body} }}"
    main = "public static void main(String[] args) throws Exception { new App().run(args); }"
    return {
        "a/App.java": f"{MAIN}public class App extends Application<Settings> {{ {main} {run} {rest} }}\nclass Settings extends Configuration {{}}",
        "a/R.java": RESOURCES_OF_DROPWIZARD,
    }


BOTH = "environment.jersey().register(new R(new Dao())); environment.jersey().register(S.class);"

DROPWIZARD: dict[str, tuple[dict[str, str], str]] = {
    "what is registered": (dropwizard(BOTH), "GET /x, GET /y"),
    "nothing registered": (dropwizard('environment.healthChecks().register("x", new T());'), ""),
    "registered by variables, methods and loops": (
        dropwizard(
            "var jersey = environment.jersey(); R one = new R(null); jersey.register(one); more(environment);",
            "private void more(Environment to) { for (Object each : List.of(new S(), new T())) to.jersey().register(each); }",
        ),
        "GET /x, GET /y, GET /z",
    ),
    "a package": (dropwizard('environment.jersey().packages("a");'), "GET /x, GET /y, GET /z"),
    "an injector": (dropwizard("environment.jersey().register(injector.getInstance(R.class));"), "GET /x"),
    "a bundle of the tree": (
        dropwizard(
            "", "@Override public void initialize(Bootstrap<Settings> bootstrap) { bootstrap.addBundle(new Bundle()); }"
        )
        | {
            "a/Bundle.java": MAIN
            + "class Bundle implements ConfiguredBundle<Settings> { public void run(Settings s, Environment e) { e.jersey().register(new S()); } }"
        },
        "GET /y",
    ),
    "the root path of the configuration": (
        dropwizard(BOTH)
        | {"config.yml": "server:\n  rootPath: /api/*\n  applicationConnectors:\n    - type: http\n      port: 1\n"},
        "GET /api/x, GET /api/y",
    ),
    "context and root path": (
        dropwizard(BOTH)
        | {"src/main/resources/config.yaml": "server:\n  applicationContextPath: /app\n  rootPath: ${ROOT:-/api}/*\n"},
        "GET /app/api/x, GET /app/api/y",
    ),
    "a simple server": (
        dropwizard(BOTH) | {"config.yml": "server:\n  type: simple\n  connector:\n    type: http\n"},
        "GET /application/x, GET /application/y",
    ),
    "a simple server at the root": (
        dropwizard(BOTH) | {"config.yml": "server:\n  type: simple\n  applicationContextPath: /\n"},
        "GET /x, GET /y",
    ),
    "the pattern of the servlet": (
        dropwizard('environment.jersey().setUrlPattern("/v1/*"); ' + BOTH),
        "GET /v1/x, GET /v1/y",
    ),
    "the older package": (
        {name: text.replace("io.dropwizard.core", "io.dropwizard") for name, text in dropwizard(BOTH).items()},
        "GET /x, GET /y",
    ),
    "another configuration with a server": (
        dropwizard(BOTH) | {"openapi.yml": "server: x\nservers: []\n"},
        "GET /x, GET /y",
    ),
}

JERSEY = IMPORTS + "import org.glassfish.jersey.server.ResourceConfig;\n"
OTHERS: dict[str, tuple[dict[str, str], str]] = {
    "a configuration of Jersey and the address of its server": (
        {
            "a/R.java": RESOURCES_OF_DROPWIZARD,
            "a/Main.java": JERSEY
            + 'import java.net.URI;\nimport org.glassfish.jersey.grizzly2.httpserver.GrizzlyHttpServerFactory;\nclass Main { static final String BASE = "http://localhost:8080/api/"; public static void main(String[] x) { ResourceConfig config = new ResourceConfig(R.class).register(new S()); GrizzlyHttpServerFactory.createHttpServer(URI.create(BASE), config); } }',
        },
        "GET /api/x, GET /api/y",
    ),
    "a configuration of one's own": (
        {
            "a/R.java": RESOURCES_OF_DROPWIZARD,
            "a/Config.java": JERSEY
            + '@ApplicationPath("v1") public class Config extends ResourceConfig { public Config() { register(S.class); registerClasses(T.class); } }',
        },
        "GET /v1/y, GET /v1/z",
    ),
    "a configuration that scans": (
        {
            "a/R.java": RESOURCES_OF_DROPWIZARD,
            "b/Q.java": IMPORTS.replace("package a", "package b") + '@Path("/q") class Q { @GET public void q() {} }',
            "a/Config.java": JERSEY
            + 'public class Config extends ResourceConfig { public Config() { packages("b"); } }',
        },
        "GET /q",
    ),
    "an application with a path serves all": (
        {
            "a/R.java": RESOURCES_OF_DROPWIZARD,
            "a/App.java": IMPORTS + '@ApplicationPath("/api") public class App extends Application {}',
        },
        "GET /api/x, GET /api/y, GET /api/z",
    ),
    "an application with a path that names classes": (
        {
            "a/R.java": RESOURCES_OF_DROPWIZARD,
            "a/App.java": IMPORTS
            + '@ApplicationPath("/api") public class App extends Application { public Set<Class<?>> getClasses() { Set<Class<?>> all = new HashSet<>(); all.add(R.class); return all; } public Set<Object> getSingletons() { return Set.of(new S()); } }',
        },
        "GET /api/x, GET /api/y",
    ),
    "Micronaut with JAX-RS": (
        {
            "a/R.java": RESOURCES_OF_DROPWIZARD,
            "pom.xml": "<artifactId>micronaut-jaxrs-server</artifactId>",
            PROPERTIES: "micronaut.server.context-path=/m",
        },
        "GET /m/x, GET /m/y, GET /m/z",
    ),
    "nobody that serves": ({"a/R.java": RESOURCES_OF_DROPWIZARD}, ""),
}

CASES = {
    **RESOURCES,
    **{f"quarkus: {name}": case for name, case in QUARKUS.items()},
    **{f"dropwizard: {name}": case for name, case in DROPWIZARD.items()},
    **{f"others: {name}": case for name, case in OTHERS.items()},
}


@pytest.mark.parametrize(("files", "listed"), CASES.values(), ids=CASES)
def test_routes_of_resources(files: Mapping[str, str], listed: str, read_java: Read) -> None:
    assert ", ".join(read_java(files)) == listed


@pytest.mark.parametrize(("files", "framework"), [(quarkus(GET_A), "quarkus"), (dropwizard(BOTH), "dropwizard")])
def test_a_route_says_who_serves_it(files: Mapping[str, str], framework: str, read_java: Read, tmp_path: Path) -> None:
    read_java(files)
    assert {route.framework for route in find_routes(tmp_path, language="java")} == {framework}


def test_a_route_says_where_it_was_mapped(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text(POM["pom.xml"])
    (tmp_path / "R.java").write_text(
        'import jakarta.ws.rs.*;\n@Path("/x")\nclass R {\n  @Path("/a")\n  @GET\n  public void a() {}\n}'
    )
    found = find_routes(tmp_path, language="java")
    assert [(str(route), route.file, route.line) for route in found] == [("GET /x/a", "R.java", 5)]
