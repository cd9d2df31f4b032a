"""What asking a model costs beside the model: our calls against bare ones of the `openai` package, to the same scripted server.

    python benchmarks/asking.py [--calls 1000] [--repeat 5] [--out FILE]

Both sides send the same question of 6 KB, get the same answer of 4 KB at once, and are run in turn. Ours is measured as it grows: client,
pace and retries; then with the record on disk; then, as `solve` has it, in a process that outlives ours. Per call it is wall-clock and CPU
of all processes but the server's; before that, how long it takes until a first call is answered. Memory is resident, of all of them, with 500 calls under way, at the 500th and at the 5000th answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from repoproof.models.base import Answer, ChatRequest, Message, Sampling
from repoproof.models.endpoint import Endpoint
from repoproof.models.outliving import outliving
from repoproof.models.pacing import asking
from repoproof.models.recording import Mode, Recording, recorded

QUESTION = "Write the service that this document describes. " * 128
ANSWER = "def answer():\n    return 42\n" * 150
AT_ONCE = 16
MANY = 500
DELAY_SECONDS = 0.5
"""Of an answer where memory is measured, so that as many calls as are wanted are under way."""

Call = Callable[[int], Awaitable[None]]
"""Asks the question of that number; fails if there is no answer."""


@asynccontextmanager
async def bare(base_url: str, at_once: int) -> AsyncGenerator[Call]:
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:

        async def call(number: int) -> None:
            answer = await client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": QUESTION}], temperature=0.4, seed=number
            )
            assert answer.choices[0].message.content == ANSWER

        yield call


@asynccontextmanager
async def paced(base_url: str, at_once: int) -> AsyncGenerator[Call]:
    async with asking(Endpoint(name="m", model="m", base_url=base_url, concurrency=at_once)) as model:
        yield lambda number: ours(model, number)


@asynccontextmanager
async def in_record(base_url: str, at_once: int) -> AsyncGenerator[Call]:
    endpoint = Endpoint(name="m", model="m", base_url=base_url, concurrency=at_once)
    with store() as recording:
        async with asking(endpoint) as asked:
            model = recorded(asked, recording)
            yield lambda number: ours(model, number)


@asynccontextmanager
async def whole(base_url: str, at_once: int) -> AsyncGenerator[Call]:
    endpoint = Endpoint(name="m", model="m", base_url=base_url, concurrency=at_once)
    with store() as recording:
        async with outliving(endpoint, recording) as model:
            yield lambda number: ours(model, number)


@contextmanager
def store() -> Generator[Recording]:
    with tempfile.TemporaryDirectory(prefix="asking-") as place:
        yield Recording(mode=Mode.RECORD, store=Path(place), job="benchmark")


async def ours(model, number: int) -> None:
    sampling = Sampling(temperature=0.4, seed=number)
    outcome = await model.ask(
        ChatRequest(model="m", messages=(Message(role="user", content=QUESTION),), sampling=sampling)
    )
    assert isinstance(outcome, Answer) and outcome.text == ANSWER, outcome


SIDES = {"bare": bare, "paced": paced, "in record": in_record, "whole": whole}


async def all_answered(
    call: Call, count: int, at_once: int, heard: Callable[[int], None] = lambda answered: None
) -> None:
    """Calls 1 to `count`, never more than `at_once` under way; `heard` is told how many are answered."""
    numbers, answered = iter(range(1, count + 1)), iter(range(1, count + 1))

    async def work() -> None:
        for number in numbers:
            await call(number)
            heard(next(answered))

    async with asyncio.TaskGroup() as workers:
        for _ in range(at_once):
            workers.create_task(work())


class Cost(NamedTuple):
    """Milliseconds: until a first call is answered, then wall-clock and CPU per call."""

    start: float
    wall: float
    cpu: float


async def cost(side: str, base_url: str, count: int) -> Cost:
    begun = time.perf_counter()
    async with SIDES[side](base_url, AT_ONCE) as call:
        await call(0)
        wall, cpu = time.perf_counter(), cpu_seconds()
        await all_answered(call, count, AT_ONCE)
        per_call = 1000 / count
        return Cost((wall - begun) * 1000, (time.perf_counter() - wall) * per_call, (cpu_seconds() - cpu) * per_call)


def cpu_seconds() -> float:
    """Of this process, and of the one that makes the calls where there is one."""
    stats = [(process / "stat").read_text().rpartition(")")[2].split() for process in ours_of_proc()]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def overhead(base_url: str, count: int, repeat: int) -> dict[str, dict[str, float]]:
    """Each side in turn, after one uncounted turn; medians, and the ratio turn by turn."""
    turns = [{side: asyncio.run(cost(side, base_url, count)) for side in SIDES} for _ in range(1 + repeat)][1:]
    figures: dict[str, dict[str, float]] = {}
    for place, what in enumerate(Cost._fields):
        for side in SIDES:
            ratios = [turn[side][place] / turn["bare"][place] for turn in turns]
            figures[f"{what}, {side}"] = {
                "ms": statistics.median(turn[side][place] for turn in turns),
                "ratio": statistics.median(ratios),
                "ratio_min": min(ratios),
                "ratio_max": max(ratios),
            }
    return figures


def memory(side: str, base_url: str, marks: tuple[int, ...]) -> dict[str, float]:
    """MiB resident at each of `marks` answers, in a process that has done nothing else."""
    command = [sys.executable, __file__, "--memory", side, base_url, *map(str, marks)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


async def memory_here(side: str, base_url: str, marks: tuple[int, ...]) -> dict[str, float]:
    seen: dict[str, float] = {}

    def heard(answered: int) -> None:
        if answered in marks:
            seen[f"mib_at_{answered}"] = sum(map(resident_mib, ours_of_proc()))

    async with SIDES[side](base_url, MANY) as call:
        await all_answered(call, max(marks), MANY, heard)
    return seen


def ours_of_proc() -> list[Path]:
    """Folders of /proc: this process, and the one that makes the calls where there is one."""
    tasks = Path("/proc/self/task").iterdir()
    children = [Path("/proc") / pid for task in tasks for pid in (task / "children").read_text().split()]
    return [Path("/proc/self"), *(c for c in children if b"repoproof.models.caller" in (c / "cmdline").read_bytes())]


def resident_mib(process: Path) -> float:
    lines = (process / "status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


@contextmanager
def scripted(delay_seconds: float) -> Generator[str]:
    """The base URL of a scripted server in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="asking-") as name:
        rules, port = Path(name) / "rules.toml", Path(name) / "port"
        rules.write_text(f"[[rule]]\nreplies = [{json.dumps(ANSWER)}]\ndelay_seconds = {delay_seconds}\n")
        command = [sys.executable, "-m", "repoproof", "models", "scripted", "--rules", rules, "--port-file", port]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            server.stdout.readline()
            yield f"http://127.0.0.1:{port.read_text().strip()}/v1"
        finally:
            server.terminate()
            server.wait()


def main() -> None:
    if sys.argv[1:2] == ["--memory"]:
        side, base_url, *marks = sys.argv[2:]
        print(json.dumps(asyncio.run(memory_here(side, base_url, tuple(map(int, marks))))))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1000, help="a turn (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="turns (default: %(default)s)")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    with scripted(0) as base_url:
        figures = overhead(base_url, args.calls, args.repeat)
    with scripted(DELAY_SECONDS) as base_url:
        figures |= {f"memory, {side}": memory(side, base_url, (MANY, 10 * MANY)) for side in SIDES}
    for name, values in figures.items():
        print(f"{name:32}", "  ".join(f"{key} {value:.4g}" for key, value in values.items()))
    if args.out:
        machine = {"cores": os.cpu_count(), "kernel": platform.release(), "python": platform.python_version()}
        said = {
            "command": " ".join(["benchmarks/asking.py", *sys.argv[1:]]),
            "date": datetime.now(UTC).date().isoformat(),
        }
        args.out.write_text(json.dumps({**said, "machine": machine, "figures": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
