"""`solve` as a user runs it: a process, a real HTTP server in a model's place, files on a real disk."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from plugins.small_suite import REFERENCE
from plugins.solvable import (
    RIGHT,
    command,
    difference,
    environment,
    lines_of,
    models_toml,
    repoproof,
    solvable_suite,
    to,
)

import repoproof as library
from repoproof.completions.filetree import render_tree
from repoproof.models.scripted import Rule, ScriptedServer, scripted_server

TASKS = ("first", "second", "third", "fourth", "fifth")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return solvable_suite(tmp_path_factory.mktemp("suites") / "suite", *TASKS)


def words(suite: Path | str, server: ScriptedServer, output: Path, *more: object, **fields: object) -> list[object]:
    """A command that solves `suite` with the model at `server`; `fields` are of models.toml."""
    models = models_toml(output.parent, server.base_url, **fields)
    return ["solve", suite, "--model", "m", "--models", models, "--budget", "unlimited", "-o", output, *more]


@contextmanager
def started(*all_words: object) -> Generator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command(*all_words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def attempts(output: Path) -> list[dict]:
    return [json.loads(line) for line in lines_of(output / ".solve" / "attempts.jsonl")]


def submitted(output: Path) -> list[dict]:
    return [json.loads(line) for line in lines_of(output / "submissions.jsonl")]


@pytest.mark.needs("bubblewrap")
def test_right_answers_make_submissions_that_score_one(suite, tmp_path):
    out = tmp_path / "out"
    with scripted_server([Rule(replies=(RIGHT,))]) as server:
        ran = repoproof(*words(suite, server, out, "--task", "first", "--task", "third"))
    assert ran.returncode == 0, ran.stderr
    assert f"Next: repoproof score {suite} {out} -o {out}-run --task first --task third" in ran.stdout
    scored = repoproof("score", suite, out, "-o", tmp_path / "run", "--task", "first", "--task", "third")
    assert scored.returncode == 0, scored.stderr
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert report["strict"]["pass_at_1"] == 1.0
    assert {row["origin"]["model"] for row in report["tasks"]} == {"m-1"}


def test_the_references_of_the_bundled_suite_come_through_an_answer_as_they_are(tmp_path):
    bundled = library.load_suite("microservice-mini")
    references = {task.id: task.reference_path for task in bundled}  # pyright: ignore[reportAttributeAccessIssue]
    copies = {
        id: shutil.copytree(path, tmp_path / "references" / id, ignore=_caches) for id, path in references.items()
    }
    readmes = {task.id: task.specification_path.read_text() for task in bundled}  # pyright: ignore[reportAttributeAccessIssue]
    rules = [Rule(contains=readmes[id], replies=(render_tree(copy),)) for id, copy in copies.items()]
    out = tmp_path / "out"
    with scripted_server(rules) as server:
        ran = repoproof(*words("microservice-mini", server, out))
    assert ran.returncode == 0, ran.stderr
    assert [line["task"] for line in submitted(out)] == [task.id for task in bundled]
    for id, copy in copies.items():
        if not (copy / "README.md").exists():
            (copy / "README.md").write_text(readmes[id])
        assert difference(out / id / "0", copy) == ""


def _caches(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in ("__pycache__", "node_modules")]


FAULTS = {
    "busy": ("rate_limited", {"status": 429, "retry_after": 0, "times": 2}),
    "broken": ("overloaded", {"status": 500, "times": 2}),
    "locked": ("refused", {"status": 401, "times": 1}),
    "cut": ("disconnected", {"fault": "cut", "times": 2}),
    "silent": ("disconnected", {"fault": "disconnect", "times": 2}),
    "garbled": ("malformed", {"fault": "malformed", "times": 1}),
    "empty": ("malformed", {"fault": "no_choices", "times": 1}),
    "slow": ("timed_out", {"hold": True, "times": 2}),
}
"""Task -> what it ends in, and how the endpoint fails, as often as it is asked by one command (two tries, where there is a second)."""


def test_every_fault_is_data_with_its_boundary_and_is_asked_again_by_the_same_command(tmp_path):
    suite, out = solvable_suite(tmp_path / "suite", *FAULTS, "fine"), tmp_path / "out"
    rules = [to(id, **how) for id, (_, how) in FAULTS.items()]
    with scripted_server([*rules, Rule(replies=(RIGHT,))]) as server:
        again = words(suite, server, out, "--workers", "9", timeout_seconds=5)
        ran = repoproof(*again)
        assert ran.returncode == 3, ran.stderr
        ended = {attempt["task"]: attempt.get("fault") for attempt in attempts(out)}
        assert ended.pop("fine") is None
        assert {id: (fault["kind"], fault["boundary"]) for id, fault in ended.items()} == {
            id: (kind, "model") for id, (kind, _) in FAULTS.items()
        }
        assert [line["task"] for line in submitted(out)] == ["fine"]
        assert sorted(path.name for path in out.iterdir() if path.is_dir()) == [".solve", "fine", "transcripts"]
        assert "busy#0 fault model: rate_limited: " in ran.stderr
        assert "9 wanted, 1 answered, 0 unusable, 8 ended in faults" in ran.stdout
        server.release()
        ran = repoproof(*again)
        assert ran.returncode == 0, ran.stderr
    assert "9 answered, 0 unusable, 0 ended in faults, 0 not asked (1 kept from before)" in ran.stdout
    assert [line["task"] for line in submitted(out)] == [*FAULTS, "fine"]
    assert (out / "slow" / "0" / "service.py").read_text() == REFERENCE["service.py"]


def test_an_endpoint_that_is_not_there_is_a_fault_of_every_attempt_and_submits_nothing(suite, tmp_path):
    with scripted_server() as server:
        gone = words(suite, server, tmp_path / "out")
    ran = repoproof(*gone)
    assert ran.returncode == 3, ran.stderr
    assert {attempt["fault"]["kind"] for attempt in attempts(tmp_path / "out")} == {"unreachable"}
    assert sorted(entry.name for entry in (tmp_path / "out").iterdir()) == [".solve"]
    assert (
        "Next: start the endpoint, or correct base_url (OPENAI_BASE_URL), then give the same command again"
        in ran.stdout
    )


@pytest.mark.parametrize("recording", [(), ("--no-record",)], ids=["in a process that outlives it", "in its own"])
def test_an_endpoint_that_is_asked_again_is_not_silent(suite, tmp_path, recording):
    out = tmp_path / "out"
    asked = ("--task", "first", "--task", "second", "--workers", "1", *recording)
    with scripted_server([Rule(status=503, first=1), Rule(replies=(RIGHT,))]) as server:
        ran = repoproof(*words(suite, server, out, *asked))
    assert ran.returncode == 0, ran.stderr
    again, *ended = ran.stderr.splitlines()
    assert again == "endpoint m: 503: scripted error 503; trying again at once (try 2 of 2)"
    assert [line.split()[:3] for line in ended] == [["[1/2]", "first#0", "answered"], ["[2/2]", "second#0", "answered"]]
    assert "503" not in ran.stdout
    if not recording:
        replay = ("--replay", out / ".solve", "-o", tmp_path / "again", *asked)
        ran = repoproof("solve", suite, "--model", "m-1", *replay)
        assert "endpoint" not in ran.stderr and len(ran.stderr.splitlines()) == 2


def test_an_answer_without_a_repository_is_submitted_and_an_answer_that_is_cut_off_as_far_as_it_goes(suite, tmp_path):
    out = tmp_path / "out"
    rules = [to("first", "I cannot do that."), to("second", RIGHT, fault="truncated"), Rule(replies=(RIGHT,))]
    with scripted_server(rules) as server:
        ran = repoproof(*words(suite, server, out))
    assert ran.returncode == 0, ran.stderr
    assert "4 answered, 1 unusable, 0 ended in faults" in ran.stdout
    outcomes = {attempt["task"]: (attempt["outcome"], attempt["note"]) for attempt in attempts(out)}
    assert outcomes["first"] == ("unusable", "the answer holds no file")
    assert outcomes["second"] == ("answered", "the answer was cut off at the endpoint's own limit")
    assert sorted(path.name for path in (out / "first" / "0").iterdir()) == ["README.md", "requirements.txt"]
    half = (out / "second" / "0" / "service.py").read_text()
    assert half and REFERENCE["service.py"].startswith(half.rstrip("\n"))
    transcript = json.loads((out / "transcripts" / "first-0.json").read_text())
    assert transcript["solved"]["exchanges"][0]["answer"]["choices"][0]["text"] == "I cannot do that."


def test_a_budget_of_calls_is_never_exceeded_and_counts_what_earlier_runs_spent(suite, tmp_path):
    out = tmp_path / "out"
    with scripted_server([Rule(replies=(RIGHT,))]) as server:
        for calls, exit_code, total in ((3, 1, 3), (4, 1, 4), (5, 0, 5)):
            ran = repoproof(*words(suite, server, out, "--workers", "4", "--budget", f"calls={calls}"))
            assert (ran.returncode, server.counts().total) == (exit_code, total), ran.stderr
            assert len(submitted(out)) == total
            assert ("the run's budget is used up" in ran.stdout) == (exit_code == 1)


def test_a_budget_of_tokens_is_exceeded_by_what_is_in_flight_and_no_more(suite, tmp_path):
    out = tmp_path / "out"
    with scripted_server([Rule(replies=(RIGHT,), hold=True)]) as server:
        with started(*words(suite, server, out, "--workers", "3", "--samples", "4", "--budget", "tokens=1")) as process:
            server.wait_for(held=3)
            server.release()
            printed, complaints = process.communicate()
        assert (process.returncode, server.counts().total) == (1, 3), complaints
    assert "20 wanted, 3 answered, 0 unusable, 0 ended in faults, 17 not asked" in printed


def test_a_budget_of_a_task_stops_that_task_alone(suite, tmp_path):
    out = tmp_path / "out"
    with scripted_server([Rule(replies=(RIGHT,))]) as server:
        ran = repoproof(*words(suite, server, out, "--samples", "3", "--task-budget", "calls=2"))
        assert (ran.returncode, server.counts().total) == (1, 10), ran.stderr
    assert [(line["task"], line["attempt"]) for line in submitted(out)] == [(id, n) for id in TASKS for n in range(2)]


def test_killed_and_started_again_it_asks_nothing_twice_and_ends_as_if_undisturbed(suite, tmp_path):
    out, undisturbed = tmp_path / "out", tmp_path / "undisturbed"
    with scripted_server([Rule(replies=(RIGHT,), times=4), Rule(replies=(RIGHT,), hold=True)]) as server:
        again = words(suite, server, out, "--samples", "4", "--seed", "1")
        # The second time, three calls of the first are still in flight, in the hands of a process that has outlived it.
        for workers in (3, 6):
            with started(*again, "--workers", workers) as process:
                server.wait_for(4 + workers, held=workers)
                process.send_signal(signal.SIGKILL)
                process.wait()
        server.release()
        ran = repoproof(*again)
        assert ran.returncode == 0, ran.stderr
        counts = server.counts()
    assert (counts.questions, counts.repeated) == (20, 0)
    assert repoproof(
        "solve", suite, "--model", "m-1", "--samples", "4", "--seed", "1", "--replay", out / ".solve", "-o", undisturbed
    ).returncode == 0  # fmt: skip
    assert difference(out, undisturbed) == ""
    assert [(line["task"], line["attempt"]) for line in submitted(out)] == [(id, n) for id in TASKS for n in range(4)]


def test_a_replay_needs_no_endpoint_no_key_and_no_sealed_half_and_gives_the_same_bytes(suite, tmp_path):
    out, offline = tmp_path / "out", tmp_path / "offline"
    public = shutil.copytree(suite, tmp_path / "public", ignore=shutil.ignore_patterns("sealed"))
    rules = [to("first", "no"), Rule(replies=(RIGHT,), reasoning="Let me think.")]
    with scripted_server(rules) as server:
        assert repoproof(*words(suite, server, out, "--samples", "2", "--seed", "7")).returncode == 0
    more = ("--samples", "2", "--seed", "7", "--replay", out / ".solve")
    ran = repoproof("solve", public, "--model", "m-1", *more, "-o", offline)
    assert ran.returncode == 0, ran.stderr
    assert difference(out, offline) == ""
    asked = [json.loads((out / "transcripts" / f"first-{n}.json").read_text())["solved"] for n in range(2)]
    assert [one["exchanges"][0]["request"]["sampling"]["seed"] for one in asked] == [7, 8]


def test_a_replay_of_nothing_leaves_nothing(suite, tmp_path):
    ran = repoproof("solve", suite, "--model", "m-1", "--replay", tmp_path / "typo", "-o", tmp_path / "out")
    assert (ran.returncode, (tmp_path / "out").exists()) == (2, False)
    assert ran.stderr == f"repoproof: {tmp_path}/typo: no such directory (give a store that calls were recorded in)\n"


def test_what_was_not_recorded_is_a_fault_of_a_replay(suite, tmp_path):
    with scripted_server([Rule(replies=(RIGHT,))]) as server:
        assert repoproof(*words(suite, server, tmp_path / "out", "--task", "first")).returncode == 0
    replay = ("--replay", tmp_path / "out" / ".solve", "-o", tmp_path / "offline")
    ran = repoproof("solve", suite, "--model", "m-1", *replay)
    assert ran.returncode == 3
    assert {attempt["fault"]["kind"] for attempt in attempts(tmp_path / "offline") if "fault" in attempt} == {
        "not_recorded"
    }
    assert [line["task"] for line in submitted(tmp_path / "offline")] == ["first"]


def test_a_store_of_ones_own_serves_another_output_and_another_endpoint(suite, tmp_path):
    store = tmp_path / "store"
    with scripted_server([Rule(replies=(RIGHT,))]) as server:
        (tmp_path / "a").mkdir()
        assert repoproof(*words(suite, server, tmp_path / "a" / "out", "--auto", store)).returncode == 0
    with scripted_server() as other:
        (tmp_path / "b").mkdir()
        assert repoproof(*words(suite, other, tmp_path / "b" / "out", "--auto", store)).returncode == 0
        assert other.counts().total == 0
    assert difference(tmp_path / "a" / "out", tmp_path / "b" / "out") == ""


def test_more_samples_go_on_with_what_is_there(suite, tmp_path):
    out = tmp_path / "out"
    with scripted_server([Rule(replies=(RIGHT,))]) as server:
        for samples, total in ((1, 5), (3, 15), (2, 15)):
            assert repoproof(*words(suite, server, out, "--samples", samples)).returncode == 0
            assert server.counts().total == len(submitted(out)) == total


def test_an_interrupt_keeps_what_was_answered(suite, tmp_path):
    out = tmp_path / "out"
    with scripted_server([Rule(replies=(RIGHT,), times=2), Rule(replies=(RIGHT,), hold=True)]) as server:
        again = words(suite, server, out, "--workers", "2")
        with started(*again) as process:
            server.wait_for(4, held=2)
            process.send_signal(signal.SIGINT)
            _, complaints = process.communicate()
        assert process.returncode == 130
        assert complaints.splitlines()[-1] == (
            "repoproof: interrupted: what was answered is kept; run the same command to go on"
        )
        assert len(submitted(out)) == 2
        server.release()
        assert repoproof(*again).returncode == 0
        assert server.counts().repeated == 0


def test_a_second_process_on_the_same_output_is_refused(suite, tmp_path):
    with scripted_server([Rule(replies=(RIGHT,), hold=True)]) as server:
        again = words(suite, server, tmp_path / "out")
        with started(*again) as process:
            server.wait_for(held=1)
            ran = repoproof(*again)
            assert (ran.returncode, f"is in use by process {process.pid} " in ran.stderr) == (2, True)
            server.release()
            assert process.wait() == 0


REFUSED = [
    ((), "--budget: is missing"),
    (("--budget", "calls"), "--budget: calls: '' is not a number"),
    (("--budget", "usd=1"), "a budget in usd needs prices"),
    (("--budget", "unlimited", "--temperature", "3"), "--temperature: 3.0 is not in 0..2"),
    (("--budget", "unlimited", "--task", "frist"), "did you mean 'first'?"),
    (("--budget", "unlimited", "--model", "nobody"), "model \"nobody\""),
    (("--budget", "unlimited", "--auto", "/x", "--no-record"), "not allowed with argument"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "said"), REFUSED)
def test_bad_input_is_one_line_and_nothing_is_asked(suite, tmp_path, more, said):
    with scripted_server() as server:
        models = models_toml(tmp_path, server.base_url)
        ran = repoproof("solve", suite, "--model", "m", "--models", models, "-o", tmp_path / "out", *more)
        assert (ran.returncode, server.counts().total) == (2, 0)
    assert said in ran.stderr and len(ran.stderr.splitlines()) == 1
    assert not (tmp_path / "out" / "submissions.jsonl").exists()


def test_other_settings_than_the_output_was_made_with_are_refused(suite, tmp_path):
    out = tmp_path / "out"
    with scripted_server([Rule(replies=(RIGHT,))]) as server:
        assert repoproof(*words(suite, server, out, "--task", "first")).returncode == 0
        ran = repoproof(*words(suite, server, out, "--temperature", "0.7"))
        assert ran.returncode == 2
        assert 'holds answers for sampling {"temperature": 0.0}, and now it is {"temperature": 0.7}' in ran.stderr
        ran = repoproof(*words("microservice-mini", server, out))
        assert (ran.returncode, 'holds answers for suite "small"' in ran.stderr) == (2, True)
        assert server.counts().total == 1


def test_a_suite_that_gives_its_tests_away_is_refused_before_anything_is_asked(tmp_path):
    from repoproof.core.suite_files import seal_suite

    leaking = solvable_suite(tmp_path / "suite", "first", "second")
    shutil.copy(leaking / "sealed/tests/second/test_notes.py", leaking / "public/files/second/example.txt")
    seal_suite(leaking)
    with scripted_server() as server:
        ran = repoproof(*words(leaking, server, tmp_path / "out"))
        assert (ran.returncode, server.counts().total) == (2, 0)
    assert 'public/files/second/example.txt: task "' in ran.stderr
    assert "is sealed/tests/" in ran.stderr
