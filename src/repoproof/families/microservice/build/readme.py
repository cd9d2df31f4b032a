"""A skeleton of the specification, from what was recorded: method, path, fields, statuses. A draft: what they mean is for a person to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..task import MicroserviceTask
from .before import Working
from .forms import Exactly, Expected, Stable, kind_of
from .plan import words_of
from .records import Json, Operation, Parameter
from .shapes import Answer, shape_of
from .values import whole

DRAFT = """\
> **Draft.** Written from recordings of a reference by `repoproof build`. Say what each endpoint is for, what its fields mean and when it
> refuses, until somebody who has only this text could pass the tests; then delete this paragraph."""
NOTATION = "In answers, `a | b` is one of both, a value in quotes is meant as it is, and `name?` is not always there."
MOST_CIRCUMSTANCES = 8
"""Of one refusal that are listed."""


def skeleton(
    task: MicroserviceTask, operations: Sequence[Operation], working: Sequence[Working], stable: Sequence[Stable]
) -> str:
    answers = [Answer(one, at) for one in stable for at in range(len(one.expected))]
    bodies = {one.operation.endpoint: one for one in working}
    parts = [f"# {task.id}", DRAFT, f"The service listens on port {task.port} (`PORT`, where that is set) and speaks JSON.", "## Endpoints", NOTATION]  # fmt: skip
    for operation in operations:
        its = [one for one in answers if one.expected.step.endpoint == str(operation.endpoint)]
        parts.append("\n".join(_endpoint(operation, bodies.get(operation.endpoint), its)))
    return "\n\n".join(parts) + "\n"


def _endpoint(operation: Operation, working: Working | None, answers: Sequence[Answer]) -> Iterator[str]:
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
        refused = set(_refused_without([one.expected for one in answers], body))
        yield "Body, a JSON object:\n"
        yield from (f"- `{name}`{_said(one, sent.get(name), required=name in refused)}" for name, one in fields.items())
        yield ""
    by_status: dict[int, list[Answer]] = {}
    for one in answers:
        by_status.setdefault(one.expected.status, []).append(one)
    yield "Answers:\n" if by_status else "Nothing was recorded of it.\n"
    for status, those in sorted(by_status.items()):
        yield from _answers(status, those, operation, working)


def _answers(status: int, those: Sequence[Answer], operation: Operation, working: Working | None) -> Iterator[str]:
    """One line; for refusals also when it comes to them, and which of several it is."""
    alike: dict[str, list[Answer]] = {}
    for one in those if status >= 400 else ():
        alike.setdefault(_body([one]), []).append(one)
    whens = {body: _when(its, operation, working) for body, its in alike.items()}
    yield f"- {status}{_body(those)}{f': {whens.popitem()[1]}' if len(whens) == 1 else ''}"
    yield from (f"  - {body.removeprefix(' with ').strip() or 'else'}: {when}" for body, when in whens.items())


def _body(those: Sequence[Answer]) -> str:
    shape = shape_of(those)
    if shape.times:
        return f" with `{shape}`"
    if all(one.expected.body == Exactly("") for one in those):
        return " with an empty body"
    types = sorted({one.expected.content for one in those if one.expected.content})
    return f" as {', '.join(f'`{one}`' for one in types)}" if types else ""


def _when(those: Sequence[Answer], operation: Operation, working: Working | None) -> str:
    """The circumstances, in the words of the tests; `again` for what was well when it was asked first."""
    found: dict[str, None] = {}
    for one in those:
        step, before = one.expected.step, one.test.scenario.steps[: one.at]
        is_again = working is not None and step == working.own and any(step.endpoint == other.endpoint for other in before)  # fmt: skip
        found["again" if is_again else one.test.scenario.title.removeprefix(words_of(operation)).strip()] = None
    shown = list(found)[:MOST_CIRCUMSTANCES]
    more = len(found) - len(shown)
    return "; ".join([*shown, *([f"and {more} more"] if more else [])])


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
