"""Who answered, and what it took: from what each submission says of its own origin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from pydantic import Field

from ..core.base import Frozen
from ..core.outcomes import Status
from ..core.run import Asked
from ..core.submission import Origin
from ..stats.means import Scored

FIGURES = {
    "prompt_tokens": "Prompt tokens",
    "completion_tokens": "Completion tokens",
    "tokens": "Tokens",
    "cost_usd": "US dollars",
    "seconds": "Seconds",
}
"""What an answer can take -> what it is called for people. `tokens` is both kinds together."""


class Maker(Frozen):
    """Who answered, and how; each is empty where the answers do not say."""

    model: str
    agent: str
    sampling: str = ""
    answers: int


class Amount(Frozen):
    """One figure of what answers took, over those that say it. An answer that does not say is never taken for 0."""

    known: int
    """Answers that say it: what `total` and `per_answer` are over."""
    estimated: int = 0
    """Of these, those that say that it is an estimate: the endpoint reported no tokens."""
    total: float
    per_answer: float
    per_passed: float | None
    """Total / answers that passed; None unless every answer says it and something passed."""
    per_solved: float | None
    """Total / tasks with an answer that passed; None likewise."""


class Effort(Frozen):
    """What all answers that were handed in took, scored or not yet. What was asked for and never handed in is not in it."""

    answers: int
    """Submissions that are there: missing ones took nothing that anybody could know."""
    passed: int | None
    """Answers that passed; None where that cannot be told: a static run, or an unfinished one."""
    solved: int | None
    """Tasks with an answer that passed; None likewise."""
    makers: tuple[Maker, ...]
    """Who gave the most answers first."""
    amounts: dict[str, Amount] = Field(default_factory=dict)
    """By figure (`prompt_tokens`, `completion_tokens`, `tokens`, `cost_usd`, `seconds`); without those that no answer says."""


def effort_of(asked: Iterable[Asked], rows: Sequence[Scored], *, judged: bool) -> Effort:
    """What the answers to `asked` took; `judged` is whether `rows` say of every one of them whether it passed."""
    origins = [question.origin for question in asked if question.is_answered]
    passed = [row.task for row in rows if row.status is Status.PASSED] if judged else None
    makers = Counter((origin.model, origin.agent, origin.sampling) for origin in origins)
    return Effort(
        answers=len(origins),
        passed=None if passed is None else len(passed),
        solved=None if passed is None else len(set(passed)),
        makers=tuple(
            Maker(model=model, agent=agent, sampling=sampling, answers=answers)
            for (model, agent, sampling), answers in makers.most_common()
        ),
        amounts={name: amount for name in FIGURES if (amount := _amount(origins, name, passed or ()))},
    )


def figure(origin: Origin, name: str) -> float | None:
    """One of `FIGURES` of one answer; None where it does not say."""
    match name:
        case "tokens":
            if origin.prompt_tokens is None or origin.completion_tokens is None:
                return None
            return origin.prompt_tokens + origin.completion_tokens
        case _:
            return getattr(origin, name)


def known_for(amount: Amount, answers: int) -> str:
    """How many of the answers say a figure: `4 of 4, 3 of them estimated`."""
    return f"{amount.known} of {answers}" + (f", {amount.estimated} of them estimated" if amount.estimated else "")


def known_mean(origins: Iterable[Origin], name: str) -> float | None:
    """Per answer; None where one of `origins` does not say, or there is none."""
    values = [figure(origin, name) for origin in origins]
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def quantity(name: str, value: float | None, *, sign: str = "") -> str:
    """A figure as people read it: whole tokens, seconds with one decimal, dollars with four, below a cent with six; a dash for None."""
    if value is None:
        return "-"
    dollars = 6 if 0 < abs(value) < 0.01 else 4
    decimals = {"cost_usd": dollars, "seconds": 1}.get(name, 0)
    return f"{value:{sign},.{decimals}f}"


def _amount(origins: Sequence[Origin], name: str, passed: Sequence[str]) -> Amount | None:
    known = [value for origin in origins if (value := figure(origin, name)) is not None]
    if not known:
        return None
    complete = len(known) == len(origins) and bool(passed)
    return Amount(
        known=len(known),
        estimated=sum(origin.estimated and figure(origin, name) is not None for origin in origins)
        if name != "seconds"
        else 0,
        total=sum(known),
        per_answer=fmean(known),
        per_passed=sum(known) / len(passed) if complete else None,
        per_solved=sum(known) / len(set(passed)) if complete else None,
    )
