from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from repoproof.core.errors import BadInput, Boundary
from repoproof.models.base import Answer, ChatRequest, Fault, FaultKind, Message, Model
from repoproof.models.endpoint import Endpoint
from repoproof.models.outliving import STARTS, outliving
from repoproof.models.recording import Mode, Recording
from repoproof.models.scripted import Rule, scripted_server
from repoproof.models.store import Store

CONCURRENCY = 4

JOB = """
import asyncio, sys
from repoproof.models.base import *
from repoproof.models.endpoint import Endpoint
from repoproof.models.outliving import outliving
from repoproof.models.recording import Recording

async def main(base_url, store, questions, mode):
    endpoint = Endpoint(name="s", model="m", base_url=base_url, concurrency=4)
    async with outliving(endpoint, Recording(mode=mode, store=store, job="job")) as model:
        print("ready", flush=True)
        asked = [ChatRequest(model="m", messages=(Message(role="user", content=f"q{n}"),)) for n in range(int(questions))]
        told = await asyncio.gather(*(model.ask(one, label="task") for one in asked))
    print(sum(isinstance(one, Answer) for one in told))

asyncio.run(main(*sys.argv[1:]))
"""


def job(base_url: str, store: Path, *, questions: int, mode: str = "auto") -> list[str]:
    return [sys.executable, "-c", JOB, base_url, str(store), str(questions), mode]


def request(text: str) -> ChatRequest:
    return ChatRequest(model="m", messages=(Message(role="user", content=text),))


def endpoint(base_url: str, concurrency: int = CONCURRENCY) -> Endpoint:
    return Endpoint(name="s", model="m", base_url=base_url, concurrency=concurrency)


@contextmanager
def started(command: list[str]) -> Generator[subprocess.Popen[str]]:
    """A job that has its caller."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def callers_of(pid: int, store: Path | None = None) -> list[int]:
    """Callers that were started by that process and are alive; with `store`, those that log there."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    children = [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    return [child for child in children if is_caller(child) and store in (None, log_of(child).parent)]


def is_caller(pid: int) -> bool:
    # Of what has ended, nothing is left to read but its name.
    return b"repoproof.models.caller" in Path(f"/proc/{pid}/cmdline").read_bytes()


def log_of(pid: int) -> Path:
    return Path(f"/proc/{pid}/fd/2").readlink()


async def gone(pid: int) -> None:
    """Wait until that process, which need not be a child of ours, has ended."""
    descriptor = os.pidfd_open(pid)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(descriptor, ended.set)
    try:
        await asyncio.wait_for(ended.wait(), 60)
    finally:
        asyncio.get_running_loop().remove_reader(descriptor)
        os.close(descriptor)


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_a_job_that_is_killed_and_started_again_pays_for_nothing_twice(tmp_path: Path, mode: str) -> None:
    """Some calls are answered, some are in flight, some wait for their turn."""
    with scripted_server([Rule(times=3), Rule(hold=True)]) as server:
        command = job(server.base_url, tmp_path, questions=20, mode=mode)
        with started(command) as process:
            server.wait_for(3 + CONCURRENCY, held=CONCURRENCY)
            process.send_signal(signal.SIGKILL)
            process.wait()
        with started(command) as process:
            # Those in flight are waited for, others are asked: at once, so many of this job's.
            server.wait_for(3 + 2 * CONCURRENCY, held=2 * CONCURRENCY)
            server.release()
            told, complaints = process.communicate()
        counts = server.counts()
    assert (told, complaints) == ("20\n", "")
    assert (counts.questions, counts.repeated) == (20, 0)
    assert Store.existing(tmp_path).spent("job")["task"].calls == 20


def test_what_is_in_flight_when_the_job_is_killed_is_written_down_and_nothing_else_is_sent(tmp_path: Path) -> None:
    with scripted_server([Rule(hold=True)]) as server:
        with started(job(server.base_url, tmp_path, questions=20)) as process:
            server.wait_for(CONCURRENCY, held=CONCURRENCY)
            (caller,) = callers_of(process.pid)
            process.send_signal(signal.SIGKILL)

            async def ending() -> None:
                waiting = asyncio.ensure_future(gone(caller))
                await abandoned(tmp_path)
                server.release()
                await waiting

            asyncio.run(ending())
        assert server.counts().total == CONCURRENCY
    assert Store.existing(tmp_path).spent("job")["task"].calls == CONCURRENCY


async def abandoned(path: Path) -> None:
    """Wait until what was queued is claimed no more: the caller has noticed that it is alone."""
    async with asyncio.timeout(60), Store.opened(path).claim(request("q19").key):
        return


def test_a_killed_job_keeps_nobody_waiting_for_the_end_of_its_output(tmp_path: Path) -> None:
    with scripted_server([Rule(hold=True)]) as server:
        with started(job(server.base_url, tmp_path, questions=5)) as process:
            server.wait_for(CONCURRENCY, held=CONCURRENCY)
            process.send_signal(signal.SIGKILL)
            assert process.communicate(timeout=60) == ("", "")
            assert server.counts().held == CONCURRENCY


def test_an_interrupt_from_the_terminal_does_not_reach_the_calls_and_nobody_waits_for_them(tmp_path: Path) -> None:
    """Ctrl-C goes to all of a process group."""
    with scripted_server([Rule(hold=True)]) as server:
        command = job(server.base_url, tmp_path, questions=5)
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        ) as process:
            server.wait_for(CONCURRENCY, held=CONCURRENCY)
            (caller,) = callers_of(process.pid)
            os.killpg(process.pid, signal.SIGINT)
            process.communicate(timeout=60)
            assert server.counts().held == CONCURRENCY

            async def ending() -> None:
                waiting = asyncio.ensure_future(gone(caller))
                await asyncio.sleep(0)
                server.release()
                await waiting

            asyncio.run(ending())
    assert Store.existing(tmp_path).spent("job")["task"].calls >= CONCURRENCY


def test_a_caller_that_is_told_to_end_finishes_what_is_in_flight(tmp_path: Path) -> None:
    with scripted_server([Rule(hold=True)]) as server:

        async def asking() -> list[Answer | Fault]:
            async with outliving(endpoint(server.base_url), Recording(mode=Mode.AUTO, store=tmp_path)) as model:
                asked = asyncio.gather(*(model.ask(request(f"q{n}")) for n in range(20)))
                await asyncio.to_thread(server.wait_for, CONCURRENCY, held=CONCURRENCY)
                os.kill(callers_of(os.getpid())[-1], signal.SIGTERM)
                await abandoned(tmp_path)
                server.release()
                return await asked

        told = asyncio.run(asking())
        assert server.counts().total == CONCURRENCY
    kinds = [one.kind for one in told if isinstance(one, Fault)]
    assert kinds == [FaultKind.ABANDONED] * (20 - CONCURRENCY)


def test_what_is_tried_again_is_said_here_though_it_is_another_process_that_tries(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with scripted_server([Rule(status=503, times=1), Rule()]) as server:

        async def asking() -> Answer | Fault:
            busy = endpoint(server.base_url).model_copy(update={"first_delay_seconds": 0.0})
            async with outliving(busy, Recording(mode=Mode.AUTO, store=tmp_path)) as model:
                return await model.ask(request("q"))

        assert isinstance(asyncio.run(asking()), Answer)
    line = "endpoint s: 503: scripted error 503; trying again at once (try 2 of 5)"
    assert [record.getMessage() for record in caplog.records if record.name.startswith("repoproof")] == [line]
    assert (tmp_path / "caller.log").read_text().endswith(f"{line}\n")


def test_a_caller_that_is_killed_is_a_fault_for_what_was_asked_and_another_one_goes_on(tmp_path: Path) -> None:
    with scripted_server([Rule(contains="hold", hold=True)]) as server:

        async def asking() -> tuple[list[Answer | Fault], Answer | Fault, Answer | Fault]:
            async with outliving(endpoint(server.base_url), Recording(mode=Mode.AUTO, store=tmp_path)) as model:
                before = await model.ask(request("before"))
                asked = asyncio.gather(*(model.ask(request(f"hold {n}")) for n in range(3)))
                await asyncio.to_thread(server.wait_for, held=3)
                os.kill(callers_of(os.getpid())[-1], signal.SIGKILL)
                return await asked, before, await model.ask(request("after"))

        lost, before, after = asyncio.run(asking())
    for one in lost:
        assert isinstance(one, Fault)
        assert (one.kind, one.boundary, one.tries) == (FaultKind.BROKEN, Boundary.HARNESS, 1)
        assert "ended by signal 9" in one.reason and "caller.log" in one.reason
    assert isinstance(before, Answer) and isinstance(after, Answer)


def test_callers_that_keep_dying_are_not_started_for_ever(tmp_path: Path) -> None:
    with scripted_server([Rule(hold=True)]) as server:

        async def asking() -> list[Answer | Fault]:
            told: list[Answer | Fault] = []
            async with outliving(endpoint(server.base_url), Recording(mode=Mode.AUTO, store=tmp_path)) as model:
                for n in range(STARTS):
                    asked = asyncio.ensure_future(model.ask(request(f"q{n}")))
                    await asyncio.to_thread(server.wait_for, n + 1)
                    os.kill(callers_of(os.getpid())[-1], signal.SIGKILL)
                    told.append(await asked)
                told.append(await model.ask(request("last")))
            return told

        told = asyncio.run(asking())
        assert server.counts().total == STARTS
    assert [one.kind for one in told if isinstance(one, Fault)] == [FaultKind.BROKEN] * (STARTS + 1)
    assert isinstance(told[-1], Fault) and f"died {STARTS} times" in told[-1].reason


def test_who_asks_no_longer_loses_nothing(tmp_path: Path) -> None:
    """A question that is cancelled in flight is written down; leaving does not wait for it."""
    with scripted_server([Rule(hold=True)]) as server:

        async def asking() -> None:
            async with outliving(endpoint(server.base_url), Recording(mode=Mode.AUTO, store=tmp_path)) as model:
                asked = asyncio.ensure_future(model.ask(request("a")))
                await asyncio.to_thread(server.wait_for, held=1)
                (caller,) = callers_of(os.getpid(), tmp_path)
                asked.cancel()
            waiting = asyncio.ensure_future(gone(caller))
            await asyncio.sleep(0)
            assert server.counts().held == 1
            server.release()
            await waiting

        asyncio.run(asyncio.wait_for(asking(), 60))
    assert Store.existing(tmp_path).find(request("a").key) is not None


def test_a_caller_is_gone_when_the_context_is_left(tmp_path: Path) -> None:
    with scripted_server() as server:

        async def asking() -> None:
            async with outliving(endpoint(server.base_url), Recording(mode=Mode.AUTO, store=tmp_path)) as model:
                await model.ask(request("a"))
                (caller,) = callers_of(os.getpid(), tmp_path)
            assert not Path(f"/proc/{caller}").exists() or "(zombie)" in Path(f"/proc/{caller}/status").read_text()

        asyncio.run(asking())


def test_five_hundred_at_once_all_come_back_and_what_they_say_is_what_was_recorded(tmp_path: Path) -> None:
    with scripted_server([Rule(contains="7", replies=("x" * 200_000,))]) as server:

        async def asking(model: Model) -> list[Answer | Fault]:
            return await asyncio.gather(*(model.ask(request(f"q{n}")) for n in range(500)))

        async def opened() -> list[Answer | Fault]:
            async with outliving(endpoint(server.base_url, 500), Recording(mode=Mode.AUTO, store=tmp_path)) as model:
                return await asking(model)

        told = asyncio.run(opened())
        assert server.counts().repeated == 0
    store = Store.existing(tmp_path)
    assert told == [store.find(request(f"q{n}").key) for n in range(500)]


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.REPLAY])
def test_only_what_is_written_down_can_outlive(tmp_path: Path, mode: Mode) -> None:
    with pytest.raises(BadInput, match="writes nothing down"):
        asyncio.run(_entered(Endpoint(name="s", model="m"), Recording(mode=mode, store=tmp_path)))


def test_what_the_caller_cannot_do_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    """A key that is none; a store that is a stranger's file."""
    (tmp_path / "answers.jsonl").write_text(json.dumps({"of": "somebody else"}) + "\n")
    with pytest.raises(BadInput, match=r"answers\.jsonl:1: of: unknown field"):
        asyncio.run(_entered(Endpoint(name="s", model="m"), Recording(mode=Mode.AUTO, store=tmp_path)))


async def _entered(endpoint: Endpoint, recording: Recording) -> None:
    async with outliving(endpoint, recording):
        pass
