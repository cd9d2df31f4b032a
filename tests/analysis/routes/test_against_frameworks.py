"""What we read from the source is what the real framework holds in its router after importing the same source."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from repoproof.analysis.routes import find_routes

pytestmark = [pytest.mark.slow, pytest.mark.needs("network")]

PACKAGES = ("fastapi", "flask", "flask-restful", "flask-restx", "django", "djangorestframework", "aiohttp", "eve")

# A script for each framework prints the routes as JSON: pairs of a method and a path with `{}` for each parameter.
PREAMBLE = """
import json, re, sys
sys.path.insert(0, ".")
VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
def show(pairs):
    blank = lambda path: re.sub(r"<[^<>]*>|\\{[^{}]*\\}", "{}", path)
    print(json.dumps(sorted({(method, blank(path)) for method, path in pairs if method in (*VERBS, "ANY")})))
"""

DUMPS = {
    "starlette": """
from main import app
from starlette.routing import Mount
def walk(routes, prefix):
    for route in routes:
        if isinstance(route, Mount):
            yield from walk(route.routes, prefix + route.path)
        else:
            methods = route.methods or [verb for verb in VERBS if hasattr(route.endpoint, verb.lower())]
            yield from ((method, prefix + route.path) for method in methods)
show(walk(app.routes, ""))
""",
    # The document that FastAPI publishes, of the application and of those that it mounts: built by the framework from its router.
    "fastapi": """
from main import app
def walk(app, prefix):
    for path, operations in app.openapi()["paths"].items():
        yield from ((method.upper(), prefix + path) for method in operations)
    for route in app.routes:
        if hasattr(getattr(route, "app", None), "openapi") and hasattr(route, "path"):
            yield from walk(route.app, prefix + route.path)
show(walk(app, ""))
""",
    "flask": """
from main import app
show((method, rule.rule) for rule in app.url_map.iter_rules() for method in rule.methods
     if rule.endpoint != "static" and not re.search("swagger|specs|restx_doc|doc$|root$", rule.endpoint))
""",
    "eve": """
from main import app
show((method, re.sub(r'<regex\\("[^"]*"\\):(\\w+)>', "{}", rule.rule)) for rule in app.url_map.iter_rules() for method in rule.methods
     if rule.endpoint not in ("static", "media", "schema") and not (method == "POST" and rule.endpoint.endswith("item_post_override")))
""",
    "aiohttp": """
from main import app
def methods(route):
    if route.method != "*":
        return [route.method]
    return [verb for verb in VERBS if hasattr(route.handler, verb.lower())] or ["ANY"]
show((method, route.resource.canonical) for route in app.router.routes() for method in methods(route))
""",
    "django": """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "project.settings"
import django
django.setup()
from django.urls import get_resolver, URLPattern
def clean(pattern):
    return re.sub(r"\\(\\?P<\\w+>[^()]*\\)", "{}", str(pattern)).replace("^", "").replace("$", "").replace("\\\\Z", "").replace("/?", "/")
def methods(callback):
    if hasattr(callback, "actions") and callback.actions:
        return [verb.upper() for verb in callback.actions]
    view = getattr(callback, "cls", None) or getattr(callback, "view_class", None)
    return ["ANY"] if view is None else [verb for verb in VERBS if hasattr(view, verb.lower()) and verb.lower() in view.http_method_names]
def walk(patterns, prefix):
    for one in patterns:
        path = prefix + clean(one.pattern)
        if isinstance(one, URLPattern):
            if "format" not in path and "drf_format_suffix" not in str(one.pattern) and "\\\\." not in path:
                yield from ((method, "/" + path) for method in methods(one.callback))
        else:
            yield from walk(one.url_patterns, path)
show(walk(get_resolver().url_patterns, ""))
""",
}

APPS: dict[str, tuple[str, dict[str, str]]] = {
    "fastapi with nested routers, a factory, mounts and constants": (
        "fastapi",
        {
            "service/__init__.py": "",
            "service/config.py": 'from pydantic import BaseModel\nclass Settings(BaseModel):\n    api: str = "/api"\nsettings = Settings()\nVERSION = "v1"\n',
            "service/routers/__init__.py": "from .users import router as users_router\nfrom .items import router as items_router\n__all__ = ['users_router', 'items_router']\n",
            "service/routers/users.py": """
from fastapi import APIRouter
from .notes import router as notes
router = APIRouter(prefix="/users", tags=["users"])
@router.get("/")
def index(): ...
@router.post("/", status_code=201)
def create(): ...
@router.get("/{user_id}")
@router.head("/{user_id}")
def one(user_id: int): ...
router.include_router(notes, prefix="/{user_id}/notes")
""",
            "service/routers/notes.py": """
from fastapi import APIRouter
router = APIRouter()
@router.api_route("", methods=['GET', "PUT"])
def both(user_id: int): ...
def remove(user_id: int, note: int): ...
router.add_api_route("/{note}", remove, methods=["DELETE"])
""",
            "service/routers/items.py": """
from fastapi import APIRouter
router = APIRouter(prefix="/items")
unused = APIRouter(prefix="/unused")
@unused.get("/never")
def never(): ...
@router.patch("/{path:path}")
def patch(path: str): ...
""",
            "service/factory.py": """
from fastapi import FastAPI
from .config import VERSION, settings
from .routers import *
def register(app, routers):
    for router in routers:
        app.include_router(router, prefix=f"{settings.api}/{VERSION}")
def create_app() -> FastAPI:
    app = FastAPI()
    register(app, [users_router, items_router])
    @app.get("/health")
    async def health(): ...
    admin = FastAPI()
    @admin.delete("/caches/{name}")
    def clear(name: str): ...
    app.mount("/admin", admin)
    return app
""",
            "main.py": "from service.factory import create_app\napp = create_app()\nif True:\n    @app.get('/ready')\n    def ready(): ...\n",
        },
    ),
    "starlette with route lists, mounts and endpoint classes": (
        "starlette",
        {
            "main.py": """
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.routing import Mount, Route, Router
from views import Item, page
nested = Router([Route("/{key:int}", page, methods=["PUT", "DELETE"])])
routes = [
    Route("/", page),
    Route("/items/{id:uuid}", endpoint=Item),
    Mount("/v1", routes=[Route("/page", page, methods=("POST",)), Mount("/deep", app=nested)]),
]
app = Starlette(debug=True, routes=routes + [Route("/late", page)])
app.add_route("/added", page, methods=["PATCH"])
app.mount("/again", nested)
app.router.routes.append(Route("/appended", page))
""",
            "views.py": """
from starlette.endpoints import HTTPEndpoint
async def page(request): ...
class Base(HTTPEndpoint):
    async def get(self, request): ...
class Item(Base):
    async def delete(self, request): ...
""",
        },
    ),
    "flask with nested blueprints, prefixes, class views and rules": (
        "flask",
        {
            "main.py": """
from flask import Flask
from flask.views import MethodView, View
from api import api, bare, overridden
app = Flask(__name__)
class Items(MethodView):
    def get(self): ...
    def post(self): ...
class Limited(MethodView):
    methods = ["DELETE"]
    def get(self): ...
    def delete(self): ...
class Old(View):
    methods = ("GET", "POST")
    def dispatch_request(self): ...
@app.route("/")
def index(): ...
@app.route("/many", methods=('GET', "PUT"))
@app.route("/alias/<path:rest>", methods={"POST"})
def many(rest=""): ...
@app.post("/short")
def short(): ...
app.add_url_rule("/items/", view_func=Items.as_view("items"))
app.add_url_rule("/limited/<int:id>", view_func=Limited.as_view("limited"))
app.add_url_rule("/old", view_func=Old.as_view("old"))
app.add_url_rule("/rule", "rule", index, methods=["PATCH"])
app.register_blueprint(api)
app.register_blueprint(bare)
app.register_blueprint(overridden, url_prefix="/new")
""",
            "api/__init__.py": """
from flask import Blueprint
from .inner import inner
api = Blueprint("api", __name__, url_prefix="/api/")
bare = Blueprint("bare", __name__)
overridden = Blueprint("overridden", __name__, url_prefix="/old-prefix")
forgotten = Blueprint("forgotten", __name__)
@forgotten.route("/forgotten")
def forgotten_view(): ...
@bare.get("/bare")
def bare_view(): ...
@overridden.delete("/thing/<thing>")
def thing(thing): ...
@api.route("")
def root_of_api(): ...
@api.route("/direct")
def direct(): ...
api.register_blueprint(inner, url_prefix="/nested")
""",
            "api/inner.py": """
from flask import Blueprint
inner = Blueprint("inner", __name__, url_prefix="/ignored")
deepest = Blueprint("deepest", __name__, url_prefix="/deepest")
@deepest.put("/<uuid:id>")
def deep(id): ...
@inner.route("/", methods=["GET", "POST"])
def view(): ...
inner.register_blueprint(deepest)
""",
        },
    ),
    "flask-restful and flask-restx": (
        "flask",
        {
            "main.py": """
from flask import Blueprint, Flask
import flask_restful, flask_restx
app = Flask(__name__)
blueprint = Blueprint("rest", __name__, url_prefix="/rest")
rest = flask_restful.Api(blueprint, prefix="/v1")
class Base(flask_restful.Resource):
    def get(self, id=None): ...
class Todo(Base):
    def delete(self, id): ...
rest.add_resource(Todo, "/todos/<int:id>", "/todo-alias/<int:id>")
app.register_blueprint(blueprint)
second = flask_restful.Api()
@second.resource("/second")
class Second(flask_restful.Resource):
    def post(self): ...
second.init_app(app)
plus = Blueprint("plus", __name__, url_prefix="/plus")
api = flask_restx.Api(plus)
ns = api.namespace("cats", description="cats")
other = flask_restx.Namespace("dogs", path="/hounds")
third = flask_restx.Namespace("birds")
@ns.route("/", "/all")
class Cats(flask_restx.Resource):
    def get(self): ...
@other.route("/<int:id>")
class Dog(flask_restx.Resource):
    def put(self, id): ...
@third.route("/nests")
class Nests(flask_restx.Resource):
    def patch(self): ...
api.add_namespace(other)
api.add_namespace(third, path="/elsewhere")
app.register_blueprint(plus)
""",
        },
    ),
    "django and REST framework": (
        "django",
        {
            "project/__init__.py": "",
            "project/settings.py": 'SECRET_KEY = "x"\nROOT_URLCONF = "project.urls"\nINSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"]\nDATABASES = {}\n',
            "project/urls.py": """
from django.urls import include, path, re_path
from rest_framework.routers import DefaultRouter, SimpleRouter
from shop import views
router = DefaultRouter()
router.register(r"products", views.ProductViewSet, basename="product")
router.register("orders", views.OrderViewSet, basename="order")
bare = SimpleRouter(trailing_slash=False)
bare.register("limited", views.Limited, basename="limited")
extra = [path("one", views.plain)]
urlpatterns = [
    path("api/", include(router.urls)),
    path("bare/", include((bare.urls, "bare"), namespace="bare")),
    path("shop/", include("shop.urls")),
    path("extra/", include(extra)),
    re_path(r"^archive/(?P<year>[0-9]{4})/$", views.plain),
    path("sets/<int:pk>/", views.ProductViewSet.as_view({"get": "retrieve", "post": "archive"})),
]
urlpatterns += [path("late/", views.Listing.as_view())]
""",
            "shop/__init__.py": "",
            "shop/urls.py": """
from django.urls import path
from .views import Both, Detail, Listing, plain, posted
app_name = "shop"
urlpatterns = [
    path("", Both.as_view()),
    path("list/", Listing.as_view(), name="list"),
    path("<slug:slug>/", Detail.as_view()),
    path("api-view/", posted),
]
""",
            "shop/views.py": """
from django.http import HttpResponse
from django.views import View
from rest_framework import generics, mixins, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.response import Response
def plain(request, **kwargs):
    return HttpResponse("")
@api_view(["POST", "put"])
def posted(request): ...
class Both(View):
    def get(self, request): ...
    def patch(self, request): ...
class Listing(generics.ListCreateAPIView):
    queryset = []
class Detail(generics.RetrieveUpdateDestroyAPIView):
    http_method_names = ["get", "delete", "options"]
class ProductViewSet(viewsets.ModelViewSet):
    queryset = []
    lookup_field = "sku"
    @action(detail=True, methods=["post"])
    def archive(self, request, sku=None): ...
    @archive.mapping.delete
    def unarchive(self, request, sku=None): ...
    @action(detail=False, url_path="most-wanted")
    def wanted(self, request): ...
class OrderViewSet(mixins.ListModelMixin, mixins.CreateModelMixin, viewsets.GenericViewSet):
    def destroy(self, request, pk=None): ...
class Limited(viewsets.ReadOnlyModelViewSet):
    lookup_url_kwarg = "key"
""",
        },
    ),
    "aiohttp with every way to add a route": (
        "aiohttp",
        {
            "main.py": """
from aiohttp import web
from handlers import Item, handler, table
async def build():
    return app
app = web.Application()
app.router.add_get("/", handler)
app.router.add_route("PUT", "/put/{id}", handler)
app.router.add_route("*", "/any", handler)
app.router.add_view("/view/{key}", Item)
app.add_routes([web.post("/listed", handler), web.route("PATCH", r"/listed/{n:\\\\d+}", handler), web.view("/viewed", Item)])
app.add_routes(table)
resource = app.router.add_resource("/resource")
resource.add_route("DELETE", handler)
admin = web.Application()
admin.add_routes([web.get("/users", handler)])
deep = web.Application()
deep.router.add_delete("/gone", handler)
admin.add_subapp("/deep/", deep)
app.add_subapp("/admin/", admin)
""",
            "handlers.py": """
from aiohttp import web
table = web.RouteTableDef()
async def handler(request): ...
class Item(web.View):
    async def get(self): ...
    async def post(self): ...
@table.get("/table")
@table.post("/table/{id}")
async def in_table(request): ...
@table.view("/table-view")
class TableView(Item):
    async def delete(self): ...
""",
        },
    ),
    "eve with defaults, overrides, look-ups and a route of its own": (
        "eve",
        {
            "main.py": "from eve import Eve\napp = Eve()\n@app.route('/ping')\ndef ping(): return 'pong'\n",
            "settings.py": """
URL_PREFIX = "api"
API_VERSION = "v1"
RESOURCE_METHODS = ["GET", "POST"]
schema = {"name": {"type": "string"}}
people = {"schema": schema, "item_methods": ["GET", "PATCH", "DELETE"], "additional_lookup": {"url": 'regex("[a-z]+")', "field": "name"}}
DOMAIN = {
    "people": people,
    "places": {"url": "all/places", "schema": schema, "resource_methods": ["GET"], "item_lookup": False},
    "hidden": {"internal_resource": True, "schema": schema},
    "bare": {"schema": schema},
}
""",
        },
    ),
}


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python with the real frameworks, in an environment of its own."""
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    environment = tmp_path_factory.mktemp("frameworks")
    python = environment / "bin" / "python"
    subprocess.run([uv, "venv", "-q", "--clear", "-p", sys.executable, environment], check=True)
    subprocess.run([uv, "pip", "install", "-q", "-p", python, *PACKAGES], check=True)
    return python


@pytest.mark.parametrize(("framework", "files"), APPS.values(), ids=APPS)
def test_the_routes_read_are_those_of_the_real_router(
    framework: str, files: dict[str, str], interpreter: Path, tmp_path: Path
):
    for name, source in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    environment = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    script = [interpreter, "-c", PREAMBLE + DUMPS[framework]]
    dumped = subprocess.run(script, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert dumped.returncode == 0, dumped.stderr
    real = {(method, path) for method, path in json.loads(dumped.stdout.splitlines()[-1])}
    read = {
        (route.method, blank(route.path))
        for route in find_routes(tmp_path, language="python")
        if route.method not in ("HEAD", "OPTIONS")
    }
    assert read == real
    assert len(real) > 5


def blank(path: str) -> str:
    return "/".join("{}" if segment.startswith("{") else segment for segment in path.split("/"))
