"""What `build` ends with."""

from __future__ import annotations

import pytest

from repoproof.api.building import Writing
from repoproof.cli import main
from repoproof.cli.build import exit_code
from repoproof.models.base import Fault, FaultKind


@pytest.mark.parametrize(
    ("writing", "code"),
    [
        (None, 0),
        (Writing(model="m", refused="it was cut off"), 0),
        (Writing(model="m", refused="-", fault=Fault(kind=FaultKind.OVER_BUDGET, reason="0 of 0 calls")), 1),
        (Writing(model="m", refused="-", fault=Fault(kind=FaultKind.UNREACHABLE, reason="no connection")), 3),
    ],
)
def test_what_a_budget_stopped_is_told_from_what_failed_as_in_solve(writing, code):
    assert exit_code(writing) == code


@pytest.mark.parametrize("option", ["--auto", "--record", "--replay", "--budget", "--models"])
def test_what_goes_with_a_model_is_called_as_it_was_given(tmp_path, capsys, option):
    words = ["build", "microservice", "--reference", str(tmp_path), "-o", str(tmp_path / "task")]
    assert main([*words, option, "usd=1"]) == 2
    assert capsys.readouterr().err.startswith(f"repoproof: {option}: goes with ")
