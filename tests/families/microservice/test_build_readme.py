"""The draft of a specification says what tests demand: kinds of fields, the very values that are asked for, and when it comes to a refusal."""

from __future__ import annotations

import pytest

from repoproof.analysis.endpoints import Endpoint
from repoproof.analysis.readme import extract_endpoints
from repoproof.families.microservice.build.before import Working
from repoproof.families.microservice.build.forms import (  # fmt: skip
    Among,
    Exactly,
    Expected,
    Fields,
    Form,
    Items,
    Like,
    SameAs,
    Some,
    Stable,
    Written,
)
from repoproof.families.microservice.build.plan import area_of, base_of
from repoproof.families.microservice.build.readme import skeleton
from repoproof.families.microservice.build.records import Exchange, Json, Operation, Scenario, Step
from repoproof.families.microservice.build.shapes import Answer, shape_of
from repoproof.families.microservice.task import MicroserviceTask

TASK = MicroserviceTask.model_validate(
    {"id": "books", "language": "python", "port": 8199, "specification": "README.md", "provenance": {"source": "here", "licence": "MIT"}}
)  # fmt: skip


def step(endpoint: str, body: Json = None) -> Step:
    method, path = endpoint.split()
    return Step(method=method, path=path, endpoint=endpoint, body=body)


def sequence(title: str, *answers: tuple[Step, int, Form | None]) -> Stable:
    scenario = Scenario(title=title, area="books", steps=tuple(step for step, _, _ in answers))
    return Stable(scenario, tuple(Expected(*one) for one in answers))


def fields(**forms: Form) -> Fields:
    return Fields(tuple(forms.items()))


def said(*forms: Form, sent: Json = None) -> str:
    tests = [
        sequence(f"scenario {number}", (step("POST /books", sent), 200, form)) for number, form in enumerate(forms)
    ]
    return str(shape_of([Answer(one, 0) for one in tests]))


@pytest.mark.parametrize(
    ("forms", "shape"),
    [
        ([fields(author=Written("a-${unique}")), fields(author=Exactly(""))], '{author: text | ""}'),
        ([fields(state=Exactly("open")), fields(state=Exactly("closed"))], '{state: "open" | "closed"}'),
        ([fields(state=Exactly(f"s{n}")) for n in range(13)], "{state: text}"),
        ([fields(n=Exactly(1)), fields(n=Exactly(2))], "{n: integer}"),
        ([fields(n=Exactly(1)), fields(n=Some("number"))], "{n: number}"),
        ([fields(limit=Exactly(20))] * 2, "{limit: 20}"),
        ([fields(on=Exactly(True)), fields(on=Exactly(False))], "{on: flag}"),
        ([fields(on=Exactly(True)), fields(on=Exactly(True))], "{on: true}"),
        ([fields(note=Exactly(None)), fields(note=Like("(?s).+"))], "{note: text | null}"),
        ([fields(a=Exactly(None)), fields(a=Exactly(None), b=Like(r"b\d+"))], r"{a: null, b?: text like b\d+}"),
        ([Some("list"), Among((fields(a=Exactly(1)),))], "[{a: 1}, ...]"),
        ([Items(())], "[]"),
        ([Exactly({"x": [{"y": "z"}]})], '{x: [{y: "z"}, ...]}'),
        ([fields(a=Some("anything")), fields(a=Exactly("x"))], '{a: "x"}'),
    ],
)
def test_the_shape_of_answers_is_that_of_all_tests_together(forms, shape):
    assert said(*forms) == shape


@pytest.mark.parametrize(
    ("form", "sent", "shape"),
    [
        (fields(title=Exactly("xxx")), {"title": "xxx"}, "{title: text}"),
        (fields(name=Exactly("xxx")), {"title": "xxx"}, "{name: text}"),
        (fields(pages=Exactly(7)), {"pages": 7}, "{pages: integer}"),
        (fields(rank=Exactly(7)), {"pages": 7}, "{rank: 7}"),
        (fields(error=Exactly("not_found")), {"title": "xxx"}, '{error: "not_found"}'),
    ],
)
def test_what_was_sent_is_no_value_of_the_service(form, sent, shape):
    assert said(form, sent=sent) == shape


def test_what_is_only_asked_for_afterwards_was_not_sent():
    filtered = Step(method="GET", path="/books", endpoint="GET /books", query={"state": "open"})
    test = sequence(
        "filtered", (step("POST /books"), 201, fields(state=Exactly("open"))), (filtered, 200, SameAs(0, ""))
    )
    assert [str(shape_of([Answer(test, at)])) for at in (0, 1)] == ['{state: "open"}'] * 2


def test_an_answer_that_is_an_earlier_one_has_its_shape():
    book = fields(id=Like("[0-9a-f]+"), title=Written("t-${unique}"))
    test = sequence(
        "books",
        (step("POST /books"), 201, book),
        (step("GET /books/{id}"), 200, SameAs(0, "")),
        (step("GET /books"), 200, fields(books=Among((SameAs(1, ""),)), first=SameAs(0, "id"))),
    )
    shape = "{id: text like [0-9a-f]+, title: text}"
    assert str(shape_of([Answer(test, 1)])) == shape
    assert str(shape_of([Answer(test, 2)])) == f"{{books: [{shape}, ...], first: text like [0-9a-f]+}}"


def test_refusals_are_listed_with_their_codes_and_when_they_come():
    make, own = (
        Operation(endpoint=Endpoint(method="POST", path="/books"), takes_body=True),
        step("POST /books", {"title": "t"}),
    )
    read = Operation(endpoint=Endpoint(method="GET", path="/books/{id}"))
    working = [
        Working(one, (its,), Exchange(status=200)) for one, its in ((make, own), (read, step("GET /books/{id}")))
    ]
    refused = [
        (title, step("POST /books", body), code)
        for title, body, code in (
            ("without title", {}, "title_required"),
            ("with title null", {"title": None}, "title_required"),
            ("with a list", [], "not_json"),
        )
    ]
    book = (own, 201, fields(title=Exactly("t")))
    text = skeleton(
        TASK,
        [make, read],
        working,
        [
            *(sequence(f"post books {title}", (bad, 422, fields(error=Exactly(code))), book) for title, bad, code in refused),
            sequence("post books twice", book, (own, 409, fields(error=Exactly("taken")))),
            sequence("get books one of an unknown id", (step("GET /books/{id}"), 404, fields(error=Exactly("not_found")))),
            sequence("get books one works", book, (step("GET /books/{id}"), 200, SameAs(0, ""))),
            sequence("get books one with a key", (step("GET /books/{id}"), 304, Exactly(""))),
        ],
    )  # fmt: skip
    for line in (
        "- 201 with `{title: text}`",
        '- 409 with `{error: "taken"}`: again',
        '- 422 with `{error: "title_required" | "not_json"}`',
        '  - `{error: "title_required"}`: without title; with title null',
        '  - `{error: "not_json"}`: with a list',
        '- 404 with `{error: "not_found"}`: of an unknown id',
        "- 200 with `{title: text}`",
        "- 304 with an empty body",
    ):
        assert line in text.splitlines()
    assert [str(one) for one in extract_endpoints(text)] == ["POST /books", "GET /books/{id}"]


@pytest.mark.parametrize(
    ("paths", "areas"),
    [
        (["/health", "/books", "/books/{id}"], ["health", "books", "books"]),
        (["/books/{id}", "/books/{id}/reviews"], ["books", "books"]),
        (["/library/v1/books", "/library/v1/authors/{id}", "/health"], ["books", "authors", "health"]),
        (["/books/search", "/books/recent", "/books"], ["books", "books", "books"]),
        (["/api/v1/books", "/api/v1/books/{id}"], ["books", "books"]),
        (["/books/{id}", "/authors/{id}"], ["books", "authors"]),
        (["/"], ["root"]),
    ],
)
def test_tests_of_a_collection_are_in_a_file_of_its_name(paths, areas):
    assert [area_of(path, base_of(paths)) for path in paths] == areas
