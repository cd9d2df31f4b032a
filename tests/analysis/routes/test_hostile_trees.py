"""What only looks like routes gives none, and no tree brings the reader down."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repoproof.analysis.endpoints import Endpoint, coverage
from repoproof.analysis.routes import find_routes

FLASK = "from flask import Flask\napp = Flask(__name__)\n"
GOOD = FLASK + "@app.get('/good')\ndef good(): ...\n"

# RepoGenesis gives the first of these full coverage on every task.
FALSE_FRIENDS = {
    "five calls named get, and the README in a docstring": (
        '"""Items\n\n- `GET /items`\n- `POST /items`\n- `DELETE /items/{id}`\n@app.get("/items")\n"""\nx = {}\n'
        + "x.get(1)\n" * 5
    ),
    "a database, a cache and a client": (
        "import requests, cache\nfrom db import session as db\nx = 1\ndb.delete(x)\ncache.get('/items')\nrequests.get('/items')\nclient.post('/items')\n"
    ),
    "the same beside a real application": FLASK
    + "import requests\n@requests.get('/items')\ndef a(): ...\nclient = app.test_client()\nclient.post('/items')\n",
    "a decorator on something of one's own": "class App:\n    def get(self, path): return lambda f: f\napp = App()\n@app.get('/items')\ndef a(): ...\n# fastapi flask\n",
    "code in comments and strings": FLASK + "# @app.get('/items')\ncode = '''\n@app.get('/items')\ndef a(): ...\n'''\n",
    "an application's setting": FLASK + "app.config.get('/items')\napp.config['x'] = app.jinja_env.get('/items')\n",
}


@pytest.mark.parametrize("source", FALSE_FRIENDS.values(), ids=FALSE_FRIENDS)
def test_words_are_no_routes(source: str, read_python):
    assert read_python({"app.py": source}) == set()


def test_a_file_of_route_words_covers_no_endpoint(tmp_path: Path):
    (tmp_path / "app.py").write_text(FALSE_FRIENDS["five calls named get, and the README in a docstring"])
    declared = [Endpoint(method="GET", path="/items"), Endpoint(method="DELETE", path="/items/{id}")]
    assert coverage(declared, find_routes(tmp_path, language="python")) == {declared[0]: None, declared[1]: None}


@pytest.mark.parametrize("folder", ["tests", "venv", "node_modules", ".hidden", "deep/site-packages"])
def test_what_is_not_the_service_is_not_read(folder: str, read_python):
    assert read_python({f"{folder}/app.py": GOOD, "app.py": GOOD}) == {"GET /good app.py:3"}


HOSTILE = {
    "a syntax error": b"def (:\n",
    "a NUL byte": b"import flask\nx = '\0'\n",
    "no UTF-8": b"import flask\nx = '\xff\xfe'\n",
    "an encoding that does not exist": b"# -*- coding: nonsense -*-\nimport flask\n",
    "a deep sum": b"import flask\nx = " + b"1+" * 20_000 + b"1\n",
    "a deep chain of calls": b"import flask\nx = f" + b"()" * 20_000 + b"\n",
    "deep brackets": b"import flask\nx = " + b"[" * 5_000 + b"]" * 5_000 + b"\n",
    "a text that doubles": b"import flask\nx = 'ab'\n" + b"x = x + x\n" * 200,
    "a list that doubles": b"import flask\nx = [1]\n" + b"x = x + x\n" * 200,
    "a list of lists of lists": b"import flask\napp = flask.Flask('a')\nx = ['GET']\n"
    + b"x = [x, x, x, x]\n" * 60
    + b"app.route('/x', methods=x)(print)\n",
    "a list that contains itself": b"import flask\napp = flask.Flask('a')\nx = []\nx.append(x)\napp.route('/x', methods=x)(print)\n",
    "a gigabyte by format": b"import flask\nx = '%1000000000d' % 1\ny = '{:>1000000000}'.format('')\nz = f\"{'':>1000000000}\"\n",
    "loops in loops": b"import flask\nr = list('ab') + [1] * 3\n"
    + b"".join(b" " * i + b"for i%d in (1,2,3,4,5,6,7,8,9):\n" % i for i in range(20))
    + b" " * 20
    + b"pass\n",
    "functions that call each other": b"import flask\ndef a(): b(); b()\ndef b(): a(); a()\na()\n",
    "an exponential of calls": b"import flask\ndef f0(): flask.x()\n"
    + b"".join(b"def f%d(): f%d(); f%d()\n" % (i, i - 1, i - 1) for i in range(1, 25))
    + b"f24()\n",
    "a class that is its own base": b"import flask\nclass A: pass\nclass A(A): pass\nclass B(B): pass\nA().x.y\n",
    "a property of itself": b"import flask\nclass A:\n    @property\n    def x(self): return self.x\nA().x\n",
    "a super of nothing": b"import flask\nsuper().__init__()\nclass A:\n    def f(self): return super().f()\nA().f()\nA.f()\n",
    "an import of itself": b"import flask, bad\nfrom bad import *\nfrom bad import bad as x\nfrom .... import y\nfrom . import *\n",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_does_not_hide_its_neighbours(source: bytes, tmp_path: Path):
    (tmp_path / "app.py").write_text(GOOD)
    (tmp_path / "bad.py").write_bytes(source)
    found = {(str(route), route.file) for route in find_routes(tmp_path, language="python")}
    assert ("GET /good", "app.py") in found


DJANGO = {
    "settings.py": "ROOT_URLCONF = 'urls'\n",
    "urls.py": "from django.urls import path\ndef view(request): return request.method == 'GET'\nurlpatterns = [path('good', view)]\n",
}
EXPRESS = "const express = require('express');\nconst app = express();\napp.get('/good', (a, b) => 1);\n"
NEST = (
    "import { NestFactory, RouterModule } from '@nestjs/core';\n"
    "import { Module, Controller, Get, applyDecorators } from '@nestjs/common';\nconst x = [];\n"
    "@Controller() class C { @Get('good') good() {} }\n"
)
JAVALIN = 'import io.javalin.Javalin; class App { public static void main(String[] a) { var app = Javalin.create(); app.get("/good", c -> {}); '
SPRING = (
    "import org.springframework.boot.autoconfigure.*; import org.springframework.web.bind.annotation.*; import java.util.*;\n"
    "import org.springframework.web.servlet.config.annotation.*;\n"
    '@SpringBootApplication @RestController class App implements WebMvcConfigurer { @GetMapping("/good") String good() { return ""; }\n'
)
JAX_RS = 'import jakarta.ws.rs.*; import jakarta.ws.rs.core.*; import java.util.*;\n@Path("/good") class Good { @GET public String good() { return ""; } }\n'

# In the same file, or behind it in the same framework: an exception of the reader would take the good route with it.
HOSTILE_TO_READERS: dict[str, tuple[str, dict[str, str]]] = {
    "Python: methods in themselves": (
        "python",
        {"app.py": GOOD + "x = []\nx.append(x)\n@app.route('/x', methods=x)\ndef a(): ...\n"},
    ),
    "Python: deep lists of methods": (
        "python",
        {"app.py": GOOD + "x = ['GET']\n" + "x = [x]\n" * 3_000 + "@app.route('/x', methods=x)\ndef a(): ...\n"},
    ),
    "Python: URL patterns in themselves": (
        "python",
        {**DJANGO, "urls.py": DJANGO["urls.py"] + "urlpatterns.append(urlpatterns)\n"},
    ),
    "Python: a number of thousands of digits": (
        "python",
        {"app.py": GOOD + f"x = 0x{'f' * 6_000}\ny = f'{{x}}'\nz = str(x)\n"},
    ),
    "Python: blueprints in blueprints": (
        "python",
        {
            "app.py": GOOD
            + "from flask import Blueprint\nb = Blueprint('b', __name__)\napp.register_blueprint(b)\n"
            + "c = Blueprint('c', __name__)\nb.register_blueprint(c)\nb = c\n" * 500
            + "@b.get('/deep')\ndef deep(): ...\n"
        },
    ),
    "Node: mounts that multiply": (
        "node",
        {
            "app.js": EXPRESS
            + "let r = express.Router();\n"
            + "{ const q = express.Router(); q.use('/a', r); q.use('/b', r); q.use('/c', r); r = q; }\n" * 25
            + "app.use(r);\n"
        },
    ),
    "Node: modules that import each other in a long row": (
        "node",
        {
            "app.js": "import './m0.js';\n" + EXPRESS,
            **{f"m{at}.js": f"import './m{at + 1}.js';\n" for at in range(400)},
        },
    ),
    "Nest: a decorator of itself": (
        "node",
        {
            "main.ts": NEST
            + "x.push(x);\n@x @Module({ controllers: [C], imports: x }) class M {}\nNestFactory.create(M);\n"
        },
    ),
    "Nest: paths of modules in themselves": (
        "node",
        {
            "main.ts": NEST
            + "x.push({ path: 'x', children: x });\n"
            + "@Module({ controllers: [C], imports: [RouterModule.register(x)] }) class M {}\nNestFactory.create(M);\n"
        },
    ),
    "Nest: a controller that is none": (
        "node",
        {"main.ts": NEST + "@Module({ controllers: [{}, C] }) class M {}\nNestFactory.create(M);\n"},
    ),
    "Spring: lists for names": (
        "java",
        {
            "App.java": SPRING
            + 'public void configurePathMatch(PathMatchConfigurer c) { c.addPathPrefix("",\n'
            + "org.springframework.web.method.HandlerTypePredicate.forBasePackageClass(List.of(), List.of())); } }"
        },
    ),
    "Javalin: a number that doubles": (
        "java",
        {"App.java": JAVALIN + "int x = 3;" + "x = x + x;" * 8_000 + ' app.get("/x" + x, c -> {}); } }'},
    ),
    "Spring: a rule that does not end": (
        "java",
        {
            "App.java": SPRING
            + 'public void configurePathMatch(PathMatchConfigurer c) { c.addPathPrefix("", t -> { '
            + "for (int i : List.of(1, 2, 3, 4, 5, 6, 7, 8, 9)) " * 8
            + "{ t.getName(); } return true; }); } }"
        },
    ),
    "Spring: annotations on annotations": (
        "java",
        {
            "App.java": SPRING
            + "}\n@A0 @RestController class B {}\n"
            + "".join(f"@A{at + 1} @interface A{at} {{}}\n" for at in range(500))
        },
    ),
    "JAX-RS: classes in themselves": (
        "java",
        {
            "App.java": JAX_RS
            + "class App extends Application { public Set<Class<?>> getClasses() {\n"
            + "var x = new ArrayList(); x.add(x); x.add(Good.class); return x; } }\n"
        },
    ),
}


@pytest.mark.parametrize(("language", "files"), HOSTILE_TO_READERS.values(), ids=HOSTILE_TO_READERS)
def test_what_no_reader_comes_to_the_end_of_does_not_hide_its_neighbours(
    language: str, files: dict[str, str], tmp_path: Path
):
    for name, source in files.items():
        (tmp_path / name).write_text(source)
    assert "/good" in {route.path for route in find_routes(tmp_path, language=language)}


def test_a_file_of_ten_megabytes_is_left_out(tmp_path: Path):
    (tmp_path / "app.py").write_text(GOOD)
    (tmp_path / "big.py").write_text(FLASK + "x = 1\n" * 1_700_000 + "@app.get('/big')\ndef big(): ...\n")
    assert [str(route) for route in find_routes(tmp_path, language="python")] == ["GET /good"]


def test_links_devices_and_loops_are_not_followed(tmp_path: Path):
    outside = tmp_path / "outside.py"
    outside.write_text(GOOD.replace("good", "outside"))
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "app.py").write_text(GOOD)
    (tree / "loop").symlink_to(tree, target_is_directory=True)
    (tree / "link.py").symlink_to(outside)
    (tree / "dangling.py").symlink_to(tree / "nothing")
    os.mkfifo(tree / "pipe.py")
    (tree / "folder.py").mkdir()
    assert [route.file for route in find_routes(tree, language="python")] == ["app.py"]


def test_a_large_tree_is_read_whole(tmp_path: Path):
    package = tmp_path / "service"
    package.mkdir()
    (package / "__init__.py").write_text("")
    body = "".join(f"def helper_{i}(x):\n    return {{'a': x, 'b': [x, {i}]}}\n\n" for i in range(40))
    names = [f"part{i}" for i in range(2_000)]
    for name in names:
        view = f"from flask import Blueprint\nbp = Blueprint('{name}', __name__)\n@bp.get('/{name}')\ndef view(): ...\n"
        (package / f"{name}.py").write_text(view + body)
    registered = "".join(f"from service.{name} import bp as {name}\napp.register_blueprint({name})\n" for name in names)
    (tmp_path / "app.py").write_text(FLASK + registered)
    assert len(find_routes(tmp_path, language="python")) == len(names)


def test_a_language_without_a_reader_has_no_routes(tmp_path: Path):
    assert find_routes(tmp_path, language="cobol") == ()
