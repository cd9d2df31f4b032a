"""How a Python service is started: found by reading, in a documented order."""

from __future__ import annotations

from pathlib import Path

import pytest

from repoproof.toolchains.python_start import start_command

UVICORN = ("python", "-m", "uvicorn")
TO_ALL = ("--host", "0.0.0.0", "--port", "8123")

FASTAPI = "from fastapi import FastAPI\napp = FastAPI()\n"
FLASK = "from flask import Flask\napp = Flask(__name__)\n"
FLASK_MAIN = FLASK + 'if __name__ == "__main__":\n    app.run(port=8123)\n'


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    return root


CASES: list[tuple[str, dict[str, str], tuple[str, ...]]] = [
    ("a start script beats all else", {"start.sh": "#!/bin/bash -e\nx", "Procfile": "web: y", "main.py": FASTAPI}, ("bash", "-e", "./start.sh")),
    ("a start script without a first line", {"start.sh": "python main.py"}, ("sh", "./start.sh")),
    ("a start script by way of env", {"start.sh": "#!/usr/bin/env python3\n"}, ("python3", "./start.sh")),
    (
        "a start script with CRLF",
        {"start.sh": "#!/bin/bash\r\npython main.py\r\n"},
        ("sh", "-c", "sed -i 's/\\r$//' start.sh && exec bash ./start.sh"),
    ),
    ("a Procfile's web line", {"Procfile": "worker: z\nweb: gunicorn app:app -b :$PORT\n"}, ("sh", "-c", "gunicorn app:app -b :$PORT")),
    ("FastAPI in main.py", {"main.py": FASTAPI}, (*UVICORN, "main:app", *TO_ALL)),
    ("an annotated app under another name", {"server.py": "import fastapi\napi: fastapi.FastAPI = fastapi.FastAPI()"}, (*UVICORN, "server:api", *TO_ALL)),
    ("main.py before other modules", {"aaa.py": FASTAPI, "main.py": FASTAPI}, (*UVICORN, "main:app", *TO_ALL)),
    ("a package", {"app/__init__.py": "", "app/main.py": "from app.db import x\n" + FASTAPI, "app/db.py": ""}, (*UVICORN, "app.main:app", *TO_ALL)),
    (
        "a folder whose modules import each other by plain names",
        {"src/main.py": "import db\n" + FASTAPI, "src/db.py": ""},
        ("env", "PYTHONPATH=/app/src:/app", *UVICORN, "main:app", *TO_ALL),
    ),
    (
        "a src layout",
        {"src/shop/__init__.py": "", "src/shop/api.py": "from shop.db import x\n" + FASTAPI, "src/shop/db.py": ""},
        ("env", "PYTHONPATH=/app/src:/app", *UVICORN, "shop.api:app", *TO_ALL),
    ),
    (
        "relative imports need the package",
        {"app/__init__.py": "", "app/main.py": "from .db import x\n" + FASTAPI, "app/db.py": ""},
        (*UVICORN, "app.main:app", *TO_ALL),
    ),
    (
        "a factory",
        {"main.py": "from fastapi import FastAPI\ndef create_app(debug=False):\n    app = FastAPI()\n    return app\n"},
        (*UVICORN, "main:create_app", "--factory", *TO_ALL),
    ),
    (
        "an app made by a factory in the same module",
        {"main.py": "from fastapi import FastAPI\ndef make(x):\n    return FastAPI()\napp = make(1)\n"},
        (*UVICORN, "main:app", *TO_ALL),
    ),
    ("Starlette", {"app.py": "from starlette.applications import Starlette\napp = Starlette(routes=[])"}, (*UVICORN, "app:app", *TO_ALL)),
    ("Flask without a main block", {"app.py": FLASK}, ("python", "-m", "flask", "--app", "app:app", "run", *TO_ALL)),
    ("Flask with its own main block", {"app.py": FLASK_MAIN}, ("python", "app.py")),
    (
        "Flask in a package, run by a script beside it",
        {"app/__init__.py": "from flask import Flask\ndef create_app():\n    return Flask(__name__)\n", "run.py": "from app import create_app\napp = create_app()\nif __name__ == '__main__':\n    app.run()\n"},
        ("python", "run.py"),
    ),
    (
        "aiohttp with its own main block",
        {"main.py": "from aiohttp import web\napp = web.Application()\nif __name__ == '__main__':\n    web.run_app(app, port=8123)\n"},
        ("python", "main.py"),
    ),
    (
        "a main function that serves",
        {"main.py": "from aiohttp import web\ndef main():\n    web.run_app(web.Application())\nif __name__ == '__main__':\n    main()\n"},
        ("python", "main.py"),
    ),
    ("Eve", {"run.py": "from eve import Eve\napp = Eve()\nif __name__ == '__main__':\n    app.run(port=8123)\n"}, ("python", "run.py")),
    ("the standard library", {"server.py": "from http.server import HTTPServer\nHTTPServer(('', 8123), None).serve_forever()\n"}, ("python", "server.py")),
    (
        "Django",
        {"manage.py": "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')"},
        ("sh", "-c", "{ python manage.py migrate --noinput --run-syncdb; exec python manage.py runserver 0.0.0.0:8123 --noreload; }"),
    ),
    (
        "Django in a folder",
        {"back end/manage.py": "DJANGO_SETTINGS_MODULE"},
        ("sh", "-c", "cd 'back end' && { python manage.py migrate --noinput --run-syncdb; exec python manage.py runserver 0.0.0.0:8123 --noreload; }"),
    ),
    (
        "a project's script",
        {"pyproject.toml": "[project.scripts]\nserve = 'shop.cli:main'"},
        ("python", "-c", "import sys; from shop.cli import main; sys.exit(main())"),
    ),
    ("modules that do not parse are passed over", {"main.py": "def (", "app.py": FASTAPI}, (*UVICORN, "app:app", *TO_ALL)),
    ("tests and virtual environments are not looked at", {"tests/main.py": FASTAPI, ".venv/main.py": FASTAPI, "test_app.py": FASTAPI, "api.py": FASTAPI}, (*UVICORN, "api:app", *TO_ALL)),
]  # fmt: skip


@pytest.mark.parametrize(("files", "command"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_service_is_found(tmp_path: Path, files: dict[str, str], command: tuple[str, ...]) -> None:
    found = start_command(tree(tmp_path, files), port=8123)
    assert found is not None and found.command == command


def test_the_framework_of_the_task_decides_between_two_apps(tmp_path: Path) -> None:
    place = tree(tmp_path, {"main.py": FLASK, "api.py": FASTAPI})
    for framework, source in (("FastAPI", "convention: FastAPI in api.py"), ("flask", "convention: Flask in main.py")):
        found = start_command(place, port=1, framework=framework)
        assert found is not None and found.source == source


@pytest.mark.parametrize(
    "files",
    [{}, {"README.md": "run it"}, {"library.py": "def f(): pass"}, {"main.py": "print('hello')"}, {"pyproject.toml": "[project"}, {"main.py": "x=" + "(" * 5000}],
)  # fmt: skip
def test_where_nothing_serves_nothing_is_found(tmp_path: Path, files: dict[str, str]) -> None:
    assert start_command(tree(tmp_path, files), port=1) is None


def test_reading_a_module_does_not_run_it(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    start_command(tree(tmp_path, {"main.py": f"open({str(marker)!r}, 'w')\n" + FASTAPI}), port=1)
    assert not marker.exists()
