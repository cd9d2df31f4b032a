"""Tests that people read: one file an area, one function a scenario, nothing of ours but a file beside them."""

from __future__ import annotations

import json
import keyword
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from .forms import Among, Exactly, Expected, Fields, Form, Items, Like, SameAs, Some, Stable, Written
from .records import Json
from .wrapping import wrapped

_REFERENCE = re.compile(r"\$\{([^}]*)\}")
_WORD = re.compile(r"\$\{(unique|digits)\}")
"""All that can be a reference in what a service answered: the rest that looks like one is its own text."""
ALIKE = 3
"""Tests that begin alike share a function from so many on."""
WORDS = ("ANYTHING", "FLAG", "INTEGER", "LIST", "NUMBER", "OBJECT", "TEXT", "Among", "text")
"""What tests import."""

SUPPORT = '''"""The service under test, and words for what it answers. Written by `repoproof build`; yours to edit."""

import math
import os
import re
import uuid

import pytest
import requests

BASE = os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:PORT").rstrip("/")


class Like:
    """A value of a type, and a text that a pattern matches as a whole."""

    def __init__(self, *types, pattern=None):
        self.types, self.pattern = types, pattern

    def __eq__(self, value):
        if isinstance(value, bool) and bool not in self.types:
            return False
        return isinstance(value, self.types) and (self.pattern is None or re.fullmatch(self.pattern, value) is not None)

    def __repr__(self):
        return self.pattern or " or ".join(one.__name__ for one in self.types)


class Among(list):
    """A list that has these in it, among others."""


TEXT, INTEGER, NUMBER, FLAG = Like(str), Like(int), Like(int, float), Like(bool)
LIST, OBJECT, ANYTHING = Like(list), Like(dict), Like(object)


def text(pattern):
    return Like(str, pattern=pattern)


def differences(expected, value, place="body"):
    """What is wrong with `value`, one line each. An object may have more fields than are expected."""
    if isinstance(expected, dict):
        if not isinstance(value, dict):
            return [f"{place} is no object: {value!r}"]
        lacking = [f"{place} has no {name!r}" for name in expected if name not in value]
        return lacking + [line for name in expected if name in value for line in differences(expected[name], value[name], f"{place}.{name}")]
    if isinstance(expected, Among):
        if not isinstance(value, list):
            return [f"{place} is no list: {value!r}"]
        return [f"{place} lacks {item!r}" for item in expected if all(differences(item, other) for other in value)]
    if isinstance(expected, list):
        if not isinstance(value, list) or len(value) != len(expected):
            return [f"{place} is {value!r}, not {expected!r}"]
        return [line for n, item in enumerate(expected) for line in differences(item, value[n], f"{place}.{n}")]
    if isinstance(expected, bool) != isinstance(value, bool) and not isinstance(expected, Like):
        return [f"{place} is {value!r}, not {expected!r}"]
    return [] if expected == value or nearly(expected, value) else [f"{place} is {value!r}, not {expected!r}"]


def nearly(expected, value):
    """Whether it is the same but for the last digits, as sums in another order are."""
    return isinstance(expected, float) and isinstance(value, (int, float)) and math.isclose(expected, value, rel_tol=1e-9)


class Answer:
    def __init__(self, response):
        self.status, self.text = response.status_code, response.text
        self.type = response.headers.get("Content-Type", "").partition(";")[0]
        try:
            self.body = response.json()
        except ValueError:
            self.body = self.text

    def has(self, status, *body, type=None):
        """Checks status and body; returns the body."""
        assert self.status == status, f"status {self.status}, not {status}: {self.text[:500]}"
        wrong = [line for expected in body for line in differences(expected, self.body)]
        assert not wrong, "; ".join(wrong)
        assert type in (None, self.type), f"type {self.type}, not {type}"
        return self.body


class Api:
    """Requests below the base URL, none of which waits longer than ten seconds."""

    def __init__(self, session):
        self.session = session

    def __getattr__(self, method):
        def send(path, **request):
            return Answer(self.session.request(method.upper(), BASE + path, timeout=10, **request))

        return send


@pytest.fixture
def api():
    with requests.Session() as session:
        session.headers["Accept"] = "application/json, */*"
        yield Api(session)


@pytest.fixture
def unique():
    """A word that no other test, and no earlier run, has used."""
    return "".join("bcdfghjkmnpqrstv"[int(digit, 16)] for digit in uuid.uuid4().hex[:10])


@pytest.fixture
def digits(unique):
    """The same, as ten digits."""
    return "".join(str(ord(letter) % 10) for letter in unique)
'''


def write_tests(folder: Path, stable: Sequence[Stable], *, port: int) -> dict[str, Stable]:
    """Write the tests of `stable` to `folder` (must be empty or not there); returns test id -> what it tests."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "conftest.py").write_text(
        "from expect import api, digits, unique  # noqa: F401 -- fixtures\n", encoding="utf-8"
    )
    (folder / "expect.py").write_text(SUPPORT.replace("PORT", str(port)), encoding="utf-8")
    areas: dict[str, list[Stable]] = {}
    for one in stable:
        areas.setdefault(one.scenario.area, []).append(one)
    ids: dict[str, Stable] = {}
    for area, tests in sorted(areas.items()):
        module = _Module(area, tests)
        (folder / module.file).write_text(module.text(), encoding="utf-8")
        ids.update(module.ids)
    return ids


class _Module:
    """The tests of one area, and functions for how they begin where many begin alike."""

    def __init__(self, area: str, tests: Sequence[Stable]) -> None:
        self.area, self.file = area, f"test_{area}.py"
        self.ids: dict[str, Stable] = {}
        self.beginnings: list[tuple[Expected, str]] = []
        counts = Counter(repr(one.expected[0]) for one in tests if len(one.expected) > 1)
        taken = {"api", "digits", "unique", "text"}
        for one in tests:
            first = one.expected[0]
            if counts[repr(first)] >= ALIKE and not any(_same(first, other) for other, _ in self.beginnings):
                self.beginnings.append((first, _distinct(f"new_{_noun(first)}", taken)))
        names: set[str] = set()
        for one in tests:
            self.ids[f"{self.file}::{_distinct(_function_name(one.scenario.title), names)}"] = one

    def text(self) -> str:
        functions = [self._beginning(expected, name) for expected, name in self.beginnings]
        functions += [self._test(id.partition("::")[2], one) for id, one in self.ids.items()]
        text = "\n\n\n".join(functions)
        used = [word for word in WORDS if re.search(rf"(?<![\w.]){word}\b(?!=)", text)]
        imports = f"from expect import {', '.join(used)}\n\n\n" if used else "\n"
        about = (
            f'"""Recorded from the reference: {self.area.replace("_", " ")}. Each test makes the data that it needs."""'
        )
        return f"{about}\n\n{imports}{text}\n"

    def _beginning(self, expected: Expected, name: str) -> str:
        return _function(name, [f"return {_call(expected, {})}"])

    def _test(self, name: str, stable: Stable) -> str:
        expected = stable.expected
        used = {int(at) for one in expected for at in re.findall(r"\$\{(\d+)[.}]", json.dumps(one.step.model_dump()))}
        used |= {at for one in expected for at in _steps_in(one.body)}
        names = _body_names(expected, used)
        lines = []
        for at, one in enumerate(expected):
            begun = next(
                (f"{begin}({_fixtures(_call(one, {}))})" for other, begin in self.beginnings if _same(one, other)), None
            )
            call = begun or _call(one, names)
            lines.append(f"{names[at]} = {call}" if at in used else call)
        return _function(name, lines)


def _same(one: Expected, other: Expected) -> bool:
    return repr(one) == repr(other)


def _function(name: str, lines: Sequence[str]) -> str:
    return f"def {name}({_fixtures(' '.join(lines))}):\n" + "\n".join(wrapped(line, 4) for line in lines)


def _fixtures(code: str) -> str:
    return ", ".join(
        ["api", *(name for name in ("unique", "digits") if re.search(rf"(?<![\w\"'.-]){name}\b(?!['\"])", code))]
    )


def _function_name(title: str) -> str:
    return f"test_{re.sub(r'[^a-z0-9]+', '_', title.lower()).strip('_')}"[:120]


def _distinct(name: str, taken: set[str]) -> str:
    distinct, number = name, 2
    while distinct in taken:
        distinct, number = f"{name}_{number}", number + 1
    taken.add(distinct)
    return distinct


def _steps_in(form: Form | None) -> Iterator[int]:
    match form:
        case SameAs(step=step):
            yield step
        case Fields(fields):
            for _, one in fields:
                yield from _steps_in(one)
        case Items(items) | Among(items):
            for one in items:
                yield from _steps_in(one)
        case _:
            pass


def _body_names(expected: Sequence[Expected], used: set[int]) -> dict[int, str]:
    """A variable for each body that is spoken of later: `parcel`, `scan_2`."""
    taken = {"api", "digits", "unique", "text"}
    return {at: _distinct(_noun(expected[at]), taken) for at in sorted(used)}


def _noun(one: Expected) -> str:
    """What an answer is, by the last literal of its path: `parcel`."""
    parts = [part for part in one.step.endpoint.partition(" ")[2].split("/") if part and "{" not in part]
    word = re.sub(r"\W+", "_", parts[-1]).lower() if parts else "answer"
    word = f"{word[:-3]}y" if word.endswith("ies") else word[:-1] if re.search(r"[^s]s$", word) else word
    return word if word.isidentifier() and not keyword.iskeyword(word) else f"{word}_".lstrip("0123456789") + "answer"


def _call(one: Expected, names: dict[int, str]) -> str:
    step = one.step
    given = [_path(step.path, names)]
    if step.query:
        given.append(f"params={_value(step.query, names)}")
    headers = {**step.headers, **({"Content-Type": "application/json"} if step.raw else {})}
    if headers:
        given.append(f"headers={_value(headers, names)}")
    if step.raw:
        given.append(f"data={_quoted(step.raw)}")
    elif step.body is not None:
        given.append(f"json={_value(step.body, names)}")
    wanted = [str(one.status)]
    if one.body is not None:
        wanted.append(_form(one.body, names))
    if one.content:
        wanted.append(f"type={_quoted(one.content)}")
    return f"api.{step.method.lower()}({', '.join(given)}).has({', '.join(wanted)})"


def _path(path: str, names: dict[int, str]) -> str:
    return _template(path, names, in_path=True)


def _value(value: Json, names: dict[int, str]) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{_quoted(str(key))}: {_value(item, names)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(_value(item, names) for item in value) + "]"
        case str() if len(value) > 60 and len(set(value)) == 1:
            return f"{_quoted(value[0])} * {len(value)}"
        case str():
            return _template(value, names)
        case _:
            return repr(value)


def _template(
    text: str, names: dict[int, str], reference: re.Pattern[str] = _REFERENCE, *, in_path: bool = False
) -> str:
    """A text with references as Python: `unique`, `parcel["id"]`, `f"/parcels/{parcel['id']}"`."""
    if (whole := reference.fullmatch(text)) and not in_path:
        return _referred(whole[1], names)
    if not reference.search(text):
        return _quoted(text)
    parts = []
    at = 0
    for match in reference.finditer(text):
        parts.append(_escaped(text[at : match.start()]))
        parts.append("{" + _referred(match[1], names).replace('"', "'") + "}")
        at = match.end()
    return 'f"' + "".join(parts) + _escaped(text[at:]) + '"'


def _escaped(text: str) -> str:
    return _quoted(text)[1:-1].replace("{", "{{").replace("}", "}}")


def _referred(reference: str, names: dict[int, str]) -> str:
    if reference in ("unique", "digits"):
        return reference
    step, _, path = reference.partition(".")
    return names[int(step)] + _index(path)


def _index(path: str) -> str:
    return "".join(f"[{part}]" if part.isdecimal() else f"[{_quoted(part)}]" for part in path.split(".") if part)


def _form(form: Form, names: dict[int, str]) -> str:
    match form:
        case Exactly(value):
            return _exactly(value)
        case Written(template):
            return _template(template, names, _WORD)
        case SameAs(step, path):
            return names[step] + _index(path)
        case Some(kind):
            return {"text": "TEXT", "integer": "INTEGER", "number": "NUMBER", "flag": "FLAG", "list": "LIST", "object": "OBJECT"}.get(kind, "ANYTHING")  # fmt: skip
        case Like(pattern):
            return "TEXT" if pattern == r"(?s).*" else f"text(r{_quoted(pattern, raw=True)})"
        case Fields(fields):
            return "{" + ", ".join(f"{_quoted(name)}: {_form(one, names)}" for name, one in fields) + "}"
        case Items(items):
            return "[" + ", ".join(_form(one, names) for one in items) + "]"
        case Among(items):
            return "Among([" + ", ".join(_form(one, names) for one in items) + "])"
        case _:
            raise AssertionError(form)


def _exactly(value: Json) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(str(key))}: {_exactly(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_exactly, value)) + "]"
    return repr(value)


def _quoted(text: str, *, raw: bool = False) -> str:
    if raw:
        return f'"{text}"' if '"' not in text else f"'{text}'"
    shown = repr(text)
    return '"' + shown[1:-1].replace('"', '\\"') + '"' if shown[0] == "'" else shown
