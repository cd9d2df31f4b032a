"""The output directory at every moment at which a process can die."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from plugins.solvable import difference, lines_of

from repoproof.core.errors import BadInput
from repoproof.models.base import (
    Answer,
    ChatRequest,
    Choice,
    Fault,
    FaultKind,
    Message,
    Sampling,
    Usage,
)
from repoproof.solvers import Exchange, Solved
from repoproof.solvers.attempts import Key, Outcome
from repoproof.solvers.output import Output, Settings

SETTINGS = Settings(
    suite="s", suite_version="1", public_digest="d", model="m", solver="direct", template="t/1", sampling=Sampling()
)
FIRST, SECOND = Key("blog", 0), Key("blog", 1)


def solved(text: str = "yes") -> Solved:
    request = ChatRequest(model="m", messages=(Message(role="user", content="?"),))
    answer = Answer(
        choices=(Choice(text=text),), usage=Usage(prompt_tokens=1, completion_tokens=2), seconds=0.5, cost_usd=0.25
    )
    return Solved(exchanges=(Exchange(request=request, answer=answer),), usable=True)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """A clean workspace, as far as an output looks into it."""
    (tmp_path / "clean" / ".git").mkdir(parents=True)
    (tmp_path / "clean" / "README.md").write_text("# Blog\n")
    return tmp_path / "clean"


def answer(output: Output, clean: Path, *keys: Key) -> None:
    for key in keys:
        output.workspace(key, clean)
        output.submit(key, solved(), SETTINGS)


def test_an_attempt_is_done_for_the_next_process_too(tmp_path, clean):
    with Output.locked(tmp_path / "out") as output:
        output.settle(SETTINGS)
        answer(output, clean, FIRST)
        output.workspace(SECOND, clean)
        output.fail(SECOND, Fault(kind=FaultKind.OVERLOADED, reason="500"))
    with Output.locked(tmp_path / "out") as output:
        assert list(output.done) == [FIRST]
        assert output.done[FIRST].outcome is Outcome.ANSWERED
        assert output.done[FIRST].usage.cost_usd == 0.25
    assert (tmp_path / "out/blog/0/README.md").is_file()
    assert not (tmp_path / "out/blog/0/.git").exists()
    assert not (tmp_path / "out/.solve/work").exists()


LOSSES = {
    "its line": lambda out: (out / "submissions.jsonl").write_bytes(b""),
    "half of its line": lambda out: _cut(out / "submissions.jsonl"),
    "its line, its transcript": lambda out: ((out / "submissions.jsonl").unlink(), (out / "transcripts/blog-0.json").unlink()),
    "its line, its tree": lambda out: ((out / "submissions.jsonl").unlink(), shutil.rmtree(out / "blog")),
    "its tree, by somebody's hand": lambda out: shutil.rmtree(out / "blog/0"),
    "half of how it ended": lambda out: _cut(out / ".solve/attempts.jsonl"),
}  # fmt: skip
"""What is not there yet when a process is killed while it submits an attempt (or is no longer)."""


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


@pytest.mark.parametrize("lose", LOSSES.values(), ids=LOSSES)
def test_what_is_not_there_as_a_whole_is_made_again_and_looks_as_if_nothing_had_happened(tmp_path, clean, lose):
    for name in ("out", "undisturbed"):
        with Output.locked(tmp_path / name) as output:
            output.settle(SETTINGS)
            answer(output, clean, FIRST)
    lose(tmp_path / "out")
    for name in ("out", "undisturbed"):
        with Output.locked(tmp_path / name) as output:
            assert (FIRST in output.done) == (name == "undisturbed")
            answer(output, clean, *({FIRST, SECOND} - output.done.keys()))
            output.sort(["blog"])
    assert difference(tmp_path / "out", tmp_path / "undisturbed") == ""


def test_what_was_half_made_and_is_not_wanted_any_more_is_gone(tmp_path, clean):
    with Output.locked(tmp_path / "out") as output:
        output.settle(SETTINGS)
        answer(output, clean, FIRST)
    (tmp_path / "out/submissions.jsonl").unlink()
    with Output.locked(tmp_path / "out"):
        pass
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [".solve"]


def test_no_line_names_a_tree_that_is_gone(tmp_path, clean):
    with Output.locked(tmp_path / "out") as output:
        output.settle(SETTINGS)
        answer(output, clean, FIRST, SECOND)
    for key, left in ((FIRST, ["blog/1"]), (SECOND, [])):
        shutil.rmtree(tmp_path / "out" / key.task / str(key.attempt))
        with Output.locked(tmp_path / "out") as output:
            output.sort(["blog"])
        assert [
            line.split('"path":"')[1].split('"')[0] for line in lines_of(tmp_path / "out/submissions.jsonl")
        ] == left


def test_lines_are_in_the_order_of_suite_and_attempts_whatever_came_first(tmp_path, clean):
    with Output.locked(tmp_path / "out") as output:
        answer(output, clean, SECOND, Key("zoo", 10), Key("zoo", 9), FIRST)
        output.sort(["zoo", "blog"])
    paths = [
        line.split('"path":"')[1].split('"')[0]
        for line in (tmp_path / "out/submissions.jsonl").read_text().splitlines()
    ]
    assert paths == ["zoo/9", "zoo/10", "blog/0", "blog/1"]


def test_an_output_is_held_by_one_process(tmp_path):
    with Output.locked(tmp_path / "out"):
        with pytest.raises(BadInput, match=r"output .*out is in use by process \d+ "), Output.locked(tmp_path / "out"):
            pass
    with Output.locked(tmp_path / "out"):
        pass


def test_a_folder_of_something_else_is_not_touched(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match=r"not made by solve, and not empty: mine\.txt"), Output.locked(tmp_path / "out"):
        pass
    with pytest.raises(BadInput, match="not a directory"), Output.locked(tmp_path / "out" / "mine.txt"):
        pass
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("suite", "t"), ("public_digest", "e"), ("model", "n"), ("template", "t/2"), ("sampling", Sampling(top_p=0.5))],
)
def test_answers_to_another_question_are_not_mixed_in(tmp_path, clean, field, value):
    other = SETTINGS.model_copy(update={field: value})
    with Output.locked(tmp_path / "out") as output:
        held = output.settle(SETTINGS)
        assert output.settle(SETTINGS.model_copy(update={"job": "another"})) == held
        # As long as nothing is answered, one may think again.
        assert output.settle(other) == other
        assert output.settle(SETTINGS) == SETTINGS
        answer(output, clean, FIRST)
        with pytest.raises(BadInput, match=f"holds answers for {field} .*, and now it is .*use another -o"):
            output.settle(other)


@pytest.mark.parametrize(
    ("sampling", "words"),
    [
        (Sampling(), "prompt t/1"),
        (Sampling(temperature=0.0), "temperature 0.0, prompt t/1"),
        (
            Sampling(temperature=0.4, top_p=0.95, seed=7, stop=("END",)),
            "temperature 0.4, top_p 0.95, seed 7 + attempt, stop ['END'], prompt t/1",
        ),
    ],
)
def test_a_submission_says_how_it_was_drawn(sampling, words):
    assert SETTINGS.model_copy(update={"sampling": sampling}).words == words
