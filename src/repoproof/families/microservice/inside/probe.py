"""Asks a running service, from the test-side sandbox, for each required endpoint: is it there?

Usage: probe.py PORT SECONDS < endpoints.json     (`[{"method": "GET", "path": "/widgets/{id}"}, ...]`)
Prints `{"endpoints": [{"method", "path", "found", "why"}], "openapi": <document or null>}`. Stdlib only.

A router that does not know a path answers as it answers for a made-up one. So an endpoint is found if its answer differs from that of a
control (same shape, same method, made-up literals), or if the service itself says that it takes the method there (Allow), or refuses
another method there (405) but not this one. A service that answers everything alike is found to have nothing, whatever its OpenAPI
document claims.
"""

from __future__ import annotations

import http.client
import json
import re
import sys
import time

VALUES = ("1", "00000000-0000-4000-8000-000000000001", "a", "2024-01-01")
"""Tried for path parameters, in order: converters accept different shapes."""
NONCE = "zq7f3x"
BODY_LIMIT = 65536
DOCUMENT_LIMIT = 4 * 1024 * 1024
DOCUMENTS = ("/openapi.json", "/swagger.json", "/api/openapi.json", "/api/schema/?format=json", "/api-docs", "/docs/json", "/v3/api-docs")


class Answer:
    def __init__(self, status: int, body: str, allow: set[str]) -> None:
        self.status, self.body, self.allow = status, body, allow

    def shape(self, path: str) -> tuple[int, str]:
        """The answer with the asked path and anything that changes from request to request taken out."""
        body = self.body
        for part in sorted({path, *filter(None, path.split("/"))}, key=len, reverse=True):
            if len(part) > 3 or part == path:
                body = body.replace(part, "*")
        return self.status, re.sub(r"[0-9a-f]{8,}|\d+", "#", body)


def ask(port: int, method: str, path: str, seconds: float, limit: int = BODY_LIMIT) -> Answer | None:
    """None where there was no complete answer."""
    body = b"{}" if method in ("POST", "PUT", "PATCH") else None
    headers = {"Connection": "close", "Accept": "application/json", "Host": f"127.0.0.1:{port}"}
    if body is not None:
        headers |= {"Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request(method, path, body=body, headers=headers)
        response = connection.getresponse()
        text = response.read(limit).decode("utf-8", "replace")
        allow = {item.strip().upper() for item in (response.getheader("Allow") or "").split(",") if item.strip()}
        return Answer(response.status, text, allow)
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def filled(template: str, value: str) -> str:
    return re.sub(r"\{[^}]*\}", value, template)


def control(template: str, value: str) -> str:
    """The same shape with made-up literals; for `/` a made-up segment."""
    parts = template.strip("/").split("/")
    if all("{" in part for part in parts):
        parts.append("")
    return "/" + "/".join(value if "{" in part else f"{part}{NONCE}" for part in parts)


def look_for(port: int, method: str, template: str, seconds: float) -> tuple[bool, str]:
    other = "PATCH" if method != "PATCH" else "DELETE"
    indistinct = ""
    for value in VALUES if "{" in template else VALUES[:1]:
        path, away = filled(template, value), control(template, value)
        answer, elsewhere = ask(port, method, path, seconds), ask(port, method, away, seconds)
        if answer is None:
            indistinct = "no answer"
            continue
        if answer.status not in (404, 405, 501):
            if elsewhere is None or answer.shape(path) != elsewhere.shape(away):
                return True, f"{method} {path} -> {answer.status}"
            indistinct = f"{method} {path} answers {answer.status} as any made-up path does"
            continue
        if answer.status == 404 and elsewhere is not None and elsewhere.status == 404 and answer.shape(path) != elsewhere.shape(away):
            return True, f"{method} {path} -> 404 of its own"
        for asked in ("OPTIONS", other, "TRACE"):
            hint, hint_away = ask(port, asked, path, seconds), ask(port, asked, away, seconds)
            if hint is None or (hint_away is not None and (hint.status, hint.allow) == (hint_away.status, hint_away.allow)):
                continue
            if method in hint.allow:
                return True, f"{asked} {path} -> Allow: {', '.join(sorted(hint.allow))}"
            if hint.status == 405 and asked != "OPTIONS" and answer.status != 405:
                return True, f"{asked} {path} -> 405, {method} -> {answer.status}"
    return False, indistinct or f"{method} {filled(template, VALUES[0])} -> {answer.status if answer else 'no answer'}"


def document_of(port: int, seconds: float) -> object:
    for path in DOCUMENTS:
        answer = ask(port, "GET", path, seconds, DOCUMENT_LIMIT)
        if answer is not None and answer.status == 200:
            try:
                document = json.loads(answer.body)
            except (ValueError, RecursionError):
                continue
            if isinstance(document, dict) and isinstance(document.get("paths"), dict):
                return document
    return None


def main(port: int, seconds: float) -> None:
    end = time.monotonic() + seconds
    document = document_of(port, min(2.0, seconds))
    found = []
    for endpoint in json.load(sys.stdin):
        method, path = endpoint["method"], endpoint["path"]
        left = end - time.monotonic()
        there, why = look_for(port, method, path, min(2.0, left)) if left > 0 else (False, "out of time")
        found.append({"method": method, "path": path, "found": there, "why": why[:300]})
    print(json.dumps({"endpoints": found, "openapi": document}))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
