"""What a build reads from Java about requests, and how it uses what no schema says."""

from __future__ import annotations

import pytest
from plugins.small_suite import write_tree

from repoproof.analysis.endpoints import Endpoint, Route
from repoproof.families.microservice.build.before import Working, contexts, further_contexts
from repoproof.families.microservice.build.hints import Hints, read_hints
from repoproof.families.microservice.build.nesting import nested
from repoproof.families.microservice.build.records import DIGITS, Exchange, Operation, Parameter, Step

SPRING = """
@RestController
class Notes {
    private final Store store;

    @PostMapping("/notes")
    Object add(@RequestBody Draft draft, @RequestHeader("X-Key") String key) { return store.add(draft); }

    @GetMapping("/notes")
    Object find(@RequestParam("tag") String tag, @RequestParam int page, @RequestParam Map<String, String> rest) { return null; }

    @DeleteMapping("/notes/{id}")
    void remove(@PathVariable String id, @RequestHeader(HttpHeaders.IF_MATCH) String known) {}
}
"""
DRAFT = 'record Draft(String text, @JsonProperty("is_done") boolean done, List<Tag> tags) {} enum Mood { CALM }'
TAG = "class Tag { static final int MOST = 3; private String word; int weight; }"
STORE = 'class Store { Object add(Draft draft) { return draft.text().equals("calm") ? null : draft; } }'

JAVALIN = """
class Main {
    static void main(String[] arguments) {
        app.post("/notes", Main::add);
        app.get("/notes", context -> context.json(all(context.queryParam("tag"), context.header("X-Key"))));
        app.delete("/notes/{id}", context -> context.pathParam("id"));
    }

    private static void add(Context context) { checked(JSON.readTree(context.body())); }
    private static void checked(JsonNode body) { body.get("text"); body.path("mood").asText("calm"); Map.of("error", 1); }
}
"""

EXPECTED = {
    "spring": [
        (("text", "is_done", "tags", "word", "weight"), (), ("X-Key",)),
        ((), ("tag", "page"), ()),
        ((), (), ("If-Match",)),
    ],
    "javalin": [(("text", "mood"), (), ()), ((), ("tag",), ("X-Key",)), ((), (), ())],
}


@pytest.mark.parametrize(
    ("framework", "sources", "lines"),
    [
        ("spring", {"Notes": SPRING, "Draft": DRAFT, "Tag": TAG, "Store": STORE}, (6, 9, 12)),
        ("javalin", {"Main": JAVALIN}, (4, 5, 6)),
    ],
)
def test_a_handler_in_java_tells_its_fields_queries_and_headers(tmp_path, framework, sources, lines):
    file = f"{next(iter(sources))}.java"
    routes = [Route(method="GET", path="/", file=file, line=line, framework=framework) for line in lines]
    hints = read_hints(write_tree(tmp_path, {f"{name}.java": text for name, text in sources.items()}), routes)
    told = [hints[f"{file}:{line}"] for line in lines]
    assert [(one.fields, one.query, one.headers) for one in told] == EXPECTED[framework]
    assert "calm" in told[0].words
    assert set(told[0].fields) <= set(hints[""].fields)


def operation(words: str, *fields: str) -> Operation:
    method, path = words.split()
    own = tuple(Parameter(name=name) for name in fields)
    return Operation(endpoint=Endpoint(method=method, path=path), fields=own, takes_body=method != "GET")


def working(its: Operation, body: dict[str, object], answer: object, **parameters: str) -> Working:
    step = Step(method=its.method, path=its.path, endpoint=str(its.endpoint), body=body)
    return Working(its, (step,), Exchange.model_validate({"status": 201, "json": answer}), parameters)


def test_what_is_made_below_another_thing_is_found_at_its_own_path():
    booking = working(operation("POST /rooms/{id}/bookings"), {}, {"bookings": [{"id": "b2"}]}, id="${0.id}")
    (found,) = contexts(operation("GET /bookings/{id}"), [booking])
    assert found.parameters == {"id": "${0.bookings.0.id}"}


def test_an_identifier_that_the_client_chooses_may_be_digits():
    chosen = [one.parameters["sku"] for one in contexts(operation("PUT /items/{sku}"), [])]
    assert chosen == ["sku-${unique}", DIGITS]


def test_a_list_may_hold_objects_of_the_fields_that_a_source_names_beside_it():
    item = working(operation("POST /items/{sku}/movements", "quantity"), {"quantity": 7}, {"number": 1}, sku=DIGITS)
    reserve = operation("POST /reservations", "lines", "sku", "quantity")
    context = next(one for one in further_contexts(reserve, contexts(reserve, [item]), "422", [item]) if one.body)
    step = Step(method="POST", path="/reservations", endpoint="", body=dict(context.body))
    assert [one.body for one in nested(reserve, step)] == [{"lines": [{"sku": DIGITS, "quantity": 7}]}]
    documented = reserve.model_copy(
        update={"fields": (Parameter.model_validate({"name": "lines", "schema": {"type": "array"}}),)}
    )
    assert nested(documented, step) == []


def test_a_java_source_that_cannot_be_read_gives_no_hints(tmp_path):
    tree = write_tree(tmp_path, {"Main.java": "class { void ( "})
    assert (
        read_hints(tree, [Route(method="GET", path="/", file="Main.java", line=1, framework="spring")])[""] == Hints()
    )
