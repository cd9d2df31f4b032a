"""What a scripted server answers to which question."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Literal

from pydantic import Field, field_validator, model_validator

from ...core.base import Frozen


class Spoiled(StrEnum):
    """How an answer is spoiled on its way."""

    TRUNCATED = "truncated"
    """Half of the text, with finish reason `length`."""
    CUT = "cut"
    """The connection is closed in the middle of the body."""
    DISCONNECT = "disconnect"
    """The connection is closed before the first byte."""
    MALFORMED = "malformed"
    """Status 200, and a body that is not JSON."""
    NO_CHOICES = "no_choices"
    """Status 200, and a JSON body without an answer in it."""
    TRICKLE = "trickle"
    """The body comes whole, but in small pieces spread over `delay_seconds`: no single read takes long."""


class Rule(Frozen):
    """One line of the script. The first rule that applies to a call decides it; where none does, there is a fixed answer to anything.

    A rule without conditions applies to every call.
    """

    kind: Literal["chat", "fill"] | None = None
    """Only to `/v1/chat/completions`, or only to `/v1/completions`."""
    model: str = ""
    """Only to questions to this model."""
    contains: str = ""
    """Only to questions with this text in any message, in prompt or suffix."""
    matches: str = ""
    """Only to questions in which this regular expression is found (`^` and `$` are ends of lines, `.` is any character)."""
    every: int = Field(default=1, ge=1)
    """Only to one question in so many, chosen by what is in it: the same ones in whatever order they come."""
    first: int | None = Field(default=None, ge=1)
    """Only to so many calls of each question. Further calls go on to the next rules."""
    times: int | None = Field(default=None, ge=1)
    """Only to so many calls of all questions together."""

    replies: tuple[str, ...] = ()
    """Texts to answer with; of several, the one at the question's seed, else each in its turn. None for the fixed answer."""
    reasoning: str = ""
    """Returned apart from the text, as `reasoning_content`."""
    reasoning_tokens: int | None = Field(default=None, ge=0)
    """Reported; None for as many as `reasoning` has."""
    cached_tokens: int = Field(default=0, ge=0)
    """Reported as the part of the prompt that came from a cache."""
    usage: bool = True
    """Whether tokens are reported at all."""
    ignores_suffix: bool = False
    """Do as some endpoints do: take a suffix, and leave it out of the prompt and its tokens."""

    hold: bool = False
    """Answer only once the server is told to (`POST /release`)."""
    context_tokens: int | None = Field(default=None, ge=1)
    """Refuse a longer prompt with 400 `context_length_exceeded`, as a model with so small a context does."""
    delay_seconds: float = Field(default=0.0, ge=0)
    """Answer so much later."""
    status: int | None = Field(default=None, ge=400, le=599)
    """Answer with this error: 429, 500, ..."""
    retry_after: float | None = Field(default=None, ge=0)
    """Seconds in the header `Retry-After` of that error."""
    fault: Spoiled | None = None
    """Spoil the answer."""

    @field_validator("matches")
    @classmethod
    def _is_an_expression(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
        return pattern

    @model_validator(mode="after")
    def _is_one_outcome(self) -> Rule:
        if self.status is not None and self.fault is not None:
            raise ValueError("status and fault exclude each other")
        if self.retry_after is not None and self.status is None:
            raise ValueError("retry_after goes with status")
        return self
