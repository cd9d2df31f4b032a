"""Which packages golden tests need: as they declare, and as they import."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ....core.errors import BadInput
from ....toolchains.requirements import package_of
from ....toolchains.runner_lock import locked, requirements_in
from .python_tests import Suite

BUNDLED = frozenset((
    "anyio", "certifi", "charset-normalizer", "h11", "httpcore", "httpx", "idna", "iniconfig", "packaging", "pluggy", "pygments",
    "pytest", "requests", "typing-extensions", "urllib3",
))  # fmt: skip
"""What the usual runner has."""

PACKAGES = {
    "PIL": "pillow", "aiofiles": "aiofiles", "aiohttp": "aiohttp", "asgi_lifespan": "asgi-lifespan", "attr": "attrs",
    "bcrypt": "bcrypt", "bs4": "beautifulsoup4", "bson": "pymongo", "cryptography": "cryptography", "dateutil": "python-dateutil",
    "deepdiff": "deepdiff", "django": "django", "docx": "python-docx", "dotenv": "python-dotenv", "eve": "eve", "faker": "faker",
    "fastapi": "fastapi", "flask": "flask", "freezegun": "freezegun", "grpc": "grpcio", "hypothesis": "hypothesis",
    "jose": "python-jose", "jsonschema": "jsonschema", "jwt": "pyjwt", "lxml": "lxml", "mongomock": "mongomock",
    "multipart": "python-multipart", "numpy": "numpy", "openpyxl": "openpyxl", "orjson": "orjson", "pandas": "pandas",
    "passlib": "passlib", "psutil": "psutil", "pydantic": "pydantic", "pymongo": "pymongo", "pytest_asyncio": "pytest-asyncio",
    "pytz": "pytz", "redis": "redis", "requests_mock": "requests-mock", "requests_toolbelt": "requests-toolbelt",
    "responses": "responses", "respx": "respx", "rest_framework": "djangorestframework", "schemathesis": "schemathesis",
    "simplejson": "simplejson", "socketio": "python-socketio", "sqlalchemy": "sqlalchemy", "sseclient": "sseclient-py",
    "starlette": "starlette", "tenacity": "tenacity", "ujson": "ujson", "uvicorn": "uvicorn", "websocket": "websocket-client",
    "websockets": "websockets", "werkzeug": "werkzeug", "xmltodict": "xmltodict", "yaml": "pyyaml",
}  # fmt: skip
"""Module -> package, for what tests of services import. Any other module is one of the service itself."""

PLUGINS_BY_MARK = {"asyncio": "pytest-asyncio", "timeout": "pytest-timeout", "order": "pytest-order", "dependency": "pytest-dependency"}  # fmt: skip
PLUGINS_BY_FIXTURE = {"mocker": "pytest-mock", "httpx_mock": "pytest-httpx", "requests_mock": "requests-mock", "respx_mock": "respx", "faker": "faker", "benchmark": "pytest-benchmark", "aiohttp_client": "pytest-aiohttp"}  # fmt: skip

_REQUIREMENT_FILE = re.compile(r"(tests?|dev)[-_.]?requirements\.txt|requirements[-_.](tests?|dev|testing)\.txt")


@dataclass(frozen=True)
class Packages:
    """What the tests need beyond the usual runner."""

    lock: str
    """With hashes; empty where the usual runner does."""
    notes: tuple[str, ...] = ()


def foreign_modules(suite: Suite) -> tuple[str, ...]:
    """Modules that no package which tests use provides: the tests import the code that they test."""
    known = {name.replace("-", "_") for name in BUNDLED} | PACKAGES.keys() | {"_pytest"}
    return tuple(sorted(name for name in suite.modules if name.split(".")[0] not in known))


def requirement_files(folder: Path, tests: Path) -> tuple[Path, ...]:
    """Files that say what the tests need: beside them, those named after tests; among them, any."""
    beside = [path for path in sorted(folder.glob("*.txt")) if _REQUIREMENT_FILE.fullmatch(path.name)]
    among = [path for path in sorted(tests.glob("*.txt")) if "requirements" in path.name] if tests != folder else []
    return (*beside, *among)


def packages_for(suite: Suite, files: Iterable[Path]) -> Packages:
    """The lock of everything that the tests need, if the usual runner does not do. What the index does not have is noted and left out."""
    notes: list[str] = []
    declared: list[str] = []
    for file in files:
        try:
            declared += requirements_in(file)
        except BadInput as error:
            notes.append(f"{file.name} is not followed: {error.problem}")
    named = {package_of(line) for line in declared}
    imported = {PACKAGES[name] for name in suite.imports if name in PACKAGES}
    imported |= {PLUGINS_BY_MARK[mark] for mark in suite.marks if mark in PLUGINS_BY_MARK}
    imported |= {PLUGINS_BY_FIXTURE[name] for name in suite.fixtures if name in PLUGINS_BY_FIXTURE}
    wanted = [*declared, *sorted(imported - named)]
    if {package_of(line) for line in wanted} <= BUNDLED:
        return Packages("", tuple(notes))
    wanted += [name for name in ("pytest", "requests", "httpx") if name not in named]
    if added := sorted(imported - named):
        notes.append(f"test requirements taken from what the tests use: {', '.join(added)}")
    return _locked(wanted, notes)


def _locked(wanted: list[str], notes: list[str]) -> Packages:
    """The versions asked for, or any version where those do not go together here."""
    for lines in dict.fromkeys((tuple(wanted), tuple(dict.fromkeys(map(package_of, wanted))))):
        try:
            return Packages(locked(lines), tuple(notes))
        except BadInput as error:
            notes.append(f"test requirements do not resolve: {error.problem[:200]}")
    return Packages("", (*notes, "the usual runner has to do"))
