"""Finding requests that the service takes: for each operation one that succeeds, after what `before` says that it may need.

Nothing is known for sure beforehand: a schema tells fields and types, the source tells names, and the service's own refusals tell which
field was wrong. Each round tries many values at once, each in a scenario of its own, and keeps what was complained of no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ....analysis.endpoints import Endpoint
from .before import PARAMETER, Context, Working, answers_of, contexts, further_contexts
from .hints import Hints, merged
from .nesting import nested
from .records import UNIQUE, Dropped, Exchange, Json, Operation, Parameter, Scenario, Step, is_unique
from .stage import Live
from .values import by_schema, candidates, leaves, plain, same

ROUNDS = 7
"""Of mending a request, before the operation is given up."""
MOST_TRIES = 4_000
"""Scenarios that are played before no more is looked for beside what paths ask for."""
MOST_CONTEXTS = 12
"""Tried beside those that a path asks for."""
FIELDS_AT_ONCE = 5
VALUES_EACH = 60

IDENTIFIERS = ("id", "slug", "uuid", "code", "key")


class Explorer:
    def __init__(self, live: Live, operations: Sequence[Operation], hints: Mapping[str, Hints]) -> None:
        self.live, self.hints = live, hints
        self.operations = sorted(operations, key=lambda one: (one.path.count("{"), one.path.count("/"), one.method != "POST", one.method == "DELETE"))  # fmt: skip
        self.working: dict[Endpoint, Working] = {}
        self.dropped: list[Dropped] = []
        named = (one.name for operation in operations for one in operation.fields)
        self.names = tuple(dict.fromkeys((*named, *hints.get("", Hints()).fields, *hints.get("", Hints()).query)))

    def explore(self) -> list[Working]:
        """Every operation that could be made to work, producers first; what could not be is in `dropped`."""
        refused: dict[Endpoint, str] = {}
        for again in range(2):
            for operation in self.operations:
                if operation.endpoint in self.working:
                    continue
                found, why = self._tried(operation)
                if found is not None:
                    self.working[operation.endpoint] = self._with_alternatives(found)
                elif again:
                    refused[operation.endpoint] = why
        self.dropped += [Dropped(what=str(one), why=f"no request was found that it takes: {why}") for one, why in refused.items()]  # fmt: skip
        return [self.working[one.endpoint] for one in self.operations if one.endpoint in self.working]

    # Trying.

    def _tried(self, operation: Operation) -> tuple[Working | None, str]:
        why = "nothing makes what its path names"
        first = contexts(operation, list(self.working.values()))
        for context in first:
            found, why = self._in_context(operation, context)
            if found is not None:
                return found, ""
        for context in further_contexts(operation, first[:2], why, list(self.working.values()))[:MOST_CONTEXTS]:
            if self.live.played > MOST_TRIES:
                break
            found, other = self._in_context(operation, context)
            if found is not None:
                return found, ""
            why = other or why
        return None, why

    def _in_context(self, operation: Operation, context: Context) -> tuple[Working | None, str]:
        path = PARAMETER.sub(lambda match: context.parameters[match[1]], operation.path)
        step = Step(method=operation.method, path=path, endpoint=str(operation.endpoint))
        required = {one.name: str(by_schema(one.name, one.schema_)) for one in operation.query if one.required}
        step = step.model_copy(update={"query": required, "headers": {**{one.name: str(by_schema(one.name, one.schema_)) for one in operation.headers if one.required}, **context.headers}})  # fmt: skip
        if operation.takes_body:
            known = {one.name: by_schema(one.name, one.schema_) for one in operation.fields if one.schema_}
            step = step.model_copy(update={"body": {**known, **context.body}})
        answer = self._answer(context, step)
        for _ in range(ROUNDS):
            if answer.ok:
                return Working(operation, (*context.steps, step), answer, context.parameters), ""
            if answer.status in (404, 405) and not operation.takes_body and not operation.headers:
                break
            better = self._mended(operation, context, step, answer)
            if better is None:
                break
            step, answer = better
        if answer.ok:
            return Working(operation, (*context.steps, step), answer, context.parameters), ""
        return None, f"{answer.status} {answer.text[:120]}" if answer.status else answer.why

    def _answer(self, context: Context, step: Step) -> Exchange:
        return self._each(context, [step])[0]

    def _each(self, context: Context, steps: Sequence[Step]) -> list[Exchange]:
        """What each of them is answered with, each after a context of its own."""
        scenarios = [Scenario(title="try", area="try", steps=(*context.steps, step)) for step in steps]
        played = self.live.play(scenarios)
        return [
            one.exchanges[-1]
            if len(one.exchanges) == len(context.steps) + 1
            else Exchange(status=0, why="what comes before it failed")
            for one in played
        ]

    def _mended(
        self, operation: Operation, context: Context, step: Step, answer: Exchange
    ) -> tuple[Step, Exchange] | None:
        """A request that gets further than `step` did, and its answer."""
        options = [
            *self._other_headers(operation, context, step, answer),
            *self._other_queries(operation, step, answer),
            *nested(operation, step),
        ]
        by_field: dict[str, list[tuple[Json, Step]]] = {}
        if operation.takes_body and isinstance(step.body, dict):
            for name in self._suspects(operation, step, answer)[:FIELDS_AT_ONCE]:
                values = self._values(operation, name, context, answer)[:VALUES_EACH]
                by_field[name] = [(value, step.model_copy(update={"body": _with(step.body, name, value)})) for value in values]  # fmt: skip
        tries = [*options, *(one for choices in by_field.values() for _, one in choices)]
        answers = self._each(context, tries) if tries else []
        for one, its in zip(tries, answers, strict=True):
            if its.ok:
                return one, its
        said = self._mentioned(answer)
        at, body, changed = len(options), dict(step.body) if isinstance(step.body, dict) else {}, False
        for name, choices in by_field.items():
            ranked = []
            for order, ((value, _), its) in enumerate(zip(choices, answers[at : at + len(choices)], strict=True)):
                mentioned = self._mentioned(its)
                # A value is better where the refusal stops naming the field, or is another one altogether.
                gain = (name in said and name not in mentioned) or (name not in said and its.text != answer.text and len(mentioned) <= len(said))  # fmt: skip
                further = its.status != answer.status and its.status not in (0, 500, 404)
                if (gain or further) and its.status < 500:
                    ranked.append((not gain, len(mentioned), order, value))
            at += len(choices)
            if ranked:
                body, changed = _with(body, name, min(ranked, key=lambda one: one[:3])[3]), True
        for one, its in zip(options, answers, strict=False):
            if its.status not in (0, answer.status) and its.status < 500:
                step, changed = one, True
                break
        if not changed:
            return None
        step = step.model_copy(update={"body": body}) if operation.takes_body else step
        return step, self._answer(context, step)

    def _suspects(self, operation: Operation, step: Step, answer: Exchange) -> list[str]:
        """Fields that could be wrong, those that the refusal names first."""
        mentioned = [name for name in self._mentioned(answer) if answer.status in (400, 404, 409, 422)]
        own = [one.name for one in operation.fields] or list(self.hints.get("", Hints()).fields)
        known = [name for name in mentioned if not operation.fields or name in own or "." in name] or mentioned
        return known or list(dict.fromkeys([*(name for name in own if name not in step.body), *own]))

    def _mentioned(self, answer: Exchange) -> list[str]:
        """Names of fields in a refusal: known ones, and those that stand where a name stands."""
        words = dict.fromkeys(re.findall(r"[A-Za-z_][\w-]*", answer.text))
        found = [name for name in self.names if name in words]
        if isinstance(answer.json_, dict):
            for key in ("errors", "fields", "details"):
                inside = answer.json_.get(key)
                found += [one for one in inside if isinstance(one, str)] if isinstance(inside, dict | list) else []
            if faults := list(_faults(answer.json_)):
                # It says itself where: nothing else that looks like a name is one.
                return list(dict.fromkeys(faults))
        return list(dict.fromkeys(name for name in found if re.fullmatch(r"[A-Za-z_][\w-]*", name)))

    def _values(self, operation: Operation, name: str, context: Context, refusal: Exchange | None = None) -> list[Json]:
        name = next((part for part in reversed(name.split(".")) if not part.isdecimal()), name) if "." in name else name
        wanted = next((one for one in operation.fields if one.name == name), Parameter(name=name))
        # What a refusal says may be what it would take: `unit must be one of celsius, percent`.
        told = re.findall(r"[A-Za-z][\w-]+", refusal.text)[:20] if refusal is not None else []
        known = merged(self.hints.get(operation.at), self.hints).words
        words = [word for word in (*told, *known) if word != name and not word.startswith("/")]
        return candidates(wanted, self._references(name, context), words)

    def _references(self, name: str, context: Context) -> list[tuple[int, Json]]:
        """What earlier answers hold that could be the value, with a rank: of the same name 0; a part of a list, as a list 1; the rest 2."""
        found: list[tuple[int, Json]] = []
        wanted = plain(name)
        for at, answer in enumerate(context.answers):
            for path, _value in leaves(answer.json_):
                last = plain(path.rsplit(".", 1)[-1])
                reference = f"${{{at}.{path}}}"
                if last == wanted:
                    found.append((0, reference))
                elif last == "id" and wanted.endswith("id"):
                    found.append((1, reference))
                if last.isdecimal():
                    found.append((1, [reference]))
                    found.append((2, reference))
                elif wanted.endswith(last) or last in wanted or last in IDENTIFIERS:
                    found.append((2, reference))
        return sorted(found, key=lambda one: one[0])[:10]

    def _other_headers(self, operation: Operation, context: Context, step: Step, answer: Exchange) -> list[Step]:
        """The request with headers that earlier answers may have given the values of, where it was refused for who asks."""
        if answer.status not in (400, 401, 403, 412, 428):
            return []
        found = []
        names = [one.name for one in operation.headers] or list(self.hints.get("", Hints()).headers)
        for header in names:
            for at, before in enumerate(context.answers):
                for path, value in leaves(before.json_):
                    last = plain(path.rsplit(".", 1)[-1])
                    if isinstance(value, str) and (last in plain(header) or (plain(header) == "authorization" and "token" in last)):  # fmt: skip
                        text = f"${{{at}.{path}}}"
                        text = f"Bearer {text}" if plain(header) == "authorization" else text
                        found.append(step.model_copy(update={"headers": {**step.headers, header: text}}))
            # Any will do where it only has to be said who asks, or what is known to be there.
            for text in ("*", f"{header.lower()}-{UNIQUE}") if header not in step.headers else ():
                found.append(step.model_copy(update={"headers": {**step.headers, header: text}}))
        return found

    def _other_queries(self, operation: Operation, step: Step, answer: Exchange) -> list[Step]:
        """A read or a deletion with query parameters, where it was refused for the lack of them."""
        if operation.method not in ("GET", "DELETE") or answer.status not in (400, 422):
            return []
        known = [one.name for one in operation.query] or list(self.hints.get("", Hints()).query)
        mentioned = self._mentioned(answer)
        names = [name for name in mentioned if name in known] or known or mentioned
        told = [word for word in re.findall(r"[A-Za-z][\w-]+", answer.text) if word not in names][:20]
        values = [*told, "1", "2024-05-17", "2024-05-17T09:30:00Z", f"word-{UNIQUE}"]
        return [
            step.model_copy(update={"query": {**step.query, name: value}}) for name in names[:3] for value in values
        ]

    # Other values.

    def _changing(self, working: Working) -> Working:
        """An update that gives other values than the thing was made with: one that changes nothing shows nothing."""
        body = working.own.body
        if working.operation.method not in ("PUT", "PATCH") or not working.before or not isinstance(body, dict):
            return working
        step = working.own.model_copy(update={"body": {name: _other(value) for name, value in body.items()}})
        answer = self._answer(Context(working.before, (), working.parameters), step)
        return Working(working.operation, (*working.before, step), answer, working.parameters) if answer.ok else working

    def _with_alternatives(self, working: Working) -> Working:
        """The operation, with fields that it takes beside those that it needs, and other values of those with few."""
        working = self._changing(working)
        operation, body = working.operation, working.own.body
        if not operation.takes_body or not isinstance(body, dict):
            return working
        context = Context(working.before, (), working.parameters)
        tries: list[tuple[str, Json]] = []
        for one in operation.fields:
            values: Iterable[Json]
            if one.schema_:
                values = [value for value in one.schema_.get("enum") or () if not same(value, body.get(one.name))]
            elif one.name in body:
                words = self.hints.get(operation.at, Hints()).words
                # What takes any word has no other values worth trying.
                closed = isinstance(body[one.name], str) and not is_unique(body[one.name])
                values = [word for word in words if closed and word != body[one.name]][:12]
            else:
                values = self._values(operation, one.name, Context(working.before, answers_of(working)[:-1], {}))[:VALUES_EACH]  # fmt: skip
            tries += [(one.name, value) for value in values]
        steps = [working.own.model_copy(update={"body": {**body, name: value}}) for name, value in tries]
        answers = self._each(context, steps) if steps else []
        more: dict[str, Json] = {}
        alternatives: list[tuple[str, Json]] = []
        for (name, value), its in zip(tries, answers, strict=True):
            documented = any(one.name == name and one.schema_ for one in operation.fields)
            echoed = its.ok and isinstance(its.json_, dict) and _holds(its.json_, name, its.sent.get("body", {}).get(name))  # fmt: skip
            if name not in body and echoed and name not in more:
                more[name] = value
            elif (documented and its.status) or (echoed and isinstance(value, str) and not is_unique(value)):
                alternatives.append((name, value))
        if more:
            step = working.own.model_copy(update={"body": {**body, **more}})
            answer = self._answer(context, step)
            if answer.ok:
                working = Working(operation, (*working.before, step), answer, working.parameters)
        kept = _few(alternatives)
        return Working(operation, working.steps, working.answer, working.parameters, kept)


def _other(value: Json) -> Json:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str) and UNIQUE in value and value != UNIQUE:
        return f"other-{value}"
    return value


def _few(alternatives: list[tuple[str, Json]]) -> tuple[tuple[str, Json], ...]:
    """Those of fields that take few values: one that takes any word has no alternatives worth trying."""
    counts: dict[str, int] = {}
    for name, _ in alternatives:
        counts[name] = counts.get(name, 0) + 1
    return tuple((name, value) for name, value in alternatives if counts[name] <= 8)


def _holds(value: Mapping[str, Any], name: str, wanted: Json) -> bool:
    return any(path.rsplit(".", 1)[-1] == name and same(one, wanted) for path, one in leaves(value))


def _faults(said: Json, path: str = "") -> Iterator[str]:
    """The fields that a refusal of the form `{"field": ["what is wrong"], "list": [{"field": [...]}]}` names; nothing for another form."""
    if isinstance(said, dict):
        for key, value in said.items():
            inner = path if key == "non_field_errors" else f"{path}.{key}" if path else str(key)
            if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
                if inner and key not in ("detail", "errors", "fields", "details"):
                    yield inner
            elif isinstance(value, dict | list) and key not in ("detail", "errors", "details"):
                yield from _faults(value, inner)
    elif isinstance(said, list):
        for number, value in enumerate(said):
            if isinstance(value, dict):
                yield from _faults(value, f"{path}.{number}")


def _with(body: Json, path: str, value: Json) -> Json:
    """`body` with `value` at a path of keys and indices; unchanged where that leads nowhere."""
    first, _, rest = path.partition(".")
    if isinstance(body, list):
        at = int(first) if first.isdecimal() else len(body)
        return [
            _with(one, rest, value) if rest and n == at else value if n == at else one for n, one in enumerate(body)
        ]
    if not isinstance(body, dict):
        return body
    return {**body, first: _with(body.get(first), rest, value) if rest else value}
