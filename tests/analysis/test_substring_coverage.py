"""The published coverage rule, with the defects that it is known for: it exists to explain published numbers."""

from __future__ import annotations

import pytest

from repoproof.analysis.endpoints import Endpoint, coverage
from repoproof.analysis.routes import find_routes
from repoproof.analysis.substring_coverage import covered_by_substring

ENDPOINTS = (
    Endpoint(method="GET", path="/items"),
    Endpoint(method="POST", path="/items"),
    Endpoint(method="GET", path="/items/{id}"),
    Endpoint(method="PUT", path="/items/{id}"),
    Endpoint(method="DELETE", path="/items/{id}"),
)

README_AND_FIVE_CALLS = '''
"""GET /items, POST /items, GET /items/{id}, PUT /items/{id}, DELETE /items/{id}"""
x = Cupboard()
x.get(1)
x.post(1)
x.put(1)
x.patch(1)
x.delete(1)
'''


def test_five_calls_and_a_docstring_cover_everything_by_substring_and_nothing_by_syntax_tree(tmp_path):
    (tmp_path / "app.py").write_text(README_AND_FIVE_CALLS)
    assert covered_by_substring(tmp_path, ENDPOINTS) == 5
    routes = find_routes(tmp_path, language="python")
    assert [route for route in coverage(ENDPOINTS, routes).values() if route] == []


@pytest.mark.parametrize(
    ("endpoint", "code", "found"),
    [
        ("GET /items", '@app.get("/items")', True),
        ("DELETE /items/{id}", 'db.delete(key)  # items', True),
        ("POST /items", '@app.route("/items", methods=["GET", "POST"])', True),
        ("POST /items", "@app.route('/items', methods=['POST'])", False),
        ("GET /items", '@app.route("/items")', False),
        ("GET /items", 'urlpatterns = [path("items", items)]', False),
        ("GET /items", '@GetMapping("/items")', True),
        ("GET /items", '@GET @Path("/items")', False),
        ("GET /items", '@app.get("/goods")', False),
        ("GET /a/b/items", 'router.get("/items")', True),
        ("GET /a/b", 'router.get("/b")', False),
    ],
)  # fmt: skip
def test_what_looks_like_a_route_to_it(tmp_path, endpoint, code, found):
    (tmp_path / ("App.java" if "@GET" in code or "Mapping" in code else "app.py")).write_text(code)
    method, path = endpoint.split()
    assert covered_by_substring(tmp_path, [Endpoint(method=method, path=path)]) == found


def test_route_and_path_must_be_in_one_file(tmp_path):
    (tmp_path / "a.py").write_text("x.get(1)")
    (tmp_path / "b.py").write_text("'/items'")
    assert covered_by_substring(tmp_path, ENDPOINTS[:1]) == 0
