"""Which scenarios to record: what each operation does, what a thing goes through, what is refused.

What a thing goes through is explored by state: after each row of writes all reads are made, and only a row whose reads are new is gone on
with. So every write is tried in every state that was found, a conflict as much as a success, and nothing is tried twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from ....analysis.endpoints import Endpoint, matches, normalise_path
from .before import Working
from .generate import Case
from .records import UNIQUE, Exchange, Json, Operation, Parameter, Played, Scenario, Step, is_unique
from .stage import Live
from .values import faulty

MOST_STATES = 12
"""Of one kind of thing."""
MOST_ROWS = 48
"""Of writes, for one kind of thing."""
DEEPEST = 4
MOST_REFUSALS = 24
"""Faulty bodies of one operation."""
MOST_CASES = 4
"""Valid and faulty ones each, that are made up for one operation."""
UNKNOWN_NUMBER = 987654321
UNKNOWN_UUID = "00000000-0000-4000-8000-0123456789ab"

_UUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_REFERENCE = re.compile(r"\$\{[^}]*\}")


@dataclass(frozen=True)
class Move:
    """Something done to a thing that is there: the steps after those that made it."""

    words: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Thing:
    """A kind of thing that can be made, with what reads it and what changes it."""

    maker: Working
    reads: tuple[Working, ...]
    lists: tuple[Working, ...]
    """Reads of all that there are."""
    moves: tuple[Move, ...]


class Planner:
    def __init__(self, live: Live, working: Sequence[Working], cases: Sequence[Case] = ()) -> None:
        self.live, self.working, self.cases = live, list(working), cases
        self.base = base_of(one.operation.path for one in working)
        self.found: dict[str, Scenario] = {}
        self._asked: set[str] = set()

    def plan(self) -> list[Scenario]:
        """The scenarios, none twice; some are tried on the way, to see what leads where."""
        for working in self.working:
            self._add(f"{_words(working)} works", working, working.steps)
        for thing in self._things():
            self._life(thing)
            self._variants(thing)
        for working in self.working:
            for title, steps in (
                *self._unknown(working),
                *self._refusals(working),
                *self._queries(working),
                *self._headers(working),
                *self._made_up_cases(working),
            ):  # fmt: skip
                self._add(title, working, steps)
        for title, working, steps in self._methods():
            self._add(title, working, steps)
        return list(self.found.values())

    def _add(self, title: str, working: Working, steps: Sequence[Step]) -> None:
        key = json.dumps([step.model_dump() for step in steps], sort_keys=True)
        if key in self._asked:
            return
        self._asked.add(key)
        name, number = title, 2
        while name in self.found:
            name, number = f"{title} {number}", number + 1
        self.found[name] = Scenario(title=name, area=area_of(working.operation.path, self.base), steps=tuple(steps))

    # Things and their lives.

    def _things(self) -> Iterator[Thing]:
        for maker in self.working:
            if maker.operation.method not in ("POST", "PUT"):
                continue
            about = [other for other in self.working if other is not maker and _follows(other, maker)]
            if not about and maker.operation.method == "POST" and maker.operation.path.count("{"):
                continue
            reads = tuple(one for one in about if one.operation.method == "GET" and len(one.steps) == len(maker.steps) + 1)  # fmt: skip
            lists = tuple(
                one for one in self.working
                if one.operation.method == "GET" and not one.before and one.operation.path.rstrip("/") == maker.operation.path.rstrip("/")
            )  # fmt: skip
            moves = [move for one in about if one.operation.method != "GET" for move in _moves(one, maker)]
            if maker.operation.method == "PUT":
                moves.append(Move(_words(maker), (maker.own,)))
            yield Thing(maker, reads, lists, tuple(moves))

    def _life(self, thing: Thing) -> None:
        maker = thing.maker
        seen: set[str] = set()
        rows: list[tuple[Move, ...]] = [()]
        count = 0
        while rows and count < MOST_ROWS:
            rows = rows[: MOST_ROWS - count]
            count += len(rows)
            scenarios = [self._row(thing, row) for row in rows]
            following: list[tuple[Move, ...]] = []
            for row, scenario, played in zip(rows, scenarios, self.live.play(scenarios), strict=True):
                self._add(scenario.title, maker, scenario.steps)
                last = len(maker.steps) + sum(len(move.steps) for move in row) - 1
                if len(played.exchanges) <= last or not played.exchanges[last].ok:
                    continue
                state = _state(played, last, len(thing.reads))
                if state not in seen and len(seen) < MOST_STATES and len(row) < DEEPEST:
                    seen.add(state)
                    following += [(*row, move) for move in thing.moves]
            rows = following

    def _row(self, thing: Thing, row: Sequence[Move]) -> Scenario:
        maker = thing.maker
        steps, sources = list(maker.steps), list(maker.steps)
        for move in row:
            self._follow(steps, sources, move.steps, len(maker.steps))
        for read in thing.reads if row else (*thing.reads, *thing.lists):
            steps += _placed(read.steps[len(maker.steps) :] or read.steps, len(maker.steps), len(steps))
        done = " then ".join(move.words for move in row)
        title = f"{_words(maker)} then {done}" if row else f"{_words(maker)} can be read back"
        return Scenario(title=title, area=area_of(maker.operation.path, self.base), steps=tuple(steps))

    def _follow(self, steps: list[Step], sources: list[Step], move: Sequence[Step], made: int) -> None:
        """Append a move to `steps`; what it needs and what is there from an earlier move is not done again. `sources` are the steps as
        they were before they were placed."""
        places = dict(enumerate(range(made)))
        for at, step in enumerate(move, made):
            if at < made + len(move) - 1 and step in sources[made:]:
                places[at] = made + sources[made:].index(step)
                continue
            places[at] = len(steps)
            steps.append(_moved(step, places))
            sources.append(step)

    def _variants(self, thing: Thing) -> None:
        """The thing made with other values of its fields, and again just as it was."""
        maker = thing.maker
        for name, value in maker.alternatives:
            own = maker.own.model_copy(update={"body": {**maker.own.body, name: value}})
            made = Working(maker.operation, (*maker.before, own), maker.answer, maker.parameters)
            row = self._row(Thing(made, thing.reads, thing.lists, ()), ())
            self._add(f"{_words(maker)} with {name} {_shown(value)}", maker, row.steps)
            for read in thing.reads:
                for after in self._as_owner(read, maker):
                    self._add(f"{_words(maker)} with {name} {_shown(value)} and {_words(read)} as its owner", maker, (*made.steps, after))  # fmt: skip
        if maker.operation.method == "POST":
            self._add(f"{_words(maker)} twice", maker, (*maker.steps, maker.own))

    def _as_owner(self, read: Working, maker: Working) -> Iterator[Step]:
        """The read with the headers that other operations on the same thing need."""
        for other in self.working:
            if (
                other.own.headers
                and other is not read
                and len(other.steps) == len(maker.steps) + 1
                and _follows(other, maker)
            ):
                yield read.own.model_copy(update={"headers": {**read.own.headers, **other.own.headers}})
                return

    # Refusals.

    def _unknown(self, working: Working) -> Iterator[tuple[str, tuple[Step, ...]]]:
        """What its path names is not there. Ends with the request as it should be, so that nothing passes by refusing everything."""
        for name, reference in working.parameters.items():
            if reference not in working.own.path:
                continue
            own = working.own.model_copy(update={"path": working.own.path.replace(reference, self._made_up(working, reference))})  # fmt: skip
            yield (
                f"{_words(working)} of an unknown {_spaced(name)}",
                (*working.before, own, working.own),
            )

    def _made_up(self, working: Working, reference: str) -> str:
        """An identifier of the same form that nothing has."""
        path = str(working.answer.sent.get("path", ""))
        at = working.own.path.split("/").index(reference) if reference in working.own.path.split("/") else -1
        actual = path.split("/")[at] if 0 <= at < len(path.split("/")) else ""
        if actual.isdecimal():
            return str(UNKNOWN_NUMBER)
        if _UUID.fullmatch(actual):
            return UNKNOWN_UUID
        return f"unknown-{UNIQUE}"

    def _refusals(self, working: Working) -> Iterator[tuple[str, tuple[Step, ...]]]:
        own = working.own
        if not working.operation.takes_body or not isinstance(own.body, dict):
            return
        bodies: list[tuple[str, Step]] = []
        for name in own.body:
            rest = {key: value for key, value in own.body.items() if key != name}
            bodies.append((f"without {name}", own.model_copy(update={"body": rest})))
        for name, taken in own.body.items():
            schema = next((one for one in working.operation.fields if one.name == name), Parameter(name=name))
            seen = taken
            if isinstance(taken, str) and _REFERENCE.fullmatch(taken) and taken != UNIQUE:
                seen = (working.answer.sent.get("body") or {}).get(name, taken)
                if isinstance(seen, int) and not isinstance(seen, bool):
                    unknown = own.model_copy(update={"body": {**own.body, name: UNKNOWN_NUMBER}})
                    bodies.append((f"with an unknown {_spaced(name)}", unknown))
            for words, value in faulty(schema, seen):
                bodies.append((f"with {name} {words}", own.model_copy(update={"body": {**own.body, name: value}})))
        if own.body:
            bodies.append(("with a list", own.model_copy(update={"body": []})))
            bodies.append(("with an empty body", own.model_copy(update={"body": {}})))
            bodies.append(("with what is no JSON", own.model_copy(update={"body": None, "raw": "{"})))
        for words, step in bodies[:MOST_REFUSALS]:
            yield f"{_words(working)} {words}", (*working.before, step, own)

    def _headers(self, working: Working) -> Iterator[tuple[str, tuple[Step, ...]]]:
        """Without each header that it was sent with, or with a wrong one; with each that it takes beside, twice."""
        own = working.own
        for name in own.headers:
            rest = {key: value for key, value in own.headers.items() if key != name}
            yield f"{_words(working)} without {name}", (*working.before, own.model_copy(update={"headers": rest}), own)
            wrong = own.model_copy(update={"headers": {**rest, name: f"wrong-{UNIQUE}"}})
            yield f"{_words(working)} with a wrong {name}", (*working.before, wrong, own)
        if not isinstance(own.body, dict):
            return
        for one in working.operation.headers:
            if one.name in own.headers:
                continue
            given = own.model_copy(update={"headers": {**own.headers, one.name: f"{one.name.lower()}-{UNIQUE}"}})
            yield f"{_words(working)} twice with the same {one.name}", (*working.before, given, given)
            for name, value in own.body.items():
                other = f"{value}2" if isinstance(value, str) else value + 1 if isinstance(value, int) else None
                if other is not None and not isinstance(value, bool):
                    changed = given.model_copy(update={"body": {**own.body, name: other}})
                    yield (
                        f"{_words(working)} with the same {one.name} and another {name}",
                        (*working.before, given, changed),
                    )
                    break

    def _queries(self, working: Working) -> Iterator[tuple[str, tuple[Step, ...]]]:
        """A list by what its things have, a part of it, and by what nothing has."""
        if working.operation.method != "GET" or not working.operation.query:
            return
        maker = next((one for one in self.working if one.operation.method == "POST" and one.operation.path.rstrip("/") == working.operation.path.rstrip("/")), None)  # fmt: skip
        before = maker.steps if maker is not None else working.before
        made = maker.own.body if maker is not None and isinstance(maker.own.body, dict) else {}
        answered = maker.answer.json_ if maker is not None and isinstance(maker.answer.json_, dict) else {}
        for one in working.operation.query:
            tries: list[tuple[str, str]] = []
            if isinstance(made.get(one.name), str):
                tries += [("of what was made", made[one.name]), ("of what nothing has", f"no-such-{UNIQUE}")]
            elif isinstance(answered.get(one.name), str | int | bool):
                tries += [("of what was made", str(answered[one.name])), ("of what nothing has", f"no-such-{UNIQUE}")]
            for value in (one.schema_.get("enum") or ())[:6]:
                tries.append((f"of {value}", str(value)))
            numeric = one.schema_.get("type") in ("integer", "number") or re.search(r"limit|offset|page|size|skip|count|per", one.name, re.IGNORECASE)  # fmt: skip
            if numeric:
                tries += [
                    ("of 1", "1"),
                    ("of 0", "0"),
                    ("below zero", "-1"),
                    ("that is no number", "many"),
                    ("of too many", "100000"),
                ]
            elif not tries:
                tries += [("of some word", f"word-{UNIQUE}")]
            for words, value in tries:
                filtered = {name: made[name] for name in made if isinstance(made[name], str) and is_unique(made[name]) and any(name == other.name for other in working.operation.query)}  # fmt: skip
                # By something of its own as well: then what others made has no part in the answer.
                own = next(iter(filtered.items()), None)
                query = {**({own[0]: own[1]} if own and numeric else {}), **working.own.query, one.name: value}
                step = working.own.model_copy(update={"query": query})
                twice = (*before, before[-1]) if numeric and maker is not None else before
                yield f"{_words(working)} by {one.name} {words}", (*twice, step, working.own)

    def _made_up_cases(self, working: Working) -> Iterator[tuple[str, tuple[Step, ...]]]:
        """Requests that were made up from the document, on things that are there."""
        own, endpoint = working.own, working.operation.endpoint
        its = [
            one for one in self.cases if matches(endpoint, Endpoint(method=one.method, path=normalise_path(one.path)))
        ]
        for wrong, words in ((False, "a valid request"), (True, "a faulty request")):
            for number, one in enumerate([one for one in its if one.faulty is wrong][:MOST_CASES], 1):
                headers = {**one.headers, **own.headers}
                step = own.model_copy(update={"query": one.query, "headers": headers, "body": one.body})
                yield f"{_words(working)} by {words} {number}", (*working.before, step, own)

    def _methods(self) -> Iterator[tuple[str, Working, tuple[Step, ...]]]:
        """Each path with a method that it does not take."""
        by_path: dict[str, list[Working]] = {}
        for working in self.working:
            by_path.setdefault(re.sub(r"\{[^}]*\}", "{}", working.operation.path), []).append(working)
        for group in by_path.values():
            taken = {one.operation.method for one in group}
            method = next((one for one in ("PUT", "DELETE", "PATCH", "POST") if one not in taken), None)
            if method is not None:
                first = group[0]
                wrong = first.own.model_copy(update={"method": method, "body": None, "endpoint": f"{method} {first.operation.path}"})  # fmt: skip
                yield (
                    f"{method} is not for {_spaced(area_of(first.operation.path, self.base))}",
                    first,
                    (*first.before, wrong, first.own),
                )


def _follows(other: Working, maker: Working) -> bool:
    """Whether `other` was made to work on what `maker` makes."""
    return len(other.steps) > len(maker.steps) and other.steps[: len(maker.steps)] == maker.steps


def _moves(working: Working, maker: Working) -> Iterator[Move]:
    steps = working.steps[len(maker.steps) :]
    yield Move(_words(working), steps)
    for name, value in working.alternatives:
        own = working.own.model_copy(update={"body": {**working.own.body, name: value}})
        yield Move(f"{_words(working)} with {name} {_shown(value)}", (*steps[:-1], own))


def _placed(steps: Sequence[Step], made: int, at: int) -> tuple[Step, ...]:
    """Steps that followed `made` others, to stand at `at`: what they say of each other moves with them, what they say of those stays."""
    places = {**dict(enumerate(range(made))), **{made + number: at + number for number in range(len(steps))}}
    return tuple(_moved(step, places) for step in steps)


def _moved(step: Step, places: Mapping[int, int]) -> Step:
    """The step, with the steps that it refers to where they are now."""

    def moved(value: Json) -> Json:
        if isinstance(value, dict):
            return {key: moved(item) for key, item in value.items()}
        if isinstance(value, list):
            return [moved(item) for item in value]
        if isinstance(value, str):
            return re.sub(r"\$\{(\d+)", lambda match: f"${{{places.get(int(match[1]), int(match[1]))}", value)
        return value

    return Step.model_validate(moved(step.model_dump()))


def _state(played: Played, last: int, reads: int) -> str:
    """What the reads after a row of writes show, but for what is never the same."""
    after = played.exchanges[last + 1 : last + 1 + reads]
    return json.dumps([[one.status, _blurred(one, played.unique)] for one in after], sort_keys=True)


def _blurred(exchange: Exchange, unique: str) -> Json:
    text = json.dumps(exchange.json_, sort_keys=True).replace(unique, "*")
    return re.sub(r"[0-9a-f]{6,}|\d{4}-\d\d-\d\dT[\d:.]+\S*|\d{3,}", "#", text)[:4000]


def _words(working: Working) -> str:
    return words_of(working.operation)


def words_of(operation: Operation) -> str:
    """`post parcels scans`."""
    parts = [part for part in operation.path.strip("/").split("/") if not re.fullmatch(r"v\d+|api|rest", part)]
    words = []
    for part in parts:
        words.append("one" if "{" in part else _spaced(part))
    return " ".join([operation.method.lower(), *words]) if words else f"{operation.method.lower()} root"


def _spaced(name: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])", " ", name)).strip().lower()


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def area_of(path: str, base: str = "") -> str:
    """The name of the collection that a path below `base` belongs to: its first literal that is no version and no `api`."""
    parts = [part for part in path.removeprefix(base).strip("/").split("/") if "{" not in part]
    telling = [part for part in parts if not re.fullmatch(r"v\d+|api|rest", part)]
    return re.sub(r"\W+", "_", telling[0]).strip("_").lower() if telling and re.sub(r"\W+", "", telling[0]) else "root"


def base_of(paths: Iterable[str]) -> str:
    """What all paths of several segments begin with before the name of a collection: `/library/v1`, if `/library/v1` is no path itself."""
    known = [path.strip("/") for path in paths]
    above = [path.split("{")[0].rstrip("/").split("/")[:-1] for path in known if "/" in path]
    shared = [parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, zip(*above, strict=False))]
    while shared and "/".join(shared) in known:
        shared.pop()
    return f"/{'/'.join(shared)}" if shared else ""
