"""The record of what happened while a tree was prepared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from ..core.verdict import Phase, PhaseName
from ..sandbox.base import ExecResult
from .fault import CandidateFault


class Record:
    """Phases as they end. What is raised inside `phase` is recorded as the end of that phase and raised on."""

    def __init__(self) -> None:
        self.phases: list[Phase] = []

    @contextmanager
    def phase(self, name: PhaseName, *, limit: float | None = None) -> Iterator[Running]:
        running = Running()
        begun = monotonic()
        fault: CandidateFault | None = None
        try:
            yield running
        except CandidateFault as error:
            fault = error
            raise
        finally:
            result = running.result or (fault.result if fault else None)
            self.phases.append(
                Phase(
                    name=fault.phase if fault else name,
                    ok=fault is None,
                    cause=result.cause if result else None,
                    exit_code=result.exit_code if result else None,
                    cached=running.cached,
                    seconds=monotonic() - begun,
                    cpu_seconds=result.usage.cpu_seconds if result else None,
                    peak_memory_bytes=result.usage.peak_memory_bytes if result else None,
                    limit_seconds=limit,
                    reason=fault.reason if fault else "",
                    notes=(*running.notes, *(result.notes if result else ())),
                )
            )


class Running:
    """What a phase has to say while it runs."""

    def __init__(self) -> None:
        self.cached = False
        self.result: ExecResult | None = None
        self.notes: tuple[str, ...] = ()
