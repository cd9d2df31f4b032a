"""What validation found, over a whole suite."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from ..core.base import Frozen
from ..core.health import Health, Reference


class ValidationReport(Frozen):
    """The health of a suite's tasks. Shares are of `tasks`, in 0..1."""

    tasks: int
    """Tasks that were validated."""
    reference_passed: float | None
    """Share whose reference passed every expected test, in every repeat; a task without a reference is none of them. None where there is no
    reference at all: nothing was measured."""
    without_reference: float = 0.0
    """Share that was published without a reference."""
    empty_passed: float
    """Share that an empty submission passes."""
    stub_passed: float
    """Share that some stub passes."""
    quarantined: float
    """Share that is not healthy."""
    reasons: dict[str, tuple[str, ...]]
    """Quarantined task -> why."""
    remarks: dict[str, tuple[str, ...]] = {}
    """Task -> what is wrong with it without quarantining it."""
    health: tuple[Health, ...] = Field(exclude=True)
    """The records themselves, as written to `health.jsonl`."""

    @property
    def healthy(self) -> bool:
        return self.quarantined == 0


def validation_of(health: Sequence[Health]) -> ValidationReport:
    """Sum up the records; one a task."""

    def share(of: Sequence[bool]) -> float:
        return sum(of) / len(of) if of else 0.0

    return ValidationReport(
        tasks=len(health),
        reference_passed=share([record.reference_passed for record in health])
        if any(record.reference is not Reference.NONE for record in health)
        else None,
        without_reference=share([record.reference is Reference.NONE for record in health]),
        empty_passed=share([record.empty_passed for record in health]),
        stub_passed=share([record.stub_passed for record in health]),
        quarantined=share([not record.healthy for record in health]),
        reasons={record.task: record.reasons for record in health if not record.healthy},
        remarks={
            record.task: remarks
            for record in health
            if (remarks := tuple(defect.words for defect in record.defects if not defect.quarantines))
        },
        health=tuple(health),
    )
