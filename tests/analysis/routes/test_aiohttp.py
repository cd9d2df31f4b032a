"""aiohttp's server side; its client, whose methods have the same names, has no routes."""

from __future__ import annotations

import pytest

HEAD = "from aiohttp import web\n"

CASES: dict[str, tuple[dict[str, str], set[str]]] = {
    "an application built in a function": (
        {
            "main.py": HEAD
            + "async def h(request): ...\ndef init():\n    app = web.Application()\n    app.router.add_get('/a/{id}', h)\n    return app\nif __name__ == '__main__':\n    web.run_app(init())\n"
        },
        {"GET /a/{id} main.py:5"},
    ),
    "a setup function of another file": (
        {
            "main.py": HEAD + "from routes import setup\napp = web.Application()\nsetup(app)\n",
            "routes.py": HEAD
            + "async def h(request): ...\ndef setup(app):\n    app.router.add_routes([\n        web.post('/a', h),\n        web.route('*', '/b', h),\n    ])\n",
        },
        {"POST /a routes.py:5", "ANY /b routes.py:6"},
    ),
    "a table that no application takes": (
        {
            "main.py": HEAD
            + "app = web.Application()\nt = web.RouteTableDef()\n@t.get('/a')\nasync def a(request): ...\n"
        },
        set(),
    ),
    "a sub-application": (
        {
            "main.py": HEAD
            + "async def h(r): ...\napp = web.Application()\nsub = web.Application()\nsub.add_routes([web.put('/x', h)])\napp.add_subapp('/sub', sub)\n"
        },
        {"PUT /sub/x main.py:5"},
    ),
    "a class view": (
        {
            "main.py": HEAD
            + "class V(web.View):\n    async def get(self): ...\n    async def delete(self): ...\napp = web.Application()\napp.router.add_view('/v', V)\n"
        },
        {"GET /v main.py:6", "DELETE /v main.py:6"},
    ),
    "a client": (
        {
            "main.py": "import aiohttp\nasync def f():\n    async with aiohttp.ClientSession() as session:\n        await session.get('/a')\n        await session.delete('/b')\n"
        },
        set(),
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_routes_of(files: dict[str, str], expected: set[str], read_python):
    assert read_python(files) == expected
