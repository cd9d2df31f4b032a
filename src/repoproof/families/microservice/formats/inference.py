"""What a table may leave open: the port, the framework, the variables that tell tests where the service is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from ..golden import URL_VARIABLES
from .python_tests import LOCAL, Suite, local_address

FRAMEWORKS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "python": (
        ("fastapi", r"fast\s?api"), ("flask", r"flask"), ("django", r"django|\bDRF\b"), ("eve", r"\beve\b"),
        ("starlette", r"starlette"), ("aiohttp", r"aiohttp"), ("tornado", r"tornado"), ("sanic", r"\bsanic\b"),
        ("falcon", r"\bfalcon\b"), ("bottle", r"\bbottle\b"), ("litestar", r"litestar"), ("quart", r"\bquart\b"),
    ),
    "java": (
        ("spring-boot", r"spring[\s-]?boot|\bspring\b"), ("quarkus", r"quarkus"), ("micronaut", r"micronaut"),
        ("javalin", r"javalin"), ("dropwizard", r"dropwizard"), ("spark", r"\bspark(?:\s?java)?\b"),
        ("jersey", r"\bjersey\b"), ("vertx", r"vert\.?x"),
    ),
}  # fmt: skip

USUAL_PORTS = {"flask": 5000, "eve": 5000, "spark": 4567, "javalin": 7070}
USUAL_PORT = {"python": 8000, "java": 8080}

_ADDRESS = re.compile(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})\b")
_PORT = re.compile(r"\bport\b[`*\"'\s:=]*(?:is|number|to|of)?[`*\"'\s:=]*(\d{2,5})\b", re.IGNORECASE)


def framework_in(readme: str, language: str) -> str:
    """The framework that a README names most often, the first named where several are; empty where it names none."""
    found = {}
    for name, pattern in FRAMEWORKS.get(language, ()):
        if places := [match.start() for match in re.finditer(pattern, readme, re.IGNORECASE)]:
            found[name] = (-len(places), places[0])
    return min(found, key=lambda name: found[name]) if found else ""


def port_in(readme: str) -> int | None:
    """The port that a README names most often."""
    ports = Counter(int(match[1]) for pattern in (_ADDRESS, _PORT) for match in pattern.finditer(readme))
    usable = [(port, count) for port, count in ports.most_common() if 1 <= port <= 65535]
    return usable[0][0] if usable else None


def port_of(listed: int | None, suite: Suite, readme: str, *, language: str, framework: str) -> tuple[int, str]:
    """Where the service has to listen, and a note where no table says so. What the tests have written out decides, for that is where
    they look; then the table, then what tests take unless told otherwise, then the README."""
    defaults = {found[0] for text in suite.variables.values() if text and (found := local_address(text)) and found[0]}
    fixed = [port for port, _ in Counter(suite.ports).most_common() if port not in defaults]
    if listed is not None:
        if fixed and not defaults and listed not in fixed:
            return fixed[0], f"port {fixed[0]}, where the tests look, and not {listed}, as the table has it"
        return listed, ""
    if fixed and not defaults:
        return fixed[0], f"port {fixed[0]}, from addresses in the tests"
    if defaults:
        port = max(defaults, key=lambda port: (suite.ports.get(port, 0), -port))
        return port, f"port {port}, which the tests take unless they are told otherwise"
    if port := port_in(readme):
        return port, f"port {port}, from the README"
    port = USUAL_PORTS.get(framework) or USUAL_PORT.get(language, 8000)
    return port, f"port {port}, the usual one, since neither README nor tests name one"


def environment_of(suite: Suite, port: int) -> dict[str, str]:
    """The variables that lead the tests to the service, where the usual ones do not do."""
    found: dict[str, str] = {}
    for name, default in sorted(suite.variables.items()):
        value = _value(name, default, port)
        if value is not None and not (name in URL_VARIABLES and value == f"http://127.0.0.1:{port}"):
            found[name] = value
    return found


def _value(name: str, default: str | None, port: int) -> str | None:
    """What a variable must say; None to leave it alone."""
    words = set(re.split(r"[^A-Z]+", name.upper()))
    if default is not None and (address := local_address(default)):
        scheme = default.partition(":")[0].replace("https", "http")
        return f"{scheme}://127.0.0.1:{port}{address[1]}"
    if "PORT" in words and (default is None or default.isdecimal()):
        return str(port)
    if "HOST" in words and (default is None or default in LOCAL):
        return "127.0.0.1"
    if default is None and (words & {"URL", "URI", "ENDPOINT", "ADDRESS"} or name.upper().endswith("BASE")):
        return f"http://127.0.0.1:{port}"
    return None
