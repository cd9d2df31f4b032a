"""The loop, through the public function, against a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from plugins.asking import endpoint_at
from plugins.solvable import RIGHT, lines_of, solvable_suite, to

import repoproof
from repoproof.core.errors import BadInput, Boundary
from repoproof.models.base import Fault, FaultKind, Sampling
from repoproof.models.budget import Budget
from repoproof.models.scripted import Rule, ScriptedServer, scripted_server
from repoproof.solvers import Assignment, Solved
from repoproof.solvers.attempts import Attempted, Key, Outcome, Usage
from repoproof.solvers.direct import Direct
from repoproof.solvers.solving import Begun, Ended, Event, Started, of_attempt, wanted_keys


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return solvable_suite(tmp_path_factory.mktemp("suites") / "suite", "first", "second", "third")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server([to("second", "no"), to("third", status=401, times=1), Rule(replies=(RIGHT,))]) as server:
        yield server


def test_the_first_attempt_at_each_task_comes_before_any_second_one(suite):
    keys = wanted_keys(repoproof.load_suite(suite).tasks, 2)
    assert keys == [Key(id, attempt) for attempt in range(2) for id in ("first", "second", "third")]


def test_a_seed_is_each_attempts_own_and_no_seed_stays_none():
    assert [of_attempt(Sampling(seed=40), attempt).seed for attempt in range(3)] == [40, 41, 42]
    assert of_attempt(Sampling(temperature=0.4), 7) == Sampling(temperature=0.4)


def test_what_became_of_all_attempts_is_counted_and_said_as_it_happens(suite, server, tmp_path):
    events: list[Event] = []
    asked = {"budget": Budget(calls=9), "on_event": events.append}
    solving = repoproof.solve(suite, endpoint_at(server.base_url), tmp_path / "out", **asked)
    assert (solving.wanted, solving.answered, solving.unusable, solving.submitted, solving.kept) == (3, 1, 1, 2, 0)
    assert (solving.faults, solving.faulty, solving.over_budget) == ({FaultKind.REFUSED: 1}, 1, 0)
    assert "401" in solving.reasons[FaultKind.REFUSED]
    lines = [json.loads(line) for line in lines_of(tmp_path / "out" / "submissions.jsonl")]
    assert sum(line["origin"]["completion_tokens"] for line in lines) == solving.usage.completion_tokens > 0
    assert sum(line["origin"]["prompt_tokens"] for line in lines) == solving.usage.prompt_tokens > 0
    assert (solving.usage.calls, solving.usage.cost_usd) == (2, None)
    assert events[0] == Begun(3, 0)
    assert {event.key.task for event in events if isinstance(event, Started)} == {"first", "second", "third"}
    ended = {event.attempted.task: event.attempted.outcome for event in events if isinstance(event, Ended)}
    assert ended == {"first": Outcome.ANSWERED, "second": Outcome.UNUSABLE, "third": Outcome.FAULT}

    events.clear()
    solving = repoproof.solve(suite, endpoint_at(server.base_url), tmp_path / "out", **asked)
    assert (solving.answered, solving.unusable, solving.faulty, solving.kept) == (2, 1, 0, 2)
    assert events[0] == Begun(3, 2) and len(events) == 3


def test_the_cost_is_by_the_endpoints_prices(suite, server, tmp_path):
    priced = endpoint_at(server.base_url, prices={"input": 1_000_000.0, "output": 2_000_000.0})
    solving = repoproof.solve(suite, priced, tmp_path / "out", budget="usd=1M", tasks=["first"])
    usage = solving.usage
    assert usage.cost_usd == pytest.approx(usage.prompt_tokens + 2 * usage.completion_tokens)


def test_it_can_be_called_where_an_event_loop_runs_as_in_a_notebook(suite, server, tmp_path):
    async def cell() -> int:
        return repoproof.solve(
            suite, endpoint_at(server.base_url), tmp_path / "out", budget="unlimited", tasks=["first"]
        ).answered

    assert asyncio.run(cell()) == 1


def test_nothing_recorded_means_nothing_but_submissions_is_written(suite, server, tmp_path):
    endpoint = endpoint_at(server.base_url)
    repoproof.solve(suite, endpoint, tmp_path / "out", budget="unlimited", tasks=["first"], recording="off")
    assert not (tmp_path / "out" / ".solve" / "answers.jsonl").exists()
    assert len(lines_of(tmp_path / "out" / "submissions.jsonl")) == 1


def test_what_goes_wrong_on_our_side_ends_it_and_is_not_a_fault_of_the_model(suite, server, tmp_path):
    out = tmp_path / "out"

    def fill_the_disk(event: Event) -> None:
        if isinstance(event, Ended):
            (out / "transcripts").rename(tmp_path / "gone")
            (out / "transcripts").write_text("in the way")

    with pytest.raises(OSError, match="transcripts"):
        repoproof.solve(
            suite, endpoint_at(server.base_url), out, budget="unlimited", workers=1, samples=2, on_event=fill_the_disk
        )
    assert len(lines_of(out / "submissions.jsonl")) == 1


class TripsOverSecond(Direct):
    async def solve(self, assignment: Assignment) -> Solved | Fault:
        came = await super().solve(assignment)
        if assignment.task == "second":
            raise RecursionError("too\ndeep")
        return came


def test_an_answer_that_we_fail_to_read_is_our_fault_and_ends_no_other_attempt(suite, server, tmp_path, monkeypatch):
    monkeypatch.setattr(import_module("repoproof.api.solve"), "Direct", TripsOverSecond)
    tasks = ["first", "second"]
    solving = repoproof.solve(
        suite, endpoint_at(server.base_url), tmp_path / "out", budget="unlimited", tasks=tasks, workers=1, samples=2
    )
    assert (solving.answered, solving.faults) == (2, {FaultKind.BROKEN: 2})
    assert solving.reasons == {FaultKind.BROKEN: "RecursionError: too deep"}
    last = Attempted.model_validate_json(lines_of(tmp_path / "out" / ".solve" / "attempts.jsonl")[-1])
    assert last.fault is not None and last.fault.boundary is Boundary.HARNESS

    # What was paid for is read anew, not asked anew.
    monkeypatch.undo()
    asked = server.counts().total
    solving = repoproof.solve(
        suite, endpoint_at(server.base_url), tmp_path / "out", budget="unlimited", tasks=tasks, samples=2
    )
    assert (solving.answered, solving.unusable, solving.faulty) == (2, 2, 0)
    assert server.counts().total == asked


WRONG = [
    ({"budget": None}, "budget: is missing"),
    ({"budget": "tokens=x"}, "budget: tokens: 'x' is not a number"),
    ({"samples": 0}, "samples: 0 is not a whole number from 1 on"),
    ({"workers": 0}, "workers: 0 is not"),
    ({"sampling": Sampling(n=2)}, "sampling: one call makes one attempt"),
    ({"recording": "loudly"}, "recording: 'loudly' is no way of recording"),
    ({"recording": "off", "store": "x"}, "store: goes with recording"),
    ({"recording": "replay"}, "answers.jsonl"),
    ({"tasks": "first"}, "tasks: 'first' is not a list of texts"),
    ({"language": "cobol"}, "language: no task in 'cobol'"),
    ({"output": ""}, "output: is empty"),
]


@pytest.mark.parametrize(("wrong", "said"), WRONG)
def test_a_wrong_argument_is_named_and_nothing_is_asked(suite, server, tmp_path, wrong, said):
    right = {"suite": suite, "model": endpoint_at(server.base_url), "output": tmp_path / "out", "budget": "unlimited"}
    with pytest.raises(BadInput) as refused:
        repoproof.solve(**(right | wrong))
    assert said in str(refused.value)
    assert server.counts().total == 0


def test_usage_adds_up_and_a_cost_that_is_unknown_makes_the_sum_unknown():
    one, other = Usage(calls=1, prompt_tokens=2, completion_tokens=3, cost_usd=0.5, seconds=4), Usage(calls=1)
    assert Usage.sum([one, one]) == Usage(calls=2, prompt_tokens=4, completion_tokens=6, cost_usd=1.0, seconds=8)
    assert Usage.sum([one, other]).cost_usd is None
    assert Usage.sum([]) == Usage()
