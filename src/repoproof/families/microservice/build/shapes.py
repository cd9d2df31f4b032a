"""What the answers to an endpoint look like, all tests taken together: kinds of fields, and the very values that tests ask for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .forms import Among, Exactly, Expected, Fields, Form, Items, Like, SameAs, Some, Stable, Written, kind_of
from .records import Json
from .values import leaves, same

MOST_LITERALS = 12
"""Texts of one field that are listed; where there are more, or a long one, they are no enumeration."""
LONGEST = 40


@dataclass(frozen=True)
class Answer:
    """What step `at` of a test is answered with."""

    test: Stable
    at: int

    @property
    def expected(self) -> Expected:
        return self.test.expected[self.at]


@dataclass
class Shape:
    """All that was expected in one place. As text: `{id: text, state: "open" | "closed", note?: text | null}`."""

    times: int = 0
    kinds: dict[str, None] = field(default_factory=dict)
    """Where any value of a kind will do."""
    literals: list[Json] = field(default_factory=list)
    """Values that tests ask for though no request had them."""
    fields: dict[str, Shape] | None = None
    items: Shape | None = None

    def __str__(self) -> str:
        said = [*self.kinds, *self._literals()]
        if self.fields is not None:
            inner = (f"{name}{'?' if one.times < self.times else ''}: {one}" for name, one in self.fields.items())
            said.append(f"{{{', '.join(inner)}}}")
        if self.items is not None:
            said.append(f"[{self.items}, ...]" if self.items.times else "[]")
        wider = {"integer": "number" in said, "list": bool(self.items and self.items.times), "[]": "list" in said, "anything": len(said) > 1}  # fmt: skip
        said = [one for one in said if not wider.get(one)]
        return " | ".join(dict.fromkeys(said)) or "anything"

    def _literals(self) -> Iterator[str]:
        by_kind: dict[str, list[Json]] = {}
        for one in self.literals:
            by_kind.setdefault("null" if one is None else kind_of(one), []).append(one)
        for kind, values in by_kind.items():
            if kind == "text":
                listed = len(values) <= MOST_LITERALS and all(len(one) <= LONGEST for one in values)
            else:
                listed = len(values) == 1 and not self.kinds.keys() & {kind, "number"}
            yield from (json.dumps(one, ensure_ascii=False) for one in values) if listed else (kind,)


def shape_of(answers: Iterable[Answer]) -> Shape:
    """The shape of bodies that are JSON; never `times` for none."""
    shape = Shape()
    for one in answers:
        if one.expected.body not in (None, Exactly("")):
            _add(shape, one.expected.body, one, "")
    return shape


def _add(shape: Shape, form: Form | None, answer: Answer, name: str) -> None:
    """Add what is expected of a field of that name in `answer`."""
    if isinstance(form, SameAs):
        _add(shape, _referred(answer.test, form.step, form.path), Answer(answer.test, form.step), name)
        return
    shape.times += 1
    match form:
        case Fields(fields):
            _add_fields(shape, fields, answer)
        case Exactly(dict() as value):
            _add_fields(shape, [(str(key), Exactly(one)) for key, one in value.items()], answer)
        case Items(items) | Among(items):
            _add_items(shape, items, answer, name)
        case Exactly(list() as values):
            _add_items(shape, [Exactly(one) for one in values], answer, name)
        case Exactly(value):
            if _was_sent(answer, value, name):
                shape.kinds[kind_of(value)] = None
            elif not any(same(value, one) for one in shape.literals):
                shape.literals.append(value)
        case Written():
            shape.kinds["text"] = None
        case Like(pattern):
            shape.kinds["text" if pattern.startswith("(?s)") else f"text like {pattern}"] = None
        case Some(kind):
            shape.kinds[kind] = None
        case _:
            shape.kinds["anything"] = None


def _add_fields(shape: Shape, fields: Iterable[tuple[str, Form]], answer: Answer) -> None:
    shape.fields = shape.fields or {}
    for name, form in fields:
        _add(shape.fields.setdefault(name, Shape()), form, answer, name)


def _add_items(shape: Shape, items: Iterable[Form], answer: Answer, name: str) -> None:
    shape.items = shape.items or Shape()
    for one in items:
        _add(shape.items, one, answer, name)


def _referred(test: Stable, step: int, path: str) -> Form | None:
    """What is expected at `path` in the body of an earlier step."""
    form = test.expected[step].body
    for part in path.split(".") if path else ():
        if isinstance(form, SameAs):
            form = _referred(test, form.step, form.path)
        match form:
            case Fields(fields):
                form = dict(fields).get(part)
            case Items(items) | Among(items) if part.isdecimal() and int(part) < len(items):
                form = items[int(part)]
            case Exactly(dict() as value):
                form = Exactly(value.get(part))
            case Exactly(list() as value) if part.isdecimal() and int(part) < len(value):
                form = Exactly(value[int(part)])
            case _:
                return None
    return form


def _was_sent(answer: Answer, value: Json, name: str) -> bool:
    """Whether a request so far had it: a text anywhere, what is more often equal by chance in a field of that name."""
    for step in answer.test.scenario.steps[: answer.at + 1]:
        for path, one in leaves({"body": step.body, "query": step.query}):
            if isinstance(value, str) and same(one, value):
                return True
            if path.rsplit(".", 1)[-1] == name and (same(one, value) or one == str(value)):
                return True
    return False
