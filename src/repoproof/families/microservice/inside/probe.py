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
from collections.abc import Sequence

from asking import BODY_LIMIT, Answer, NoAnswer, ask  # pyright: ignore[reportMissingImports] -- beside this file inside

VALUES = ("1", "00000000-0000-4000-8000-000000000001", "a", "2024-01-01")
"""Tried for path parameters, in order: converters accept different shapes."""
NONCES = tuple("".join(random.SystemRandom().choices("bcdfghjkmnpqrstvwxz", k=6)) for _ in range(4))
"""What made-up paths end in. New each time, for a service could know them; four, for one that answers at random could hit on two."""
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
    """An answer with the asked path and anything that changes from request to request taken out; of a body without end, that it has none."""
    if not answer.whole:
        return answer.status, "..."
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
    """What the service answers to made-up paths of the same shape. What differs between them is noise, not a router's."""

    def __init__(self, answers: list[tuple[str, Answer | None]]) -> None:
        self.answered = all(answer is not None for _, answer in answers)
        """Silence is nothing to compare with: any service is silent now and then."""
        self.shapes = [answer and shape(answer, path) for path, answer in answers]
        self.statuses = [answer and answer.status for _, answer in answers]
        self.allows = [answer and answer.allow for _, answer in answers]

    def differs_from(self, answer: Answer, path: str) -> bool:
        if self.answered and alike(self.shapes):
            return shape(answer, path) != self.shapes[0]
        return self.answered and alike(self.statuses) and answer.status != self.statuses[0]

    def router_differs_from(self, hint: Answer) -> bool:
        """The same for what a router says of itself: status and Allow."""
        said = list(zip(self.statuses, self.allows, strict=True))
        return self.answered and alike(said) and (hint.status, hint.allow) != said[0]


def alike(answers: Sequence[object]) -> bool:
    return all(one == answers[0] for one in answers)


def compared(service: Service, method: str, template: str, value: str) -> tuple[Answer | None, Elsewhere]:
    """The answer of the path, and those of made-up ones; in any order, so that a service that counts requests cannot tell which is which."""
    path = filled(template, value)
    paths = [path, *(control(template, value, nonce) for nonce in NONCES)]
    answers = {one: service.answer(method, one) for one in random.SystemRandom().sample(paths, len(paths))}
    return answers.pop(path), Elsewhere(list(answers.items()))


def look_for(service: Service, method: str, template: str) -> tuple[bool, str]:
    other = "PATCH" if method != "PATCH" else "DELETE"
    indistinct, answer = "", None
    for value in VALUES if "{" in template else VALUES[:1]:
        path = filled(template, value)
        answer, elsewhere = compared(service, method, template, value)
        if answer is None:
            indistinct = "no answer"
            continue
        if answer.status not in (404, 405, 501):
            if elsewhere.differs_from(answer, path):
                return True, f"{method} {path} -> {answer.status}"
            indistinct = f"{method} {path} answers {answer.status} as any made-up path does"
            continue
        if answer.status == 404 and 404 in elsewhere.statuses and elsewhere.differs_from(answer, path):
            return True, f"{method} {path} -> 404 of its own"
        for asked in ("OPTIONS", other, "TRACE"):
            hint, elsewhere = compared(service, asked, template, value)
            if hint is None or not elsewhere.router_differs_from(hint):
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
