"""Path templates in every notation, and which route satisfies which declaration."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from repoproof.analysis.endpoints import Endpoint, Route, coverage, matches, normalise_path

NOTATIONS = [
    ("/items", "/items"),
    ("items/", "/items/"),
    (" //items//all ", "/items/all"),
    ("", "/"),
    ("/items?limit=2#top", "/items"),
    ("/items/{id}", "/items/{id}"),
    ("/items/{ id }", "/items/{id}"),
    ("/files/{rest:path}", "/files/{rest}"),
    (r"/years/{year:\d{4}}/x", "/years/{year}/x"),
    ("/items/{{itemId}}", "/items/{itemId}"),
    ("/items/${item.id}", "/items/{item.id}"),
    ("/items/<id>", "/items/{id}"),
    ("/items/<int:id>/", "/items/{id}/"),
    ("/items/<id:int>", "/items/{id}"),
    ("/items/<id:re:[a-z]+>", "/items/{id}"),
    ("/<string(length=2):lang>/x", "/{lang}/x"),
    ("/items/:id", "/items/{id}"),
    (r"/items/:id(\d+)/x", "/items/{id}/x"),
    ("/items/:id?/x", "/items/{id}/x"),
    ("/flights/:from-:to", "/flights/{from}-{to}"),
    ("/items/[id]", "/items/{id}"),
    ("/files/*", "/files/{wildcard}"),
    ("/files/*rest", "/files/{rest}"),
    ("/items/(?P<pk>[^/.]+)/", "/items/{pk}/"),
    ("/items/{}", "/items/{parameter}"),
    # A colon inside a segment is a literal: Matrix room ids, Google's custom verbs.
    ("/rooms/!a:host/send", "/rooms/!a:host/send"),
    ("/jobs/{id}:cancel", "/jobs/{id}:cancel"),
    # An unclosed bracket is text.
    ("/a{b", "/a{b"),
]


@pytest.mark.parametrize(("written", "template"), NOTATIONS)
def test_every_notation_of_a_parameter_becomes_braces(written: str, template: str):
    assert normalise_path(written) == template


@example("$<>")
@given(st.text(alphabet="/ab:<>{}()?P*[]-. \\$#\n", max_size=24) | st.text())
def test_normalising_twice_changes_nothing(path: str):
    once = normalise_path(path)
    assert normalise_path(once) == once
    assert once.startswith("/")
    assert "//" not in once


_NAMES = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
_STYLES = ["{%s}", "{%s:path}", "<%s>", "<int:%s>", "<%s:int>", ":%s", "[%s]", "(?P<%s>[^/]+)"]


@given(st.lists(st.tuples(_NAMES, st.sampled_from(["%s", *_STYLES])), max_size=5))
def test_all_notations_of_one_template_are_equal(segments: list[tuple[str, str]]):
    written = "/" + "/".join(style % name for name, style in segments)
    braces = "/" + "/".join(name if style == "%s" else f"{{{name}}}" for name, style in segments)
    assert normalise_path(written) == braces


MATCHES = [
    ("GET /items/{id}", "GET /items/{item_id}", True),
    ("GET /items/{id}", "GET /items/{item_id}/", True),
    ("GET /", "GET /", True),
    ("GET /items", "POST /items", False),
    ("GET /items", "GET /Items", False),
    ("GET /items", "GET /items/{id}", False),
    ("GET /users/me", "GET /users/{id}", False),
    ("GET /users/{id}", "GET /users/me", False),
    ("GET /a/{x}.json", "GET /a/{y}.json", True),
    ("GET /a/{x}.json", "GET /a/{y}", False),
    ("PATCH /items", "ANY /items", True),
    ("ANY /items", "ANY /items", True),
    ("ANY /items", "GET /items", False),
    ("HEAD /items", "GET /items", True),
    ("GET /items", "HEAD /items", False),
    ("OPTIONS /items", "GET /items", False),
    ("OPTIONS /items", "OPTIONS /items", True),
    # One catch-all parameter is no licence for every deeper path.
    ("GET /files/a/b", "GET /files/{rest}", False),
]


def endpoint(text: str) -> Endpoint:
    method, path = text.split(" ", 1)
    return Endpoint(method=method, path=path)


def route(text: str, line: int = 1) -> Route:
    method, path = text.split(" ", 1)
    return Route(method=method, path=path, file="app.py", line=line, framework="flask")


@pytest.mark.parametrize(("declared", "found", "same"), MATCHES)
def test_a_route_satisfies_only_an_equal_endpoint(declared: str, found: str, same: bool):
    assert matches(endpoint(declared), route(found)) is same
    assert (coverage([endpoint(declared)], [route(found)])[endpoint(declared)] is not None) is same


def test_coverage_folds_equal_declarations_and_keeps_the_order():
    declared = [endpoint("POST /b"), endpoint("GET /a/{id}"), endpoint("GET /a/{key}/"), endpoint("GET /c")]
    found = route("GET /a/{x}", 7)
    assert list(coverage(declared, [found]).items()) == [(declared[0], None), (declared[1], found), (declared[3], None)]


def test_a_route_that_names_the_method_wins_over_one_that_takes_all():
    any_route, exact, later = route("ANY /a", 1), route("GET /a", 2), route("GET /a", 3)
    assert coverage([endpoint("GET /a")], [any_route, exact, later])[endpoint("GET /a")] == exact
