"""A small service that runs on the standard library alone, for a build to exercise."""

from __future__ import annotations

import json

SERVICE = """
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

notes = {}


class Notes(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/health":
            return self.reply(status=200, body={"status": "ok", "now": time.time()})
        if self.path == "/broken":
            return self.reply(status=500, body={})
        note = notes.get(self.path.rpartition("/")[2])
        return self.reply(status=200, body=note) if note else self.reply(status=404, body={"error": "not_found"})

    def do_POST(self):
        try:
            text = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))["text"]
        except (ValueError, KeyError, TypeError):
            text = None
        if not isinstance(text, str) or not text:
            return self.reply(status=422, body={"error": "invalid", "fields": ["text"]})
        key = f"n{len(notes) + 1}"
        notes[key] = {"id": key, "text": text, "at": time.strftime("%Y-%m-%dT%H:%M:%S")}
        return self.reply(status=201, body=notes[key])

    def log_message(self, *args):
        pass


ThreadingHTTPServer(("0.0.0.0", int(os.environ["PORT"])), Notes).serve_forever()
"""

TEXT_BODY = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}
DOCUMENT = {
    "openapi": "3.1.0",
    "paths": {
        "/health": {"get": {}},
        "/broken": {"get": {}},
        "/notes": {"post": {"requestBody": {"content": {"application/json": {"schema": TEXT_BODY}}}}},
        "/notes/{id}": {"get": {}},
    },
}
NOTES = {
    "service.py": SERVICE,
    "start.sh": "exec python3 service.py\n",
    "requirements.txt": "",
    "openapi.json": json.dumps(DOCUMENT),
}
