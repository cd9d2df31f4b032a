"""The live probe against real servers that behave as routers of common frameworks do."""

from __future__ import annotations

import itertools
import json
import random
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files

import pytest

from repoproof.families.microservice.deploy import INSIDE_PYTHON

PROBE = files("repoproof") / "families/microservice/inside/probe.py"

ROUTES = {("GET", r"/items"), ("POST", r"/items"), ("GET", r"/items/\d+"), ("DELETE", r"/items/\d+")}
REQUIRED = ["GET /items", "POST /items", "GET /items/{id}", "DELETE /items/{id}"]


def allowed(path):
    return {method for method, pattern in ROUTES if re.fullmatch(pattern, path)}


WORDS = [a + b + c for a in "bcdfg" for b in "aeiou" for c in "klmnp"]
STATUSES = itertools.cycle([200, 201, 202, 203, 206])


def starlette(method, path):
    """Unknown path: 404. Known path, other method: 405 with the first route's methods. Unknown id: the very same 404."""
    if not allowed(path):
        return 404, {"detail": "Not Found"}, ""
    if method not in allowed(path):
        return 405, {"detail": "Method Not Allowed"}, min(allowed(path))
    return (
        (404, {"detail": "Not Found"}, "")
        if path != "/items"
        else (422 if method == "POST" else 200, {"items": []}, "")
    )


def flask(method, path):
    if not allowed(path):
        return 404, "<h1>Not Found</h1>", ""
    if method == "OPTIONS":
        return 200, "", ", ".join(sorted({*allowed(path), "OPTIONS"}))
    if method not in allowed(path):
        return 405, "<h1>Method Not Allowed</h1>", ", ".join(sorted(allowed(path)))
    return (404, {"error": "no such item"}, "") if path != "/items" else (200, [], "")


def express(method, path):
    """Never 405; OPTIONS lists methods; unknown paths are named in the body."""
    if method == "OPTIONS" and allowed(path):
        return 200, "", ", ".join(sorted(allowed(path)))
    if method not in allowed(path):
        return 404, f"<pre>Cannot {method} {path}</pre>", ""
    return (404, {"error": f"item {path.rpartition('/')[2]} not found"}, "") if path != "/items" else (200, [], "")


def fastify(method, path):
    if method not in allowed(path):
        return 404, {"message": f"Route {method}:{path} not found", "error": "Not Found", "statusCode": 404}, ""
    return (404, {"message": "unknown item"}, "") if path != "/items" else (400 if method == "POST" else 200, [], "")


def answers_200(method, path):
    return 200, {}, ""


def answers_200_and_echoes(method, path):
    return 200, {"path": path, "method": method, "ok": True}, ""


def answers_with_noise(method, path):
    return 200, {"word": random.choice(WORDS)}, ""


def answers_any_status(method, path):
    return next(STATUSES), {"word": random.choice(WORDS)}, ""


def answers_404(method, path):
    return 404, {"detail": "Not Found"}, ""


def answers_401(method, path):
    return 401, {"detail": "who are you"}, ""


def claims_all_in_its_document(method, path):
    if path == "/openapi.json":
        paths = {"/items": {"get": {}, "post": {}}, "/items/{id}": {"get": {}, "delete": {}}}
        return 200, {"openapi": "3.1.0", "paths": paths}, ""
    return 200, {}, ""


def probed(behaviour, required=REQUIRED):
    """What the probe, run as it is inside, says of a server that behaves so."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, body, allow = behaviour(self.command, self.path.partition("?")[0])
            data = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            if allow:
                self.send_header("Allow", allow)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_HEAD = do_TRACE = answer

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        asked = json.dumps([dict(zip(("method", "path"), line.split(), strict=True)) for line in required])
        done = subprocess.run(
            [sys.executable, *INSIDE_PYTHON[1:], str(PROBE), str(server.server_port), "20"],
            input=asked, capture_output=True, text=True, check=True,
        )  # fmt: skip
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    return json.loads(done.stdout)


@pytest.mark.parametrize("behaviour", [starlette, flask, express, fastify])
def test_every_endpoint_of_a_service_is_found(behaviour):
    found = probed(behaviour)["endpoints"]
    assert [e for e in found if not e["found"]] == []


@pytest.mark.parametrize("behaviour", [starlette, flask, express, fastify])
def test_what_a_service_does_not_have_is_not_found(behaviour):
    lacking = ["PUT /items/{id}", "PATCH /items", "GET /orders", "POST /items/{id}/notes", "DELETE /items"]
    assert [e for e in probed(behaviour, lacking)["endpoints"] if e["found"]] == []


@pytest.mark.parametrize(
    "behaviour",
    [
        answers_200,
        answers_200_and_echoes,
        answers_with_noise,
        answers_any_status,
        answers_404,
        answers_401,
        claims_all_in_its_document,
    ],
)
def test_a_service_that_answers_everything_alike_has_nothing_whatever_it_claims(behaviour):
    assert [e for e in probed(behaviour, [*REQUIRED, "GET /", "GET /{slug}"])["endpoints"] if e["found"]] == []


def test_its_openapi_document_is_read():
    assert set(probed(claims_all_in_its_document)["openapi"]["paths"]) == {"/items", "/items/{id}"}
    assert probed(flask)["openapi"] is None
