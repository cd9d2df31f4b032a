"""The service of `small_suite` in Java, once with each framework: file -> text of a submission that packages as its framework's guide says."""

from __future__ import annotations

from plugins.small_suite import PORT


def pom(body: str, *, parent: str = "", properties: str = "") -> str:
    """A project model for Java 17."""
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        f"{parent}<groupId>org.example</groupId><artifactId>notes</artifactId><version>1.0</version>"
        f"<properties><maven.compiler.release>17</maven.compiler.release>{properties}</properties>{body}</project>\n"
    )


def artifact(name: str, *, element: str = "dependency", inner: str = "") -> str:
    """`group:artifact[:version]` as an element."""
    group, artifact, *version = name.split(":")
    versions = "".join(f"<version>{one}</version>" for one in version)
    return f"<{element}><groupId>{group}</groupId><artifactId>{artifact}</artifactId>{versions}{inner}</{element}>"


def dependencies(*names: str) -> str:
    return f"<dependencies>{''.join(map(artifact, names))}</dependencies>"


def plugins(*written: str) -> str:
    return f"<build><plugins>{''.join(written)}</plugins></build>"


def bom(name: str) -> str:
    imported = artifact(name, inner="<type>pom</type><scope>import</scope>")
    return f"<dependencyManagement><dependencies>{imported}</dependencies></dependencyManagement>"


STORE = """package org.example;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

public final class Notes {
    private static final Map<String, String> TEXTS = new ConcurrentHashMap<>();

    private Notes() {}

    public static synchronized Map<String, String> add(String text) {
        String id = String.valueOf(TEXTS.size() + 1);
        TEXTS.put(id, text);
        return find(id);
    }

    public static Map<String, String> find(String id) {
        String text = TEXTS.get(id);
        return text == null ? null : Map.of("id", id, "text", text);
    }
}
"""


def _tree(name: str, source: str, model: str, **files: str) -> dict[str, str]:
    source = f"package org.example;\n\n{source}".replace("@PORT@", str(PORT))
    sources = {"src/main/java/org/example/Notes.java": STORE, f"src/main/java/org/example/{name}.java": source}
    return {"pom.xml": model, **sources, **files}


def javalin(version: str) -> dict[str, str]:
    """Started by its main class: what Maven packages without a plugin cannot be run by itself."""
    routes = (
        '{on}.get("/health", c -> c.json(Map.of("status", "ok")));'
        '{on}.post("/notes", c -> c.status(201).json(Notes.add((String) c.bodyAsClass(Map.class).get("text"))));'
        '{on}.get("/notes/{{id}}", c -> {{ var note = Notes.find(c.pathParam("id")); if (note == null) c.status(404); else c.json(note); }});'
    )
    body = (
        f"Javalin.create(config -> {{ {routes.format(on='config.routes')} }}).start(@PORT@);"
        if version.startswith("7")
        else f"var app = Javalin.create(); {routes.format(on='app')} app.start(@PORT@);"
    )
    source = f"import io.javalin.Javalin;\nimport java.util.Map;\n\npublic class Main {{\n    public static void main(String[] arguments) {{ {body} }}\n}}\n"
    names = (f"io.javalin:javalin:{version}", "com.fasterxml.jackson.core:jackson-databind:2.19.2")
    return _tree("Main", source, pom(dependencies(*names)))


def spark() -> dict[str, str]:
    """Packaged by the shade plugin as one jar."""
    source = """import static spark.Spark.*;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;

public class Main {
    public static void main(String[] arguments) {
        ObjectMapper json = new ObjectMapper();
        port(@PORT@);
        get("/health", (q, r) -> Map.of("status", "ok"), json::writeValueAsString);
        post("/notes", (q, r) -> {
            r.status(201);
            return Notes.add(json.readTree(q.body()).get("text").asText());
        }, json::writeValueAsString);
        get("/notes/:id", (q, r) -> {
            var note = Notes.find(q.params("id"));
            if (note == null) r.status(404);
            return note;
        }, json::writeValueAsString);
    }
}
"""
    transformer = "org.apache.maven.plugins.shade.resource.ManifestResourceTransformer"
    shade = artifact(
        "org.apache.maven.plugins:maven-shade-plugin:3.6.0",
        element="plugin",
        inner="<executions><execution><phase>package</phase><goals><goal>shade</goal></goals><configuration><transformers>"
        f'<transformer implementation="{transformer}"><mainClass>org.example.Main</mainClass></transformer>'
        "</transformers></configuration></execution></executions>",
    )
    names = ("com.sparkjava:spark-core:2.9.4", "com.fasterxml.jackson.core:jackson-databind:2.19.2")
    return _tree("Main", source, pom(dependencies(*names) + plugins(shade)))


def spring_boot(version: str) -> dict[str, str]:
    """On the framework's own port: the task's must be told to it."""
    source = """import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.*;

@SpringBootApplication
@RestController
public class NotesApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(NotesApplication.class, arguments);
    }

    @GetMapping("/health")
    public Map<String, String> health() {
        return Map.of("status", "ok");
    }

    @PostMapping("/notes")
    @ResponseStatus(org.springframework.http.HttpStatus.CREATED)
    public Map<String, String> add(@RequestBody Map<String, String> note) {
        return Notes.add(note.get("text"));
    }

    @GetMapping("/notes/{id}")
    public ResponseEntity<Map<String, String>> read(@PathVariable("id") String id) {
        return ResponseEntity.of(java.util.Optional.ofNullable(Notes.find(id)));
    }
}
"""
    parent = artifact(f"org.springframework.boot:spring-boot-starter-parent:{version}", element="parent")
    plugin = artifact("org.springframework.boot:spring-boot-maven-plugin", element="plugin")
    body = dependencies("org.springframework.boot:spring-boot-starter-web") + plugins(plugin)
    return _tree("NotesApplication", source, pom(body, parent=parent))


def micronaut() -> dict[str, str]:
    source = """import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.*;
import io.micronaut.runtime.Micronaut;
import java.util.Map;

@Controller
public class Application {
    public static void main(String[] arguments) {
        Micronaut.run(Application.class, arguments);
    }

    @Get("/health")
    public Map<String, String> health() {
        return Map.of("status", "ok");
    }

    @Post("/notes")
    public HttpResponse<Map<String, String>> add(@Body Map<String, String> note) {
        return HttpResponse.created(Notes.add(note.get("text")));
    }

    @Get("/notes/{id}")
    public Map<String, String> read(String id) {
        return Notes.find(id);
    }
}
"""
    version = "4.10.8"
    parent = artifact(f"io.micronaut.platform:micronaut-parent:{version}", element="parent")
    properties = (
        f"<jdk.version>17</jdk.version><release.version>17</release.version><micronaut.version>{version}</micronaut.version>"
        "<exec.mainClass>org.example.Application</exec.mainClass>"
    )
    body = dependencies("io.micronaut:micronaut-http-server-netty", "io.micronaut:micronaut-jackson-databind")
    plugin = artifact("io.micronaut.maven:micronaut-maven-plugin", element="plugin")
    return _tree("Application", source, pom(body + plugins(plugin), parent=parent, properties=properties))


def quarkus() -> dict[str, str]:
    source = """import jakarta.ws.rs.*;
import jakarta.ws.rs.core.Response;
import java.util.Map;

@Path("/")
public class NotesResource {
    @GET
    @Path("health")
    public Map<String, String> health() {
        return Map.of("status", "ok");
    }

    @POST
    @Path("notes")
    public Response add(Map<String, String> note) {
        return Response.status(201).entity(Notes.add(note.get("text"))).build();
    }

    @GET
    @Path("notes/{id}")
    public Map<String, String> read(@PathParam("id") String id) {
        var note = Notes.find(id);
        if (note == null) throw new NotFoundException();
        return note;
    }
}
"""
    version = "3.33.2"
    plugin = artifact(
        f"io.quarkus:quarkus-maven-plugin:{version}",
        element="plugin",
        inner="<extensions>true</extensions><executions><execution><goals><goal>build</goal></goals></execution></executions>",
    )
    body = bom(f"io.quarkus:quarkus-bom:{version}") + dependencies("io.quarkus:quarkus-rest-jackson") + plugins(plugin)
    return _tree("NotesResource", source, pom(body))


def dropwizard(version: str) -> dict[str, str]:
    """Started with its configuration, which has the port."""
    source = """import io.dropwizard.core.Application;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.Environment;
import jakarta.ws.rs.*;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;

public class NotesApplication extends Application<Configuration> {
    public static void main(String[] arguments) throws Exception {
        new NotesApplication().run(arguments);
    }

    @Override
    public void run(Configuration configuration, Environment environment) {
        environment.jersey().register(new NotesResource());
    }

    @Path("/")
    @Produces(MediaType.APPLICATION_JSON)
    public static class NotesResource {
        @GET
        @Path("health")
        public Map<String, String> health() {
            return Map.of("status", "ok");
        }

        @POST
        @Path("notes")
        public Response add(Map<String, String> note) {
            return Response.status(201).entity(Notes.add(note.get("text"))).build();
        }

        @GET
        @Path("notes/{id}")
        public Map<String, String> read(@PathParam("id") String id) {
            var note = Notes.find(id);
            if (note == null) throw new NotFoundException();
            return note;
        }
    }
}
"""
    connectors = (
        f"applicationConnectors: [{{type: http, port: {PORT}}}]\n  adminConnectors: [{{type: http, port: {PORT + 1}}}]"
    )
    body = bom(f"io.dropwizard:dropwizard-dependencies:{version}") + dependencies("io.dropwizard:dropwizard-core")
    return _tree("NotesApplication", source, pom(body), **{"config.yml": f"server:\n  {connectors}\n"})


def plain(*, body: str = "", sources: str = STORE) -> dict[str, str]:
    """No framework, no dependency: the server that the JDK has."""
    source = """import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

public class Main {
    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(@PORT@), 0);
        server.createContext("/health", exchange -> {
            byte[] answer = "{\\"status\\": \\"ok\\"}".getBytes();
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }
}
"""
    return {**_tree("Main", source, pom(body)), "src/main/java/org/example/Notes.java": sources}
