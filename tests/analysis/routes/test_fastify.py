"""What Fastify and Koa applications answer to, read from their source."""

from __future__ import annotations

from pathlib import Path

import pytest

from repoproof.analysis.routes.node import find_node_routes

APP = "const app = require('fastify')({ logger: true });\n"

FASTIFY = {
    "shorthands": ({"app.js": APP + "app.get('/a', h); app.post('/b', { schema: {} }, h); app.all('/c', h);"}, "GET /a, POST /b, ANY /c"),
    "parameters": ({"app.js": APP + "app.get('/a/:id(^\\\\d+)/b/*', h); app.get('/x/y::z', h);"}, "GET /a/{id}/b/{wildcard}, GET /x/y:z"),
    "route()": (
        {"app.js": APP + "app.route({ method: 'GET', url: '/a', handler: h });\napp.route({ method: ['POST', 'put'], path: '/b', handler: h }).get('/c', h);"},
        "GET /a, POST /b, PUT /b, GET /c",
    ),
    "a plugin under a prefix": (
        {"app.js": APP + "app.register(async (f, opts) => { f.get('/', h); f.get('/x', h); }, { prefix: '/v1' });"},
        "GET /v1, GET /v1/x",
    ),
    "nested plugins": (
        {"app.js": APP + "app.register((f, o, done) => { f.register(inner, { prefix: '/b' }); done(); }, { prefix: '/a' });\nasync function inner(g) { g.delete('/:id', h); }"},
        "DELETE /a/b/{id}",
    ),
    "a prefix that cannot be told": ({"app.js": APP + "app.register(async (f) => { f.get('/x', h); }, { prefix: process.env.X });"}, ""),
    "a shared plugin gets no prefix": (
        {"app.js": "const fp = require('fastify-plugin');\n" + APP + "app.register(fp(async (f) => { f.get('/x', h); }), { prefix: '/v1' });"},
        "GET /x",
    ),
    "plugins in files": (
        {"server.js": "const build = require('./app');\nbuild({ logger: false }).then((app) => app.ready());",
         "app.js": "const Fastify = require('fastify');\nmodule.exports = async function build(opts = {}) { const app = Fastify(opts);\n"
                   "await app.register(require('./routes/items'), { prefix: '/items' }); app.register(require('./routes/users').default); return app; };",
         "routes/items.js": "module.exports = async function (fastify, opts) { fastify.get('/:id', h); };",
         "routes/users.js": "exports.default = async (fastify) => { fastify.get('/users', h); };"},
        "GET /items/{id}, GET /users",
    ),
    "TypeScript": (
        {"src/app.ts": "import Fastify, { FastifyInstance } from 'fastify';\nimport items from './items';\nconst app: FastifyInstance = Fastify<Server>({});\n"
                       "app.withTypeProvider<X>().register(items, { prefix: '/items' });\nexport default app;",
         "src/items.ts": "import type { FastifyPluginAsync } from 'fastify';\nconst items: FastifyPluginAsync = async (fastify): Promise<void> => {\n"
                         "  fastify.get<{ Params: { id: string } }>('/:id', { schema }, async (request, reply) => { return {}; });\n};\nexport default items;"},
        "GET /items/{id}",
    ),
    "an imported plugin": (
        {"app.mjs": "import { fastify } from 'fastify';\nconst app = fastify();\nawait app.register(import('./p.mjs'), { prefix: '/p' });", "p.mjs": "export default async function (f) { f.get('/x', h); }"},
        "GET /p/x",
    ),
    "loaded by folder": (
        {"app.js": "const AutoLoad = require('@fastify/autoload');\nconst path = require('node:path');\n" + APP
                   + "app.register(AutoLoad, { dir: path.join(__dirname, 'routes'), options: { prefix: '/api' } });",
         "routes/root.js": "module.exports = async (f) => { f.get('/', h); };",
         "routes/items/index.js": "module.exports = async (f) => { f.get('/', h); f.get('/:id', h); };"},
        "GET /api, GET /api/items, GET /api/items/{id}",
    ),
    "a plugin nobody registers": ({"app.js": APP + "async function p(f) { f.get('/x', h); }"}, ""),
    "look-alikes": ({"app.js": APP + "app.get('/x'); app.inject({ method: 'GET', url: '/y' }); client.get('/z', {}); app.route({ url: '/w', handler: h });"}, ""),
}  # fmt: skip

KOA_APP = "const Koa = require('koa');\nconst Router = require('@koa/router');\nconst app = new Koa();\n"
KOA = {
    "a router": ({"app.js": KOA_APP + "const r = new Router({ prefix: '/api' });\nr.get('/a/:id', h).post('name', '/b', h);\napp.use(r.routes()).use(r.allowedMethods());"}, "GET /api/a/{id}, POST /api/b"),
    "nested routers": ({"app.js": KOA_APP + "const a = new Router(), b = new Router();\nb.get('/x', h);\na.use('/b', b.routes());\na.prefix('/a');\napp.use(a.routes());"}, "GET /a/b/x"),
    "an unused router": ({"app.js": KOA_APP + "const r = new Router();\nr.get('/x', h);\napp.get('/y', h);"}, ""),
}  # fmt: skip

CASES = {**FASTIFY, **{f"koa: {name}": case for name, case in KOA.items()}}


@pytest.mark.parametrize(("files", "listed"), CASES.values(), ids=CASES)
def test_routes(files: dict[str, str], listed: str, tmp_path: Path) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert sorted(str(route) for route in find_node_routes(tmp_path)) == sorted(filter(None, listed.split(", ")))
