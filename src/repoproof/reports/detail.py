"""Everything about one verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..core.base import MiB
from ..core.outcomes import Cause
from ..core.submission import Origin, submission_label
from ..core.verdict import Phase, PhaseName, TestResult, Verdict
from .report import status_word
from .tables import Column, Listing, Page, Part, Table

SAID_IN_FULL = 3
"""Failing tests that are quoted: what the others say is mostly the same."""
GIST = 100
"""Characters of what a test says in one line."""


def verdict_page(
    verdict: Verdict, *, label: str = "", origin: Origin | None = None, static_only: bool = False, full: bool = False
) -> Page:
    """What decided it, what its solver says, what ran, test by test, the family's evidence, and where the logs are.

    `label` is what reports call the submission, `origin` who made it; `static_only` is whether nothing was run; `full` shows all that
    every test said.
    """
    parts: list[Part] = [
        f"{label or submission_label(verdict.task, verdict.attempt)} {status_word(verdict.status, static_only=static_only)}"
        + (f": {verdict.reason}" if verdict.reason else ""),
        *_from_the_solver(origin or Origin()),
        f"scored {verdict.started:%Y-%m-%d %H:%M:%S %Z} in {verdict.seconds:.1f} s"
        + (f", try {verdict.tries}" if verdict.tries > 1 else "")
        + (f", failure of: {verdict.boundary.value}" if verdict.boundary else ""),
        f"submission {verdict.submission_hash[:12]}, config {verdict.config_hash[:12]}",
    ]
    if verdict.violations:
        rows = tuple((v.rule, "denied" if v.denied else "took effect", v.evidence) for v in verdict.violations)
        parts.append(Table((Column("Rule"), Column("Effect"), Column("Evidence")), rows, title="Violations"))
    if verdict.phases:
        parts.append(_phases(verdict))
    if verdict.tests:
        passed = sum(test.passed for test in verdict.tests)
        rows = tuple((test.id, test.outcome.value, f"{test.seconds:.2f}") for test in verdict.tests)
        columns = (Column("Test"), Column("Outcome"), Column("s", True))
        parts.append(Table(columns, rows, title=f"Tests, {passed} of {len(verdict.tests)} passed"))
        parts.extend(_said(verdict.tests, full=full))
    if verdict.measures:
        rows = tuple((name, f"{value:g}") for name, value in verdict.measures.items())
        parts.append(Table((Column("Measure"), Column("Value", True)), rows, title="Measures"))
    for name, value in verdict.detail.items():
        if evidence := _evidence(name, value):
            parts.append(evidence)
    if verdict.logs:
        rows = tuple(verdict.logs.items())
        parts.append(Table((Column("Log"), Column("File in the run directory")), rows, title="Logs"))
    if verdict.environment:
        parts.append(Table((Column("Environment"), Column("Value")), tuple(verdict.environment.items())))
    return Page(tuple(parts))


def _from_the_solver(origin: Origin) -> Iterator[str]:
    model, agent = (
        f"{what} {name}" if name else "" for what, name in (("model", origin.model), ("agent", origin.agent))
    )
    if made := ", ".join(filter(None, (model, agent, origin.sampling))):
        yield f"answered by {made}"
    said = [*(["cut off"] if origin.cut_off else []), *(["no file in the answer"] if origin.without_file else [])]
    if note := " ".join(origin.note.split()) or ", ".join(said):
        yield f"the solver's note: {note}"


def _said(tests: Iterable[TestResult], *, full: bool) -> Iterator[Part]:
    """What failing tests said: the first in full, one line of each of the others."""
    said = [test for test in tests if test.message.strip()]
    shown = len(said) if full else SAID_IN_FULL
    yield from (Listing(test.id, test.message.strip("\n")) for test in said[:shown])
    if rest := said[shown:]:
        rows = tuple((test.id, _gist(test.message)) for test in rest)
        yield Table((Column("Test"), Column("Said")), rows, title=f"{len(rest)} more, in short (--full: all of it)")


def _gist(message: str) -> str:
    """The line in which pytest says what is wrong, else the last one."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    gist = next((line.removeprefix("E").strip() for line in lines if line.startswith("E  ")), lines[-1])
    return gist if len(gist) <= GIST else f"{gist[: GIST - 3]}..."


def _phases(verdict: Verdict) -> Table:
    columns = (
        Column("Phase"),
        Column("Result"),
        Column("Ended"),
        Column("s", True),
        Column("Limit", True),
        Column("CPU s", True),
        Column("MiB", True),
        Column("Remarks"),
    )
    return Table(columns, tuple(_phase(phase) for phase in verdict.phases), title="Phases")


def _phase(phase: Phase) -> tuple[str, ...]:
    ended = "cached" if phase.cached else "" if phase.cause is None else phase.cause.value
    if phase.cause is Cause.KILLED:
        ended = "by us, after the tests" if phase.ok and phase.name is PhaseName.START else "by us"
    return (
        phase.name.value,
        "ok" if phase.ok else "failed",
        f"{ended} {phase.exit_code}" if phase.exit_code is not None else ended,
        f"{phase.seconds:.1f}",
        "" if phase.limit_seconds is None else f"{phase.limit_seconds:g}",
        "" if phase.cpu_seconds is None else f"{phase.cpu_seconds:.1f}",
        "" if phase.peak_memory_bytes is None else f"{phase.peak_memory_bytes / MiB:.0f}",
        "; ".join(remark for remark in (phase.reason, *phase.notes) if remark),
    )


def _evidence(name: str, value: object) -> Table | str | None:
    """A list of records is a table, anything else that is not empty a line."""
    title = name.replace("_", " ").capitalize()
    if isinstance(value, list) and value and all(isinstance(record, dict) for record in value):
        keys = list(dict.fromkeys(key for record in value for key in record))
        rows = tuple(tuple(_cell(record.get(key, "")) for key in keys) for record in value)
        return Table(tuple(Column(str(key).capitalize()) for key in keys), rows, title=title)
    return f"{title}: {_cell(value)}" if value else None


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_cell, value))
    return str(value)
