"""Many questions at once, and very many one after the other."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from plugins.asking import answered, endpoint_at, question

from repoproof.core.base import MiB
from repoproof.models.base import Answer, Fault
from repoproof.models.opening import ask_all
from repoproof.models.pacing import asking
from repoproof.models.scripted import Rule, scripted_server

AT_ONCE = 500
SERVER = """
import sys
from repoproof.models.scripted import Rule, scripted_server
with scripted_server([Rule(replies=("word " * 2000,))]) as server:
    print(server.base_url, flush=True)
    sys.stdin.read()
"""


def test_five_hundred_calls_are_in_flight_at_once() -> None:
    async def ask() -> list[Answer | Fault]:
        async with asking(endpoint_at(server.base_url, concurrency=AT_ONCE)) as model:
            asked = asyncio.gather(*(model.ask(question(f"{number}")) for number in range(AT_ONCE)))
            await asyncio.to_thread(server.wait_for, held=AT_ONCE)
            server.release()
            return await asked

    with scripted_server([Rule(hold=True)]) as server:
        assert all(answered(outcome).tries == 1 for outcome in asyncio.run(ask()))
        assert server.counts().repeated == 0


@pytest.mark.slow
def test_memory_is_flat_however_many_questions_there_are() -> None:
    # Each question and answer has ten kilobytes: kept, those after the first five hundred would take 70 MB.
    with server_of_its_own() as base_url:
        asked = ask_all(
            lambda: asking(endpoint_at(base_url, concurrency=AT_ONCE)),
            (question(f"{number} " + "x" * 10_000) for number in range(4000)),
            workers=AT_ONCE,
        )
        held: list[int] = []
        for number, (_, outcome) in enumerate(asked, start=1):
            answered(outcome)
            if number in (2 * AT_ONCE, 4000):
                held.append(resident_bytes())
    assert held[1] - held[0] < 15 * MiB


@contextmanager
def server_of_its_own() -> Generator[str]:
    """A scripted server in another process, whose memory is not ours."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
