"""Carries out scenarios against a running service, from the test-side sandbox, and prints what it answered.

Usage: record.py PORT SECONDS < `{"scenarios": [{"unique": TEXT, "digits": TEXT, "steps": [STEP, ...]}, ...], "document": BOOL}`
Prints `{"played": [[EXCHANGE, ...], ...], "openapi": <document or null>}`. Stdlib only.

A step is `{"method", "path", "query", "headers", "body", "raw"}`. In its texts `${unique}` and `${digits}` are the scenario's words, and `${N.a.b.0}` what is there
in the JSON that its step N was answered with; a text that is nothing but one reference takes the value itself. A scenario ends at the first
step that cannot be sent or gets no answer.
"""

from __future__ import annotations

import http.client
import json
import re
import sys
import time
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode

from asking import at_most  # pyright: ignore[reportMissingImports] -- beside this file inside
from probe import OutOfTime, Service, document_of  # pyright: ignore[reportMissingImports] -- beside this file inside

REQUEST_SECONDS = 5.0
BODY_LIMIT = 256 * 1024
DEEPEST = 50
"""Lists and objects inside one another; what is nested deeper counts as no JSON."""
KEPT = ("content-type", "location", "allow")
REFERENCE = re.compile(r"\$\{([^}]*)\}")


class Unresolved(Exception):
    """A reference leads to nothing, in one line."""


def resolved(value: Any, words: dict[str, str], answers: list[dict]) -> Any:
    """`value` with its references filled in."""
    if isinstance(value, dict):
        return {key: resolved(item, words, answers) for key, item in value.items()}
    if isinstance(value, list):
        return [resolved(item, words, answers) for item in value]
    if not isinstance(value, str):
        return value
    if whole := REFERENCE.fullmatch(value):
        return referred(whole[1], words, answers)
    return REFERENCE.sub(lambda match: str(referred(match[1], words, answers)), value)


def referred(reference: str, words: dict[str, str], answers: list[dict]) -> Any:
    if reference in words:
        return words[reference]
    step, _, path = reference.partition(".")
    try:
        value = answers[int(step)]["json"]
        for part in path.split(".") if path else ():
            value = value[int(part)] if isinstance(value, list) else value[part]
    except (ValueError, IndexError, KeyError, TypeError):
        raise Unresolved(f"nothing is at {reference}") from None
    return value


def sent(step: dict, words: dict[str, str], answers: list[dict]) -> dict:
    """The step with its references filled in."""
    path = REFERENCE.sub(lambda match: quote(str(referred(match[1], words, answers)), safe=""), step["path"])
    rest = {name: resolved(step.get(name), words, answers) for name in ("query", "headers", "body")}
    return {"path": path, **rest}


def exchange(port: int, step: dict, request: dict, seconds: float) -> dict:
    """The answer to one request."""
    body = step["raw"].encode() if step.get("raw") else None
    if body is None and request["body"] is not None:
        body = json.dumps(request["body"]).encode()
    headers = {"Accept": "application/json, */*", "Connection": "close", "Host": f"127.0.0.1:{port}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    headers.update({name: str(value) for name, value in (request["headers"] or {}).items()})
    target = request["path"] + (f"?{urlencode(request['query'])}" if request["query"] else "")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        with at_most(seconds):
            connection.request(step["method"], target, body=body, headers=headers)
            response = connection.getresponse()
            content = response.read(BODY_LIMIT)
            if len(content) == BODY_LIMIT:
                return {"status": 0, "why": "its body does not end"}
    except (OSError, http.client.HTTPException, ValueError) as error:
        return {"status": 0, "why": f"{type(error).__name__}: {error}"[:200]}
    finally:
        connection.close()
    text = content.decode("utf-8", "replace")
    answer = {
        "status": response.status,
        "headers": {name: value for name in KEPT if (value := response.getheader(name)) is not None},
        "text": text,
        "json": None,
        "is_json": False,
    }
    with suppress(ValueError, RecursionError):
        value = json.loads(text, parse_constant=no_number)
        if depth(value) <= DEEPEST:
            answer.update(json=value, is_json=True)
    return answer


def no_number(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def depth(value: Any) -> int:
    """How many lists and objects are inside one another."""
    deep, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        deep += 1
        level = [inner for item in level for inner in (item.values() if isinstance(item, dict) else item)]
    return deep


def play(port: int, scenario: dict, end: float) -> list[dict]:
    answers: list[dict] = []
    words = {name: scenario[name] for name in ("unique", "digits")}
    for step in scenario["steps"]:
        left = end - time.monotonic()
        if left <= 0:
            answers.append({"status": 0, "why": "out of time"})
            break
        try:
            request = sent(step, words, answers)
        except Unresolved as error:
            answers.append({"status": 0, "why": str(error)})
            break
        answers.append({**exchange(port, step, request, min(REQUEST_SECONDS, left)), "sent": request})
        if answers[-1]["status"] == 0:
            break
    return answers


def main(port: int, seconds: float) -> None:
    asked = json.load(sys.stdin)
    end = time.monotonic() + seconds
    played = [play(port, scenario, end) for scenario in asked["scenarios"]]
    document = None
    if asked.get("document"):
        try:
            document = document_of(Service(port, end))
        except OutOfTime:
            document = None
    print(json.dumps({"played": played, "openapi": document}))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
