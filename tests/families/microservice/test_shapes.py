"""Small services in the shapes that people and models write, scored whole: each is found, installed, started, tested and probed."""

from __future__ import annotations

import pytest
from plugins.small_suite import IDS, write_suite, write_tree

import repoproof

pytestmark = [pytest.mark.slow, pytest.mark.needs("bubblewrap", "network")]

FLASK = """
from flask import Flask, jsonify, request

app = Flask(__name__)
notes = {}


@app.route("/health")
def health():
    return jsonify(status="ok")


@app.route("/notes", methods=["POST"])
def create():
    key = str(len(notes) + 1)
    notes[key] = request.get_json()["text"]
    return jsonify(id=key, text=notes[key]), 201


@app.route("/notes/<key>")
def read(key):
    if key not in notes:
        return jsonify(error=f"no note {key}"), 404
    return jsonify(id=key, text=notes[key])
"""

FASTAPI = """
from fastapi import APIRouter, FastAPI, HTTPException
from pydantic import BaseModel

router = APIRouter(prefix="/notes")
notes = {}


class Note(BaseModel):
    text: str


@router.post("", status_code=201)
def create(note: Note):
    key = str(len(notes) + 1)
    notes[key] = note.text
    return {"id": key, "text": note.text}


@router.get("/{key}")
def read(key: str):
    if key not in notes:
        raise HTTPException(404, "no such note")
    return {"id": key, "text": notes[key]}


app = FastAPI()
app.include_router(router)


@app.get("/health")
def health():
    return {"status": "ok"}
"""

DJANGO_VIEWS = """
import json

from django.http import JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from .models import Note


@require_GET
def health(request):
    return JsonResponse({"status": "ok"})


@csrf_exempt
@require_POST
def create(request):
    note = Note.objects.create(text=json.loads(request.body)["text"])
    return JsonResponse({"id": str(note.pk), "text": note.text}, status=201)


@require_GET
def read(request, key):
    note = Note.objects.filter(pk=key).first()
    if note is None:
        return JsonResponse({"error": "no such note"}, status=404)
    return JsonResponse({"id": str(note.pk), "text": note.text})
"""

EXPRESS = """
const express = require('express');
const app = express();
const notes = new Map();
app.use(express.json());
app.get('/health', (req, res) => res.json({ status: 'ok' }));
app.post('/notes', (req, res) => {
  const id = String(notes.size + 1);
  notes.set(id, req.body.text);
  res.status(201).json({ id, text: req.body.text });
});
app.get('/notes/:id', (req, res) => {
  if (!notes.has(req.params.id)) return res.status(404).json({ error: `no note ${req.params.id}` });
  res.json({ id: req.params.id, text: notes.get(req.params.id) });
});
"""

EXPRESS_TYPESCRIPT = """
import express, { Request, Response } from 'express';
const app = express();
const notes = new Map<string, string>();
app.use(express.json());
app.get('/health', (req: Request, res: Response) => { res.json({ status: 'ok' }); });
app.post('/notes', (req: Request, res: Response) => {
  const id = String(notes.size + 1);
  notes.set(id, req.body.text);
  res.status(201).json({ id, text: req.body.text });
});
app.get('/notes/:id', (req: Request, res: Response) => {
  const id = String(req.params.id);
  if (!notes.has(id)) { res.status(404).json({ error: `no note ${id}` }); return; }
  res.json({ id, text: notes.get(id) });
});
app.listen(Number(process.env.PORT ?? 8123), () => console.log('ready'));
"""

FASTIFY = """
import Fastify from 'fastify';

const fastify = Fastify({ logger: true });
const notes = new Map();

fastify.get('/health', async () => ({ status: 'ok' }));
fastify.register(async (scope) => {
  scope.post('/', async (request, reply) => {
    const id = String(notes.size + 1);
    notes.set(id, request.body.text);
    return reply.code(201).send({ id, text: request.body.text });
  });
  scope.get('/:id', async (request, reply) => {
    if (!notes.has(request.params.id)) return reply.code(404).send({ error: 'no such note' });
    return { id: request.params.id, text: notes.get(request.params.id) };
  });
}, { prefix: '/notes' });

await fastify.listen({ port: 8123, host: 'localhost' });
"""

AIOHTTP = """
from aiohttp import web

routes = web.RouteTableDef()
notes = {}


@routes.get("/health")
async def health(request):
    return web.json_response({"status": "ok"})


@routes.post("/notes")
async def create(request):
    key = str(len(notes) + 1)
    notes[key] = (await request.json())["text"]
    return web.json_response({"id": key, "text": notes[key]}, status=201)


@routes.get("/notes/{key}")
async def read(request):
    key = request.match_info["key"]
    if key not in notes:
        return web.json_response({"error": "no such note"}, status=404)
    return web.json_response({"id": key, "text": notes[key]})


async def make_app():
    app = web.Application()
    app.add_routes(routes)
    return app


def main():
    web.run_app(make_app(), port=8123)


if __name__ == "__main__":
    main()
"""

EVE = """
from eve import Eve
from flask import jsonify, request

app = Eve(settings={"DOMAIN": {}, "MONGO_HOST": "localhost"})
notes = {}


@app.route("/health", methods=["GET"])
def health():
    return jsonify(status="ok")


@app.route("/notes", methods=["POST"])
def create():
    key = str(len(notes) + 1)
    notes[key] = request.get_json()["text"]
    return jsonify(id=key, text=notes[key]), 201


@app.route("/notes/<key>", methods=["GET"])
def read(key):
    return jsonify(id=key, text=notes[key]) if key in notes else (jsonify(error="none"), 404)


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=8123)
"""

UVICORN_MAIN = """
if __name__ == "__main__":
    import uvicorn
    uvicorn.run("main:app", host="0.0.0.0", port=8123, reload=True)
"""

VENV_START = """#!/usr/bin/env bash
set -e
cd "$(dirname "$0")"
python3 -m venv venv
source venv/bin/activate
pip install --upgrade pip
pip install -r requirements.txt
exec uvicorn main:app --host 0.0.0.0 --port 8123
"""

POETRY = """
[tool.poetry]
name = "notes"
version = "0.1.0"
description = ""
authors = ["Somebody <somebody@example.com>"]
packages = [{ include = "notes" }]

[tool.poetry.dependencies]
python = "^3.11"
fastapi = "^0.115"
uvicorn = { version = "^0.30", extras = ["standard"] }

[tool.poetry.group.dev.dependencies]
pytest = "^8"

[build-system]
requires = ["poetry-core"]
build-backend = "poetry.core.masonry.api"
"""

SRC_LAYOUT = """
[project]
name = "notes-service"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["flask>=3", "waitress"]

[project.scripts]
notes-service = "notes_service.cli:main"

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
"""

MANAGE = """
import os
import sys


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
"""

SETTINGS = """
from pathlib import Path
BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY = "not-a-secret"
DEBUG = False
ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
INSTALLED_APPS = ["django.contrib.contenttypes", "notes"]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
ROOT_URLCONF = "config.urls"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "db.sqlite3"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
"""

TSCONFIG = '{"compilerOptions": {"target": "ES2020", "module": "commonjs", "outDir": "dist", "rootDir": "src", "strict": true, "esModuleInterop": true}, "include": ["src"]}'

SHAPES: dict[str, tuple[str, dict[str, str]]] = {
    "flask-main-block-on-a-fixed-port": (
        "python",
        {"main.py": FLASK + '\nif __name__ == "__main__":\n    app.run(port=8123, debug=True)\n', "requirements.txt": "Flask==3.0.3\n"},
    ),
    "flask-run-from-another-module": (
        "python",
        {
            "app.py": FLASK, "requirements.txt": "flask\n",
            "run.py": 'import os\nfrom app import app\n\nif __name__ == "__main__":\n    app.run(host="0.0.0.0", port=int(os.environ.get("PORT", 5000)))\n',
        },
    ),
    "fastapi-main-block-with-reload": ("python", {"main.py": FASTAPI + UVICORN_MAIN, "requirements.txt": "fastapi\nuvicorn[standard]\n"}),
    "start-script-that-makes-its-own-venv": (
        "python", {"main.py": FASTAPI, "requirements.txt": "fastapi==0.115.0\nuvicorn\n", "start.sh": VENV_START},
    ),
    "poetry-project-without-a-lock": ("python", {"pyproject.toml": POETRY, "notes/__init__.py": "", "notes/main.py": FASTAPI}),
    "poetry-runs-it": (
        "python",
        {
            "pyproject.toml": POETRY, "notes/__init__.py": "", "notes/main.py": FASTAPI,
            "start.sh": "#!/bin/bash\nset -e\npoetry install --no-root\nexec poetry run uvicorn notes.main:app --host 0.0.0.0 --port 8123\n",
        },
    ),
    "uv-runs-it-by-a-procfile": (
        "python", {"requirements.txt": "flask\ngunicorn\n", "app.py": FLASK, "Procfile": "web: uv run --no-sync gunicorn app:app --bind 0.0.0.0:$PORT\n"},
    ),
    "src-layout-with-a-project-script": (
        "python",
        {
            "pyproject.toml": SRC_LAYOUT, "src/notes_service/__init__.py": "",
            "src/notes_service/app.py": FLASK.replace("app = Flask(__name__)", "def create_app():\n    return app\n\n\napp = Flask(__name__)"),
            "src/notes_service/cli.py": "from waitress import serve\n\nfrom .app import create_app\n\n\ndef main():\n    serve(create_app(), host='0.0.0.0', port=8123)\n",
        },
    ),
    "django-with-manage-py-alone": (
        "python",
        {
            "manage.py": MANAGE, "config/__init__.py": "", "config/settings.py": SETTINGS, "requirements.txt": "Django>=5,<6\n",
            "config/urls.py": "from django.urls import include, path\nfrom notes.views import health\n\nurlpatterns = [path('health', health), path('', include('notes.urls'))]\n",
            "notes/__init__.py": "", "notes/views.py": DJANGO_VIEWS,
            "notes/models.py": "from django.db import models\n\n\nclass Note(models.Model):\n    text = models.TextField()\n",
            "notes/urls.py": "from django.urls import path\n\nfrom . import views\n\nurlpatterns = [path('notes', views.create), path('notes/<int:key>', views.read)]\n",
        },
    ),
    "aiohttp-with-a-coroutine-factory": ("python", {"server.py": AIOHTTP, "requirements.txt": "aiohttp\n"}),
    "eve": ("python", {"run.py": EVE, "requirements.txt": "eve\n"}),
    "express-without-a-lock": (
        "node",
        {
            "server.js": EXPRESS + "\napp.listen(process.env.PORT || 3000);\n",
            "package.json": '{"name": "notes", "version": "1.0.0", "scripts": {"start": "node server.js"}, "dependencies": {"express": "^4.19.2"}, "devDependencies": {"jest": "^29"}}',
        },
    ),
    "express-typescript-with-a-build": (
        "node",
        {
            "src/index.ts": EXPRESS_TYPESCRIPT,
            "package.json": '{"name": "notes", "scripts": {"build": "tsc", "start": "node dist/index.js"}, "dependencies": {"express": "^4"}, "devDependencies": {"typescript": "^5", "@types/express": "^4", "@types/node": "^20"}}',
            "tsconfig.json": TSCONFIG,
        },
    ),
    "express-typescript-run-by-a-development-tool": (
        "node",
        {
            "src/index.ts": EXPRESS_TYPESCRIPT, "tsconfig.json": TSCONFIG,
            "package.json": '{"name": "notes", "scripts": {"start": "ts-node src/index.ts"}, "dependencies": {"express": "^4"}, "devDependencies": {"ts-node": "^10", "typescript": "^5", "@types/express": "^4", "@types/node": "^20"}}',
        },
    ),
    "fastify-modules-on-localhost": (
        "node", {"server.mjs": FASTIFY, "package.json": '{"name": "notes", "type": "module", "scripts": {"start": "node server.mjs"}, "dependencies": {"fastify": "^5"}}'},
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_a_service_of_that_shape_is_perfect(tmp_path, shape):
    language, files = SHAPES[shape]
    suite = write_suite(tmp_path / "suite", language=language)
    write_tree(tmp_path / "submissions" / "notes", files)
    report = repoproof.score(suite, tmp_path / "submissions", tmp_path / "run")
    (row,) = report.tasks
    assert (row.status, row.reason) == ("passed", f"{len(IDS)} of {len(IDS)} tests passed")
    assert {name: row.measures[name] for name in ("dsr", "ac_static", "ac_live")} == {
        "dsr": 1.0,
        "ac_static": 1.0,
        "ac_live": 1.0,
    }
