"""The scripted server: a real HTTP server that answers as an OpenAI-compatible endpoint does, by rules."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from .question import PATHS, Kind, Refused, read_question
from .rule import Rule, Spoiled
from .script import Counts, Part, Script, body_of, has_room, prompt_tokens

log = logging.getLogger(__name__)

POLL_SECONDS = 0.02
"""How soon a server that is to end notices."""

PIECES = 20
"""Of a body that trickles."""


class ScriptedServer:
    """A server on the loopback of this machine. It is open from the start; `stop` ends it and every connection."""

    def __init__(self, rules: Sequence[Rule] = (), *, port: int = 0) -> None:
        self._script = Script(rules)
        self._http = _Http(port, self._script)
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(POLL_SECONDS,), name="scripted-server", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        return self._http.server_port

    @property
    def base_url(self) -> str:
        """For OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def counts(self) -> Counts:
        """What it was asked so far."""
        return self._script.counts()

    def reset(self) -> None:
        """Forget what was asked, and how far the rules are used up; hold again what is to be held."""
        self._http.gate.clear()
        self._script.reset()

    def release(self) -> None:
        """Answer what is held, and hold nothing any more."""
        self._http.gate.set()

    def wait_for(self, calls: int = 0, *, held: int = 0, seconds: float = 60.0) -> None:
        """Wait until so many calls have come, and so many are held; `TimeoutError` if they have not within `seconds`."""
        if not self._script.wait_for(calls=calls, held=held, seconds=seconds):
            raise TimeoutError(f"waited {seconds:g} s for {calls} calls, {held} held: {self.counts()}")

    def stop(self) -> None:
        self._http.shutdown()
        self._http.end_connections()
        self._http.server_close()
        self._thread.join()


@contextmanager
def scripted_server(rules: Sequence[Rule] = (), *, port: int = 0) -> Generator[ScriptedServer]:
    """A scripted server as long as the context lasts; port 0 is any free one."""
    server = ScriptedServer(rules, port=port)
    try:
        yield server
    finally:
        server.stop()


class _Http(ThreadingHTTPServer):
    request_queue_size = 1024
    """Clients that may all connect at once."""
    daemon_threads = False
    """Joined when the server is closed."""

    def __init__(self, port: int, script: Script) -> None:
        self.script = script
        self.gate = threading.Event()
        """Set once nothing is held any more."""
        self.ending = threading.Event()
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", port), _Call)

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.add(connection)
            # One that was accepted while the server ended would never be told.
            if self.ending.is_set():
                _shut(connection)

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.discard(connection)

    def end_connections(self) -> None:
        with self._lock:
            self.ending.set()
            self.gate.set()
            for connection in self._connections:
                _shut(connection)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client may leave when it likes."""
        log.debug("connection of %s ended", client_address, exc_info=True)


class _Call(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "repoproof-scripted"
    disable_nagle_algorithm = True
    wbufsize = -1

    @property
    def _http(self) -> _Http:
        return cast(_Http, self.server)

    def setup(self) -> None:
        super().setup()
        self._http.opened(self.connection)

    def finish(self) -> None:
        self._http.closed(self.connection)
        with suppress(OSError):
            super().finish()

    def do_GET(self) -> None:
        match self.path:
            case "/v1/models":
                listed = {"id": "scripted", "object": "model", "created": 0, "owned_by": "repoproof"}
                self._send({"object": "list", "data": [listed]})
            case "/counts":
                self._send(self._http.script.counts().model_dump())
            case _:
                self._error(HTTPStatus.NOT_FOUND, f"no such path: {self.path}")

    def do_POST(self) -> None:
        if (raw := self._body()) is None:
            return
        match self.path:
            case path if path in PATHS:
                self._ask(PATHS[path], raw)
            case "/reset":
                self._http.gate.clear()
                self._http.script.reset()
                self._send({})
            case "/release":
                self._http.gate.set()
                self._send({})
            case _:
                self._error(HTTPStatus.NOT_FOUND, f"no such path: {self.path}")

    def _body(self) -> bytes | None:
        length = self.headers.get("Content-Length", "0" if self.path not in PATHS else "")
        if not length.isdecimal():
            self.close_connection = True
            self._error(HTTPStatus.LENGTH_REQUIRED, "Content-Length is missing")
            return None
        raw = self.rfile.read(int(length))
        if len(raw) < int(length):
            self.close_connection = True
            return None
        return raw

    def _ask(self, kind: Kind, raw: bytes) -> None:
        try:
            question = read_question(kind, raw)
        except Refused as refused:
            self._error(HTTPStatus.BAD_REQUEST, str(refused))
            return
        part = self._http.script.part(question)
        self._wait(part)
        if part.rule.status is not None:
            self._error(part.rule.status, f"scripted error {part.rule.status}", retry_after=part.rule.retry_after)
            return
        if not has_room(question, part.rule):
            limit, length = part.rule.context_tokens, prompt_tokens(question, part.rule)
            said = f"This model's maximum context length is {limit} tokens. However, your messages resulted in {length} tokens."
            self._error(HTTPStatus.BAD_REQUEST, said, code="context_length_exceeded")
            return
        match part.rule.fault:
            case Spoiled.DISCONNECT:
                self.close_connection = True
            case Spoiled.CUT:
                content = _json(body_of(question, part))
                self._head(HTTPStatus.OK, len(content))
                self.wfile.write(content[: len(content) // 2])
                self.close_connection = True
            case Spoiled.MALFORMED:
                self._send_raw(b"<html>this is no answer</html>")
            case Spoiled.NO_CHOICES:
                self._send(body_of(question, part) | {"choices": []})
            case Spoiled.TRICKLE:
                self._trickle(_json(body_of(question, part)), part.rule.delay_seconds)
            case Spoiled.TRUNCATED | None:
                self._send(body_of(question, part))

    def _wait(self, part: Part) -> None:
        if part.rule.hold:
            self._http.script.holding(+1)
            self._http.gate.wait()
            self._http.script.holding(-1)
        if part.rule.delay_seconds and part.rule.fault is not Spoiled.TRICKLE:
            self._http.ending.wait(part.rule.delay_seconds)

    def _trickle(self, content: bytes, seconds: float) -> None:
        self._head(HTTPStatus.OK, len(content))
        step = len(content) // PIECES + 1
        for start in range(0, len(content), step):
            self.wfile.write(content[start : start + step])
            self.wfile.flush()
            self._http.ending.wait(seconds / PIECES)

    def _error(self, status: int, message: str, *, retry_after: float | None = None, code: str = "") -> None:
        error = {"message": message, "type": "scripted", "param": None, "code": code or status}
        headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
        self._send({"error": error}, status=status, headers=headers)

    def _send(self, body: object, *, status: int = HTTPStatus.OK, headers: dict[str, str] | None = None) -> None:
        self._send_raw(_json(body), status=status, headers=headers)

    def _send_raw(self, content: bytes, *, status: int = HTTPStatus.OK, headers: dict[str, str] | None = None) -> None:
        self._head(status, len(content), headers)
        self.wfile.write(content)
        self.wfile.flush()

    def _head(self, status: int, length: int, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(length),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        log.debug(format, *args)


def _json(body: object) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
