"""What Express applications answer to, read from their source."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repoproof.analysis.routes.node import find_node_routes

APP = "const express = require('express');\nconst app = express();\n"
ROUTER = "const router = require('express').Router();\n"

ONE_FILE = {
    "methods": (
        APP + "app.get('/a', h); app.post('/b', m, h); app.delete(`/c/:id`, h); app.all('/d', h);",
        "GET /a, POST /b, DELETE /c/{id}, ANY /d",
    ),
    "a setting is no route": (APP + "app.get('/title'); app.set('/x', 1); app.enable('/y');", ""),
    "a path in a constant": (
        APP + "const V = 1; const BASE = '/api/v' + V; app.get(`${BASE}/a`, h); app.get(BASE + '/b', h);",
        "GET /api/v1/a, GET /api/v1/b",
    ),
    "numbers that are added": (APP + "const V = 1 + 2; app.get('/v' + V, h);", "GET /v3"),
    "a constant with a default": (APP + "const P = process.env.PREFIX || '/api'; app.get(P + '/a', h);", "GET /api/a"),
    "an unknown path": (APP + "app.get(process.env.X, h); app.get(lookup('/a'), h); app.get(/^\\/re/, h);", ""),
    "several paths": (APP + "app.get(['/a', '/b'], h);", "GET /a, GET /b"),
    "an optional parameter": (
        APP + "app.get('/a/:id?', h); app.get('/b{/:id}', h);",
        "GET /a, GET /a/{id}, GET /b, GET /b/{id}",
    ),
    "no slash in front never matches": (APP + "app.get('a', h);", ""),
    "a chain on route()": (
        APP + "app.route('/a')\n.get(h)\n.post(m, h);\napp.route('/b').all(h);",
        "GET /a, POST /a, ANY /b",
    ),
    "chained registrations": (APP + "app.get('/a', h).post('/b', h);", "GET /a, POST /b"),
    "a computed method": (APP + "['get', 'put'].forEach((m) => app[m]('/a', h));", "GET /a, PUT /a"),
    "a router": (
        APP
        + "const r = express.Router({mergeParams: true}); app.use('/api', limiter, r); r.get('/', h); r.get('/:id', h);",
        "GET /api, GET /api/{id}",
    ),
    "a router without a prefix": (
        APP + "const r = new express.Router(); r.get('/a', h); app.use(express.json(), r);",
        "GET /a",
    ),
    "a prefix that cannot be told": (
        APP
        + "const r = express.Router(); r.get('/x', h); app.use(`/${process.env.X}`, r); app.use('/' + process.env.X, r);",
        "",
    ),
    "two prefixes": (
        APP + "const r = express.Router(); r.get('/x', h); app.use(['/a', '/b'], r);",
        "GET /a/x, GET /b/x",
    ),
    "nested routers": (
        APP
        + "const a = express.Router(), b = express.Router(); b.get('/x', h); a.use('/b/:bid', b); app.use('/a', a);",
        "GET /a/b/{bid}/x",
    ),
    "an unused router": (APP + "const r = express.Router(); r.get('/x', h);", ""),
    "a router mounted in itself": (
        APP + "const r = express.Router(); r.get('/x', h); r.use('/r', r); app.use('/a', r);",
        "GET /a/x",
    ),
    "an application in an application": (
        APP + "const admin = express(); admin.get('/x', h); app.use('/admin', admin);",
        "GET /admin/x",
    ),
    "middleware at a path is no route": (APP + "app.use('/a', (req, res) => res.json({}));", ""),
    "a handler's own calls": (
        APP + "app.get('/a', (req, res) => { cache.get('/b', h); axios.get('/c', h); });",
        "GET /a",
    ),
    "look-alikes": (
        APP
        + "const axios = require('axios'), m = new Map(); axios.get('/a', {}); m.get('/b', 1); cache.delete('/c', 2); router.get('/d', h);\n"
        "// app.get('/e', h)\nconst s = \"app.get('/f', h)\"; request(app).get('/g', h); const t = `app.get('/h', h)`;",
        "",
    ),
    "no application": ("const x = new Map(); x.get('/a', 1); x.post('/b', 2);", ""),
    "a function that is given the application": (
        APP + "function routes(a) { a.get('/x', h); }\nroutes(app);",
        "GET /x",
    ),
    "an application made in a function": (
        "const express = require('express'); function make() { const a = express(); a.get('/x', h); return a; }\nmake();",
        "GET /x",
    ),
    "a function nobody calls": (
        "const express = require('express'); exports.make = () => { const a = express(); a.get('/x', h); return a; };",
        "GET /x",
    ),
    "a class": (
        (
            "import { Router } from 'express';\nimport express from 'express';\nclass Server { constructor() { this.app = express(); this.r = Router(); this.routes(); }\n"
            "routes() { this.r.get('/x', this.x); this.app.use('/api', this.r); } x = () => {}; }\nnew Server();"
        ),
        "GET /api/x",
    ),
    "a loop over an array": (
        APP
        + "const r = express.Router(); r.get('/x', h); for (const { path, router } of [{ path: '/a', router: r }, { path: '/b', router: r }]) app.use(path, router);",
        "GET /a/x, GET /b/x",
    ),
    "a loop over entries": (
        APP
        + "const r = express.Router(); r.get('/x', h); Object.entries({ a: r, b: r }).forEach(([k, v]) => app.use('/' + k, v));",
        "GET /a/x, GET /b/x",
    ),
    "after a promise": (
        APP + "connect().then(() => { app.get('/x', h); }); (async () => { await x(); app.get('/y', h); })();",
        "GET /x, GET /y",
    ),
    "inside a condition": (
        APP + "if (process.env.X) { app.get('/a', h); } else { app.get('/b', h); } if (false) { app.get('/c', h); }",
        "GET /a, GET /b",
    ),
    "behind a return": (APP + "function f() { app.get('/a', h); return; app.get('/b', h); }\nf();", "GET /a"),
    "a syntax error elsewhere": (APP + "app.get('/a', h);\nconst = ;;; }\napp.get('/b', h);", "GET /a, GET /b"),
    "endless recursion": (APP + "function f(n) { f(n); f(n); app.get('/a', h); }\nf(1);", "GET /a"),
    "deep nesting": (
        APP + "app.get('/a', h);\nx = " + "(" * 3000 + "1" + ")" * 3000 + ";\napp.get('/b', h);",
        "GET /a, GET /b",
    ),
    "a string that doubles": (
        APP + "let s = '/a'; for (const i of [" + "1," * 60 + "]) s = s + s; app.get(s, h); app.get('/b', h);",
        "GET /b",
    ),
}

TREES = {
    "CommonJS routers in files": (
        {
            "server.js": APP
            + "app.use('/users', require('./routes/users'));\napp.use('/pets', require('./routes').pets);",
            "routes/users.js": ROUTER + "router.get('/:id', h);\nmodule.exports = router;",
            "routes/index.js": "const { router: pets } = require('./pets');\nmodule.exports = { pets };",
            "routes/pets.js": ROUTER + "router.post('/', h);\nexports.router = router;",
        },
        "GET /users/{id}, POST /pets",
    ),
    "a function that receives the application": (
        {
            "index.js": APP + "require('./routes')(app);",
            "routes/index.js": "module.exports = (app) => {\n  require('./a')(app, '/api');\n};",
            "routes/a.js": "module.exports = function (app, base) {\n  app.get(base + '/x', h);\n};",
        },
        "GET /api/x",
    ),
    "a factory that returns a router": (
        {
            "index.js": APP + "app.use('/x', require('./r')({ db }));",
            "r.js": "const { Router } = require('express');\nmodule.exports = ({ db }) => { const r = Router(); if (!db) return null; r.get('/y', h); return r; };",
        },
        "GET /x/y",
    ),
    "ECMAScript modules": (
        {
            "src/app.mjs": "import express from 'express';\nimport users, { admin as a } from './users.mjs';\nimport * as more from './more.mjs';\n"
            "const app = express();\napp.use('/users', users);\napp.use('/admin', a);\napp.use(more.PREFIX, more.router);\nexport default app;",
            "src/users.mjs": "import { Router } from 'express';\nconst r = Router();\nr.get('/', h);\nexport const admin = Router();\nadmin.get('/x', h);\nexport default r;",
            "src/more.mjs": "export * from './deep.mjs';\nexport { P as PREFIX } from './constants.mjs';",
            "src/constants.mjs": "export const P = '/more';",
            "src/deep.mjs": "import e from 'express';\nexport const router = e.Router();\nrouter.get('/y', h);",
        },
        "GET /users, GET /admin/x, GET /more/y",
    ),
    "TypeScript": (
        {
            "src/index.ts": "import express, { Express, Request, Response } from 'express';\nimport { router } from './routes/items.js';\n"
            "const app: Express = express();\napp.use('/items', router as any);\n"
            "app.get('/health', (req: Request, res: Response): void => { res.json({}); });",
            "src/routes/items.ts": "import { Router } from 'express';\nconst router: Router = Router();\nrouter.get<{ id: string }>('/:id', async (req, res) => {});\nexport { router };",
        },
        "GET /health, GET /items/{id}",
    ),
    "TypeScript with an enum and an alias": (
        {
            "src/index.ts": "import express = require('express');\nimport { r } from '@/items';\nenum Paths { Api = '/api' }\nconst app = express();\napp.use(`${Paths.Api}/items`, r!);",
            "src/items.ts": "import { Router } from 'express';\nexport const r = Router();\nr.get<{ id: string }>('/:id', async (req, res) => {});",
        },
        "GET /api/items/{id}",
    ),
    "a TypeScript controller class": (
        {
            "src/main.ts": "import express from 'express';\nimport { Items } from './items';\nconst app = express();\nconst items = new Items(app, '/v1');\nitems.mount();",
            "src/items.ts": "export class Items {\n  constructor(private readonly app: any, private base: string) {}\n  mount() { this.app.get(`${this.base}/items`, this.list); }\n  list = () => {};\n}",
        },
        "GET /v1/items",
    ),
    "a circle of imports": (
        {
            "a.js": APP + "module.exports = app;\nrequire('./b');\napp.get('/a', h);",
            "b.js": "const app = require('./a');\napp.get('/b', h);",
        },
        "GET /a, GET /b",
    ),
    "tests, dependencies and compiled copies are not read": (
        {
            "app.js": APP + "app.get('/a', h);",
            "node_modules/x/index.js": APP + "app.get('/b', h);",
            "test/app.js": APP + "app.get('/c', h);",
            "app.test.js": APP + "app.get('/d', h);",
            "dist/app.js": APP + "app.get('/e', h);",
        },
        "GET /a",
    ),
    "compiled code where there is nothing else": ({"dist/app.js": APP + "app.get('/e', h);"}, "GET /e"),
    "a prefix in a JSON file": (
        {
            "config.json": '{"prefix": "/api"}',
            "app.js": APP + "const c = require('./config.json'); app.get(`${c.prefix}/a`, h);",
        },
        "GET /api/a",
    ),
    "a default import of what Babel compiled": (
        {
            "app.js": APP + "app.use('/r', require('./r').default);",
            "r.js": "exports.default = void 0;\n" + ROUTER + "router.get('/x', h);\nexports.default = router;",
        },
        "GET /r/x",
    ),
    "a file that is not text": ({"app.js": APP + "app.get('/a', h);", "b.js": "\x00\ufffd\x01 ((("}, "GET /a"),
}


def found(tree: Path) -> list[str]:
    return sorted(str(route) for route in find_node_routes(tree))


def expected(listed: str) -> list[str]:
    return sorted(filter(None, listed.split(", ")))


@pytest.mark.parametrize(("source", "listed"), ONE_FILE.values(), ids=ONE_FILE)
def test_routes_of_one_file(source: str, listed: str, tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(source)
    assert found(tmp_path) == expected(listed)


@pytest.mark.parametrize(("files", "listed"), TREES.values(), ids=TREES)
def test_routes_over_several_files(files: dict[str, str], listed: str, tmp_path: Path) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert found(tmp_path) == expected(listed)


def test_a_route_says_where_it_was_registered(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.js").write_text(APP + "app.route('/a')\n  .get(h)\n  .post(h);")
    assert [(route.method, route.file, route.line, route.framework) for route in find_node_routes(tmp_path)] == [
        ("GET", "src/app.js", 4, "express"),
        ("POST", "src/app.js", 5, "express"),
    ]


def test_a_link_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    outside, tree = tmp_path / "outside", tmp_path / "tree"
    outside.mkdir()
    tree.mkdir()
    (outside / "app.js").write_text(APP + "app.get('/a', h);")
    (tree / "app.js").symlink_to(outside / "app.js")
    (tree / "more").symlink_to(outside)
    assert found(tree) == []


SOURCES = [source for source, _ in ONE_FILE.values() if len(source) < 2_000] + [
    text for files, _ in TREES.values() for text in files.values()
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
@given(source=st.sampled_from(SOURCES), data=st.data())
def test_a_mutilated_source_does_not_bring_the_reader_down(source: str, data: st.DataObject, tmp_path: Path) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(source)))
        end = data.draw(st.integers(start, min(len(source), start + 12)))
        source = (
            source[:start]
            + data.draw(st.sampled_from(["", "(", ")", "{", "}", "...", "[]", "`${}`", "=", ",", "new ", "=> "]))
            + source[end:]
        )
    (tmp_path / "app.ts").write_text(source)
    assert all(route.file == "app.ts" for route in find_node_routes(tmp_path))
