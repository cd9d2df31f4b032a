"""Asks a running service, from the test-side sandbox, for each required endpoint: is it there?

Usage: probe.py PORT SECONDS < endpoints.json     (`[{"method": "GET", "path": "/widgets/{id}"}, ...]`)
Prints `{"endpoints": [{"method", "path", "found", "why"}], "openapi": <document or null>}`. Stdlib only.

A router that does not know a path answers as it answers for a made-up one. So an endpoint is found if its answer differs from that of a
control (same shape, same method, made-up literals), or if the service itself says that it takes the method there (Allow), or refuses
another method there (405) but not this one. A service that answers everything alike is found to have nothing, whatever its OpenAPI
document claims.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time

from asking import BODY_LIMIT, Answer, NoAnswer, ask  # pyright: ignore[reportMissingImports] -- beside this file inside

VALUES = ("1", "00000000-0000-4000-8000-000000000001", "a", "2024-01-01")
"""Tried for path parameters, in order: converters accept different shapes."""
NONCES = tuple("".join(random.SystemRandom().choices("bcdfghjkmnpqrstvwxz", k=6)) for _ in range(2))
"""What made-up paths end in: new each time, for a service could know them."""
REQUEST_SECONDS = 2.0
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


def shape(answer: Answer, path: str) -> tuple[int, str]:
    """An answer with the asked path and anything that changes from request to request taken out."""
    body = answer.body
    for part in sorted({path, *filter(None, path.split("/"))}, key=len, reverse=True):
        if len(part) > 3 or part == path:
            body = body.replace(part, "*")
    return answer.status, re.sub(r"[0-9a-f]{8,}|\d+", "#", body)


class OutOfTime(Exception):
    """The time for all endpoints is over."""


class Service:
    """What listens on a port, until `end`."""

    def __init__(self, port: int, end: float) -> None:
        self.port, self.end = port, end

    def answer(self, method: str, path: str, limit: int = BODY_LIMIT) -> Answer | None:
        """None where there was no answer. Raises `OutOfTime`."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise OutOfTime
        body = b"{}" if method in ("POST", "PUT", "PATCH") else None
        try:
            return ask(self.port, method, path, min(REQUEST_SECONDS, left), body=body, limit=limit)
        except NoAnswer:
            return None


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

    def __init__(self, service: Service, method: str, template: str, value: str) -> None:
        paths = [control(template, value, nonce) for nonce in NONCES]
        answers = [service.answer(method, path) for path in paths]
        self.shapes = [shape(answer, path) if answer else None for answer, path in zip(answers, paths, strict=True)]
        self.statuses = [answer.status if answer else None for answer in answers]
        self.allows = [answer.allow if answer else None for answer in answers]

    def differs_from(self, answer: Answer, path: str) -> bool:
        if self.shapes[0] == self.shapes[1]:
            return shape(answer, path) != self.shapes[0]
        return answer.status not in self.statuses and self.statuses[0] == self.statuses[1]

    def router_differs_from(self, hint: Answer) -> bool:
        """The same for what a router says of itself: status and Allow."""
        return all(
            (hint.status, hint.allow) != (status, allow)
            for status, allow in zip(self.statuses, self.allows, strict=True)
        )


def look_for(service: Service, method: str, template: str) -> tuple[bool, str]:
    other = "PATCH" if method != "PATCH" else "DELETE"
    indistinct, answer = "", None
    for value in VALUES if "{" in template else VALUES[:1]:
        path = filled(template, value)
        answer = service.answer(method, path)
        if answer is None:
            indistinct = "no answer"
            continue
        elsewhere = Elsewhere(service, method, template, value)
        if answer.status not in (404, 405, 501):
            if elsewhere.differs_from(answer, path):
                return True, f"{method} {path} -> {answer.status}"
            indistinct = f"{method} {path} answers {answer.status} as any made-up path does"
            continue
        if answer.status == 404 and 404 in elsewhere.statuses and elsewhere.differs_from(answer, path):
            return True, f"{method} {path} -> 404 of its own"
        for asked in ("OPTIONS", other, "TRACE"):
            hint = service.answer(asked, path)
            if hint is None or not Elsewhere(service, asked, template, value).router_differs_from(hint):
                continue
            if method in hint.allow:
                return True, f"{asked} {path} -> Allow: {', '.join(sorted(hint.allow))}"
            if hint.status == 405 and asked != "OPTIONS" and answer.status != 405:
                return True, f"{asked} {path} -> 405, {method} -> {answer.status}"
    return False, indistinct or f"{method} {filled(template, VALUES[0])} -> {answer.status if answer else 'no answer'}"


def document_of(service: Service) -> object:
    for path in DOCUMENTS:
        answer = service.answer("GET", path, DOCUMENT_LIMIT)
        if answer is not None and answer.status == 200:
            try:
                document = json.loads(answer.body)
            except (ValueError, RecursionError):
                continue
            if isinstance(document, dict) and isinstance(document.get("paths"), dict):
                return document
    return None


def main(port: int, seconds: float) -> None:
    service = Service(port, time.monotonic() + seconds)
    found = []
    for endpoint in json.load(sys.stdin):
        method, path = endpoint["method"], endpoint["path"]
        try:
            there, why = look_for(service, method, path)
        except OutOfTime:
            there, why = False, "out of time"
        found.append({"method": method, "path": path, "found": there, "why": why[:300]})
    try:
        document = document_of(service)
    except OutOfTime:
        document = None
    print(json.dumps({"endpoints": found, "openapi": document}))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
