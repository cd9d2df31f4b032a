"""What a replay says of a question that its store does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugins.asking import question

from repoproof.models.base import Answer, Choice, Fault, FaultKind, Usage
from repoproof.models.nearest import Questions
from repoproof.models.store import Recorded

ANSWER = Answer(choices=(Choice(text="yes"),), usage=Usage(prompt_tokens=1, completion_tokens=1), seconds=1)
FAULT = Fault(kind=FaultKind.TIMED_OUT, reason="no answer within 3 s", tries=1)


@pytest.fixture
def questions(tmp_path: Path) -> Questions:
    one = question(temperature=0.4, seed=7)
    calls = [
        Recorded.of(one, ANSWER, job="j", label="a"),
        Recorded.of(one.model_copy(update={"sample": 1}), ANSWER, job="j", label="a"),
        Recorded.of(question("another?", temperature=0.4, seed=7), ANSWER, job="j", label="b"),
        Recorded.of(question("lost?"), FAULT, job="j", label="a"),
    ]
    (file := tmp_path / "answers.jsonl").write_bytes(b"".join(call.line() for call in calls) + b'{"key": "torn')
    return Questions(file)


@pytest.mark.parametrize(
    ("asked", "label", "said"),
    [
        (question(temperature=0.4, seed=8), "a", "the nearest is recorded with seed 7, not 8"),
        (question(temperature=0.0, seed=7), "a", "the nearest is recorded with temperature 0.4, not 0.0"),
        (question(temperature=0.4), "a", "the nearest is recorded with seed 7, not none"),
        (question("What?", temperature=0.4, seed=7), "a", "the nearest is recorded with another prompt"),
        (
            question(temperature=0.4, seed=7).model_copy(update={"model": "m", "sample": 1}),
            "a",
            "the nearest is recorded with model scripted, not m",
        ),
        (question("lost?"), "a", "that ended in a fault when it was asked: timed_out: no answer within 3 s"),
        (question(), "c", "it holds no answer for c"),
    ],
)
def test_the_nearest_question_of_the_same_task_says_what_was_asked_otherwise(questions, asked, label, said):
    assert questions.difference(asked, label) == said
