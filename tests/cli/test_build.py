"""What `build` ends with."""

from __future__ import annotations

import pytest

from repoproof.api.building import Writing
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
