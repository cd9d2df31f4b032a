"""What becomes of an attempt."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple, Self

from pydantic import Field

from ..core.base import Frozen, Text
from ..models.base import Fault
from . import Solved


class Key(NamedTuple):
    """Which attempt at which task."""

    task: str
    attempt: int


class Outcome(StrEnum):
    """How an attempt ends."""

    ANSWERED = "answered"
    UNUSABLE = "unusable"
    """There is an answer, and no repository in it: the model's own doing, submitted as it is."""
    FAULT = "fault"
    """There is no answer: nothing is submitted, and the next run of the same command asks again."""


class Usage(Frozen):
    """What calls have taken, added up."""

    calls: int = Field(default=0, ge=0)
    """That were sent, those that were tried again included."""
    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    """None where any of it has no price."""
    seconds: float = Field(default=0.0, ge=0)
    """Of the calls that were answered: neither of the tries before them nor of waiting for a turn."""
    estimated: int = Field(default=0, ge=0)
    """Of the answers, those of which the endpoint reported no tokens: these, and their cost, are our estimate."""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    @classmethod
    def of(cls, solved: Solved) -> Self:
        answers = [exchange.answer for exchange in solved.exchanges]
        return cls(
            calls=sum(answer.tries for answer in answers),
            prompt_tokens=sum(answer.usage.prompt_tokens for answer in answers),
            completion_tokens=sum(answer.usage.completion_tokens for answer in answers),
            cost_usd=_total(answer.cost_usd for answer in answers),
            seconds=sum(answer.seconds for answer in answers),
            estimated=sum(not answer.usage.reported for answer in answers),
        )

    @classmethod
    def sum(cls, usages: Iterable[Usage]) -> Self:
        all_ = list(usages)
        return cls(
            calls=sum(usage.calls for usage in all_),
            prompt_tokens=sum(usage.prompt_tokens for usage in all_),
            completion_tokens=sum(usage.completion_tokens for usage in all_),
            cost_usd=_total(usage.cost_usd for usage in all_),
            seconds=sum(usage.seconds for usage in all_),
            estimated=sum(usage.estimated for usage in all_),
        )


class Attempted(Frozen):
    """One line of `attempts.jsonl`: how one attempt ended, in one run of the command."""

    task: str
    attempt: int = Field(ge=0)
    outcome: Outcome
    fault: Fault | None = None
    """Why there is no answer."""
    note: Text = ""
    """The first thing to be said about the answer; the transcript has all of them."""
    usage: Usage = Usage()
    """Of the answer, as the record has it: what it took when it was asked."""
    ended: datetime
    """In this run, which may have found the answer in its record."""

    @property
    def key(self) -> Key:
        return Key(self.task, self.attempt)

    @classmethod
    def of(cls, key: Key, came: Solved | Fault) -> Self:
        """The line for what a solver came back with, now."""
        now = datetime.now(UTC)
        if isinstance(came, Fault):
            spent = Usage(calls=came.tries, seconds=came.seconds)
            return cls(task=key.task, attempt=key.attempt, outcome=Outcome.FAULT, fault=came, usage=spent, ended=now)
        return cls(
            task=key.task,
            attempt=key.attempt,
            outcome=Outcome.ANSWERED if came.usable else Outcome.UNUSABLE,
            note=came.note,
            usage=Usage.of(came),
            ended=now,
        )


def _total(costs: Iterable[float | None]) -> float | None:
    known = list(costs)
    return None if not known or None in known else sum(cost for cost in known if cost is not None)
