"""FastAPI and Starlette, in the shapes that services are written in."""

from __future__ import annotations

import pytest

HEAD = "from fastapi import APIRouter, FastAPI\n"

CASES: dict[str, tuple[dict[str, str], set[str]]] = {
    "a decorator on an application": (
        {"main.py": HEAD + "app = FastAPI()\n@app.get('/items/{id:int}')\ndef one(id): ...\n"},
        {"GET /items/{id} main.py:3"},
    ),
    "a call that decorates nothing registers nothing": (
        {"main.py": HEAD + "app = FastAPI()\napp.get('/items')\n"},
        set(),
    ),
    "a router that nothing includes": (
        {
            "main.py": HEAD
            + "app = FastAPI()\nr = APIRouter()\n@r.get('/a')\ndef a(): ...\n@app.get('/b')\ndef b(): ...\n"
        },
        {"GET /b main.py:6"},
    ),
    "a router without any application": ({"main.py": HEAD + "r = APIRouter()\n@r.get('/a')\ndef a(): ...\n"}, set()),
    "a prefix from a constant of another file, by f-string and concatenation": (
        {
            "main.py": HEAD
            + "import constants\nfrom users import router\napp = FastAPI()\napp.include_router(router, prefix=f'{constants.API}/v1')\n",
            "constants.py": "ROOT = '/api'\nAPI = ROOT + '/rest'\n",
            "users.py": HEAD
            + "PREFIX = '/%s' % 'users'\nrouter = APIRouter(prefix=PREFIX)\n@router.post('')\ndef new(): ...\n",
        },
        {"POST /api/rest/v1/users users.py:4"},
    ),
    "one router included twice": (
        {
            "main.py": HEAD
            + "app = FastAPI()\nr = APIRouter()\n@r.get('/a')\ndef a(): ...\nfor v in ('/v1', '/v2'):\n    app.include_router(r, prefix=v)\n"
        },
        {"GET /v1/a main.py:4", "GET /v2/a main.py:4"},
    ),
    "a prefix that the environment sets has its default": (
        {
            "main.py": HEAD
            + "import os\nP = os.getenv('P', '/p')\napp = FastAPI()\nr = APIRouter(prefix=P)\n@r.get('/a')\ndef a(): ...\napp.include_router(r)\n"
        },
        {"GET /p/a main.py:6"},
    ),
    "a prefix that cannot be known": (
        {
            "main.py": HEAD
            + "import os\nP = os.environ['P']\napp = FastAPI()\nr = APIRouter(prefix=P)\n@r.get('/a')\ndef a(): ...\napp.include_router(r)\n"
        },
        set(),
    ),
    "a factory that only the server's command names": (
        {
            "main.py": HEAD
            + "def create_app():\n    app = FastAPI()\n    setup(app)\n    return app\ndef setup(app):\n    @app.get('/a')\n    def a(): ...\n"
        },
        {"GET /a main.py:7"},
    ),
    "a function that nobody calls and that would have added a route": (
        {"main.py": HEAD + "app = FastAPI()\ndef never():\n    @app.get('/a')\n    def a(): ...\n"},
        set(),
    ),
    "code after a return, and in `if False`": (
        {
            "main.py": HEAD
            + "app = FastAPI()\nif False:\n    @app.get('/a')\n    def a(): ...\ndef f():\n    return app\n    @app.get('/b')\n    def b(): ...\nf()\n"
        },
        set(),
    ),
    "both branches of a condition, and a try": (
        {
            "main.py": HEAD
            + "app = FastAPI()\nimport os\nif os.getenv('X'):\n    @app.get('/a')\n    def a(): ...\nelse:\n    @app.get('/b')\n    def b(): ...\n"
            + "try:\n    @app.get('/c')\n    def c(): ...\nexcept Exception:\n    raise\n"
        },
        {"GET /a main.py:5", "GET /b main.py:8", "GET /c main.py:11"},
    ),
    "an application as an attribute of an object": (
        {
            "main.py": HEAD
            + "class Server:\n    def __init__(self):\n        self.app = FastAPI()\n        self.routes()\n    def routes(self):\n"
            + "        self.app.add_api_route('/a', self.a, methods=['PUT'])\n    def a(self): ...\napp = Server().app\n"
        },
        {"PUT /a main.py:7"},
    ),
    "a subclass of the application": (
        {
            "main.py": HEAD
            + "class Mine(FastAPI):\n    def __init__(self):\n        super().__init__()\n        self.get('/a')(self.a)\n    def a(self): ...\napp = Mine()\n"
        },
        {"GET /a main.py:5"},
    ),
    "a circular import": (
        {
            "main.py": HEAD + "app = FastAPI()\nfrom views import router\napp.include_router(router)\n",
            "aaa.py": "import views\n",
            "views.py": HEAD
            + "import main\nfrom main import app\nrouter = APIRouter()\n@router.get('/a')\ndef a(): ...\n@app.get('/b')\ndef b(): ...\n",
        },
        {"GET /a views.py:5", "GET /b views.py:7"},
    ),
    "a router that includes itself": (
        {
            "main.py": HEAD
            + "app = FastAPI()\nr = APIRouter(prefix='/r')\n@r.get('/a')\ndef a(): ...\nr.include_router(r)\napp.include_router(r)\n"
        },
        {"GET /r/a main.py:4"},
    ),
    "routers in a package, by relative and star imports": (
        {
            "src/shop/__init__.py": "",
            "src/shop/main.py": HEAD
            + "from .routers import *\nfrom . import routers\napp = FastAPI()\n[app.include_router(r) for r in routers.ALL]\n",
            "src/shop/routers/__init__.py": "from .a import router as first\nfrom shop.routers.b import router as second\nALL = [first] + [second]\n",
            "src/shop/routers/a.py": HEAD + "router = APIRouter()\n@router.get('/a')\ndef a(): ...\n",
            "src/shop/routers/b.py": HEAD + "router = APIRouter()\n@router.get('/b')\ndef b(): ...\n",
        },
        {"GET /a src/shop/routers/a.py:3", "GET /b src/shop/routers/b.py:3"},
    ),
    "a mount inside a middleware, a route class, a Starlette application": (
        {
            "main.py": "from starlette.applications import Starlette\nfrom starlette.routing import Mount, Route\nfrom starlette.endpoints import HTTPEndpoint\n"
            "class E(HTTPEndpoint):\n    def get(self, r): ...\n    def patch(self, r): ...\n"
            "inner = Starlette(routes=[\n    Route('/e/{x:path}', E),\n])\napp = Starlette(routes=[Mount('/in', app=inner)])\n"
        },
        {"GET /in/e/{x} main.py:8", "PATCH /in/e/{x} main.py:8"},
    ),
    "a module of the tree that is called like the framework": (
        {
            "main.py": HEAD + "app = FastAPI()\n@app.get('/a')\ndef a(): ...\n",
            "fastapi.py": "class FastAPI:\n    def get(self, p): return lambda f: f\nAPIRouter = None\n",
        },
        set(),
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_routes_of(files: dict[str, str], expected: set[str], read_python):
    assert read_python(files) == expected
