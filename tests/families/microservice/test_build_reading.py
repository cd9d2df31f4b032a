"""What a build reads from the text of a service: its hints, its mutants, its port, the schemas of its document."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from plugins.small_suite import write_tree

from repoproof.analysis.endpoints import Endpoint, Route
from repoproof.core.errors import BadInput
from repoproof.families.microservice.build.discover import (
    discover,
    documented_operations,
    language_of,
    merged_schema,
    operations,
    port_in,
)
from repoproof.families.microservice.build.hints import read_hints
from repoproof.families.microservice.build.mutants import find_mutants, sampled, write_mutant

FLASK = """
from flask import Flask, abort, request

app = Flask(__name__)


@app.post("/notes")
def create():
    text = request.get_json()["text"]
    if request.headers.get("X-Key") != "secret":
        abort(403)
    return {"id": 1, "text": text}, 201


@app.get("/notes")
def find():
    return {"notes": [], "of": request.args.get("tag")}


app.add_url_rule("/health", view_func=lambda: {"status": "ok"})
"""

EXPRESS = """
const express = require("express");
const app = express();
app.use(express.json());

app.post("/notes", (request, response) => {
  const { text, mood = "calm" } = request.body;
  if (request.get("X-Key") !== "secret") return response.status(403).json({ error: "forbidden" });
  response.status(201).json({ id: 1, text });
});

app.get("/notes", (request, response) => {
  response.json({ notes: [], of: request.query.tag });
});

app.listen(3000);
"""


def routes(file: str, *lines: tuple[str, int]) -> list[Route]:
    return [Route(method="GET", path="/", file=file, line=line, framework=framework) for framework, line in lines]


FLASK_ROUTES = routes("app.py", ("flask", 7), ("flask", 15), ("flask", 20))
EXPRESS_ROUTES = routes("app.js", ("express", 6), ("express", 12))


@pytest.mark.parametrize(
    ("file", "text", "found", "first", "second"),
    [
        ("app.py", FLASK, FLASK_ROUTES, (("text",), (), ("X-Key",)), ((), ("tag",), ())),
        ("app.js", EXPRESS, EXPRESS_ROUTES, (("text", "mood"), (), ("X-Key",)), ((), ("tag",), ())),
    ],
)
def test_a_handler_tells_its_fields_queries_and_headers(tmp_path, file, text, found, first, second):
    hints = read_hints(write_tree(tmp_path, {file: text}), found)
    for route, expected in zip(found, (first, second), strict=False):
        hint = hints[f"{file}:{route.line}"]
        assert (hint.fields, hint.query, hint.headers) == expected


def test_a_source_that_cannot_be_read_gives_no_hints_and_no_mutants(tmp_path):
    tree = write_tree(tmp_path, {"app.py": "def ("})
    assert read_hints(tree, FLASK_ROUTES)[""].fields == ()
    assert find_mutants(tree, FLASK_ROUTES) == []


def test_python_mutants_take_away_routes_statuses_and_fields(tmp_path):
    found = find_mutants(write_tree(tmp_path, {"app.py": FLASK}), FLASK_ROUTES)
    assert [(one.kind, one.line, one.words) for one in found] == [
        ("route", 7, 'without app.post("/notes")'),
        ("status", 11, "403 -> 200"),
        ("field", 12, "id -> id_"),
        ("field", 12, "text -> text_"),
        ("status", 12, "201 -> 200"),
        ("route", 15, 'without app.get("/notes")'),
        ("field", 17, "notes -> notes_"),
        ("field", 17, "of -> of_"),
        ("route", 20, 'without app.add_url_rule("/health", view_func=lambda: {"status": "ok"})'),
    ]


def test_javascript_mutants_take_away_routes_statuses_and_fields(tmp_path):
    found = find_mutants(write_tree(tmp_path, {"app.js": EXPRESS}), EXPRESS_ROUTES)
    assert [(one.kind, one.line, one.words) for one in found if one.kind != "route"] == [
        ("status", 8, "403 -> 200"),
        ("field", 8, "error -> error_"),
        ("status", 9, "201 -> 200"),
        ("field", 9, "id -> id_"),
        ("field", 9, "text -> text_"),
        ("field", 13, "notes -> notes_"),
        ("field", 13, "of -> of_"),
    ]
    assert [one.line for one in found if one.kind == "route"] == [6, 12]


@pytest.mark.parametrize(
    ("text", "line", "gone"),
    [
        ("urls = [\n    path('a/', a),\n    path('b/', b),\n]\n", 2, "urls = [\n    \n    path('b/', b),\n]\n"),
        ("urls = [path('a/', a), path('b/', b)]\n", 1, None),
        ("class A:\n    @action(detail=True)\n    def b(self): ...\n", 2, "class A:\n    @(lambda handler: handler)\n    def b(self): ...\n"),
        ("if True:\n    router.register('x', X)\n", 2, "if True:\n    pass\n"),
    ],
)  # fmt: skip
def test_a_route_is_taken_away_wherever_it_is_registered(tmp_path, text, line, gone):
    tree = write_tree(tmp_path / "tree", {"urls.py": text})
    mutant = find_mutants(tree, routes("urls.py", ("django", line)))[0]
    write_mutant(tree, mutant, tmp_path / "mutant")
    changed = (tmp_path / "mutant/urls.py").read_text()
    ast.parse(changed)
    assert changed != text
    assert gone in (None, changed)


def test_every_mutant_of_python_is_python(tmp_path):
    tree = write_tree(tmp_path / "tree", {"app.py": FLASK})
    for number, mutant in enumerate(find_mutants(tree, FLASK_ROUTES)):
        write_mutant(tree, mutant, tmp_path / str(number))
        changed = (tmp_path / str(number) / "app.py").read_text()
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(FLASK))
    assert (tree / "app.py").read_text() == FLASK


def test_a_sample_has_all_kinds_and_is_the_same_for_a_seed(tmp_path):
    found = find_mutants(write_tree(tmp_path, {"app.py": FLASK}), FLASK_ROUTES)
    assert sampled(found, 100, 0) == found
    chosen = sampled(found, 4, 7)
    assert len(chosen) == 4 and {one.kind for one in chosen} == {"route", "status", "field"}
    assert chosen == sampled(found, 4, 7)
    assert any(sampled(found, 4, seed) != chosen for seed in range(20))


@pytest.mark.parametrize(
    ("files", "port"),
    [
        ({"Dockerfile": "FROM x\nEXPOSE 9001\n", "app.py": "port = 9002"}, 9001),
        ({"server.js": "const port = process.env.PORT ?? 8105;"}, 8105),
        ({"app.py": "app.run(port=5005)"}, 5005),
        ({"start.sh": "uvicorn app:app --port 8111"}, 8111),
        ({"src/index.ts": "app.listen(3100)"}, 3100),
        ({"node_modules/x/index.js": "app.listen(3100)"}, None),
        ({"app.py": "port = 99999"}, None),
        ({}, None),
    ],
)
def test_the_port_is_told_by_the_tree(tmp_path, files, port):
    assert port_in(write_tree(tmp_path, files)) == port


@pytest.mark.parametrize(
    ("files", "why"),
    [({}, "is empty"), ({"notes.txt": ""}, "its language cannot be told: it has none of requirements.txt, package.json, pom.xml")],
)  # fmt: skip
def test_a_tree_of_no_known_language_is_refused(tmp_path, files, why):
    with pytest.raises(BadInput, match=why):
        language_of(write_tree(tmp_path, files))


def test_python_needs_no_file_that_says_so(tmp_path):
    assert language_of(write_tree(tmp_path, {"src/app.py": ""})) == "python"


@pytest.mark.parametrize("framework", ["flask", "Flask", "flask-restful", ""])
def test_a_framework_that_is_seen_may_be_said_in_other_words(tmp_path, framework):
    tree = write_tree(tmp_path, {"requirements.txt": "flask", "app.py": FLASK})
    assert discover(tree, framework=framework).framework == (framework or "flask")


DOCUMENT = {
    "openapi": "3.1.0",
    "servers": [{"url": "/v1"}],
    "paths": {
        "/notes/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Limit"}],
            "put": {
                "parameters": [{"in": "header", "name": "X-Key", "required": True, "schema": {"type": "string"}}],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}},
            },
        }
    },
    "components": {
        "parameters": {"Limit": {"in": "query", "name": "limit", "schema": {"type": "integer", "maximum": 9}}},
        "schemas": {
            "Named": {"type": "object", "properties": {"name": {"type": "string"}}},
            "Note": {
                "allOf": [{"$ref": "#/components/schemas/Named"}],
                "properties": {"mood": {"anyOf": [{"type": "null"}, {"enum": ["calm"]}]}},
                "required": ["name"],
            },
        },
    },
}


def test_a_document_tells_parameters_and_fields_with_references_followed():
    ((endpoint, said),) = documented_operations(DOCUMENT)
    assert endpoint == Endpoint(method="PUT", path="/v1/notes/{id}")
    assert [one["name"] for one in said["query"]] == ["limit"]
    assert said["headers"][0]["required"] is True
    assert said["body"]["properties"]["mood"] == {"enum": ["calm"], "nullable": True}
    assert said["body"]["properties"]["name"] == {"type": "string"}


def test_a_schema_that_leads_to_itself_comes_to_an_end():
    document = {"s": {"properties": {"child": {"$ref": "#/s"}}}}
    schema, depth = merged_schema(document, {"$ref": "#/s"}), 0
    while schema.get("properties"):
        schema, depth = schema["properties"]["child"], depth + 1
    assert 1 < depth < 20


def test_the_document_adds_what_the_code_does_not_show_and_names_what_it_does(tmp_path: Path):
    tree = write_tree(tmp_path, {"requirements.txt": "flask", "app.py": FLASK})
    found = discover(tree)
    assert (found.language, found.framework) == ("python", "flask")
    document = {"paths": {"/notes": {"get": {"parameters": [{"in": "query", "name": "page"}]}}, "/other": {"get": {}}}}
    by_endpoint = {str(one.endpoint): one for one in operations(found, document)}
    assert set(by_endpoint) == {"POST /notes", "GET /notes", "GET /health", "GET /other"}
    assert [one.name for one in by_endpoint["GET /notes"].query] == ["page"]
    assert by_endpoint["GET /other"].at == ""
    assert [one.name for one in by_endpoint["POST /notes"].fields] == ["text"]
