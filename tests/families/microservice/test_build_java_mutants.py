"""Broken versions of Java services: which there are for each framework, and that they are Java with exactly one change."""

from __future__ import annotations

import shutil
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import tree_sitter_java
from plugins.small_suite import write_tree
from tree_sitter import Language, Parser

from repoproof import api
from repoproof.analysis.routes import find_routes
from repoproof.core.paths import cache_root
from repoproof.families.microservice.build.mutant import Mutant
from repoproof.families.microservice.build.mutants import find_mutants, sampled, write_mutant
from repoproof.toolchains.store import Store

REFERENCES = Path(__file__).parents[3] / "suites/microservice-mini/sealed/reference"

SPRING = """
package org.example;

import static org.springframework.http.HttpStatus.GONE;

import java.net.URI;
import java.util.*;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.*;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.server.ResponseStatusException;

@SpringBootApplication
@RestController
@RequestMapping("/notes")
public class Notes {
    enum Status { CREATED }
    static class Refusal extends RuntimeException { Refusal(int status, String code) { super(code); } }
    static class Taken extends Refusal { Taken() { super(409, "taken"); } }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    Object add(@RequestBody Map<String, Object> note) { return Status.CREATED; }

    @ResponseStatus(code = HttpStatus.NO_CONTENT) @DeleteMapping("/{id}") void remove() { throw new ResponseStatusException(GONE, "x"); }

    @GetMapping("/{id}")
    ResponseEntity<Object> read(boolean known, HttpStatus status) {
        if (status == HttpStatus.OK || HttpStatus.FOUND.equals(status)) throw new Refusal(422, "200");
        if (known) return ResponseEntity.notFound().build();
        return ResponseEntity.status(known ? 200 : 404).body(Map.of("id", 303));
    }

    @RequestMapping(path = "/{id}", method = {RequestMethod.PUT, RequestMethod.PATCH})
    ResponseEntity<Object> put(Optional<Object> found) {
        if (found.isEmpty()) return ResponseEntity.created(URI.create("/x")).body("x");
        return found.map(ResponseEntity::ok).orElse(ResponseEntity.badRequest().build());
    }

    @GetMapping
    ResponseEntity<Object> list() { return ResponseEntity.ok(Map.of("a", 1)); }
}
"""
FUNCTIONS = """
package org.example;

import static org.springframework.web.servlet.function.RequestPredicates.GET;
import static org.springframework.web.servlet.function.RequestPredicates.POST;
import static org.springframework.web.servlet.function.RouterFunctions.route;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.function.*;

@SpringBootApplication
public class Functions {
    @Bean
    RouterFunction<ServerResponse> built() {
        return route()
            .GET("/a", request -> ServerResponse.ok().build())
            .POST("/a", request -> ServerResponse.noContent().build())
            .build();
    }

    @Bean
    RouterFunction<ServerResponse> added() {
        return route(GET("/b"), request -> ServerResponse.ok().body("x"))
            .andRoute(POST("/b"), request -> ServerResponse.status(201).body("x"));
    }
}
"""
JAVALIN = """
package org.example;

import io.javalin.Javalin;
import io.javalin.http.*;
import java.util.*;

public class Main {
    public static void main(String[] arguments) {
        Map<String, String> notes = new HashMap<>();
        int created = 201;
        Javalin app = Javalin.create(config -> config.showJavalinBanner = false);
        app.get("/notes/{id}", context -> context.result(notes.get("x"))); app.post("/notes", context -> context.status(created));
        app.delete("/notes/{id}", Main::remove)
           .put("/notes/{id}", context -> { throw new HttpResponseException(409, "x"); });
        app.error(404, context -> context.json(Map.of("error", "none")));
        app.exception(IllegalStateException.class, (wrong, context) -> context.status(HttpStatus.CONFLICT));
        app.start(7000);
    }

    private static void remove(Context context) {
        if (context.status() == HttpStatus.OK) throw new NotFoundResponse("none");
        if (context.body().isEmpty()) throw new BadRequestResponse();
        String id = Optional.of(context.body()).orElseThrow(ForbiddenResponse::new);
        context.status(id.isEmpty() ? 204 : 202);
    }
}
"""
JAVALIN_GROUPS = """
package org.example;

import static io.javalin.apibuilder.ApiBuilder.*;

import io.javalin.Javalin;

public class Main {
    public static void main(String[] arguments) {
        Javalin.create(config -> config.router.apiBuilder(() -> path("/notes", () -> {
            get(context -> context.result("x"));
            post("/{id}", context -> context.result("x"));
            path("/all", () -> delete(context -> context.status(204)));
        }))).start(7000);
    }
}
"""
SPARK = """
package org.example;

import static spark.Spark.*;

import java.util.Map;
import javax.servlet.http.HttpServletResponse;

public class Main {
    public static void main(String[] arguments) {
        get("/notes/:id", (request, response) -> {
            if (request.params("id").isEmpty()) halt(400, "x");
            response.status(HttpServletResponse.SC_NOT_FOUND);
            return "";
        });
        post("/notes", (request, response) -> { response.status(201); return "x"; });
        path("/all", () -> delete("", (request, response) -> ""));
    }
}
"""
MICRONAUT = """
package org.example;

import io.micronaut.http.*;
import io.micronaut.http.annotation.*;
import io.micronaut.http.annotation.Error;
import io.micronaut.http.exceptions.HttpStatusException;
import io.micronaut.runtime.Micronaut;
import java.util.*;

@Controller("/notes")
public class Application {
    public static void main(String[] arguments) { Micronaut.run(Application.class, arguments); }

    @Post
    HttpResponse<Map<String, String>> add(@Body Map<String, String> note) { return HttpResponse.created(note); }

    @Delete("/{id}")
    @Status(HttpStatus.NO_CONTENT)
    void remove(String id) { throw new HttpStatusException(HttpStatus.CONFLICT, "x"); }

    @Get("/{id}")
    HttpResponse<?> read(String id) {
        return Optional.of(id).map(HttpResponse::ok).orElse(HttpResponse.notFound());
    }

    @Error(status = HttpStatus.NOT_FOUND, global = true)
    HttpResponse<?> none() { return HttpResponse.status(HttpStatus.GONE).body(Map.of("error", "none")); }
}
"""
JAXRS = """
package org.example;

import io.quarkus.runtime.Quarkus;
import jakarta.ws.rs.*;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.net.URI;
import java.util.*;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;

@Path("/notes")
public class Notes {
    @GET
    @Produces("application/json")
    @Path("/{id}")
    public Map<String, String> read(@PathParam("id") String id) {
        if (id.isEmpty()) throw new NotFoundException();
        if (id.equals("x")) throw new WebApplicationException("gone", Status.GONE);
        return Optional.of(Map.of("id", id)).orElseThrow(BadRequestException::new);
    }

    @POST
    public Response add(Map<String, String> note) { return Response.created(URI.create("/notes/1")).entity(note).build(); }

    @DELETE @Path("/{id}")
    public Response remove() { return Response.status(Response.Status.NO_CONTENT).build(); }

    @PUT @PATCH @Path("/{id}") @ResponseStatus(202)
    public RestResponse<String> change(String note) { return note.isEmpty() ? RestResponse.notFound() : RestResponse.ok(note); }
}
"""
VERTX = """
package org.example;

import io.quarkus.vertx.web.Route;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;

public class Routes {
    void start(@Observes Router router) {
        router.get("/a").handler(context -> context.response().setStatusCode(404).end());
        router.route(HttpMethod.POST, "/b").handler(context -> context.fail(409));
    }

    @Route(path = "/c", methods = Route.HttpMethod.GET)
    void c(RoutingContext context) { context.response().end(); }
}
"""

GONE = ""
"""Stands for what is taken away."""

FRAMEWORKS = {
    "spring": (
        SPRING,
        "spring-boot-starter-web",
        [
            ("409", "200"),
            ("@PostMapping", GONE),
            ("HttpStatus.CREATED", "HttpStatus.OK"),
            ("HttpStatus.NO_CONTENT", "HttpStatus.OK"),
            ('@DeleteMapping("/{id}")', GONE),
            ("GONE", "org.springframework.http.HttpStatus.OK"),
            ('@GetMapping("/{id}")', GONE),
            ("422", "200"),
            ("notFound", "ok"),
            ("200", "202"),
            ("404", "200"),
            ('"id"', '"id_"'),
            ('@RequestMapping(path = "/{id}", method = {RequestMethod.PUT, RequestMethod.PATCH})', GONE),
            ("created", "status(200).location"),
            ("ResponseEntity::ok", "answer_ -> ResponseEntity.accepted().body(answer_)"),
            ("badRequest", "ok"),
            ("@GetMapping", GONE),
            ("ok", "accepted().body"),
            ('"a"', '"a_"'),
        ],
    ),
    "spring functions": (
        FUNCTIONS,
        "spring-boot-starter-web",
        [
            ('.GET("/a", request -> ServerResponse.ok().build())', GONE),
            ("ok", "accepted"),
            ('.POST("/a", request -> ServerResponse.noContent().build())', GONE),
            ("noContent", "ok"),
            ("", ".and(gone -> false)"),
            ("ok", "accepted"),
            ('.andRoute(POST("/b"), request -> ServerResponse.status(201).body("x"))', GONE),
            ("201", "200"),
        ],
    ),
    "javalin": (
        JAVALIN,
        "javalin",
        [
            ('app.get("/notes/{id}", context -> context.result(notes.get("x")));', ";"),
            ('app.post("/notes", context -> context.status(created));', ";"),
            ('.delete("/notes/{id}", Main::remove)', GONE),
            ('.put("/notes/{id}", context -> { throw new HttpResponseException(409, "x"); })', GONE),
            ("409", "200"),
            ('"error"', '"error_"'),
            ("HttpStatus.CONFLICT", "HttpStatus.OK"),
            ('new NotFoundResponse("none")', 'new io.javalin.http.HttpResponseException(200, "none")'),
            ("new BadRequestResponse()", "new io.javalin.http.HttpResponseException(200)"),
            ("ForbiddenResponse::new", "() -> new io.javalin.http.HttpResponseException(200)"),
            ("204", "200"),
            ("202", "200"),
        ],
    ),
    "javalin groups": (
        JAVALIN_GROUPS,
        "javalin",
        [
            ('get(context -> context.result("x"));', ";"),
            ('post("/{id}", context -> context.result("x"));', ";"),
            ("delete(context -> context.status(204))", "{}"),
            ("204", "200"),
        ],
    ),
    "spark": (
        SPARK,
        "spark-core",
        [
            ('get("/notes/:id", *);', ";"),
            ("400", "200"),
            ("HttpServletResponse.SC_NOT_FOUND", "HttpServletResponse.SC_OK"),
            ('post("/notes", (request, response) -> { response.status(201); return "x"; });', ";"),
            ("201", "200"),
            ('delete("", (request, response) -> "")', "{}"),
        ],
    ),
    "micronaut": (
        MICRONAUT,
        "micronaut-http",
        [
            ("@Post", GONE),
            ("", ".status(200)"),
            ('@Delete("/{id}")', GONE),
            ("HttpStatus.NO_CONTENT", "HttpStatus.OK"),
            ("HttpStatus.CONFLICT", "HttpStatus.OK"),
            ('@Get("/{id}")', GONE),
            ("HttpResponse::ok", "answer_ -> HttpResponse.ok(answer_).status(202)"),
            ("notFound", "ok"),
            ("HttpStatus.GONE", "HttpStatus.OK"),
            ('"error"', '"error_"'),
        ],
    ),
    "jax-rs": (
        JAXRS,
        "io.quarkus",
        [
            ('@GET @Produces("application/json") @Path("/{id}")', '@Produces("application/json")'),
            ("new NotFoundException()", "new jakarta.ws.rs.WebApplicationException(200)"),
            ("Status.GONE", "Status.OK"),
            ("BadRequestException::new", "() -> new jakarta.ws.rs.WebApplicationException(200)"),
            ("@POST", GONE),
            ("", ".status(200)"),
            ('@DELETE @Path("/{id}")', GONE),
            ("Response.Status.NO_CONTENT", "Response.Status.OK"),
            ("@PUT", GONE),
            ("@PATCH", GONE),
            ("202", "200"),
            ("notFound", "ok"),
            ("ok", "accepted"),
        ],
    ),
    "quarkus routes": (
        VERTX,
        "io.quarkus",
        [
            ('router.get("/a").handler(context -> context.response().setStatusCode(404).end());', ";"),
            ("404", "200"),
            ('router.route(HttpMethod.POST, "/b").handler(context -> context.fail(409));', ";"),
            ("409", "200"),
            ('@Route(path = "/c", methods = Route.HttpMethod.GET)', GONE),
        ],
    ),
}
"""A source; an artifact that the readers of routes look for; what is changed to what, in the order of the text (`*` for anything)."""


def tree_of(place: Path, framework: str) -> Path:
    source, artifact, _ = FRAMEWORKS[framework]
    model = (
        f"<project><dependencies><dependency><artifactId>{artifact}</artifactId></dependency></dependencies></project>"
    )
    return write_tree(place, {"pom.xml": model, "src/main/java/org/example/Main.java": source})


def mutants_in(tree: Path) -> list[Mutant]:
    return find_mutants(tree, find_routes(tree, language="java"))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_routes_statuses_and_fields_of_each_framework_are_changed(tmp_path, framework):
    source, _, changes = FRAMEWORKS[framework]
    found = mutants_in(tree_of(tmp_path, framework))
    made = [(source.encode()[one.span.start : one.span.end].decode(), one.replacement) for one in found]
    assert len(made) == len(changes)
    for (before, after), (wanted, instead) in zip(made, changes, strict=True):
        assert fnmatchcase(" ".join(before.split()), wanted.replace("[", "[[]")), wanted
        assert after.strip() == instead


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_mutant_is_java_and_lacks_the_routes_of_its_place_or_none(tmp_path, framework):
    tree = tree_of(tmp_path / "tree", framework)
    routes = find_routes(tree, language="java")
    found = mutants_in(tree)
    lacking: list[tuple[str, str]] = []
    for number, mutant in enumerate(found):
        write_mutant(tree, mutant, tmp_path / str(number))
        changed = (tmp_path / str(number) / mutant.file).read_bytes()
        assert not Parser(Language(tree_sitter_java.language())).parse(changed).root_node.has_error, mutant.words
        left = {(one.method, one.path) for one in find_routes(tmp_path / str(number), language="java")}
        gone = [(one.method, one.path) for one in routes if (one.method, one.path) not in left]
        # What takes nothing is still a route to who reads it.
        assert bool(gone) == (mutant.kind == "route" and mutant.replacement != ".and(gone -> false)"), mutant.words
        assert all(one.line == mutant.line for one in routes if (one.method, one.path) in gone)
        lacking += gone
    unread = [one for one in found if one.replacement == ".and(gone -> false)"]
    assert len(set(lacking)) == len(routes) - len(unread), "each route is taken away by some mutant"


def test_states_comparisons_descriptions_and_numbers_of_other_things_are_no_statuses(tmp_path):
    source = """
    import io.micronaut.http.annotation.Error;
    import org.springframework.http.HttpStatus;
    @ApiResponse(code = 404) class Orders {
        enum Status { CREATED, OK }
        int width = 300; Status state = Status.CREATED;
        @Error(status = HttpStatus.NOT_FOUND) Object none(HttpStatus status) {
            switch (status) { case OK: return null; default: break; }
            if (status != HttpStatus.CREATED && status.equals(HttpStatus.GONE)) list.add(200);
            app.error(404, context -> context.result("x"));
            log.info("404", 404); throw new IllegalStateException("500", HttpStatus.INTERNAL_SERVER_ERROR);
        }
        int status() { return ok ? 200 : 500; }
    }
    """
    found = find_mutants(write_tree(tmp_path, {"Orders.java": source}), [])
    assert [one.words for one in found] == ["200 -> 202"]


def test_a_java_source_that_cannot_be_read_gives_no_mutants(tmp_path):
    tree = write_tree(tmp_path, {"Main.java": "class { @GET (", "target/Made.java": "int status = 404;"})
    (tree / "Latin.java").write_bytes(b"class A { /* \xe9 */ int status = 404; }")
    assert [one.file for one in find_mutants(tree, [])] == ["Latin.java"]


def test_a_sample_has_mutants_of_every_kind_and_of_every_file(tmp_path):
    files = {f"{name}.java": f"class {name} {{ {body} }}" for name, body in {
        "A": "int status() { return 404; } " + " ".join(f"@JsonProperty(\"f{n}\") int f{n};" for n in range(20)),
        "B": '@JsonProperty("b") int b; int status = 409;',
        "C": '@JsonProperty("c") int c;',
    }.items()}  # fmt: skip
    found = find_mutants(write_tree(tmp_path, files), [])
    chosen = sampled(found, 5, 3)
    assert {(one.kind, one.file) for one in chosen} == {
        *(("field", f"{name}.java") for name in "ABC"),
        *(("status", f"{name}.java") for name in "AB"),
    }
    assert chosen == sampled(found, 5, 3) == sorted(chosen, key=found.index)


NO_TEAPOT = """package org.example.stock;

final class Teapot {
    static final int STATUS = 418;

    static boolean isOne(int status) {
        return switch (status) { case 200 -> false; case STATUS -> true; default -> false; };
    }
}
"""
"""With 200 in place of 418 it does not compile."""


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.needs("bubblewrap", "java", "network")
def test_tests_recorded_from_a_java_reference_find_most_mutants_and_one_that_does_not_compile_is_dropped(tmp_path):
    reference = tmp_path / "warehouse-stock"
    shutil.copytree(REFERENCES / "warehouse-stock", reference)
    teapot = "src/main/java/org/example/stock/Teapot.java"
    write_tree(reference, {teapot: NO_TEAPOT})
    built = api.build_from_reference(reference, tmp_path / "task", deployments=2, mutants=6, seed=2)
    assert len(built.exercised) == len(built.endpoints) == 9
    assert built.score is not None and len(built.score.fates) == 5
    assert built.score.rate >= 0.8, [fate.mutant.place for fate in built.score.survivors]
    (dropped,) = built.score.dropped
    assert dropped.what == f"{teapot}:4: 418 -> 200"
    assert dropped.why.startswith("build: mvn package") and "duplicate case label" in dropped.why
    kept = [one.path / teapot for one in Store(cache_root()).entries() if (one.path / teapot).exists()]
    assert [path.read_text() for path in kept] == [NO_TEAPOT], "no mutant stays in the cache"
