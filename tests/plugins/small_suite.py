"""A one-task microservice suite whose service needs nothing but the standard library: starts in a moment, installs nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

PORT = 8123

SERVICE = """
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

notes = {}


class Notes(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/health":
            return self.reply(200, {"status": "ok"})
        key = self.path.rpartition("/")[2]
        if key in notes:
            return self.reply(200, {"id": key, "text": notes[key]})
        return self.reply(404, {"error": f"no note {key}"})

    def do_POST(self):
        note = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = str(len(notes) + 1)
        notes[key] = note["text"]
        return self.reply(201, {"id": key, "text": note["text"]})

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("0.0.0.0", int(os.environ["PORT"])), Notes).serve_forever()
"""

START = "#!/bin/sh\nexec python3 service.py\n"

TESTS = """
import os

import requests

BASE = os.environ["SERVICE_BASE_URL"]


def create(text):
    return requests.post(f"{BASE}/notes", json={"text": text}, timeout=5)


def test_health():
    assert requests.get(f"{BASE}/health", timeout=5).json() == {"status": "ok"}


def test_create():
    assert create("a").json()["text"] == "a"


def test_read_back():
    note = create("b").json()
    assert requests.get(f"{BASE}/notes/{note['id']}", timeout=5).json() == note
"""

IDS = ("test_notes.py::test_health", "test_notes.py::test_create", "test_notes.py::test_read_back")

ENDPOINTS = (("POST", "/notes"), ("GET", "/notes/{id}"), ("GET", "/health"))

REFERENCE = {"service.py": SERVICE, "start.sh": START}


def write_tree(root: Path, files: Mapping[str, str]) -> Path:
    """Write `files` (relative path -> text) below `root`."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    root.mkdir(parents=True, exist_ok=True)
    return root


def write_suite(
    root: Path,
    *,
    ids: tuple[str, ...] = ("notes",),
    tests: Mapping[str, str] | None = None,
    expected: tuple[str, ...] = IDS,
    reference: Mapping[str, str] = REFERENCE,
    language: str = "python",
    endpoints: Sequence[tuple[str, str]] = ENDPOINTS,
    test_environment: Mapping[str, str] | None = None,
) -> Path:
    """A sealed suite `small` with one task for each of `ids`, all alike but for the id."""
    from repoproof.core.suite_files import seal_suite

    info = {"name": "small", "version": "1", "family": "microservice", "licence": "Apache-2.0"}
    write_tree(root, {"suite.json": json.dumps(info)})
    public, sealed = [], []
    for id in ids:
        public.append({
            "id": id, "language": language, "port": PORT, "specification": f"files/{id}/README.md",
            "endpoints": [{"method": method, "path": path} for method, path in endpoints],
            "provenance": {"source": "ours", "licence": "Apache-2.0"},
        })  # fmt: skip
        sealed.append({
            "id": id, "tests": f"tests/{id}", "expected_tests": list(expected), "reference": f"reference/{id}",
            "test_environment": dict(test_environment or {}),
        })  # fmt: skip
        write_tree(root / "public" / "files" / id, {"README.md": "# Notes\n"})
        write_tree(root / "sealed" / "tests" / id, tests if tests is not None else {"test_notes.py": TESTS})
        write_tree(root / "sealed" / "reference" / id, reference)
    for half, records in (("public", public), ("sealed", sealed)):
        (root / half / "tasks.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    seal_suite(root)
    return root
