from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from repoproof.core.errors import BadInput, Boundary
from repoproof.models.base import Answer, ChatRequest, Choice, Fault, FaultKind, FillRequest, Message, Model, Usage
from repoproof.models.recording import Mode, Recording, recalling, recorded, replaying
from repoproof.models.scripted import scripted_server
from repoproof.models.store import Recorded, Store


class Echo:
    """A model of its own: answers with the question and how often it was asked before; counts; fails where it is told to."""

    def __init__(self, *faults: str) -> None:
        self.asked: Counter[str] = Counter()
        self.faults = faults

    async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
        assert isinstance(request, ChatRequest)
        text = request.messages[0].content
        self.asked[text] += 1
        await asyncio.sleep(0)
        if text in self.faults:
            return Fault(kind=FaultKind.OVERLOADED, reason="busy", tries=3, seconds=1.5)
        usage = Usage(prompt_tokens=1, completion_tokens=1)
        return Answer(choices=(Choice(text=f"{text} {self.asked[text]}"),), usage=usage, seconds=0.25)


def request(text: str, **fields: object) -> ChatRequest:
    return ChatRequest.model_validate({"model": "m", "messages": (Message(role="user", content=text),)} | fields)


def ask(model: Model, *texts: str) -> list[str]:
    """What it answers to each, one after the other; the kind of a fault."""

    async def all_of_them() -> list[Answer | Fault]:
        return [await model.ask(request(text), label="task") for text in texts]

    return [one.text if isinstance(one, Answer) else one.kind for one in asyncio.run(all_of_them())]


def test_a_replay_gives_back_that_a_prompt_was_too_long_and_no_other_fault(tmp_path: Path) -> None:
    class Refusing:
        async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
            assert isinstance(request, ChatRequest)
            kind = FaultKind.TOO_LONG if request.messages[0].content == "long" else FaultKind.TIMED_OUT
            return Fault(kind=kind, reason="no", tries=1)

    recording = Recording(mode=Mode.AUTO, store=tmp_path, job="j")
    assert ask(recorded(Refusing(), recording), "long", "slow") == ["too_long", "timed_out"]
    replay = recording.model_copy(update={"mode": Mode.REPLAY})
    assert ask(recorded(Refusing(), replay), "long", "slow") == ["too_long", "not_recorded"]
    # Who is asked again may have more room by now.
    echo = Echo()
    assert ask(recorded(echo, recording), "long") == ["long 1"]
    assert ask(recorded(echo, replay), "long") == ["long 1"]


def test_who_waits_for_the_call_of_another_run_says_so_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repoproof.models.recording.PATIENCE_SECONDS", 0.05)
    recording = Recording(mode=Mode.AUTO, store=tmp_path, job="j")
    said: list[str] = []

    async def waited() -> list[Answer | Fault]:
        # Another store on the same directory, as another process has.
        other = recording.opened()
        async with other.claim(request("a").key), other.claim(request("b").key):
            model = recorded(Echo(), recording, say=said.append)
            asked = [asyncio.create_task(model.ask(request(text), label="task")) for text in "ab"]
            while not said:
                await asyncio.sleep(0.01)
        return await asyncio.gather(*asked)

    assert all(isinstance(one, Answer) for one in asyncio.run(waited()))
    assert said == [
        f"{tmp_path}: waiting for 2 calls that are in flight already, of another run or of one that was killed"
    ]


@pytest.mark.parametrize(
    ("mode", "same_job", "other_job", "asked"),
    [
        (Mode.OFF, "a 2", "a 3", 3),
        (Mode.RECORD, "a 1", "a 2", 2),
        (Mode.AUTO, "a 1", "a 1", 1),
    ],
)
def test_what_was_answered_is_asked_again_as_the_mode_says(
    tmp_path: Path, mode: Mode, same_job: str, other_job: str, asked: int
) -> None:
    echo = Echo()
    first = Recording(mode=mode, store=tmp_path, job="first")
    assert ask(recorded(echo, first), "a") == ["a 1"]
    assert ask(recorded(echo, first), "a") == [same_job]
    assert ask(recorded(echo, first.model_copy(update={"job": "other"})), "a") == [other_job]
    assert echo.asked["a"] == asked


def test_off_writes_nothing(tmp_path: Path) -> None:
    store = tmp_path / "store"
    ask(recorded(Echo(), Recording(mode=Mode.OFF, store=store)), "a")
    assert not store.exists()


def test_a_replay_gives_what_was_recorded_to_the_last_digit_and_never_asks(tmp_path: Path) -> None:
    recording = Recording(mode=Mode.AUTO, store=tmp_path, job="j")
    told = asyncio.run(recorded(Echo(), recording).ask(request("a")))
    echo = Echo()
    replay = recording.model_copy(update={"mode": Mode.REPLAY})
    for model in (replaying(replay), recorded(echo, replay), recalling(echo, replay)):
        assert asyncio.run(model.ask(request("a"))) == told
        assert ask(model, "b") == [FaultKind.NOT_RECORDED]
    assert not echo.asked


def test_a_miss_names_the_store_the_model_and_the_task(tmp_path: Path) -> None:
    ask(recorded(Echo(), Recording(mode=Mode.AUTO, store=tmp_path)), "a")
    fault = asyncio.run(
        replaying(Recording(mode=Mode.REPLAY, store=tmp_path)).ask(request("a", sample=1), label="blog")
    )
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.boundary, fault.tries) == (FaultKind.NOT_RECORDED, Boundary.MODEL, 0)
    assert all(part in fault.reason for part in (str(tmp_path), '"m"', "for blog"))


def test_a_replay_of_two_jobs_gives_each_its_own_answer(tmp_path: Path) -> None:
    echo = Echo()
    jobs = [Recording(mode=Mode.RECORD, store=tmp_path, job=job) for job in ("x", "y")]
    assert [ask(recorded(echo, job), "a") for job in jobs] == [["a 1"], ["a 2"]]
    replays = [Recording(mode=Mode.REPLAY, store=tmp_path, job=job) for job in ("x", "y", "another")]
    assert [ask(replaying(replay), "a") for replay in replays] == [["a 1"], ["a 2"], ["a 2"]]


def test_a_fault_is_spent_and_asked_again(tmp_path: Path) -> None:
    recording = Recording(mode=Mode.AUTO, store=tmp_path, job="j")
    assert ask(recorded(Echo("a"), recording), "a") == [FaultKind.OVERLOADED]
    assert ask(recorded(Echo(), recording), "a") == ["a 1"]
    assert recording.opened().spent("j")["task"].calls == 4


def test_what_was_never_sent_is_not_written_down(tmp_path: Path) -> None:
    class Closed:
        async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
            return Fault(kind=FaultKind.ABANDONED, reason="closing")

    recording = Recording(mode=Mode.AUTO, store=tmp_path)
    assert ask(recorded(Closed(), recording), "a") == [FaultKind.ABANDONED]
    assert not (tmp_path / "answers.jsonl").exists()


def test_the_same_question_asked_a_hundred_times_at_once_is_sent_once(tmp_path: Path) -> None:
    echo = Echo()
    model = recorded(echo, Recording(mode=Mode.AUTO, store=tmp_path))

    async def at_once() -> set[Answer | Fault]:
        return set(await asyncio.gather(*(model.ask(request("a")) for _ in range(100))))

    assert len(asyncio.run(at_once())) == 1
    assert echo.asked["a"] == 1


def test_an_answer_is_on_disk_before_anybody_hears_of_it(tmp_path: Path) -> None:
    model = recorded(Echo(), Recording(mode=Mode.AUTO, store=tmp_path))

    async def heard() -> bool:
        await model.ask(request("a"))
        return request("a").key.encode() in (tmp_path / "answers.jsonl").read_bytes()

    assert asyncio.run(heard())


def test_who_is_cancelled_after_the_answer_came_leaves_it_on_disk_and_the_claim_free(tmp_path: Path) -> None:
    class Leaving(Echo):
        async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
            answer = await super().ask(request, label=label)
            task = asyncio.current_task()
            assert task is not None
            # Felt at the next wait: while the answer is being written down.
            task.cancel()
            return answer

    recording = Recording(mode=Mode.AUTO, store=tmp_path)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(recorded(Leaving(), recording).ask(request("a")))
    echo = Echo()
    assert ask(recorded(echo, recording), "a") == ["a 1"]
    assert not echo.asked


def test_recalling_writes_nothing_and_sees_what_others_write(tmp_path: Path) -> None:
    recording = Recording(mode=Mode.AUTO, store=tmp_path)
    outer = Echo()
    model = recalling(outer, recording)
    assert ask(model, "a", "a") == ["a 1", "a 2"]
    ask(recorded(Echo(), recording), "a")
    assert ask(model, "a") == ["a 1"]
    assert outer.asked["a"] == 2


def test_once_a_call_cannot_be_written_down_no_further_one_is_paid_for(tmp_path: Path) -> None:
    echo = Echo()
    model = recorded(echo, Recording(mode=Mode.AUTO, store=tmp_path))
    (tmp_path / "answers.jsonl").mkdir()
    # A directory in the file's place can neither be read nor added to.
    with pytest.raises(IsADirectoryError):
        ask(model, "a")
    (tmp_path / "answers.jsonl").rmdir()
    (tmp_path / "answers.jsonl").symlink_to(tmp_path / "gone" / "answers.jsonl")
    fault = asyncio.run(model.ask(request("a")))
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.boundary, fault.tries) == (FaultKind.BROKEN, Boundary.HARNESS, 1)
    assert "answers.jsonl" in fault.reason
    assert ask(model, "a", "b") == [FaultKind.BROKEN, FaultKind.BROKEN]
    assert echo.asked.total() == 1


@pytest.mark.parametrize("mode", [Mode.RECORD, Mode.REPLAY, Mode.AUTO])
def test_a_mode_that_needs_a_store_says_so(mode: Mode) -> None:
    with pytest.raises(BadInput, match=f"store: {mode} needs a directory"):
        Recording(mode=mode)


def test_a_replay_without_a_store_is_the_users_to_know_of(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such directory"):
        replaying(Recording(mode=Mode.REPLAY, store=tmp_path / "none"))


@pytest.mark.needs("bubblewrap")
def test_a_replay_reads_a_store_that_nobody_may_write_to(tmp_path: Path) -> None:
    ask(recorded(Echo(), Recording(mode=Mode.AUTO, store=tmp_path)), "a")
    program = (
        "import asyncio, sys; from repoproof.models.recording import *; from repoproof.models.base import *\n"
        "model = replaying(Recording(mode='replay', store=sys.argv[1]))\n"
        "request = ChatRequest(model='m', messages=(Message(role='user', content='a'),))\n"
        "print(asyncio.run(model.ask(request)).text)\n"
    )
    box = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--", sys.executable, "-c", program, str(tmp_path)]
    told = subprocess.run(box, capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert (told.stdout, told.stderr) == ("a 1\n", "")


ASKING = """
import asyncio, sys
from repoproof.models.base import *
from repoproof.models.endpoint import Endpoint
from repoproof.models.pacing import asking
from repoproof.models.recording import *

async def main(base_url, store):
    print("ready", flush=True)
    sys.stdin.readline()
    async with asking(Endpoint(name="s", model="m", base_url=base_url)) as endpoint:
        model = recorded(endpoint, Recording(mode="auto", store=store, job=str(id(sys))))
        questions = [ChatRequest(model="m", messages=(Message(role="user", content=f"q{n}"),)) for n in range(50)]
        told = await asyncio.gather(*(model.ask(one) for one in questions))
        print(len([one for one in told if isinstance(one, Answer)]))

asyncio.run(main(*sys.argv[1:]))
"""


def test_processes_that_ask_the_same_at_the_same_time_pay_once(tmp_path: Path) -> None:
    with scripted_server() as server:
        command = [sys.executable, "-c", ASKING, server.base_url, str(tmp_path)]
        running = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
        ]
        for process in running:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
        for process in running:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        told = [process.communicate()[0] for process in running]
        counts = server.counts()
    assert told == ["50\n", "50\n"]
    assert (counts.questions, counts.repeated) == (50, 0)


def test_a_store_that_was_made_by_joining_two_answers_for_both(tmp_path: Path) -> None:
    for name in ("x", "y"):
        ask(recorded(Echo(), Recording(mode=Mode.AUTO, store=tmp_path / name, job=name)), name)
    joined = tmp_path / "joined"
    joined.mkdir()
    content = b"".join((tmp_path / name / "answers.jsonl").read_bytes() for name in ("x", "y"))
    (joined / "answers.jsonl").write_bytes(content)
    assert ask(replaying(Recording(mode=Mode.REPLAY, store=joined)), "x", "y") == ["x 1", "y 1"]
    assert Store.existing(joined).spent("y")["task"].calls == 1


def test_a_record_says_what_was_asked(tmp_path: Path) -> None:
    recording = Recording(mode=Mode.AUTO, store=tmp_path, job="j")
    asyncio.run(recorded(Echo(), recording).ask(request("a", sampling={"temperature": 0.4}), label="blog"))
    call = Recorded.model_validate_json((tmp_path / "answers.jsonl").read_bytes())
    assert (call.job, call.label, call.key) == ("j", "blog", request("a", sampling={"temperature": 0.4}).key)
    assert call.request == {
        "kind": "chat",
        "model": "m",
        "messages": [{"role": "user", "content": "a"}],
        "sampling": {"temperature": 0.4},
    }
