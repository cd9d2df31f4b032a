"""Endpoints of OpenAPI documents, well-formed, sloppy and hostile."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.analysis.openapi import MAX_PATHS, endpoints_of, read_document

GET: dict[str, Any] = {"get": {}}

DOCUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "OpenAPI 3": ({"openapi": "3.1.0", "paths": {"/a": {"get": {}, "post": {}}, "/a/{id}": {"delete": {}}}}, "GET /a, POST /a, DELETE /a/{id}"),
    "a server with a path": ({"servers": [{"url": "https://x.org/api/"}], "paths": {"/a": GET}}, "GET /api/a"),
    "a relative server": ({"servers": [{"url": "/v1"}, {"url": "/v2"}], "paths": {"/a": GET}}, "GET /v1/a"),
    "a server with variables": ({"servers": [{"url": "{s}://h/{v}", "variables": {"s": {"default": "http"}, "v": {"default": "v2"}}}], "paths": {"/a": GET}}, "GET /v2/a"),
    "servers of a path": ({"servers": [{"url": "/v1"}], "paths": {"/a": {"servers": [{"url": "/other"}], **GET}}}, "GET /other/a"),
    "servers of an operation": ({"servers": [{"url": "/v1"}], "paths": {"/a": {"get": {"servers": [{"url": "/x"}]}, "put": {}}}}, "GET /x/a, PUT /v1/a"),
    "OpenAPI 2": ({"swagger": "2.0", "host": "h", "basePath": "/api", "paths": {"/a": GET}}, "GET /api/a"),
    "a base path written twice": ({"basePath": "/api", "paths": {"/api/a": GET, "/apiary": GET}}, "GET /api/a, GET /api/apiary"),
    "parameters of a path are no method": ({"paths": {"/a": {"parameters": [], "summary": "", "x-post": {}, "trace": {}, **GET}}}, "GET /a"),
    "a reference": ({"paths": {"/a": {"$ref": "#/components/pathItems/A~1b"}}, "components": {"pathItems": {"A/b": GET}}}, "GET /a"),
    "a reference in a circle": ({"paths": {"/a": {"$ref": "#/paths/~1a"}, "/b": GET}}, "GET /b"),
    "references that lead nowhere": ({"paths": {"/a": {"$ref": "#/x"}, "/b": {"$ref": "file:///etc/passwd"}, "/c": {"$ref": 7}, "/d": GET}}, "GET /d"),
    "wrong types": ({"servers": {"url": 1}, "basePath": 7, "paths": {"/a": [], 3: GET, "b": GET, "/c": {"get": 1}, "/d": GET}}, "GET /d"),
    "servers of wrong types": ({"servers": [7], "paths": {"/a": GET, "/b": {"servers": [{"url": "http://[bad"}], **GET}}}, "GET /a, GET /b"),
    "no paths": ({"openapi": "3.0.0", "paths": None}, ""),
}  # fmt: skip


@pytest.mark.parametrize(("document", "listed"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_document_yields_its_operations(document: dict[str, Any], listed: str) -> None:
    assert ", ".join(map(str, endpoints_of(document))) == listed


def test_a_huge_document_is_cut_off() -> None:
    assert len(endpoints_of({"paths": {f"/a{number}": GET for number in range(MAX_PATHS + 10)}})) == MAX_PATHS


MERGE_BOMB = "a0: &a0 {x: 1}\n" + "".join(
    f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 10)}]}}\n" for level in range(1, 12)
)
ALIAS_BOMB = "a: &a [x]\nb: [" + ", ".join(["*a"] * 5_000) + "]\n"


@pytest.mark.parametrize(
    "text",
    ["", "just words", "- a\n- b", "{", '{"a":', "a: [", "a: b: c", ALIAS_BOMB, "[" * 20_000, '{"a":' * 20_000, "a: !!python/object:os.system x", "x" * 2_000_000],
    ids=["empty", "words", "list", "brace", "cut JSON", "cut YAML", "not YAML", "alias bomb", "deep YAML", "deep JSON", "an object", "too long"],
)  # fmt: skip
def test_what_is_no_document_is_empty(text: str) -> None:
    assert read_document(text) == {}


def test_merge_keys_do_not_multiply() -> None:
    """Ten copies of ten copies, eleven levels deep: whether the parser drops equal keys depends on its version."""
    assert len(read_document(MERGE_BOMB)) in (0, 12)


def test_json_and_yaml_are_read_alike() -> None:
    document = {"openapi": "3.0.0", "paths": {"/a": {"get": {"summary": "x"}}}}
    assert (
        read_document(json.dumps(document))
        == read_document("openapi: 3.0.0\npaths:\n  /a:\n    get: {summary: x}\n")
        == document
    )


def test_a_document_that_holds_itself_is_read() -> None:
    assert [
        str(endpoint) for endpoint in endpoints_of(read_document("paths: &p\n  /a: {get: {self: *p}}\n  /b: *p\n"))
    ] == ["GET /a"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
KEYS = st.sampled_from(
    ["paths", "servers", "basePath", "$ref", "get", "post", "url", "variables", "/a", "/b/{c}", "default"]
)


@given(
    st.dictionaries(
        KEYS,
        st.recursive(JSON, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner), max_leaves=10),
    )
)
def test_no_document_brings_the_reader_down(document: dict[str, Any]) -> None:
    assert all(endpoint.path.startswith("/") for endpoint in endpoints_of(document))
