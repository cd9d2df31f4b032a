"""What is asked of a model, what comes back, and the one protocol between them.

A call never raises for what an endpoint does: it returns an `Answer`, or a `Fault` of the boundary `model`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Protocol

from pydantic import Field, TypeAdapter

from ..core.base import Frozen, Text
from ..core.digest import canonical_json, digest_of_strings
from ..core.errors import Boundary


class Sampling(Frozen):
    """How the next token is chosen. What is None is left to the endpoint."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    """That an answer may have, reasoning included."""
    seed: int | None = None
    stop: tuple[str, ...] = ()
    n: int = Field(default=1, ge=1)
    """Choices in one call. Answers that are to be kept one by one are calls of their own: see `sample`."""
    reasoning_effort: str | None = None
    """`low`, `medium`, ... where the model knows it."""


class Message(Frozen):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: Text


class _Asked(Frozen):
    model: str
    """Id of the model, as the endpoint is told."""
    sampling: Sampling = Sampling()
    sample: int = Field(default=0, ge=0)
    """Which of several independent calls with the same question this is. Not sent: it tells their records apart."""

    @property
    def key(self) -> str:
        """SHA-256 (hex) of what was asked, in canonical form: the same wherever, through whichever endpoint, it is asked.

        What has its default value is left out, so that a field that is added later makes no old key invalid.
        """
        return digest_of_strings(canonical_json(self.canonical()))

    def canonical(self) -> dict[str, object]:
        """The request as JSON values, without what has its default value; with its `kind`."""
        return self.model_dump(mode="json", exclude_defaults=True) | {"kind": getattr(self, "kind")}  # noqa: B009


class ChatRequest(_Asked):
    """The next turn of a conversation."""

    kind: Literal["chat"] = "chat"
    messages: tuple[Message, ...] = Field(min_length=1)


class FillRequest(_Asked):
    """What belongs between `prefix` and `suffix` (fill in the middle)."""

    kind: Literal["fill"] = "fill"
    prefix: Text
    suffix: Text = ""


Request = Annotated[ChatRequest | FillRequest, Field(discriminator="kind")]

REQUEST: TypeAdapter[ChatRequest | FillRequest] = TypeAdapter(Request)
"""Reads either kind from JSON."""


class Usage(Frozen):
    """Tokens of one call, all choices together."""

    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)
    """Reasoning included."""
    reasoning_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)
    """Of the prompt, those that the endpoint had in its cache."""
    reported: bool = True
    """False where the endpoint said nothing and the numbers are our estimate, which errs upwards."""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class Lost(Frozen):
    """What calls without an answer may have cost: who timed out, or was cut off, is charged all the same. An estimate, upwards where
    `max_tokens` limits the answer; else it is of the prompt alone."""

    tokens: int = Field(ge=0)
    usd: float | None = None
    """By the endpoint's prices; None where it has none."""


class Finish(StrEnum):
    """Why an answer ends where it does."""

    STOP = "stop"
    LENGTH = "length"
    """Cut off at `max_tokens`, or at the end of the context."""
    FILTERED = "filtered"
    OTHER = "other"


class Choice(Frozen):
    """One of the answers of a call."""

    text: Text
    reasoning: Text = ""
    """What the model thought aloud, where the endpoint returns it apart from the text."""
    finish: Finish = Finish.STOP


class Answer(Frozen):
    """What an endpoint answered."""

    choices: tuple[Choice, ...] = Field(min_length=1)
    usage: Usage
    cost_usd: float | None = None
    """By the endpoint's prices at the time; None where it has none."""
    seconds: float
    """Of the try that was answered, from sending to the last byte; waiting for a turn is not part of it."""
    tries: int = Field(default=1, ge=1)
    """Calls that were sent until one was answered."""
    failed_seconds: float = 0.0
    """Of the tries before; no part of `seconds`."""
    lost: Lost | None = None
    """Of the tries before; no part of `usage` and `cost_usd`."""
    served_model: Text = ""
    """What the endpoint says that answered."""

    @property
    def text(self) -> str:
        """Of the first choice."""
        return self.choices[0].text


class FaultKind(StrEnum):
    """Why there is no answer."""

    RATE_LIMITED = "rate_limited"
    """429, each time."""
    OVERLOADED = "overloaded"
    """5xx, each time."""
    TIMED_OUT = "timed_out"
    DISCONNECTED = "disconnected"
    """The connection ended before the answer did."""
    UNREACHABLE = "unreachable"
    """There was no connection."""
    MALFORMED = "malformed"
    """An answer that is none: not JSON, no choices. It may have been paid for, so it is not tried again."""
    REFUSED = "refused"
    """Another 4xx: a wrong key, an unknown model."""
    TOO_LONG = "too_long"
    """The prompt has no room in the model's context, as the endpoint says: a limit of the model, and no failure of the endpoint."""
    OVER_BUDGET = "over_budget"
    """Not asked: the budget was used up."""
    NOT_RECORDED = "not_recorded"
    """Not asked: replaying, and the record has no such answer."""
    ABANDONED = "abandoned"
    """Not asked, or not awaited: who asked has gone."""
    BROKEN = "broken"
    """Our own side failed (boundary `harness`): the process that makes the calls died, or an answer could not be written down."""

    @property
    def is_retryable(self) -> bool:
        """Whether the same call may well succeed a little later."""
        return self in _RETRYABLE


_RETRYABLE = frozenset(
    {
        FaultKind.RATE_LIMITED,
        FaultKind.OVERLOADED,
        FaultKind.TIMED_OUT,
        FaultKind.DISCONNECTED,
        FaultKind.UNREACHABLE,
    }
)


class Fault(Frozen):
    """Why a question has no answer: data, as an answer is."""

    kind: FaultKind
    reason: Text
    """One line."""
    boundary: Boundary = Boundary.MODEL
    status_code: int | None = None
    tries: int = Field(default=0, ge=0)
    """Calls that were sent."""
    seconds: float = 0.0
    """Of these calls."""
    lost: Lost | None = None


class Model(Protocol):
    """What answers questions: an endpoint, a record of one, either with a budget around it."""

    async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
        """Ask once (retries are inside). `label` says what for, a task's id: budgets and records go by it; no part of the key."""
        ...
