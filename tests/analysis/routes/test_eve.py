"""Eve: resources are data."""

from __future__ import annotations

import pytest

APP = "from eve import Eve\napp = Eve()\n"

CASES: dict[str, tuple[dict[str, str], set[str]]] = {
    "only GET by default": (
        {"run.py": APP, "settings.py": "DOMAIN = {\n    'people': {},\n}\n"},
        {"GET / run.py:2", "GET /people settings.py:2", "GET /people/{_id} settings.py:2"},
    ),
    "defaults, overrides, a prefix, an internal resource": (
        {
            "run.py": APP,
            "settings.py": "RESOURCE_METHODS = ['GET', 'POST']\nITEM_METHODS = ['DELETE']\nURL_PREFIX = 'api'\nAPI_VERSION = 'v1'\n"
            "a = {'resource_methods': ['POST'], 'url': 'all/a', 'item_lookup_field': 'slug'}\nDOMAIN = {'a': a, 'h': {'internal_resource': True}}\nDOMAIN['b'] = {'item_lookup': False}\n",
        },
        {
            "GET /api/v1/ run.py:2",
            "POST /api/v1/all/a settings.py:6",
            "DELETE /api/v1/all/a/{slug} settings.py:6",
            "GET /api/v1/b settings.py:7",
            "POST /api/v1/b settings.py:7",
        },
    ),
    "settings as a dict, a route of its own": (
        {
            "run.py": "from eve import Eve\napp = Eve(settings={'DOMAIN': {'a': {'item_methods': ['PUT']}}})\n@app.route('/ping', methods=['POST'])\ndef ping(): ...\n"
        },
        {"GET / run.py:2", "GET /a run.py:2", "PUT /a/{_id} run.py:2", "POST /ping run.py:3"},
    ),
    "a DOMAIN without an application": ({"settings.py": "DOMAIN = {'people': {}}\n"}, set()),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_routes_of(files: dict[str, str], expected: set[str], read_python):
    assert read_python(files) == expected
