from __future__ import annotations

import asyncio
import signal
import threading
from typing import NoReturn

import pytest
from plugins.asking import endpoint_at

from repoproof import api
from repoproof.api.asking import ran
from repoproof.models.base import Answer
from repoproof.models.scripted import Rule, scripted_server


async def _asked_in_a_loop(base_url: str) -> object:
    return api.check_model(endpoint_at(base_url)).chat


def test_a_model_is_asked_where_a_loop_is_running_too() -> None:
    with scripted_server([Rule(replies=("ant, bee",))]) as server:
        chat = asyncio.run(_asked_in_a_loop(server.base_url))
    assert isinstance(chat, Answer) and chat.text == "ant, bee"


def test_an_interrupt_in_a_notebook_ends_what_is_being_asked() -> None:
    ended: list[str] = []

    async def asking() -> None:
        try:
            # As the key in a notebook, at the worst moment: nothing cuts the main thread's wait for us short.
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            ended.append("asking")

    async def cell() -> None:
        ran(asking())

    # A shell's background job has the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(cell())
    finally:
        signal.signal(signal.SIGINT, before)
        loop.close()
    assert ended == ["asking"]


def test_what_goes_wrong_beside_a_loop_is_heard_of() -> None:
    async def asking() -> NoReturn:
        raise LookupError("none")

    async def cell() -> None:
        ran(asking())

    with pytest.raises(LookupError, match="none"):
        asyncio.run(cell())
