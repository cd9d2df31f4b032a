"""Flask, Quart, and the extensions that add resources to them."""

from __future__ import annotations

import pytest

HEAD = "from flask import Blueprint, Flask\n"

CASES: dict[str, tuple[dict[str, str], set[str]]] = {
    "GET is the default, quotes do not matter": (
        {
            "app.py": HEAD
            + "app = Flask(__name__)\n@app.route('/a/<int:id>')\n@app.route(\"/b\", methods=['POST', \"put\"])\ndef a(id=0): ...\n"
        },
        {"GET /a/{id} app.py:3", "POST /b app.py:4", "PUT /b app.py:4"},
    ),
    "methods from a constant, a tuple, a set": (
        {
            "app.py": HEAD
            + "M = ('PATCH',)\napp = Flask(__name__)\n@app.route('/a', methods=M)\n@app.route('/b', methods={'DELETE'})\ndef a(): ...\n"
        },
        {"PATCH /a app.py:4", "DELETE /b app.py:5"},
    ),
    "the prefix given at registration replaces the blueprint's own": (
        {
            "app.py": HEAD
            + "bp = Blueprint('x', __name__, url_prefix='/old')\n@bp.get('/a')\ndef a(): ...\napp = Flask(__name__)\napp.register_blueprint(bp, url_prefix='/new')\n"
        },
        {"GET /new/a app.py:3"},
    ),
    "a blueprint that nothing registers": (
        {"app.py": HEAD + "bp = Blueprint('x', __name__)\n@bp.get('/a')\ndef a(): ...\napp = Flask(__name__)\n"},
        set(),
    ),
    "a factory, blueprints of other files, the application-context idiom": (
        {
            "service/__init__.py": HEAD
            + "def create_app(config=None):\n    app = Flask(__name__)\n    with app.app_context():\n        from . import views\n        app.register_blueprint(views.bp)\n    return app\n",
            "service/views.py": HEAD
            + "bp = Blueprint('views', __name__, url_prefix='/v')\n@bp.route('/')\ndef index(): ...\n",
            "wsgi.py": "from service import create_app\napplication = create_app()\n",
        },
        {"GET /v/ service/views.py:3"},
    ),
    "a loop over names of methods": (
        {
            "app.py": HEAD
            + "app = Flask(__name__)\ndef f(): ...\nfor path, verbs in [('/a', ['GET']), ('/b', ['PUT'])]:\n    app.add_url_rule(path, path, f, methods=verbs)\n"
        },
        {"GET /a app.py:5", "PUT /b app.py:5"},
    ),
    "a decorator of the tree's own that registers": (
        {
            "app.py": HEAD
            + "app = Flask(__name__)\ndef api(path):\n    def inner(f):\n        app.add_url_rule('/api' + path, f.__name__, f)\n        return f\n    return inner\n@api('/x')\ndef x(): ...\n"
        },
        {"GET /api/x app.py:5"},
    ),
    "applications under a dispatcher": (
        {
            "app.py": HEAD
            + "from werkzeug.middleware.dispatcher import DispatcherMiddleware\nfront = Flask('a')\nback = Flask('b')\n@front.get('/x')\ndef x(): ...\n@back.get('/y')\ndef y(): ...\n"
            + "front.wsgi_app = DispatcherMiddleware(front.wsgi_app, {'/back': back})\n"
        },
        {"GET /x app.py:5", "GET /back/y app.py:7"},
    ),
    "views in class form from another file": (
        {
            "app.py": HEAD
            + "from views import V\napp = Flask(__name__)\napp.add_url_rule('/v', view_func=V.as_view('v'))\n",
            "views.py": "from flask.views import MethodView\nclass B(MethodView):\n    def get(self): ...\nclass V(B):\n    def delete(self): ...\n",
        },
        {"GET /v app.py:4", "DELETE /v app.py:4"},
    ),
    "Flask-RESTful on an application bound later": (
        {
            "app.py": HEAD
            + "from flask_restful import Api, Resource\napi = Api()\nclass T(Resource):\n    def put(self, id): ...\napi.add_resource(T, '/t/<id>', endpoint='t')\napp = Flask(__name__)\napi.init_app(app)\n"
        },
        {"PUT /t/{id} app.py:6"},
    ),
    "Quart": (
        {"app.py": "from quart import Quart\napp = Quart(__name__)\n@app.post('/a')\nasync def a(): ...\n"},
        {"POST /a app.py:3"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_routes_of(files: dict[str, str], expected: set[str], read_python):
    assert read_python(files) == expected
