"""What the stages hand on: operations of a service, scenarios of requests, and what came of them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ....analysis.endpoints import Endpoint
from ....core.base import Frozen

Json = Any

UNIQUE = "${unique}"
"""In a text of a request: a word that no other scenario and no other deployment has used."""

DIGITS = "${digits}"
"""The same for what takes digits only: ten of them, made from that word."""


def is_unique(text: str) -> bool:
    return UNIQUE in text or DIGITS in text


class Step(Frozen):
    """One request. Its texts may hold `${unique}`, `${digits}` and `${N.path}`: what is there in the body that step N was answered with."""

    method: str
    path: str
    """Filled in: `/polls/${0.id}/votes`."""
    endpoint: str
    """What it is a request to: `POST /polls/{pollId}/votes`."""
    query: dict[str, str] = {}
    headers: dict[str, str] = {}
    body: Json = None
    """JSON; None for no body."""
    raw: str = ""
    """Sent as it is in place of a body: what is no JSON."""


class Scenario(Frozen):
    """Requests in a row that stand on their own: what they need, they make."""

    title: str
    """Words for the test: `a cancelled parcel cannot be cancelled`."""
    area: str
    """Which file the test belongs in: the collection's name."""
    steps: tuple[Step, ...] = Field(min_length=1)


class Exchange(Frozen):
    """What a step was answered with."""

    status: int
    """0 where there was no answer, or the step could not be sent: what it refers to was not there."""
    headers: dict[str, str] = {}
    """`content-type`, `location`, `allow`."""
    text: str = ""
    json_: Json = Field(default=None, alias="json")
    is_json: bool = False
    sent: dict[str, Json] = {}
    """`path`, `query`, `headers` and `body` with their references filled in."""
    why: str = ""
    """Why there is no answer."""

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


class Played(Frozen):
    """A scenario that was carried out on one deployment."""

    unique: str
    digits: str = ""
    exchanges: tuple[Exchange, ...]


class Parameter(Frozen):
    """A query or header parameter, or a field of a body."""

    name: str
    schema_: Json = Field(default_factory=dict, alias="schema")
    """JSON schema, references resolved; empty where nobody says."""
    required: bool = False


class Operation(Frozen):
    """An endpoint, with all that is known of its requests."""

    endpoint: Endpoint
    query: tuple[Parameter, ...] = ()
    headers: tuple[Parameter, ...] = ()
    fields: tuple[Parameter, ...] = ()
    """Of the body, if it is an object; in the order of the schema or the source."""
    takes_body: bool = False
    at: str = ""
    """FILE:LINE of its route."""

    @property
    def method(self) -> str:
        return self.endpoint.method

    @property
    def path(self) -> str:
        return self.endpoint.path


class Dropped(Frozen):
    """What was tried and did not become a test, and why."""

    what: str
    why: str
