"""Functions out of answers: each golden answer gives exactly the code that a person would take from it, and that code works."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from repoproof.completions.extract import Extraction, How, Target, extract_function

GOLDEN = [
    pytest.param(answer, id=f"{file.stem}: {answer['name']}")
    for file in sorted((Path(__file__).parent / "golden").glob("*.toml"))
    for answer in tomllib.loads(file.read_text(encoding="utf-8"))["answer"]
]


@pytest.mark.parametrize("answer", GOLDEN)
def test_a_golden_answer_gives_its_code(answer: dict[str, Any]) -> None:
    found = extract_function(answer["text"], target=Target.model_validate(answer["target"]))
    assert found.how is How(answer.get("how", "function")), found
    assert found.code == answer["code"], found
    assert found.truncated is answer.get("truncated", False), found
    if "body" in answer:
        assert found.body == answer["body"]


@pytest.mark.parametrize("answer", [one for one in GOLDEN if "check" in one.values[0]])  # type: ignore[operator]
def test_the_code_of_a_golden_answer_works(answer: dict[str, Any]) -> None:
    target = Target.model_validate(answer["target"])
    found = extract_function(answer["text"], target=target)
    names: dict[str, Any] = {"run": _run, "coroutine": _coroutine}
    exec(_program(found, target), names)
    assert eval(answer["check"], names)


def test_every_python_answer_with_code_is_run() -> None:
    answers = [one.values[0] for one in GOLDEN]
    usable = [one for one in answers if How(one.get("how", "function")) in (How.FUNCTION, How.BODY)]  # type: ignore[union-attr]
    python = [one for one in usable if one["target"].get("language", "python") == "python"]  # type: ignore[index]
    assert len(GOLDEN) >= 60
    assert all("check" in one for one in python)  # type: ignore[operator]


def _program(found: Extraction, target: Target) -> str:
    if not target.class_name:
        return found.code
    # Lines of a string do not move with the code around them.
    from repoproof.completions.python_source import shifted

    members = shifted(f"{found.methods}\n{found.function}", "    ")
    return f"{found.before}\nclass Stack:\n    def __init__(self): self.items = []\n{members}"


def _run(function: Callable[..., Awaitable[object]], *arguments: object) -> object:
    async def running() -> object:
        return await function(*arguments)

    return asyncio.run(running())


def _coroutine(value: object) -> Callable[[], Awaitable[object]]:
    async def giving() -> object:
        return value

    return giving


@pytest.mark.parametrize(
    ("header", "note"),
    [
        ("def f(x, *, y=1):", ""),
        ("def f(x: int, *, y: int = 2) -> int:", ""),
        ("def f(x, y=1):", "its parameters are not the target's"),
        ("def f(x, *, z=1):", "its parameters are not the target's"),
        ("async def f(x, *, y=1):", "its parameters are not the target's"),
    ],
)
def test_a_header_that_is_not_the_target_s_is_told(header: str, note: str) -> None:
    found = extract_function("def f(x, *, y=1):\n    return x + y\n", target=Target(name="f", header=header))
    assert found.how is How.FUNCTION
    assert found.notes == ((note,) if note else ())


def test_a_bare_body_without_a_header_is_nothing() -> None:
    assert extract_function("```python\nreturn 1\n```", target=Target(name="f")).how is How.NOTHING
