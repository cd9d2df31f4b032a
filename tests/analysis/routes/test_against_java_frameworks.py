"""The routes that we read from the source are those that the real framework answers, running the same source."""

from __future__ import annotations

import re
import subprocess
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from repoproof.analysis.routes import find_routes

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("network", "java"),
]

ABSENT = (404, 405, 501)
VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class Application(NamedTuple):
    """Sources that compile, and print READY and their port once they listen."""

    files: dict[str, str]
    main: str
    dependencies: tuple[str, ...]
    parent: str = ""
    arguments: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    """Paths to ask for that must not be answered."""


JAVALIN = """
import static io.javalin.apibuilder.ApiBuilder.*;
import io.javalin.Javalin;
import io.javalin.apibuilder.*;
import io.javalin.http.*;
import java.util.*;

public class Main {
  enum P { A("/enum-a"), B("/enum-b"); final String path; P(String path) { this.path = path; } }
  static final String BASE = "/api" + "/v" + 1;
  static void ok(Context ctx) { ctx.result("ok"); }
  static class Users implements CrudHandler {
    public void create(Context ctx) { ok(ctx); }
    public void delete(Context ctx, String id) { ok(ctx); }
    public void getAll(Context ctx) { ok(ctx); }
    public void getOne(Context ctx, String id) { ok(ctx); }
    public void update(Context ctx, String id) { ok(ctx); }
  }
  static class Group implements EndpointGroup { public void addEndpoints() { get("in-a-class", Main::ok); post(Main::ok); } }
  public static void main(String[] args) {
    Javalin app = Javalin.create(config -> {
      config.router.contextPath = "/ctx";
      ROUTES(() -> {
        get(BASE + "/x", Main::ok);
        path("things", () -> {
          get(Main::ok);
          path("/{id}/", () -> { put(Main::ok); delete("/", Main::ok); });
          path("more", new Group());
        });
        crud("/users/{user-id}", new Users());
        for (P p : P.values()) patch(p.path, Main::ok);
        get("files/<rest>", Main::ok);
        get("wild/*", Main::ok);
        sse("/events", client -> client.close());
      });
    });
    app.start(0);
    System.out.println("READY " + app.port());
  }
}
"""

SPARK = """
import static spark.Spark.*;
import java.util.List;

public class Main {
  static Object ok(spark.Request request, spark.Response response) { return "ok"; }
  static void nested() { patch("/x", Main::ok); }
  public static void main(String[] args) {
    port(0);
    before("/before", (q, r) -> {});
    get("/hello", Main::ok);
    get("no-slash", Main::ok);
    path("/api", () -> {
      get("", Main::ok);
      post("/", Main::ok);
      get("glued", Main::ok);
      path("/:id", () -> { put("/more", Main::ok); nested(); });
      delete("/:id", "application/json", Main::ok);
    });
    for (String each : List.of("a", "b")) post("/" + each, Main::ok, Object::toString);
    get("/files/*", Main::ok);
    awaitInitialization();
    System.out.println("READY " + port());
  }
}
"""

SPRING = {
    "src/main/java/a/App.java": """
package a;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
@SpringBootApplication
public class App {
  public static void main(String[] args) {
    var context = SpringApplication.run(App.class, args);
    System.out.println("READY " + context.getEnvironment().getProperty("local.server.port"));
  }
}
""",
    "src/main/java/a/web/Controllers.java": """
package a.web;
import org.springframework.core.annotation.AliasFor;
import org.springframework.web.bind.annotation.*;
import java.lang.annotation.*;

@RestController @RequestMapping(path = {"/v1/things/", "v2/things"})
class Things {
  static final String ID = "/{id:[0-9]+}";
  @GetMapping String all() { return "ok"; }
  @GetMapping(ID) String one() { return "ok"; }
  @RequestMapping(value = {"many", "/more"}, method = {RequestMethod.POST, RequestMethod.PUT}) String many() { return "ok"; }
  @RequestMapping("/any") String any() { return "ok"; }
  @PatchMapping("${named.path}") String named() { return "ok"; }
  @PatchMapping("${unnamed.path:/default}") String unnamed() { return "ok"; }
}
@RequestMapping("/api/users") interface UsersApi {
  @GetMapping default String all() { return "ok"; }
  @DeleteMapping("/{id}") String gone(@PathVariable("id") String id);
}
@RestController class Users implements UsersApi { public String gone(String id) { return "ok"; } }
abstract class Base<T> {
  @GetMapping("/inherited") public String inherited() { return "ok"; }
  @GetMapping("/before") public String anew() { return "ok"; }
}
@RestController @RequestMapping("/notes") class Notes extends Base<Long> {
  @Override @PostMapping("/after") public String anew() { return "ok"; }
}
@RestController @RequestMapping(path = "/puts", method = RequestMethod.PUT) class Puts {
  @RequestMapping("/a") String a() { return "ok"; }
  @GetMapping("/b") String b() { return "ok"; }
}
@Retention(RetentionPolicy.RUNTIME) @RestController @RequestMapping @interface Api {
  @AliasFor(annotation = RequestMapping.class, attribute = "path") String[] value() default {};
}
@Api("/aliased") class Aliased { @GetMapping("x") String x() { return "ok"; } }
class Outer { @RestController static class Inner { @GetMapping("/nested") String nested() { return "ok"; } } }
@RestController abstract class Unmade { @GetMapping("/unmade") String unmade() { return "ok"; } }
@org.springframework.stereotype.Component class Other { @GetMapping("/component") String component() { return "ok"; } }
class Inherits extends Users { @GetMapping("/not-a-bean") String no() { return "ok"; } }
""",
    "src/main/java/a/web/Functions.java": """
package a.web;
import org.springframework.context.annotation.*;
import org.springframework.http.HttpMethod;
import org.springframework.web.servlet.config.annotation.*;
import org.springframework.web.servlet.function.*;
import static org.springframework.web.servlet.function.RequestPredicates.*;
import static org.springframework.web.servlet.function.RouterFunctions.*;
@Configuration class Functions implements WebMvcConfigurer {
  static ServerResponse ok(ServerRequest request) { return ServerResponse.ok().build(); }
  @Override public void configurePathMatch(PathMatchConfigurer c) { c.addPathPrefix("/outside", type -> type.getPackageName().startsWith("b")); }
  @Bean RouterFunction<ServerResponse> plain() {
    return RouterFunctions.route(GET("/f/a"), Functions::ok).andRoute(POST("/f/b").or(PUT("/f/c")), Functions::ok)
      .and(nest(path("/f/n"), route(method(HttpMethod.GET).and(path("/x")), Functions::ok)));
  }
  @Bean RouterFunction<ServerResponse> built() {
    return route().path("/g", b -> b.GET("/{id}", Functions::ok).POST("", Functions::ok)).nest(path("/h"), () -> route().DELETE("/i", Functions::ok).build()).build();
  }
}
""",
    "src/main/java/b/Unscanned.java": """
package b;
import org.springframework.web.bind.annotation.*;
@RestController class Unscanned { @GetMapping("/unscanned") String x() { return "ok"; } }
""",
    "src/main/resources/application.properties": "server.port=0\nserver.servlet.context-path=/ctx\nnamed.path=/named\n",
}

MICRONAUT = {
    "src/main/java/a/App.java": """
package a;
import io.micronaut.http.annotation.*;
import io.micronaut.runtime.Micronaut;
import io.micronaut.runtime.server.EmbeddedServer;
public class App {
  public static void main(String[] args) {
    System.out.println("READY " + Micronaut.run(App.class, args).getBean(EmbeddedServer.class).getPort());
  }
}
@Controller("/x") class X {
  static final String A = "/a";
  @Get String root() { return "ok"; }
  @Get(A + "/{id}") String a(String id) { return "ok"; }
  @Post("b") String b() { return "ok"; }
  @Put(uris = {"/c", "/d"}) String c() { return "ok"; }
  @Get("/e{/id}") String e(@io.micronaut.core.annotation.Nullable String id) { return "ok"; }
  @Get("/f{?q}") String f(@io.micronaut.core.annotation.Nullable String q) { return "ok"; }
  @Get("/${named.path}") String named() { return "ok"; }
}
interface Operations { @Delete("/{id}") String gone(String id); }
@Controller("/ops") class Ops implements Operations { public String gone(String id) { return "ok"; } }
abstract class Base { @Get("/inherited") public String inherited() { return "ok"; } }
@Controller("/inherits") class Inherits extends Base {}
@Controller class Root { @Patch("rootless") String patch() { return "ok"; } }
""",
    "src/main/resources/application.properties": "micronaut.server.port=-1\nmicronaut.server.context-path=/ctx\nnamed.path=named\n",
}

DROPWIZARD = {
    "src/main/java/a/App.java": """
package a;
import io.dropwizard.core.*;
import io.dropwizard.core.setup.*;
import io.dropwizard.lifecycle.ServerLifecycleListener;
import jakarta.ws.rs.*;
import java.lang.annotation.*;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
public class App extends Application<Configuration> {
  public static void main(String[] args) throws Exception { new App().run(args); }
  @Override public void run(Configuration settings, Environment environment) {
    environment.jersey().register(new Users("x"));
    environment.jersey().register(Notes.class);
    environment.lifecycle().addServerLifecycleListener(server -> System.out.println("READY " + ((ServerConnector) server.getConnectors()[0]).getLocalPort()));
  }
  @Retention(RetentionPolicy.RUNTIME) @HttpMethod("PATCH") @interface Amend {}
  @Path("/users/") public static class Users {
    Users(String name) {}
    @GET public String all() { return "ok"; }
    @GET @Path("/{id: [0-9]+}") public String one() { return "ok"; }
    @POST @Path("more") public String more() { return "ok"; }
    @Amend @Path("{ id }") public String amend() { return "ok"; }
    @Path("{id}/sub") public Sub sub() { return new Sub(); }
  }
  public static class Sub { @GET public String a() { return "ok"; } @PUT @Path("b") public String b() { return "ok"; } }
  @Path("notes") public interface NotesApi { @GET String all(); @DELETE @Path("{id}") String gone(@PathParam("id") String id); }
  public static class Notes implements NotesApi { public String all() { return "ok"; } public String gone(String id) { return "ok"; } }
  @Path("/unregistered") public static class Unregistered { @GET public String x() { return "ok"; } }
}
""",
    "config.yml": "server:\n  rootPath: /api/*\n  applicationContextPath: /app\n  applicationConnectors:\n    - type: http\n      port: 0\n  adminConnectors:\n    - type: http\n      port: 0\n",
}

APPLICATIONS = {
    "javalin 7": Application(
        {"src/main/java/Main.java": JAVALIN.replace("ROUTES", "config.routes.apiBuilder")},
        "Main",
        ("io.javalin:javalin:7.2.3",),
    ),
    "javalin 6": Application(
        {"src/main/java/Main.java": JAVALIN.replace("ROUTES", "config.router.apiBuilder")},
        "Main",
        ("io.javalin:javalin:6.7.0",),
    ),
    "spark": Application(
        {"src/main/java/Main.java": SPARK},
        "Main",
        ("com.sparkjava:spark-core:2.9.4",),
        unlike=("/before", "/api/glued", "/x"),
    ),
    "spring": Application(
        SPRING,
        "a.App",
        ("org.springframework.boot:spring-boot-starter-web",),
        "org.springframework.boot:spring-boot-starter-parent:3.5.7",
        unlike=tuple(
            f"/ctx{path}"
            for path in (
                "/unscanned",
                "/unmade",
                "/component",
                "/not-a-bean",
                "/notes/before",
                "/f/n",
                "/g",
                "/outside/unscanned",
            )
        ),
    ),
    "micronaut": Application(
        MICRONAUT,
        "a.App",
        (
            "io.micronaut:micronaut-http-server-netty",
            "io.micronaut:micronaut-inject-java",
            "io.micronaut:micronaut-jackson-databind",
        ),
        "io.micronaut.platform:micronaut-parent:4.10.8",
        unlike=("/x", "/ctx/x/z"),
    ),
    "dropwizard": Application(
        DROPWIZARD,
        "a.App",
        ("io.dropwizard:dropwizard-core:4.0.16",),
        arguments=("server", "config.yml"),
        unlike=("/app/api/unregistered", "/users", "/api/users", "/app/users", "/app/api/users/7/sub/c"),
    ),
}


@pytest.mark.parametrize("application", APPLICATIONS.values(), ids=APPLICATIONS)
def test_the_framework_answers_exactly_these_routes(application: Application, tmp_path: Path) -> None:
    for name, text in application.files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    read = [(route.method, route.path) for route in find_routes(tmp_path, language="java")]
    filled = {(method, re.sub(r"\{[\w-]+\}", "7", path)) for method, path in read}
    paths = sorted({path for _, path in filled} | {"/", "/zzz", *application.unlike})
    command = _built(application, tmp_path)
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as service:
        try:
            port = _port(service)
            asked = [(verb, path) for path in paths for verb in VERBS]
            answered = {(verb, path) for verb, path in asked if _status(port, verb, path) not in ABSENT}
        finally:
            service.kill()
    surely = {(verb, path) for verb, path in asked if {(verb, path), ("ANY", path)} & filled}
    # Where one route's parameter takes another one's literal, patterns that are not part of a template decide.
    perhaps = {
        (verb, path)
        for verb, path in asked
        if any(method in (verb, "ANY") and _describes(template, path) for method, template in read)
    }
    assert surely - answered == set()
    assert answered - surely - perhaps == set()


def _describes(template: str, path: str) -> bool:
    return re.fullmatch("[^/]+".join(map(re.escape, re.split(r"\{[\w-]+\}", template))), path) is not None


def _built(application: Application, tree: Path) -> list[str]:
    """The command that starts it, once Maven has fetched what it needs and the compiler has been at it."""
    (tree / "pom.xml").write_text(_pom(application))
    fetch = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"]
    subprocess.run(fetch, cwd=tree, check=True, capture_output=True)
    sources = [str(tree / name) for name in application.files if name.endswith(".java")]
    resources = tree / "src" / "main" / "resources"
    jars = str(tree / "lib" / "*")
    compile_all = ["javac", "-parameters", "-proc:full", "-nowarn", "-cp", jars, "-d", str(tree / "classes"), *sources]
    compiled = subprocess.run(compile_all, cwd=tree, capture_output=True, text=True, check=False)
    if "-proc:full" in compiled.stderr:  # before Java 21 it is what happens anyway
        compile_all.remove("-proc:full")
        compiled = subprocess.run(compile_all, cwd=tree, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
    return ["java", "-cp", f"{tree / 'classes'}:{resources}:{jars}", application.main, *application.arguments]


def _pom(application: Application) -> str:
    def coordinates(text: str) -> str:
        names = ("groupId", "artifactId", "version")
        return "".join(f"<{name}>{value}</{name}>" for name, value in zip(names, text.split(":"), strict=False))

    parent = f"<parent>{coordinates(application.parent)}</parent>" if application.parent else ""
    needed = "".join(f"<dependency>{coordinates(one)}</dependency>" for one in application.dependencies)
    return f'<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>{parent}<groupId>a</groupId><artifactId>a</artifactId><version>1</version><dependencies>{needed}</dependencies></project>'


def _port(service: subprocess.Popen[str]) -> int:
    assert service.stdout is not None
    said: list[str] = []
    for line in service.stdout:
        said.append(line)
        if line.startswith("READY "):
            Thread(target=service.stdout.read, daemon=True).start()  # a full pipe would stop the service
            return int(line.split()[1])
    raise AssertionError("".join(said))


def _status(port: int, verb: str, path: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(verb, path, headers={"Content-Length": "0", "Accept": "*/*"})
        return connection.getresponse().status
    finally:
        connection.close()
