"""What Spark services answer to, read from their source."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest


def main(body: str, rest: str = "") -> str:
    return f"import static spark.Spark.*;\nimport java.util.List;\npublic class Main {{ public static void main(String[] args) {{ {body} }}\n{rest} }}"


CASES = {
    "methods": (
        main(
            'port(1); get("/a", (q, r) -> "x"); post("/b", h); put("/c", h); patch("/d", h); delete("/e", h); head("/f", h); options("/g", h);'
        ),
        "DELETE /e, GET /a, HEAD /f, OPTIONS /g, PATCH /d, POST /b, PUT /c",
    ),
    "types that are accepted, and transformers": (
        main('get("/a", "application/json", h); post("/b", h, gson::toJson); get("/c", h, new Engine());'),
        "GET /a, GET /c, POST /b",
    ),
    "parameters": (
        main('get("/a/:id/b/:other", h); get("/files/*", h);'),
        "GET /a/{id}/b/{other}, GET /files/{wildcard}",
    ),
    "groups": (
        main(
            'path("/api", () -> { before("/*", f); path("/users", () -> { get("", h); post("/", h); get("/:id", h); }); get("/x", h); });'
        ),
        "GET /api/users, GET /api/users/{id}, GET /api/x, POST /api/users/",
    ),
    "a group is glued to what is in it": (main('path("/api", () -> get("x", h));'), "GET /apix"),
    "a group with a prefix that cannot be told": (main('path(prefix(), () -> get("/x", h)); get("/y", h);'), "GET /y"),
    "a group in a method": (main('path("/api", Main::api);', 'static void api() { get("/x", h); }'), "GET /api/x"),
    "the class in front": (
        'import spark.Spark;\nclass Main { public static void main(String[] a) { Spark.get("/a", h); spark.Spark.post("/b", h); } }',
        "GET /a, POST /b",
    ),
    "one name imported": (
        'import static spark.Spark.get;\nclass Main { public static void main(String[] a) { get("/a", h); post("/b", h); } }',
        "GET /a",
    ),
    "an instance": (
        'import spark.Service;\nclass Main { public static void main(String[] a) { Service http = Service.ignite().port(1); http.get("/a", h); http.path("/b", () -> http.post("/c", h)); } }',
        "GET /a, POST /b/c",
    ),
    "routes of a method, a constructor and a loop": (
        main(
            'new Main(); routes(); for (String s : List.of("x", "y")) get("/" + s, h);',
            'Main() { get("/a", h); } static void routes() { get(B, h); } static final String B = "/b";',
        ),
        "GET /a, GET /b, GET /x, GET /y",
    ),
    "a servlet's application": (
        'import spark.servlet.SparkApplication;\nimport static spark.Spark.*;\nclass App implements SparkApplication { public void init() { get("/a", h); } }',
        "GET /a",
    ),
    "filters, files, errors and web sockets": (
        main(
            'before("/a", f); after("/b", f); staticFiles.location("/public"); notFound(h); exception(E.class, h); webSocket("/c", S.class);'
        ),
        "",
    ),
    "a handler's own calls": (main('get("/a", (q, r) -> { post("/b", h); return cache.get("/c", x); });'), "GET /a"),
    "look-alikes": (
        'import java.util.Map;\nclass Main { public static void main(String[] a) { get("/a", h); map.get("/b"); db.delete("/c", 1); Spark.get("/d", h); } }',
        "",
    ),
    "Apache's Spark": (
        'import org.apache.spark.sql.SparkSession;\nclass Main { public static void main(String[] a) { SparkSession spark = x(); spark.get("/a", h); } }',
        "",
    ),
    "what no application calls": (
        main('get("/a", h);', 'static void unused() { get("/b", h); }'),
        "GET /a",
    ),
}


@pytest.mark.parametrize(("source", "listed"), CASES.values(), ids=CASES)
def test_routes_of_a_spark_service(
    source: str, listed: str, read_java: Callable[[Mapping[str, str]], list[str]]
) -> None:
    assert ", ".join(read_java({"Main.java": source})) == listed
