"""What is the same however often and wherever the reference runs: of the recordings of several deployments, the part that a test may expect.

A value that was the same everywhere is expected as it is. One that differs is expected to be what it was in the request or in an earlier
answer, if it always was; else of the type and form that it always had. What differed in one request to an endpoint is open in all of them
(`unsteady`). An answer whose status differs, or that is the service's own failure, ends its scenario there, and the reason is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from .forms import Exactly, Expected, Form, Stable
from .reader import Reader, refusal
from .records import Dropped, Exchange, Played, Scenario
from .unsteady import Unsteady

Recordings = Sequence[Sequence[Sequence[Played]]]
"""By deployment, then by round, then by scenario: a round plays all scenarios once, and deployments have the same number of them."""


def stabilise(
    scenarios: Sequence[Scenario], recordings: Recordings, now: datetime | None = None
) -> tuple[list[Stable], list[Dropped], Unsteady]:
    """What of `scenarios` can be expected, what cannot, and what was not the same; `now` is when they were recorded, in UTC."""
    now, nothing, unsteady = now or datetime.now(UTC), Unsteady(), Unsteady()
    comparable = [_comparable([[played[number] for played in rounds] for rounds in recordings]) for number in range(len(scenarios))]  # fmt: skip
    for scenario, (played, _) in zip(scenarios, comparable, strict=True):
        for at, one in enumerate(_expected(scenario, played, nothing, now)[0]):
            if one.body is not None:
                unsteady.note(one.step, one.body, played, at)
    stable: list[Stable] = []
    dropped: list[Dropped] = []
    for scenario, (played, differs) in zip(scenarios, comparable, strict=True):
        expected, why = _expected(scenario, played, unsteady, now)
        if why := why or differs:
            dropped.append(Dropped(what=scenario.title, why=why))
        # What a scenario was made for is its end: its beginning alone is in others.
        elif len(expected) == len(scenario.steps):
            stable.append(Stable(scenario, tuple(expected)))
    return stable, dropped, unsteady


def _comparable(rounds: Sequence[Sequence[Played]]) -> tuple[list[Played], str]:
    """The recordings of one scenario that a test can be compared with, and what is wrong with the others.

    What was done once may be refused when it is done again: then a test, for which the service is new, is like the first round. But each
    round has to be the same in every deployment, or it is by chance.
    """
    by_round = [list(played) for played in zip(*rounds, strict=True)]
    first, *later = [[_statuses(one) for one in played] for played in by_round]
    if all(statuses == first for statuses in later):
        return [one for played in by_round for one in played], ""
    for statuses in later:
        if any(one != statuses[0] for one in statuses) and all(one == first[0] for one in first):
            return by_round[0], f"the statuses differ when it is done again: {_listed([first[0], *statuses])}"
    return by_round[0], ""


def _listed(rows: Sequence[tuple[int, ...]]) -> str:
    return " or ".join(dict.fromkeys(", ".join(map(str, row)) for row in rows))


def _statuses(played: Played) -> tuple[int, ...]:
    return tuple(exchange.status for exchange in played.exchanges)


def _expected(scenario: Scenario, played: Sequence[Played], unsteady: Unsteady, now: datetime) -> tuple[list[Expected], str]:  # fmt: skip
    found: list[Expected] = []
    for at, step in enumerate(scenario.steps):
        answers = [one.exchanges[at] for one in played if at < len(one.exchanges)]
        statuses = sorted({answer.status for answer in answers})
        if len(answers) < len(played) or 0 in statuses:
            why = next((answer.why for answer in answers if answer.why), "a step before it failed")
            return found, f"step {at + 1}: {why}"
        if len(statuses) > 1:
            return found, f"step {at + 1}: the status differs between recordings: {', '.join(map(str, statuses))}"
        if statuses[0] >= 500:
            return found, f"step {at + 1}: the reference fails with {statuses[0]}"
        body, content = _body(Reader(played, scenario.steps, at, unsteady, now), answers)
        found.append(Expected(step, statuses[0], body, content))
    return found, ""


def _body(reader: Reader, answers: Sequence[Exchange]) -> tuple[Form | None, str]:
    if all(answer.is_json for answer in answers):
        bodies = [answer.json_ for answer in answers]
        return (refusal(bodies, reader) if answers[0].status >= 400 else reader.form(bodies)), ""
    if all(answer.text == "" for answer in answers):
        return Exactly(""), ""
    types = {answer.headers.get("content-type", "").partition(";")[0] for answer in answers}
    return None, types.pop() if len(types) == 1 and answers[0].ok else ""
