from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.core.errors import BadInput
from repoproof.models.base import Answer, ChatRequest, Choice, Fault, FaultKind, Message, Usage
from repoproof.models.store import Recorded, Spent, Store


def request(text: str) -> ChatRequest:
    return ChatRequest(model="m", messages=(Message(role="user", content=text),))


def answer(text: str = "yes", **fields: object) -> Answer:
    usage = Usage(prompt_tokens=2, completion_tokens=3)
    return Answer.model_validate({"choices": (Choice(text=text),), "usage": usage, "seconds": 0.5} | fields)


def call(question: str, outcome: Answer | Fault | str = "yes", *, job: str = "job", label: str = "task") -> Recorded:
    outcome = answer(outcome) if isinstance(outcome, str) else outcome
    return Recorded.of(request(question), outcome, job=job, label=label)


def filled(path: Path, *calls: Recorded) -> Store:
    store = Store.opened(path)
    for one in calls:
        store.append(one)
    return store


def texts(path: Path, *questions: str) -> list[str | None]:
    """What a store read anew answers."""
    store = Store.existing(path)
    found = [store.find(request(question).key) for question in questions]
    return [one and one.text for one in found]


def test_what_was_appended_is_found_by_others_that_have_the_store_open(tmp_path: Path) -> None:
    filled(tmp_path, call("a", "first"))
    reader = Store.existing(tmp_path)
    assert reader.find(request("b").key) is None
    filled(tmp_path, call("b", "second"))
    found = reader.find(request("b").key)
    assert found == answer("second")


def test_the_latest_answer_counts_and_each_job_has_its_own(tmp_path: Path) -> None:
    store = filled(
        tmp_path, call("a", "1", job="x"), call("a", "2", job="y"), call("a", "3", job="x"), call("a", "4", job="z")
    )
    key = request("a").key
    found = {job: store.find(key, job) for job in (None, "x", "y", "nobody")}
    assert {job: one and one.text for job, one in found.items()} == {None: "4", "x": "3", "y": "2", "nobody": None}


def test_a_fault_is_written_down_and_is_no_answer(tmp_path: Path) -> None:
    store = filled(tmp_path, call("a", Fault(kind=FaultKind.MALFORMED, reason="?", tries=1)))
    assert store.find(request("a").key) is None
    assert b'"malformed"' in store.answers_file.read_bytes()


def test_what_a_job_has_spent_is_told_by_label_faults_included(tmp_path: Path) -> None:
    store = filled(
        tmp_path,
        call("a", answer(cost_usd=0.25, tries=2)),
        call("b", answer(cost_usd=0.5)),
        call("c", Fault(kind=FaultKind.TIMED_OUT, reason="?", tries=5, seconds=10)),
        call("d", label="other"),
        call("e", job="another"),
    )
    assert store.spent("job") == {
        "task": Spent(calls=8, tokens=10, usd=0.75, seconds=11.0, failed=6),
        "other": Spent(calls=1, tokens=5, seconds=0.5),
    }


CALLS = (call("a", "\u2028\n{'key':"), call("b", '{"key":"x"}'), call("c", "é\ud800"), call("d", ""))
CONTENT = b"".join(one.line() for one in CALLS)


@given(cut=st.integers(0, len(CONTENT)))
def test_a_file_cut_anywhere_reads_as_its_whole_calls_and_can_be_added_to(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("store")
    (path / "answers.jsonl").write_bytes(CONTENT[:cut])
    ends = [len(b"".join(one.line() for one in CALLS[: n + 1])) - 1 for n in range(len(CALLS))]
    expected = [one.answer.text if one.answer and end <= cut else None for one, end in zip(CALLS, ends, strict=True)]
    assert texts(path, "a", "b", "c", "d") == expected
    filled(path, call("new", "whole"))
    assert texts(path, "a", "b", "c", "d", "new") == [*expected, "whole"]


@given(cut=st.integers(0, len(CONTENT)))
def test_a_file_joined_to_one_that_was_cut_anywhere_loses_nothing(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("store")
    whole_before = [one for n, one in enumerate(CALLS) if len(b"".join(o.line() for o in CALLS[: n + 1])) - 1 <= cut]
    others = (call("e", "5"), call("f", "6"))
    (path / "answers.jsonl").write_bytes(CONTENT[:cut] + b"".join(one.line() for one in others))
    store = Store.existing(path)
    assert [store.find(one.key) for one in (*whole_before, *others)] == [one.answer for one in (*whole_before, *others)]


def test_a_line_that_is_being_written_is_read_once_it_is_whole(tmp_path: Path) -> None:
    store = filled(tmp_path, call("a"))
    line = call("b", "late").line()
    with store.answers_file.open("ab", buffering=0) as file:
        file.write(line[:40])
        assert store.find(request("b").key) is None
        file.write(line[40:])
    found = store.find(request("b").key)
    assert found is not None and found.text == "late"
    assert store.damaged == []


def test_a_damaged_line_costs_itself_only_and_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    filled(tmp_path, call("a", "1"))
    with (tmp_path / "answers.jsonl").open("ab") as file:
        file.write(b"\0" * 100 + b"\n" + call("b", "2").line())
    assert texts(tmp_path, "a", "b") == ["1", "2"]
    assert "answers.jsonl:2 holds no call" in caplog.text


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b'{"id": 1, "output": "of something else"}\n', r"answers\.jsonl:2: id: unknown field"),
        (call("b").line().replace(b'"job"', b'"work"'), r"answers\.jsonl:2: work: unknown field"),
        (call("b").line().replace(b'"answer"', b'"fault"'), r"answers\.jsonl:2: fault"),
    ],
)
def test_a_whole_line_that_is_no_call_is_the_users_to_know_of(tmp_path: Path, line: bytes, complaint: str) -> None:
    """Passed over, the calls of a later version would all be paid again."""
    filled(tmp_path, call("a"))
    with (tmp_path / "answers.jsonl").open("ab") as file:
        file.write(line)
    with pytest.raises(BadInput, match=complaint):
        Store.existing(tmp_path)


def test_a_file_put_in_the_place_of_the_old_one_is_read_anew(tmp_path: Path) -> None:
    store = filled(tmp_path, call("a", "old"), call("b", "old"))
    other = tmp_path / "other"
    other.write_bytes(call("b", "new").line())
    other.replace(store.answers_file)
    found = [store.find(request(question).key) for question in "ab"]
    assert [one and one.text for one in found] == [None, "new"]
    assert store.spent("job")["task"].calls == 1


@pytest.mark.parametrize("made", [False, True])
def test_no_store_to_read_from_is_said(tmp_path: Path, made: bool) -> None:
    place = tmp_path / "store"
    if made:
        place.mkdir()
    with pytest.raises(BadInput, match="no answers.jsonl in it" if made else "no such directory"):
        Store.existing(place)


def test_a_folder_that_holds_a_store_leads_to_it(tmp_path: Path) -> None:
    (tmp_path / ".solve").mkdir()
    (tmp_path / ".solve/answers.jsonl").touch()
    with pytest.raises(BadInput, match=r"did you mean .*/\.solve\?"):
        Store.existing(tmp_path)


def test_an_index_of_ten_thousand_long_answers_stays_small(tmp_path: Path) -> None:
    text = "x" * 2000
    (tmp_path / "answers.jsonl").write_bytes(b"".join(call(str(n), text).line() for n in range(10_000)))
    tracemalloc.start()
    try:
        store = Store.existing(tmp_path)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    found = store.find(request("9999").key)
    assert found is not None and found.text == text
    assert held < 10_000 * 600


def test_a_call_that_does_not_fit_on_the_disk_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    program = (
        "import resource, signal, sys; from pathlib import Path; from repoproof.models.store import *\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))\n"
        "call = Recorded.model_validate_json(sys.stdin.read())\n"
        "store = Store.opened(Path(sys.argv[1]))\n"
        "for _ in range(2):\n"
        "    try: store.append(call)\n"
        "    except Exception as error: print(type(error).__name__, error)\n"
    )
    line = call("a", "x" * 1000).line()
    said = subprocess.run([sys.executable, "-c", program, tmp_path], input=line, capture_output=True, check=True).stdout
    short, none = said.decode().splitlines()
    assert short.startswith("InfrastructureError only 300 of") and "answers.jsonl" in short
    assert none.startswith("OSError") and "answers.jsonl" in none
    filled(tmp_path, call("b", "fits"))
    assert texts(tmp_path, "a", "b") == [None, "fits"]


def test_calls_of_several_processes_do_not_mix(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from repoproof.models.store import *\n"
        "store = Store.opened(Path(sys.argv[1]))\n"
        "for line in sys.stdin: store.append(Recorded.model_validate_json(line))\n"
    )
    parts = [[call(f"{part} {n}", "x" * 20_000) for n in range(20)] for part in range(4)]
    running = [
        subprocess.Popen([sys.executable, "-c", program, tmp_path], stdin=subprocess.PIPE) for _ in range(len(parts))
    ]
    for process, part in zip(running, parts, strict=True):
        assert process.stdin is not None
        process.stdin.write(b"".join(one.line() for one in part))
        process.stdin.close()
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    store = Store.existing(tmp_path)
    assert store.damaged == []
    assert all(store.find(one.key) == one.answer for part in parts for one in part)
    assert store.spent("job")["task"].calls == 80


def test_within_one_process_a_claim_is_waited_for(tmp_path: Path) -> None:
    """Of the same store, and of another one on the same directory."""
    asyncio.run(claimed_by_two_stores(tmp_path))


async def claimed_by_two_stores(tmp_path: Path) -> None:
    stores = [Store.opened(tmp_path), Store.opened(tmp_path)]
    inside = 0
    most = 0

    async def claiming(store: Store) -> None:
        nonlocal inside, most
        async with store.claim("ab" * 32):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        for n in range(10):
            tasks.create_task(claiming(stores[n % 2]))
    assert most == 1


HOLDING = """
import asyncio, sys
from pathlib import Path
from repoproof.models.store import Store

async def main():
    async with Store.opened(Path(sys.argv[1])).claim("ab" * 32):
        print("held", flush=True)
        sys.stdin.read()

asyncio.run(main())
"""


def test_a_claim_of_another_process_holds_until_it_dies_and_other_keys_are_free(tmp_path: Path) -> None:
    asyncio.run(claimed_by_another_process(tmp_path))


async def claimed_by_another_process(tmp_path: Path) -> None:
    store = Store.opened(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        async with store.claim("cd" * 32):
            pass
        waiting = asyncio.ensure_future(_claimed(store, "ab" * 32))
        done, _ = await asyncio.wait([waiting], timeout=0.2)
        assert not done
        holder.kill()
        await asyncio.wait_for(waiting, 30)


async def _claimed(store: Store, key: str) -> None:
    async with store.claim(key):
        pass


def test_five_hundred_claims_take_no_file_each(tmp_path: Path) -> None:
    asyncio.run(five_hundred_claims(tmp_path))


async def five_hundred_claims(tmp_path: Path) -> None:
    store = Store.opened(tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir()))
    everyone = asyncio.Barrier(501)

    async def claiming(n: int) -> None:
        async with store.claim(f"{n:064x}"[::-1]):
            await everyone.wait()
            await everyone.wait()

    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        for n in range(500):
            tasks.create_task(claiming(n))
        await everyone.wait()
        assert len(list(Path("/proc/self/fd").iterdir())) == before
        await everyone.wait()


def _a_link(file: Path) -> None:
    (file.parent / "elsewhere").write_text("somebody's\n")
    file.symlink_to("elsewhere")


@pytest.mark.parametrize("make", [_a_link, lambda file: file.symlink_to("nowhere"), os.mkfifo, os.mkdir])
def test_what_is_no_file_of_ours_is_not_added_to(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "answers.jsonl")
    with pytest.raises(BadInput, match=r"answers\.jsonl: not a regular file"):
        Store.opened(tmp_path)
    assert not (tmp_path / "nowhere").exists()
