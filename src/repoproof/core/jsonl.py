"""Files of one JSON object a line, and complaints that name the line."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple, NoReturn, TypeVar, Union, cast, get_args, get_origin

from annotated_types import Ge, Interval, Le
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from .errors import BadInput
from .user_files import opened

JsonObject = dict[str, Any]
Record = TypeVar("Record", bound=BaseModel)


class Line(NamedTuple):
    number: int
    """From 1."""
    value: JsonObject


def read_jsonl(file: Path) -> Iterator[Line]:
    """The objects of a file, one a line; blank lines, CRLF and a byte-order mark are nothing to complain about.

    `BadInput` names file, line and column.
    """
    with opened(file) as lines:
        for number, raw in enumerate(lines, start=1):
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if raw.strip():
                yield Line(number, parse_object(raw, file=file, line=number))


def read_json(file: Path) -> JsonObject:
    """The one object of a file; `BadInput` names line and column."""
    with opened(file) as content:
        return parse_object(content.read().removeprefix(b"\xef\xbb\xbf"), file=file, line=None)


def parse_object(raw: bytes, *, file: Path, line: int | None) -> JsonObject:
    """One JSON object, strictly: UTF-8, no key twice, no NaN. `line` is where `raw` begins; None for a whole file."""
    try:
        value = json.loads(raw.decode(), object_pairs_hook=_without_duplicates, parse_constant=_no_such_number)
    except UnicodeDecodeError as error:
        raise BadInput(f"not UTF-8 at byte {error.start + 1}", file=file, line=line, mend="save it as UTF-8") from None
    except json.JSONDecodeError as error:
        where = line if line is not None else error.lineno
        mend = "each line is one {...}" if line is not None else "correct the syntax"
        raise BadInput(f"not JSON: {error.msg} at column {error.colno}", file=file, line=where, mend=mend) from None
    except (_NotStrict, RecursionError) as error:
        problem = str(error) if isinstance(error, _NotStrict) else "nested too deep"
        raise BadInput(problem, file=file, line=line) from None
    except ValueError:
        # Python bounds the digits of a whole number, since reading them takes quadratic time.
        raise BadInput("a number of thousands of digits", file=file, line=line) from None
    if not isinstance(value, dict):
        raise BadInput("not a JSON object", file=file, line=line, mend="each line is one {...}" if line else None)
    return cast(JsonObject, value)


def to_record(
    type_: type[Record],
    value: Mapping[str, object],
    *,
    file: Path | None = None,
    line: int | None = None,
    subject: str | None = None,
) -> Record:
    """`value` as a record; `BadInput` names the first wrong field and how many others there are."""
    try:
        return type_.model_validate(value)
    except ValidationError as error:
        # A misspelt field is said before the one that is missing on its account.
        errors = sorted(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
        first = errors[0]
        problem, mend = _in_words(first, type_)
        if len(errors) > 1:
            fields = ", ".join(dict.fromkeys(_dotted(other["loc"]) for other in errors[1:4]))
            problem += f"; {len(errors) - 1} more: {fields}{', ...' if len(errors) > 4 else ''}"
        place = _dotted(first["loc"])
        raise BadInput(problem, file=file, line=line, subject=subject, field=place, mend=mend) from None


class _NotStrict(ValueError):
    """JSON that parsers disagree about."""


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _NotStrict(f'key "{twice}" is there twice')
    return value


def _no_such_number(name: str) -> NoReturn:
    raise _NotStrict(f"{name} is not JSON")


def _dotted(location: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")


def _in_words(error: ErrorDetails, type_: type[BaseModel]) -> tuple[str, str | None]:
    """What is wrong with a field, and what would be right."""
    owner = _model_at(type_, error["loc"][:-1])
    fields = owner.model_fields if owner else {}
    name = str(error["loc"][-1]) if error["loc"] else ""
    given = _short(error["input"])
    match error["type"]:
        case "missing":
            return "missing", _meaning(fields.get(name)) or "add it"
        case "extra_forbidden":
            close = difflib.get_close_matches(name, fields, n=1)
            return "unknown field", f"did you mean {close[0]!r}?" if close else f"known: {', '.join(sorted(fields))}"
        case "greater_than_equal" | "less_than_equal" if (bounds := _bounds(fields.get(name))) is not None:
            return f"{given} is not in {bounds[0]}..{bounds[1]}", _meaning(fields.get(name))
        case "string_pattern_mismatch":
            pattern = error.get("ctx", {}).get("pattern")
            return f"{given} is not as it must be", f"it must match {pattern}"
        case "value_error" | "assertion_error":
            return error["msg"].split(", ", 1)[-1], None
        case _:
            # Records hold tuples, and JSON knows lists.
            message = (error["msg"][:1].lower() + error["msg"][1:]).replace("valid tuple", "list")
            return f"{given}: {message}", _meaning(fields.get(name))


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 80 else text[:77] + "..."


def _meaning(field: FieldInfo | None) -> str | None:
    """The first sentence of a field's documentation."""
    if field is None or not field.description:
        return None
    words = " ".join(field.description.split("\n\n")[0].split())
    # Three dots are no end.
    sentence = re.split(r"(?<!\.\.)\. ", words, maxsplit=1)[0]
    return sentence if sentence.endswith("...") else sentence.rstrip(".")


def _bounds(field: FieldInfo | None) -> tuple[Any, Any] | None:
    if field is None:
        return None
    low = next((m.ge for m in field.metadata if isinstance(m, Ge | Interval) and m.ge is not None), None)
    high = next((m.le for m in field.metadata if isinstance(m, Le | Interval) and m.le is not None), None)
    return None if low is None or high is None else (low, high)


def _model_at(type_: type[BaseModel], location: tuple[int | str, ...]) -> type[BaseModel] | None:
    """The model that a location inside `type_` lies in; None where it is not plain to see."""
    found: type[BaseModel] | None = type_
    for part in location:
        if isinstance(part, int):
            continue
        field = found.model_fields.get(part) if found else None
        models = _models_in(field.annotation) if field else []
        found = models[0] if len(models) == 1 else None
    return found


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and get_origin(annotation) is None and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in (Union, UnionType, tuple, list, dict, frozenset, set):
        return [model for argument in get_args(annotation) for model in _models_in(argument)]
    return []
