"""Recordings as a person or a model may read them: what was asked in a row, and what of each answer is the same every time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from .forms import Among, Exactly, Expected, Fields, Form, Items, Like, SameAs, Some, Stable, Written
from .records import Json, Step

LONGEST = 120
"""Characters of one text; those that are made too long on purpose are much longer."""


def ranked(stable: Sequence[Stable]) -> Iterator[tuple[int, str]]:
    """Each as text with its rank: 0 for the first that ends with an endpoint and a status, 1 for the second, and so on.

    What is the same in every deployment is all that is in it, so that the same service has the same examples whenever it is recorded.
    """
    seen: dict[tuple[str, int], int] = {}
    for one in stable:
        last = one.expected[-1]
        ends = (last.step.endpoint, last.status)
        rank = seen[ends] = seen.get(ends, -1) + 1
        yield rank, _told(one)


def _told(one: Stable) -> str:
    return "\n".join(f"{number}. {_asked(each.step)}\n   {_answered(each)}" for number, each in enumerate(one.expected))


def _asked(step: Step) -> str:
    query = "&".join(f"{name}={value}" for name, value in step.query.items())
    headers = "".join(f" [{name}: {value}]" for name, value in step.headers.items())
    body = f" {step.raw}" if step.raw else "" if step.body is None else f" {_json(step.body)}"
    return f"{step.method} {step.path}{'?' if query else ''}{query}{headers}{body}"


def _answered(one: Expected) -> str:
    said = "" if one.body is None else " (empty)" if one.body == Exactly("") else f" {_json(_outline(one.body))}"
    return f"{one.status}{said}{f' ({one.content})' if one.content else ''}"


def _outline(form: Form) -> Json:
    match form:
        case Exactly(value):
            return value
        case Written(template):
            return template
        case SameAs(step=step, path=path):
            return f"${{{step}.{path}}}" if path else f"${{{step}}}"
        case Some(kind):
            return f"<{kind}>"
        case Like(pattern):
            return "<text>" if pattern.startswith("(?s)") else f"<text like {pattern}>"
        case Fields(fields):
            return {name: _outline(one) for name, one in fields}
        case Items(items):
            return [_outline(one) for one in items]
        case Among(items):
            return [*(_outline(one) for one in items), "..."]
        case _:
            raise AssertionError(form)


def _json(value: Json) -> str:
    return json.dumps(_shortened(value), ensure_ascii=False)


def _shortened(value: Json) -> Json:
    match value:
        case dict():
            return {key: _shortened(item) for key, item in value.items()}
        case list():
            return [_shortened(item) for item in value]
        case str() if len(value) > LONGEST:
            return f"{value[:20]}... ({len(value)} characters)"
        case _:
            return value
