"""What a user is told when something is wrong: one line with the place, the field and the mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from repoproof.core.errors import BadInput, Boundary, InfrastructureError, boundary

LINES: list[tuple[BadInput, str]] = [
    (BadInput("no tasks"), "no tasks"),
    (BadInput("no tasks", file=Path("s/tasks.jsonl")), "s/tasks.jsonl: no tasks"),
    (
        BadInput("99999 is not in 1..65535", file="s/tasks.jsonl", line=12, subject='task "blog"', field="port"),
        's/tasks.jsonl:12: task "blog": port: 99999 is not in 1..65535',
    ),
    (BadInput("unknown", field="--task", mend="did you mean 'a'?"), "--task: unknown (did you mean 'a'?)"),
    (BadInput("two\nlines", mend="or\r\nmore"), "two lines (or more)"),
]


@pytest.mark.parametrize(("error", "line"), LINES, ids=[line for _, line in LINES])
def test_bad_input_is_a_line_with_its_place_and_mend(error: BadInput, line: str) -> None:
    assert str(error) == line


def test_what_goes_wrong_inside_a_boundary_is_its_own_failure_in_one_line() -> None:
    with pytest.raises(InfrastructureError) as raised, boundary(Boundary.SANDBOX):
        raise OSError("no space\nleft")
    assert (raised.value.boundary, str(raised.value)) == (Boundary.SANDBOX, "OSError: no space left")


def test_an_error_that_knows_its_boundary_keeps_it() -> None:
    inner = InfrastructureError("no network", boundary=Boundary.TOOLCHAIN)
    with pytest.raises(InfrastructureError) as raised, boundary(Boundary.SANDBOX):
        raise inner
    assert raised.value is inner
