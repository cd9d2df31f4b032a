"""Values to try: valid-looking ones by schema or by name, and faulty ones made from what was taken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from .records import DIGITS, UNIQUE, Json, Parameter

NUMBERS = re.compile(r"count|number|amount|price|quantity|weight|size|limit|offset|page|age|year|max|min|total|score|rating|stars|minutes|seconds|hours|days|value|level|capacity|seats|copies|servings|_g$|_kg$|_id$|Id$", re.IGNORECASE)  # fmt: skip
LISTS = re.compile(r"(?<!s)s$|list$|items$", re.IGNORECASE)
FLAGS = re.compile(r"^(is|has|can)_?[A-Z_]|enabled|active|done|completed|available|public|private|archived|published", re.IGNORECASE)  # fmt: skip
LONGEST = 1_000
"""Characters of a text that is made too long."""


def by_schema(name: str, schema: Json) -> Json:
    """One valid value, as far as a schema tells."""
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    match schema.get("type"):
        case "integer":
            return _number(schema, step=1)
        case "number":
            value = _number(schema, step=1)
            return value if isinstance(value, int) else round(value, 3)
        case "boolean":
            return True
        case "array":
            item = by_schema(_singular(name), schema.get("items") or {"type": "string"})
            return [item] * max(1, schema.get("minItems", 1)) if not isinstance(item, str) or schema.get("minItems", 1) < 2 else [f"{item}{n}" for n in range(schema["minItems"])]  # fmt: skip
        case "object":
            return {key: by_schema(key, field) for key, field in schema.get("properties", {}).items()}
        case "string":
            return _text(name, schema)
        case _:
            if "properties" in schema:
                return {key: by_schema(key, field) for key, field in schema["properties"].items()}
            return named(name)[0]


def _number(schema: Json, step: int) -> int | float:
    low, high = whole(schema.get("minimum")), whole(schema.get("maximum"))
    if low is None and isinstance(schema.get("exclusiveMinimum"), int | float):
        low = schema["exclusiveMinimum"] + step
    if high is None and isinstance(schema.get("exclusiveMaximum"), int | float):
        high = schema["exclusiveMaximum"] - step
    multiple = schema.get("multipleOf")
    value = 7 if low is None else max(low, min(7, high if high is not None else 7))
    if high is not None and value > high:
        value = high
    return multiple * max(1, round(value / multiple)) if multiple else value


def _text(name: str, schema: Json) -> str:
    formats = {
        "email": f"{UNIQUE}@example.org", "date": "2024-05-17", "date-time": "2024-05-17T09:30:00Z", "time": "09:30:00",
        "uri": f"https://example.org/{UNIQUE}", "url": f"https://example.org/{UNIQUE}", "ipv4": "192.0.2.7",
        "uuid": "0b8f5c1e-4d3a-4f6b-9a57-2f1c7e9d8a64",
    }  # fmt: skip
    if schema.get("format") in formats:
        return formats[schema["format"]]
    text = str(named(name)[0]) if isinstance(named(name)[0], str) else f"{name}-{UNIQUE}"
    longest, shortest = schema.get("maxLength"), schema.get("minLength", 0)
    if longest is not None and longest < len(text) - len(UNIQUE) + 10:
        text = UNIQUE if longest >= 10 else "abcdefghij"[: max(1, longest)]
    written = len(text.replace(UNIQUE, "x" * 10))
    return text + "x" * max(0, shortest - written)


def named(name: str) -> list[Json]:
    """Values for a field of that name, the likeliest first."""
    low = name.lower()
    text = f"{name}-{UNIQUE}"
    if "email" in low or low == "mail":
        return [f"{UNIQUE}@example.org", text]
    if "url" in low or "uri" in low or "link" in low or "website" in low:
        return [f"https://example.org/{UNIQUE}", text]
    if "password" in low or "secret" in low:
        return [f"Aa1!{UNIQUE}", text]
    if low.endswith(("_at", "_time", "timestamp", "datetime")) or low == "at":
        return ["2024-05-17T09:30:00Z", "2024-05-17T09:30:00", 1715938200, "2024-05-17", text]
    if "currency" in low:
        return ["EUR", text]
    if "date" in low or low.endswith("_on") or low in ("from", "to", "start", "end", "day"):
        time = "2024-05-17T10:30" if low in ("to", "end") else "2024-05-17T09:30"
        return ["2024-05-17", f"{time}:00Z", time, text]
    if "phone" in low:
        return [f"+1{DIGITS}", DIGITS, text]
    if "isbn" in low:
        return [f"978{DIGITS}", "9780306406157", text]
    if FLAGS.search(name):
        return [True, False, text, 1]
    if NUMBERS.search(name):
        return [7, 1, 7.5, text]
    if LISTS.search(name):
        return [[f"{_singular(name)}-{UNIQUE}"], [f"{_singular(name)}-{UNIQUE}", f"other-{UNIQUE}"], text, 7]
    return [text, UNIQUE, "abc", 7]


def candidates(field: Parameter, references: Iterable[tuple[int, Json]], words: Iterable[str]) -> list[Json]:
    """What to try for a field, in order, none twice."""
    found: list[Json] = []
    schema = field.schema_
    if schema:
        found += [by_schema(field.name, schema), *(schema.get("enum") or [])]
    ranked = list(references)
    found += [value for rank, value in ranked if rank < 2]
    found += named(field.name)
    found += [value for rank, value in ranked if rank >= 2]
    found += [
        f"{field.name}-{UNIQUE}",
        UNIQUE,
        DIGITS,
        7,
        1,
        1.5,
        True,
        [f"{field.name}-{UNIQUE}"],
        ["one", "two"],
        [7],
        {},
    ]
    found += list(words)
    distinct: list[Json] = []
    for value in found:
        if not any(same(value, other) for other in distinct):
            distinct.append(value)
    return distinct


def same(one: Json, other: Json) -> bool:
    """Equal, and not as 1 and True are."""
    return type(one) is type(other) and one == other


def faulty(field: Parameter, taken: Json) -> Iterator[tuple[str, Json]]:
    """Words and value: what should not be taken where `taken` was."""
    schema = field.schema_
    if schema.get("nullable") is not True:
        yield "null", None
    if isinstance(taken, bool):
        yield "a text", "maybe"
    elif isinstance(taken, int | float):
        yield "a text", "many"
        low, high = whole(schema.get("minimum")), whole(schema.get("maximum"))
        yield ("below its minimum", low - 1) if low is not None else ("negative", -1)
        if low is None:
            yield "zero", 0
        if high is not None:
            yield "above its maximum", high + 1
        if isinstance(taken, int):
            yield "a fraction", taken + 0.5
    elif isinstance(taken, str):
        yield "a number", 12345
        yield "empty", ""
        if schema.get("enum"):
            yield "unknown", "no-such-value"
        elif schema.get("maxLength") is None:
            yield "too long", "x" * LONGEST
        elif schema["maxLength"] <= 5 * LONGEST:
            yield "too long", "x" * (schema["maxLength"] + 1)
        if not schema or "format" in schema or "pattern" in schema:
            yield "of another form", "?"
    elif isinstance(taken, list):
        yield "a text", "one"
        yield "empty", []
        yield "with something twice", [*taken, taken[0]] if taken else [1, 1]
        yield "of numbers", [12345]
    elif isinstance(taken, dict):
        yield "a text", "one"
        yield "empty", {}


def _singular(name: str) -> str:
    return name[:-1] if name.endswith("s") and len(name) > 2 else name


def leaves(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Json]]:
    """The paths of all scalars and lists in a JSON value."""
    if isinstance(value, dict):
        if depth < 4:
            for key, item in value.items():
                if re.fullmatch(r"[\w-]+", str(key)):
                    yield from leaves(item, f"{path}.{key}" if path else str(key), depth + 1)
    elif isinstance(value, list):
        yield path, value
        if depth < 4:
            for number, item in enumerate(value[:3]):
                yield from leaves(item, f"{path}.{number}" if path else str(number), depth + 1)
    elif value is not None:
        yield path, value


def whole(number: Json) -> Json:
    """A bound as people write it: 1 for 1.0."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def plain(name: str) -> str:
    """A name without case and marks: what `book_id`, `bookId` and `Book-Id` have in common."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
