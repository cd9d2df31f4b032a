"""What a reference is: its language, its framework, where it listens, and what may be asked of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ....analysis.endpoints import Endpoint, Route, matches
from ....analysis.openapi import endpoints_of, followed, read_document
from ....analysis.reading import read_code
from ....analysis.source_files import source_files
from ....core.base import Frozen
from ....core.errors import BadInput, Boundary
from ....toolchains import toolchain
from .hints import Hints, read_hints
from .records import Json, Operation, Parameter

SIGNS = {
    "python": ("requirements.txt", "pyproject.toml", "setup.py", "Pipfile", "manage.py"),
    "node": ("package.json",),
    "java": ("pom.xml", "build.gradle", "build.gradle.kts"),
}
"""Files that tell a language."""
DOCUMENTS = ("openapi.json", "openapi.yaml", "openapi.yml", "swagger.json", "swagger.yaml", "docs/openapi.json", "docs/openapi.yaml", "api/openapi.yaml")  # fmt: skip
USUAL_PORT = 8000
MOST_REFERENCES = 12

_NEVER_ASKED = re.compile(r"/(docs|redoc|openapi|swagger|favicon)", re.IGNORECASE)


class Found(Frozen):
    """A reference that was looked at."""

    language: str
    framework: str
    port: int
    start: str
    """What the start command was found by."""
    routes: tuple[Route, ...]
    hints: dict[str, Hints]
    document: Json = None
    """Its OpenAPI document, if the tree has one; the running service's takes its place."""
    document_at: str = ""
    """Where the document is from."""


def discover(tree: Path, *, language: str = "", framework: str = "", port: int | None = None) -> Found:
    """Look at the tree, running nothing. `BadInput` where its language cannot be told, or what is given is not what is seen."""
    given, language = language, language or language_of(tree)
    code = read_code(tree, language=language, framework=framework)
    routes = tuple(route for route in code.routes if not _NEVER_ASKED.match(route.path))
    _assert_seen(framework, {route.framework: None for route in code.routes})
    framework = framework or next(iter(Counter(route.framework for route in routes)), "")
    port = port or port_in(tree) or USUAL_PORT
    start = toolchain(language).start_command(tree, port=port, framework=framework)
    if given and not routes and start is None and (seen := _languages(tree)) and given not in seen:
        raise BadInput(f"{given!r}, but its files are those of {' and '.join(seen)}", field="language", mend="leave it out", boundary=Boundary.TASK)  # fmt: skip
    document, at = document_in(tree)
    return Found(
        language=language, framework=framework, port=port, start=start.source if start else "", routes=routes,
        hints=read_hints(tree, routes), document=document, document_at=at,
    )  # fmt: skip


def language_of(tree: Path) -> str:
    if not tree.is_dir():
        raise BadInput("no such directory", file=tree, mend="give the folder of a service that runs", boundary=Boundary.TASK)  # fmt: skip
    if seen := _languages(tree):
        return seen[0]
    if source_files(tree, (".py",)):
        return "python"
    if not any(tree.iterdir()):
        raise BadInput("is empty", file=tree, mend="give the folder of a service that runs", boundary=Boundary.TASK)
    known = ", ".join(names[0] for names in SIGNS.values())
    raise BadInput(f"its language cannot be told: it has none of {known}", file=tree, mend="add what its language has, or say --language", boundary=Boundary.TASK)  # fmt: skip


def _languages(tree: Path) -> list[str]:
    return [language for language, names in SIGNS.items() if any((tree / name).is_file() for name in names)]


def _assert_seen(framework: str, seen: Mapping[str, None]) -> None:
    """`spring-boot` is seen as `spring`: one name has to be in the other."""

    def plain(name: str) -> str:
        return re.sub(r"[^a-z]", "", name.lower())

    if framework and seen and not any(plain(one) in plain(framework) or plain(framework) in plain(one) for one in seen):
        raise BadInput(f"{framework!r}, but its routes are of {' and '.join(seen)}", field="framework", mend="leave it out; what task.json says is yours to edit", boundary=Boundary.TASK)  # fmt: skip


_PORTS = (
    r"^EXPOSE\s+(\d{2,5})",
    r"PORT\b[^\n\d]{1,24}(\d{4,5})\b",
    r"--port[= ](\d{4,5})\b",
    r"\.listen\(\s*(\d{4,5})\b",
    r"\bport\s*=\s*(\d{4,5})\b",
    r"0\.0\.0\.0:(\d{4,5})\b",
)


def port_in(tree: Path) -> int | None:
    """The port that a Dockerfile, a start script or the code says, the most telling first."""
    texts = []
    for path in sorted(tree.rglob("*"), key=lambda path: (len(path.parts), path.name)):
        wanted = path.suffix in (".py", ".js", ".mjs", ".ts", ".java", ".sh", ".properties", ".yml", ".env") or path.name in ("Dockerfile", "Procfile")  # fmt: skip
        if wanted and path.is_file() and not path.is_symlink() and "node_modules" not in path.parts:
            texts.append(path.read_bytes()[:100_000].decode("utf-8", "replace"))
        if len(texts) >= 500:
            break
    for pattern in _PORTS:
        for text in texts:
            if (match := re.search(pattern, text, re.MULTILINE)) and 1 <= int(match[1]) <= 65535:
                return int(match[1])
    return None


def document_in(tree: Path) -> tuple[Json, str]:
    """The OpenAPI document of a tree, and where it is."""
    for name in DOCUMENTS:
        path = tree / name
        if path.is_file() and not path.is_symlink():
            document = read_document(path.read_bytes().decode("utf-8", "replace"))
            if endpoints_of(document):
                return document, name
    return None, ""


def operations(found: Found, document: Json) -> tuple[Operation, ...]:
    """One per endpoint: those that the code shows first, then what only the document lists."""
    documented = dict(documented_operations(document or {}))
    routes = [endpoint for route in found.routes for endpoint in _each_method(route)]
    wanted: dict[Endpoint, Route | None] = {}
    for route in routes:
        if not any(matches(route, other) for other in wanted):
            wanted[Endpoint(method=route.method, path=route.path)] = route
    for endpoint in documented:
        if not any(matches(endpoint, other) for other in wanted) and not _NEVER_ASKED.match(endpoint.path):
            wanted[endpoint] = None
    return tuple(
        _operation(
            endpoint,
            route,
            next((item for other, item in documented.items() if matches(other, endpoint)), None),
            found.hints.get(f"{route.file}:{route.line}", Hints()) if route else Hints(),
        )
        for endpoint, route in wanted.items()
        if endpoint.method not in ("HEAD", "OPTIONS")
    )


def _each_method(route: Route) -> Iterable[Route]:
    methods = ("GET", "POST", "PUT", "PATCH", "DELETE") if route.method == "ANY" else (route.method,)
    return (route.model_copy(update={"method": method}) for method in methods)


def _operation(endpoint: Endpoint, route: Route | None, documented: Json, hints: Hints) -> Operation:
    at = f"{route.file}:{route.line}" if route else ""
    writes = endpoint.method in ("POST", "PUT", "PATCH")
    if documented is None:
        return Operation(
            endpoint=endpoint,
            query=tuple(Parameter(name=name) for name in hints.query),
            headers=tuple(Parameter(name=name) for name in hints.headers),
            fields=tuple(Parameter(name=name) for name in hints.fields) if writes else (),
            takes_body=writes,
            at=at,
        )
    schema = documented["body"]
    return Operation(
        endpoint=endpoint,
        query=tuple(Parameter.model_validate(one) for one in documented["query"]),
        headers=tuple(Parameter.model_validate(one) for one in documented["headers"]),
        fields=tuple(
            Parameter.model_validate({"name": name, "schema": field, "required": name in _list(schema.get("required"))})
            for name, field in _mapping(schema.get("properties")).items()
        )
        if schema
        else (),
        takes_body=bool(schema),
        at=at,
    )


def documented_operations(document: Mapping[str, Any]) -> Iterable[tuple[Endpoint, dict[str, Any]]]:
    """Each operation of a document, with its query and header parameters and the schema of its body, references resolved."""
    listed = list(endpoints_of(document))
    for path, item in _mapping(document.get("paths")).items():
        item = _mapping(_followed(document, item))
        for method, operation in item.items():
            endpoint = next((one for one in listed if one.method == str(method).upper() and one.path.endswith(_braces(path))), None)  # fmt: skip
            if endpoint is None or not isinstance(operation, Mapping):
                continue
            parameters = [_followed(document, one) for one in (*_list(item.get("parameters")), *_list(operation.get("parameters")))]  # fmt: skip
            content = _mapping(_mapping(_followed(document, operation.get("requestBody"))).get("content"))
            body = next(
                (_mapping(_mapping(one).get("schema")) for name, one in content.items() if "json" in str(name)), {}
            )
            body = body or next(
                (_mapping(one.get("schema")) for one in parameters if _mapping(one).get("in") == "body"), {}
            )
            yield (
                endpoint,
                {
                    "query": _parameters(document, parameters, "query"),
                    "headers": _parameters(document, parameters, "header"),
                    "body": merged_schema(document, body),
                },
            )


def _parameters(document: Mapping[str, Any], parameters: list[Any], place: str) -> list[dict[str, Any]]:
    return [
        {
            "name": one["name"],
            "schema": merged_schema(
                document,
                one.get("schema") or {k: v for k, v in one.items() if k in ("type", "enum", "minimum", "maximum")},
            ),
            "required": bool(one.get("required")),
        }
        for one in map(_mapping, parameters)
        if one.get("in") == place and isinstance(one.get("name"), str)
    ]


def merged_schema(document: Mapping[str, Any], schema: Any, depth: int = 0) -> dict[str, Any]:
    """A schema without references; `allOf` merged, of alternatives the first that says anything."""
    if depth > MOST_REFERENCES:
        return {}
    schema = dict(_mapping(_followed(document, schema)))
    for part in _list(schema.pop("allOf", None)):
        more = merged_schema(document, part, depth + 1)
        schema = {**more, **schema, "properties": {**more.get("properties", {}), **_mapping(schema.get("properties"))}} if "properties" in more else {**more, **schema}  # fmt: skip
    for word in ("anyOf", "oneOf"):
        options = [merged_schema(document, part, depth + 1) for part in _list(schema.pop(word, None))]
        telling = [one for one in options if one.get("type") != "null"]
        if telling:
            schema = {**telling[0], **schema, "nullable": len(telling) < len(options)}
    if isinstance(schema.get("type"), list):
        schema["type"] = next((one for one in schema["type"] if one != "null"), "string")
    if "properties" in schema:
        schema["properties"] = {
            str(name): merged_schema(document, field, depth + 1)
            for name, field in _mapping(schema["properties"]).items()
        }
    if "items" in schema:
        schema["items"] = merged_schema(document, schema["items"], depth + 1)
    return schema


def _followed(document: Mapping[str, Any], value: Any) -> Any:
    return followed(document, value, most=MOST_REFERENCES)


def _braces(path: str) -> str:
    return re.sub(r"\{([^{}:]+)[^{}]*\}", r"{\1}", str(path))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
