"""What Javalin applications answer to, read from their source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from repoproof.analysis.routes import find_routes

IMPORTS = "import io.javalin.Javalin;\nimport io.javalin.apibuilder.*;\nimport io.javalin.http.HandlerType;\nimport java.util.*;\nimport static io.javalin.apibuilder.ApiBuilder.*;\n"


def main(body: str, rest: str = "") -> str:
    """A file whose `main` does `body`."""
    return f"{IMPORTS}public class Main {{ public static void main(String[] args) {{ {body} }}\n{rest} }}"


def app(body: str, rest: str = "") -> str:
    return main(f"var app = Javalin.create(); {body} app.start(7000);", rest)


def grouped(body: str, rest: str = "") -> str:
    return main(f"Javalin.create(config -> config.router.apiBuilder(() -> {{ {body} }})).start(7000);", rest)


ONE_FILE = {
    "methods": (
        app(
            'app.get("/a", h); app.post("/b", h); app.put("/c", h); app.patch("/d", h); app.delete("/e", h); app.head("/f", h); app.options("/g", h);'
        ),
        "DELETE /e, GET /a, HEAD /f, OPTIONS /g, PATCH /d, POST /b, PUT /c",
    ),
    "chained registrations": (
        main('Javalin.create().get("/a", ctx -> ctx.result("x")).post("/b", this::b).start(7000);'),
        "GET /a, POST /b",
    ),
    "parameters of every version": (
        app('app.get("/a/{id}", h); app.get("/b/:id", h); app.get("/c/<rest>", h); app.get("/d/*", h);'),
        "GET /a/{id}, GET /b/{id}, GET /c/{rest}, GET /d/{wildcard}",
    ),
    "no slash in front": (app('app.get("a/b", h);'), "GET /a/b"),
    "roles": (app('app.get("/a", h, Role.ADMIN, Role.USER);'), "GET /a"),
    "server-sent events are answered to GET": (app('app.sse("/events", client -> {});'), "GET /events"),
    "filters, errors and web sockets are no routes": (
        app(
            'app.before("/a", h); app.after("/b", h); app.ws("/c", ws -> {}); app.error(404, h); app.exception(E.class, h);'
        ),
        "",
    ),
    "a constant, a sum and a text block": (
        app('app.get(BASE + "/a", h); app.get(V.PATH + 1, h);', 'static final String BASE = "/api/" + "v" + 1;')
        + 'class V { static final String PATH = """\n    /v""" + "x"; }',
        "GET /api/v1/a, GET /vx1",
    ),
    "a constant in an interface and an inherited one": (
        app("app.get(A, h); app.get(Paths.B, h);").replace("class Main {", "class Main implements Paths {")
        + 'interface Paths { String A = "/a"; String B = A + "/b"; }',
        "GET /a, GET /a/b",
    ),
    "an enum of paths": (
        app("for (P p : P.values()) app.get(p.path(), h); app.post(P.A.path, h);")
        + 'enum P { A("/a"), B("/b"); final String path; P(String path) { this.path = path; } String path() { return path; } }',
        "GET /a, GET /b, POST /a",
    ),
    "String.format and formatted": (
        app('app.get(String.format("/%s/v%d", "api", 2), h); app.get("/%s".formatted("x"), h);'),
        "GET /api/v2, GET /x",
    ),
    "loops over lists, arrays and maps": (
        app(
            'for (String s : List.of("a", "b")) app.get("/" + s, h);\nfor (var s : new String[]{"c"}) app.get("/" + s, h);\n'
            'Map.of("/d", x).forEach((path, handler) -> app.post(path, handler));\n'
            'var more = new ArrayList<String>(); more.add("/e"); more.forEach(path -> app.put(path, h));'
        ),
        "GET /a, GET /b, GET /c, POST /d, PUT /e",
    ),
    "both branches of a condition": (
        app('if (flag) app.get("/a", h); else { app.get("/b", h); } if (false) app.get("/c", h);'),
        "GET /a, GET /b",
    ),
    "what follows a return": (
        app('app.get("/a", h); if (x) return; app.get("/b", h); return; app.get("/c", h);'),
        "GET /a, GET /b",
    ),
    "a path from the environment": (
        app(
            'app.get(System.getenv("P"), h); app.get(System.getenv().getOrDefault("P", "/a"), h);\n'
            'var p = Optional.ofNullable(System.getenv("P")).orElse("/b"); app.get(p, h);\n'
            'String q = System.getenv("Q"); app.get(q != null ? q : "/c", h); app.get(System.getProperty("x", "/d"), h);'
        ),
        "GET /a, GET /b, GET /c, GET /d",
    ),
    "groups": (
        grouped(
            'path("/users", () -> { get(Users::all); post(ctx -> {}); path("{id}", () -> { get(Users::one); delete(Users::gone, Role.ADMIN); }); get("/me", h); });'
        ),
        "DELETE /users/{id}, GET /users, GET /users/me, GET /users/{id}, POST /users",
    ),
    "a group with a prefix that cannot be told": (
        grouped('path(System.getenv("P"), () -> { get("/a", h); get(h); }); get("/b", h);'),
        "GET /b",
    ),
    "app.routes of versions before 6": (
        app('app.routes(() -> { get("/a", h); path("b", () -> post(h)); });'),
        "GET /a, POST /b",
    ),
    "routes in the configuration, as of version 7": (
        main(
            'Javalin.create(config -> { config.routes.get("/a", h).post("/b", h); config.routes.apiBuilder(() -> get("/c", h)); }).start();'
        ),
        "GET /a, GET /c, POST /b",
    ),
    "a router that is mounted": (
        main('Javalin.create(c -> c.router.mount(router -> { router.get("/a", h); })).start();'),
        "GET /a",
    ),
    "a context path": (
        main('Javalin.create(c -> { c.router.contextPath = "/api"; }).get("/a", h).start();'),
        "GET /api/a",
    ),
    "a context path of older versions": (
        main(
            'Javalin.create(c -> { c.contextPath = "/api"; }).get("/a", h);\nJavalin.create(c -> { c.routing.contextPath = "v2"; }).get("/b", h);'
        ),
        "GET /api/a, GET /v2/b",
    ),
    "a context path that cannot be told": (
        main('Javalin.create(c -> { c.router.contextPath = System.getenv("X"); }).get("/a", h);'),
        "",
    ),
    "crud": (
        grouped('crud("/users/{user-id}", new Users()); path("notes/{id}", () -> crud(new Notes()));'),
        "DELETE /notes/{id}, DELETE /users/{user-id}, GET /notes, GET /notes/{id}, GET /users, GET /users/{user-id}, PATCH /notes/{id}, PATCH /users/{user-id}, POST /notes, POST /users",
    ),
    "crud without a parameter at the end is refused": (grouped('crud("/users", new Users());'), ""),
    "handler types": (
        app(
            'app.addHandler(HandlerType.GET, "/a", h); app.addHttpHandler(HandlerType.PUT, "/b", h); app.addHandler(HandlerType.BEFORE, "/c", h);'
        ),
        "GET /a, PUT /b",
    ),
    "endpoints": (
        main(
            'Javalin.create(c -> c.routes.addEndpoint(io.javalin.router.Endpoint.create(HandlerType.POST, "/a").handler(h))).start();'
        ),
        "POST /a",
    ),
    "names with their class": (
        main(
            'var app = io.javalin.Javalin.create(); app.routes(() -> { ApiBuilder.path("a", () -> ApiBuilder.get(h)); });'
        ),
        "GET /a",
    ),
    "a method that is given the application": (
        app("register(app);", 'static void register(Javalin to) { to.get("/a", ctx -> { to.toString(); }); }'),
        "GET /a",
    ),
    "an application in a field": (
        main(
            "new Main().run();",
            'private final Javalin app = Javalin.create(); void run() { this.routes(); app.start(); } void routes() { app.get("/a", h); this.app.post("/b", h); }',
        ),
        "GET /a, POST /b",
    ),
    "what other threads and code that is not here are given": (
        main(
            "new Thread(() -> first()).start(); executor.submit(Main::second);",
            'static Javalin app = Javalin.create(); static void first() { app.get("/a", h); } static void second() { app.get("/b", h); }',
        ),
        "GET /a, GET /b",
    ),
    "a configuration in a method, and in an object": (
        main(
            'Javalin.create(Main::configure).get("/a", h);\nJavalin.create(new Consumer<JavalinConfig>() { public void accept(JavalinConfig c) { c.routes.get("/b", h); } }).start();',
            'static void configure(JavalinConfig config) { config.router.contextPath = "/c"; }',
        ),
        "GET /b, GET /c/a",
    ),
    "an application that is assigned to a static field": (
        main(
            "start(); routes();",
            'private static Javalin app; static void start() { app = Javalin.create(); app.start(1); } static void routes() { app.get("/a", h); }',
        ),
        "GET /a",
    ),
    "an anonymous endpoint group": (
        app('app.routes(new EndpointGroup() { @Override public void addEndpoints() { get("/a", h); } });'),
        "GET /a",
    ),
    "an application that only tests start": (
        IMPORTS
        + 'public class App { public Javalin make() { var app = Javalin.create(); app.get("/a", h); return app; } }',
        "GET /a",
    ),
    "a main without a class": (
        'import io.javalin.Javalin;\nvoid main() { var app = Javalin.create(config -> { config.routes.get("/a", h); }).start(7070); }',
        "GET /a",
    ),
    "look-alikes": (
        app(
            'var map = new HashMap<String, String>(); map.get("/a"); db.delete("/b", 1); client.get("/c", x); new Cache().put("/d", x);\n'
            '// app.get("/e", h);\n/* app.get("/f", h); */ String s = "app.get(\\"/g\\", h)"; app.get("/h", ctx -> { client.post("/i", y); });',
            "static class Cache { void put(String key, Object value) {} }",
        ),
        "GET /h",
    ),
    "an own method of the same name hides the imported one": (
        grouped('get("/a", h);', "static void get(String path, Object handler) {}"),
        "",
    ),
    "groups without an application": (main('get("/a", h); path("/b", () -> get(h));'), ""),
    "another library's Javalin": (
        'import com.acme.Javalin;\nclass Main { public static void main(String[] a) { Javalin.create().get("/a", h); } }',
        "",
    ),
}

TREES = {
    "routes in a class of their own": (
        {
            "a/Main.java": "package a;\nimport a.web.UserRoutes;\nimport io.javalin.Javalin;\npublic class Main { public static void main(String[] x) { Javalin app = Javalin.create(); UserRoutes.register(app); new a.web.NoteRoutes(new Repo()).register(app); app.start(1); } }",
            "a/web/UserRoutes.java": "package a.web;\nimport io.javalin.Javalin;\npublic class UserRoutes { private UserRoutes() {} public static void register(Javalin app) { app.get(Paths.USERS, UserRoutes::all); } static void all(Context c) {} }",
            "a/web/NoteRoutes.java": 'package a.web;\npublic class NoteRoutes { final Repo repo; final String base; public NoteRoutes(Repo repo) { this.repo = repo; this.base = "/notes"; } public void register(io.javalin.Javalin app) { app.get(base, this::all); app.get(base + "/{id}", this::one); } }',
            "a/web/Paths.java": 'package a.web;\nfinal class Paths { static final String API = "/api"; static final String USERS = API + "/users"; }',
        },
        "GET /api/users, GET /notes, GET /notes/{id}",
    ),
    "an endpoint group in a class of its own": (
        {
            "Main.java": 'import io.javalin.Javalin;\nimport static io.javalin.apibuilder.ApiBuilder.path;\nclass Main { public static void main(String[] a) { Javalin.create(c -> c.router.apiBuilder(() -> { path("api", new Users()); path("v2", Main::more); })).start(); }\n static void more() { io.javalin.apibuilder.ApiBuilder.get("/x", h); } }',
            "Users.java": 'import io.javalin.apibuilder.EndpointGroup;\nimport static io.javalin.apibuilder.ApiBuilder.*;\nclass Users implements EndpointGroup { public void addEndpoints() { path("/users", () -> { get(this::all); }); } }',
        },
        "GET /api/users, GET /v2/x",
    ),
    "an injected class with routes": (
        {
            "Main.java": "import io.javalin.Javalin;\nclass Main { @Inject Routes routes; public static void main(String[] a) { injector.getInstance(Main.class); new Main().start(); } void start() { Javalin app = Javalin.create(); routes.on(app); } }",
            "Routes.java": 'interface Routes { void on(io.javalin.Javalin app); }\nclass Real implements Routes { public void on(io.javalin.Javalin app) { app.get("/a", h); } }',
        },
        "GET /a",
    ),
    "an inherited registration": (
        {
            "Main.java": 'import io.javalin.Javalin;\nclass Main { public static void main(String[] a) { Javalin app = Javalin.create(); for (Base one : new Base[]{new Users(), new Notes()}) one.register(app); } }\nabstract class Base { final String path; Base(String path) { this.path = path; } void register(Javalin app) { app.get(path, h); extra(app); } void extra(Javalin app) {} }\nclass Users extends Base { Users() { super("/users"); } }\nclass Notes extends Base { Notes() { super("/notes"); } @Override void extra(Javalin app) { app.post(path, h); } }',
        },
        "GET /notes, GET /users, POST /notes",
    ),
    "a plug-in of the tree": (
        {
            "Main.java": 'import io.javalin.Javalin;\nimport io.javalin.plugin.Plugin;\nclass Main { public static void main(String[] a) { Javalin.create(c -> c.registerPlugin(new Health())); } }\nclass Health extends Plugin<Void> { public void onStart(JavalinConfig config) { config.router.mount(r -> r.get("/health", h)); } }',
        },
        "GET /health",
    ),
    "tests and build results are not read": (
        {
            "Main.java": app('app.get("/a", h);'),
            "src/test/java/MainTest.java": app('app.get("/b", h);').replace("class Main", "class MainTest"),
            "target/generated/src/Gen.java": app('app.get("/c", h);').replace("class Main", "class Gen"),
        },
        "GET /a",
    ),
    "a package that is called test": (
        {"com/test/build/Main.java": "package com.test.build;\n" + app('app.get("/a", h);')},
        "GET /a",
    ),
}

CASES = {**{name: ({"Main.java": source}, listed) for name, (source, listed) in ONE_FILE.items()}, **TREES}


@pytest.mark.parametrize(("files", "listed"), CASES.values(), ids=CASES)
def test_routes_of_a_javalin_application(
    files: Mapping[str, str], listed: str, read_java: Callable[[Mapping[str, str]], list[str]]
) -> None:
    assert ", ".join(read_java(files)) == listed


def test_a_route_says_where_it_was_registered(tmp_path: Path) -> None:
    source = 'import io.javalin.Javalin;\nclass Main { public static void main(String[] a) {\n  Javalin.create()\n    .get("/a", h)\n    .post("/b", h);\n} }'
    (tmp_path / "Main.java").write_text(source)
    assert [
        (str(route), route.file, route.line, route.framework) for route in find_routes(tmp_path, language="java")
    ] == [
        ("GET /a", "Main.java", 4, "javalin"),
        ("POST /b", "Main.java", 5, "javalin"),
    ]
