"""The routes that we read from the source are those that the real framework answers, running the same source."""

from __future__ import annotations

import json
import os
import re
import subprocess
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from plugins.node_commands import node, npm

from repoproof.analysis.routes.node import find_node_routes

pytestmark = [pytest.mark.slow, pytest.mark.needs("network"), pytest.mark.needs("node")]

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PACKAGES = ("fastify@5", "fastify-plugin@5", "@fastify/autoload@6", "koa@2", "@koa/router@13", "axios@1")

# Loaded before the source: gives it its handlers, keeps the applications that it makes, and asks them what they answer once it has run.
PROBE = """
const http = require('http'), Module = require('module'), load = Module._load;
const h = (a, b) => (b && b.json ? b.json({}) : b && b.send ? b.send({}) : (a.body = 'ok'));
const pass = (a, b, next) => next();
Object.assign(global, { h, m: pass, limiter: pass, schema: {}, db: {}, connect: async () => {}, x: async () => {} });
const applications = [];
const noting = (make) => (options) => { const made = make(options && options.logger ? {} : options); applications.push(made); return made; };
const wrapped = new Map();
Module._load = function (name, ...rest) {
  const loaded = load.call(this, name, ...rest);
  if (!['express', 'fastify', 'koa'].includes(name)) return loaded;
  if (!wrapped.has(name)) {
    const make = name === 'koa' ? function () { const made = new loaded(); applications.push(made); return made; } : Object.assign(noting(loaded), loaded);
    if (name === 'fastify') make.fastify = make.default = make;
    wrapped.set(name, make);
  }
  return wrapped.get(name);
};
async function status(app, method, url) {
  if (app.inject) return (await app.inject({ method, url })).statusCode;
  const server = http.createServer(app.callback ? app.callback() : app);
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address();
  return new Promise((answered) => http.request({ port, method, path: url, agent: false }, (response) => {
    response.resume(); server.close(); answered(response.statusCode);
  }).end());
}
process.once('beforeExit', async () => {
  const answered = [];
  for (const app of applications.filter((app) => !app.parent))
    for (const [method, url] of JSON.parse(process.env.ASKED))
      if (![404, 405].includes(await status(app, method, url))) answered.push(`${method} ${url}`);
  console.log('ANSWERED' + JSON.stringify(answered));
  process.exit(0);
});
"""


def _table(name: str) -> ModuleType:
    spec = spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXPRESS, FASTIFY = _table("test_express"), _table("test_fastify")

# These say what we do where the framework does otherwise on purpose, or do not run as they stand.
NOT_COMPARED = {
    "middleware at a path is no route": "it does answer, which no method or template says",
    "an unknown path": "nobody can say from outside which path it is",
    "a prefix that cannot be told": "nor which prefix",
    "look-alikes": "calls names that do not exist",
    "a function nobody calls": "so nothing runs it",
    "a syntax error elsewhere": "does not run",
    "endless recursion": "does not run",
    "deep nesting": "does not run",
    "a string that doubles": "runs out of memory",
    "inside a condition": "one branch only is taken in a run, both are read",
    "no application": "has nothing to ask",
    "a router mounted in itself": "recurses without end",
    "a file that is not text": "does not run",
    "tests, dependencies and compiled copies are not read": "brings its own node_modules",
    "koa: an unused router": "calls what a Koa application does not have",
}
COMPARED = {
    **{
        f"express: {name}": ({"app.js": source}, listed)
        for name, (source, listed) in EXPRESS.ONE_FILE.items()
        if name not in NOT_COMPARED
    },
    **{f"express: {name}": case for name, case in EXPRESS.TREES.items() if name not in NOT_COMPARED},
    **{name: case for name, case in FASTIFY.CASES.items() if name not in NOT_COMPARED},
}
COMPARED = {
    name: case
    for name, case in COMPARED.items()
    if not any("import " in text or file.endswith("ts") for file, text in case[0].items())
}


@pytest.fixture(scope="session", params=["express@4", "express@5"])
def packages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param.replace("@", "-"))
    subprocess.run(
        [*npm(), "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", request.param, *PACKAGES],
        cwd=folder,
        check=True,
    )
    return folder / "node_modules"


@pytest.mark.parametrize(("files", "listed"), COMPARED.values(), ids=COMPARED)
def test_the_framework_answers_exactly_these_routes(
    files: dict[str, str], listed: str, packages: Path, tmp_path: Path
) -> None:
    version = json.loads((packages / "express" / "package.json").read_text())["version"]
    if "{/" in str(files):
        pytest.skip(f"has the optional parameters of both major versions, this is {version}")
    tree = tmp_path / "tree"
    for name, text in {**files, "../probe.cjs": PROBE}.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    read = {(route.method, re.sub(r"\{\w+\}", "7", route.path)) for route in find_node_routes(tree)}
    urls = (
        {url for _, url in read}
        | {re.sub(r"\{\w+\}", "7", part.split(" ")[1]) for part in listed.split(", ") if part}
        | {"/", "/zzz"}
    )
    (tree / "node_modules").symlink_to(packages)
    main = next(name for name in ("server.js", "index.js", "app.js", "a.js", "dist/app.js") if name in files)
    asked = [(verb, url) for verb in VERBS for url in sorted(urls)]
    run = subprocess.run(
        [*node(), "--require", "../probe.cjs", main],
        cwd=tree, capture_output=True, text=True, timeout=60, env={**os.environ, "ASKED": json.dumps(asked)},
    )  # fmt: skip
    assert "ANSWERED" in run.stdout, run.stderr
    answered = set(json.loads(run.stdout.split("ANSWERED")[1]))
    assert {
        f"{verb} {url}"
        for method, url in read
        for verb in (VERBS if method == "ANY" else (method,))
        if method in (*VERBS, "ANY")
    } == answered
