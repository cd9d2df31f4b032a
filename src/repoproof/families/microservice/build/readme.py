"""A skeleton of the specification, from what was recorded: method, path, fields, statuses. A draft: what they mean is for a person to say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..task import MicroserviceTask
from .before import Working
from .records import Json, Operation, Parameter
from .stabilise import Expected, Fields, Form, Items, Like, SameAs, Some, Stable, Written, kind_of
from .values import whole

DRAFT = """\
> **Draft.** Written from recordings of a reference by `repoproof build`. Say what each endpoint is for, what its fields mean and when it
> refuses, until somebody who has only this text could pass the tests; then delete this paragraph."""


def skeleton(
    task: MicroserviceTask, operations: Sequence[Operation], working: Sequence[Working], stable: Sequence[Stable]
) -> str:
    expected = [one for each in stable for one in each.expected]
    bodies = {one.operation.endpoint: one for one in working}
    parts = [f"# {task.id}", DRAFT, f"The service listens on port {task.port} (`PORT`, where that is set) and speaks JSON.", "## Endpoints"]  # fmt: skip
    for operation in operations:
        its = [one for one in expected if one.step.endpoint == str(operation.endpoint)]
        parts.append("\n".join(_endpoint(operation, bodies.get(operation.endpoint), its)))
    return "\n\n".join(parts) + "\n"


def _endpoint(operation: Operation, working: Working | None, expected: Sequence[Expected]) -> Iterator[str]:
    yield f"### `{operation.endpoint}`\n"
    if operation.query:
        yield "Query parameters:\n"
        yield from (f"- `{one.name}`{_said(one, None)}" for one in operation.query)
        yield ""
    headers = {one.name: one for one in operation.headers}
    for name in working.own.headers if working else ():
        headers.setdefault(name, Parameter(name=name, required=True))
    if headers:
        yield "Headers:\n"
        yield from (f"- `{one.name}`{_said(one, None)}" for one in headers.values())
        yield ""
    body = working.own.body if working and isinstance(working.own.body, dict) else {}
    sent = (working.answer.sent.get("body") or {}) if working else {}
    fields = {one.name: one for one in operation.fields if one.schema_ or one.name in body}
    fields |= {name: Parameter(name=name) for name in body if name not in fields}
    if fields:
        refused = set(_refused_without(expected, body))
        yield "Body, a JSON object:\n"
        yield from (f"- `{name}`{_said(one, sent.get(name), required=name in refused)}" for name, one in fields.items())
        yield ""
    by_status: dict[int, list[Expected]] = {}
    for one in expected:
        by_status.setdefault(one.status, []).append(one)
    yield "Answers:\n" if by_status else "Nothing was recorded of it.\n"
    for status, those in sorted(by_status.items()):
        yield f"- {status}{_shape(those)}"


def _refused_without(expected: Sequence[Expected], body: dict[str, Json]) -> Iterator[str]:
    for one in expected:
        if isinstance(one.step.body, dict) and one.status in (400, 422):
            lacking = [name for name in body if name not in one.step.body]
            if len(lacking) == 1:
                yield lacking[0]


def _said(one: Parameter, seen: Json, *, required: bool = False) -> str:
    schema = one.schema_
    words = [str(schema.get("type", "") or (kind_of(seen) if seen is not None else ""))]
    if one.required or required:
        words.append("required")
    elif schema:
        words.append("optional")
    if schema.get("enum"):
        words.append("one of " + ", ".join(f"`{value}`" for value in schema["enum"]))
    bounds = (("minimum", "from"), ("maximum", "to"), ("minLength", "at least"), ("maxLength", "at most"))
    words += [f"{word} {whole(schema[name])}{' characters' if 'Length' in name else ''}" for name, word in bounds if name in schema]  # fmt: skip
    if "default" in schema and schema["default"] is not None:
        words.append(f"default `{schema['default']}`")
    if schema.get("format"):
        words.append(f"format {schema['format']}")
    words = [word for word in words if word and word != "anything"]
    return f": {', '.join(words)}" if words else ""


def _shape(those: Sequence[Expected]) -> str:
    shapes = list(dict.fromkeys(filter(None, (_shown(one.body) for one in those))))
    shapes.sort(key=lambda shape: (-shape.count(":"), shape))
    return f" with `{shapes[0]}`" if shapes and shapes[0] not in ("the same object", "list") else ""


def _shown(form: Form | None) -> str:
    match form:
        case Fields(fields):
            return "{" + ", ".join(f"{name}: {_shown(one) or 'anything'}" for name, one in fields) + "}"
        case Items(items):
            return f"[{_shown(items[0])}, ...]" if items else "[...]"
        case Some(kind):
            return kind
        case Like(pattern):
            return "text" if pattern.startswith("(?s)") else f"text like {pattern}"
        case Written():
            return "text"
        case SameAs(path=path):
            return "the same object" if not path else re.sub(r".*\.", "", path)
        case None:
            return ""
        case _:
            value = getattr(form, "value", None)
            return "" if value == "" else kind_of(value) if value is not None else "null"
