"""Asking the scripted server, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from repoproof.models.base import Answer, ChatRequest, Fault, FillRequest, Message, Sampling
from repoproof.models.endpoint import Endpoint
from repoproof.models.pacing import asking


def endpoint_at(base_url: str, **fields: object) -> Endpoint:
    """An endpoint that is tried again at once."""
    values = {"name": "scripted", "model": "scripted", "base_url": base_url, "first_delay_seconds": 0.0, **fields}
    return Endpoint.model_validate(values)


def question(text: str = "What is it?", **sampling: object) -> ChatRequest:
    messages = (Message(role="user", content=text),)
    return ChatRequest(model="scripted", messages=messages, sampling=Sampling.model_validate(sampling))


def outcomes(endpoint: Endpoint, requests: Sequence[ChatRequest | FillRequest]) -> list[Answer | Fault]:
    """All of them, asked at once."""

    async def all_of_them() -> list[Answer | Fault]:
        async with asking(endpoint) as model:
            return await asyncio.gather(*map(model.ask, requests))

    return asyncio.run(all_of_them())


def answered(outcome: Answer | Fault) -> Answer:
    assert isinstance(outcome, Answer), outcome
    return outcome


def failed(outcome: Answer | Fault) -> Fault:
    assert isinstance(outcome, Fault), outcome
    return outcome
