"""What comes before a request: the requests that make what it names, and those that say who asks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from .records import DIGITS, UNIQUE, Exchange, Json, Operation, Step
from .values import leaves, plain

TOKENS = ("token", "accesstoken", "authtoken", "jwt", "sessiontoken", "idtoken", "bearer")

PARAMETER = re.compile(r"\{([^}]*)\}")
_REFERENCE = re.compile(r"\$\{(\d+)")


@dataclass(frozen=True)
class Working:
    """An operation with requests that succeed."""

    operation: Operation
    steps: tuple[Step, ...]
    """What comes before, and last the operation's own."""
    answer: Exchange
    """The last step's."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Path parameter -> what stands for it."""
    alternatives: tuple[tuple[str, Json], ...] = ()
    """Other values that its fields were seen to take."""

    @property
    def own(self) -> Step:
        return self.steps[-1]

    @property
    def before(self) -> tuple[Step, ...]:
        return self.steps[:-1]


@dataclass(frozen=True)
class Context:
    """What an operation is tried after."""

    steps: tuple[Step, ...]
    answers: tuple[Exchange, ...]
    parameters: Mapping[str, str]
    headers: Mapping[str, str] = field(default_factory=dict)
    """That the operation is sent with: who asks."""
    body: Mapping[str, Json] = field(default_factory=dict)
    """What its body begins with: values that an earlier request gave as well."""

    def after(self, other: Working) -> Context:
        """The same, with what `other` does before it all."""
        by = len(self.steps)
        answers = (*self.answers, *(Exchange(status=200) for _ in other.before), other.answer)
        return replace(self, steps=(*self.steps, *shifted(other.steps, by)), answers=answers)


def contexts(operation: Operation, others: Sequence[Working]) -> list[Context]:
    """The likeliest first."""
    names = PARAMETER.findall(operation.path)
    if not names:
        return [Context((), (), {})]
    found = []
    for producer in _producers(operation.path, others):
        # What is made elsewhere (`/rooms/{id}/bookings`) has parameters of its own.
        known = producer.parameters if operation.path.startswith(producer.operation.path.rstrip("/")) else {}
        missing = [name for name in names if name not in known]
        if len(missing) <= 1:
            options = _identifiers(missing[0], producer) if missing else [""]
            for option in options[:4]:
                parameters = {**known, missing[0]: option} if missing else known
                found.append(Context(producer.steps, answers_of(producer), {name: parameters[name] for name in names}))  # fmt: skip
    if operation.method in ("PUT", "POST") and not found:
        # The client chooses: what is put there is there.
        found.append(Context((), (), {name: f"{name.replace('_', '-')}-{UNIQUE}" for name in names}))
        if operation.method == "PUT":
            found.append(Context((), (), dict.fromkeys(names, DIGITS)))
    return found


def _producers(path: str, others: Sequence[Working]) -> list[Working]:
    """What makes what the parameters of `path` name: a POST to the path before the last parameter, or to one that ends so, or a PUT to where
    it ends."""
    found: list[Working] = []
    ends = [match.end() for match in PARAMETER.finditer(path)][::-1]
    starts = [match.start() for match in PARAMETER.finditer(path)][::-1]
    for start, end in zip(starts, ends, strict=True):
        collection = path[:start].rstrip("/")
        for working in others:
            its = working.operation
            ends_so = its.path.rstrip("/").endswith(collection) if collection else its.path == "/"
            at_collection = its.method == "POST" and ends_so
            at_item = its.method in ("PUT", "POST") and its.path == path[:end] and working.parameters
            if at_collection or at_item:
                found.append(working)
    return found


def _identifiers(name: str, producer: Working) -> list[str]:
    """What could stand for a path parameter, from what its producer answered."""
    at = len(producer.steps) - 1
    wanted = plain(name)
    scored = []
    for order, (path, value) in enumerate(leaves(producer.answer.json_)):
        if isinstance(value, bool | list) or not isinstance(value, str | int):
            continue
        last = plain(path.rsplit(".", 1)[-1])
        score = 0 if last == wanted else 1 if last == "id" else 2 if wanted.endswith(last) or last.endswith(wanted) else 3 if last.endswith(("id", "key", "code", "number", "slug", "name")) else 9  # fmt: skip
        if score < 9:
            scored.append((score, path.count("."), order, f"${{{at}.{path}}}"))
    return [reference for *_, reference in sorted(scored)]


def answers_of(working: Working) -> tuple[Exchange, ...]:
    return (*(Exchange(status=200) for _ in working.before), working.answer)


def further_contexts(
    operation: Operation, contexts: Sequence[Context], why: str, others: Sequence[Working]
) -> list[Context]:
    """After what else it may succeed: what gives a token, what was given the same fields, what makes what a field names."""
    found: list[Context] = []
    for context in contexts:
        if own := next((step.headers for step in reversed(context.steps) if step.headers), None):
            found.append(replace(context, headers=own))
        related = _related(operation, why, others)
        for working in (*related, *_tokens(others)):
            after = context.after(working)
            place = len(context.steps)
            last = shifted(working.steps, place)[-1]
            given = {**last.body, **working.parameters} if isinstance(last.body, dict) and working in related else {}
            names = [one.name for one in operation.fields]
            token = _token(working.answer, len(after.steps) - 1)
            headers = {"Authorization": f"Bearer {token}"} if token else dict(last.headers)
            found.append(replace(after, headers=headers, body={name: given[name] for name in names if name in given}))
    # A refusal of who asks is mended by saying who: those first.
    who = why.startswith(("401", "403"))
    return sorted(found, key=lambda one: bool(one.headers) != who)


def _related(operation: Operation, why: str, others: Sequence[Working]) -> list[Working]:
    """Operations whose requests have fields of the same names, or that make what a field is named after (`book_id`)."""
    names = {one.name for one in operation.fields} or set(re.findall(r"\w+", why))
    found: list[tuple[int, Working]] = []
    for working in others:
        its = working.operation
        if its.method != "POST" or its.endpoint == operation.endpoint:
            continue
        given = set(working.own.body) if isinstance(working.own.body, dict) else set()
        made = plain(_one_of(its.path.rstrip("/").rsplit("/", 1)[-1]))
        makes = [name for name in names if plain(name) in (made, f"{made}id") or name in working.parameters]
        if makes or len(names & given) > 1:
            found.append((-len(makes), working))
    return [working for _, working in sorted(found, key=lambda one: one[0])]


def _tokens(others: Sequence[Working]) -> list[Working]:
    """Operations that answer with a token, each also as it goes with other values of what comes before: another role."""
    found: list[Working] = []
    for working in others:
        if not _token(working.answer, 0):
            continue
        found.append(working)
        for at, step in enumerate(working.before):
            maker = next((one for one in others if str(one.operation.endpoint) == step.endpoint), None)
            for name, value in maker.alternatives if maker is not None else ():
                changed = step.model_copy(update={"body": {**step.body, name: value}})
                steps = (*working.steps[:at], changed, *working.steps[at + 1 :])
                found.append(replace(working, steps=steps))
    return found


def shifted(steps: Sequence[Step], by: int) -> tuple[Step, ...]:
    """The steps, made to follow `by` others."""

    def moved(value: Json) -> Json:
        if isinstance(value, dict):
            return {key: moved(item) for key, item in value.items()}
        if isinstance(value, list):
            return [moved(item) for item in value]
        return _REFERENCE.sub(lambda match: f"${{{int(match[1]) + by}", value) if isinstance(value, str) else value

    return tuple(Step.model_validate(moved(step.model_dump())) for step in steps) if by else tuple(steps)


def _one_of(collection: str) -> str:
    return f"{collection[:-3]}y" if collection.endswith("ies") else collection.removesuffix("s")


def _token(answer: Exchange, at: int) -> str:
    """A reference to the token in an answer; empty if it has none."""
    for path, value in leaves(answer.json_):
        if isinstance(value, str) and len(value) >= 8 and plain(path.rsplit(".", 1)[-1]) in TOKENS:
            return f"${{{at}.{path}}}"
    return ""
