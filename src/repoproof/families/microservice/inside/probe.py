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
NONCES = ("zq7f3x", "kw2v9j")
BODY_LIMIT = 65536
DOCUMENT_LIMIT = 4 * 1024 * 1024
DOCUMENTS = (
    "/openapi.json",
    "/swagger.json",
    "/api/openapi.json",
    "/api/schema/?format=json",
    "/api-docs",
    "/docs/json",
    "/v3/api-docs",
)


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


def control(template: str, value: str, nonce: str) -> str:
    """The same shape with made-up literals; for `/` a made-up segment."""
    parts = template.strip("/").split("/")
    if all("{" in part for part in parts):
        parts.append("")
    return "/" + "/".join(value if "{" in part else f"{part}{nonce}" for part in parts)


class Elsewhere:
    """What the service answers to made-up paths of the same shape. Asked twice: what differs between the two is noise, not a router's."""

    def __init__(self, port: int, method: str, template: str, value: str, seconds: float) -> None:
        paths = [control(template, value, nonce) for nonce in NONCES]
        answers = [ask(port, method, path, seconds) for path in paths]
        self.shapes = [answer.shape(path) if answer else None for answer, path in zip(answers, paths, strict=True)]
        self.statuses = [answer.status if answer else None for answer in answers]
        self.allows = [answer.allow if answer else None for answer in answers]

    def differs_from(self, answer: Answer, path: str) -> bool:
        if self.shapes[0] == self.shapes[1]:
            return answer.shape(path) != self.shapes[0]
        return answer.status not in self.statuses and self.statuses[0] == self.statuses[1]

    def router_differs_from(self, hint: Answer) -> bool:
        """The same for what a router says of itself: status and Allow."""
        return all(
            (hint.status, hint.allow) != (status, allow)
            for status, allow in zip(self.statuses, self.allows, strict=True)
        )


def look_for(port: int, method: str, template: str, seconds: float) -> tuple[bool, str]:
    other = "PATCH" if method != "PATCH" else "DELETE"
    indistinct, answer = "", None
    for value in VALUES if "{" in template else VALUES[:1]:
        path = filled(template, value)
        answer = ask(port, method, path, seconds)
        if answer is None:
            indistinct = "no answer"
            continue
        elsewhere = Elsewhere(port, method, template, value, seconds)
        if answer.status not in (404, 405, 501):
            if elsewhere.differs_from(answer, path):
                return True, f"{method} {path} -> {answer.status}"
            indistinct = f"{method} {path} answers {answer.status} as any made-up path does"
            continue
        if answer.status == 404 and 404 in elsewhere.statuses and elsewhere.differs_from(answer, path):
            return True, f"{method} {path} -> 404 of its own"
        for asked in ("OPTIONS", other, "TRACE"):
            hint = ask(port, asked, path, seconds)
            if hint is None or not Elsewhere(port, asked, template, value, seconds).router_differs_from(hint):
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
