"""The other reports as pages: what was submitted, two runs compared, a suite's health, the machine."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.base import MiB
from ..core.health import Reference
from ..sandbox.doctor import Finding
from .check import Check, unknown_lines
from .comparison import AmountDifference, Comparison, Side
from .effort import quantity
from .report import counted, number
from .report_page import FEW, few
from .tables import Column, Page, Part, Table
from .validation import ValidationReport


def check_page(check: Check) -> Page:
    """A line a submission, then what is missing and wrong."""
    rows = tuple(
        (
            checked.label,
            str(checked.files),
            f"{checked.size_bytes / MiB:.1f}",
            checked.refused or "; ".join(checked.violations) or "ok",
        )
        for checked in check.submissions
    )
    parts: list[Part] = [
        Table((Column("Submission"), Column("Files", True), Column("MiB", True), Column("State")), rows)
    ]
    parts.extend(f"missing: {task}: nothing was submitted, scored as 0" for task in check.missing)
    parts.extend(f"no answer: {label}: {why}" for label, why in check.no_answer.items())
    parts.extend(f"unknown: {line}" for line in unknown_lines(check))
    parts.extend(f"note: {note}" for note in check.notes)
    parts.extend(f"quarantined: {task}: {reason}" for task, reason in check.quarantined.items())
    parts.append(
        f"{counted(check.denominator, 'task')}, {counted(len(check.submissions), 'submission')}, {len(check.missing)} missing, "
        f"{check.wrong} with a problem{f', {check.subset}' if check.subset else ''} ({check.suite})"
    )
    return Page(tuple(parts))


def comparison_page(comparison: Comparison) -> Page:
    """The differences, and the tasks that made them."""
    scores = Table(
        (
            Column("Score"),
            Column("A", True),
            Column("B", True),
            Column("B - A", True),
            Column("95 % interval", True),
            Column("Better", True),
            Column("Worse", True),
            Column("Sign p", True),
        ),
        tuple(
            (
                d.label,
                number(d.a),
                number(d.b),
                f"{d.difference:+.4f}",
                f"{d.interval.low:+.4f} to {d.interval.high:+.4f}" if d.interval else "-",
                str(d.better),
                str(d.worse),
                f"{d.sign_p:.3f}",
            )
            for d in comparison.differences
        ),
    )
    first = comparison.differences[0].label if comparison.differences else ""
    changes = Table(
        (Column("Task"), Column("A"), Column("B"), Column(f"A {first}", True), Column(f"B {first}", True)),
        tuple(
            (c.task, ", ".join(c.a), ", ".join(c.b), f"{c.score_a:.2f}", f"{c.score_b:.2f}") for c in comparison.changes
        ),
        title="Changed tasks",
    )
    parts: list[Part] = [
        _side("A", comparison.a),
        _side("B", comparison.b),
        *(f"Warning: {warning}" for warning in comparison.warnings),
        scores,
    ]
    if comparison.denominator < FEW and any(d.interval for d in comparison.differences):
        parts.append(few(comparison.denominator))
    parts.append(changes if changes.rows else "No task changed.")
    if comparison.amounts:
        parts.append(_amounts(comparison))
    parts.append(
        ("" if comparison.a.is_result and comparison.b.is_result else "Not a result: ")
        + f"B - A over {counted(comparison.denominator, 'task')}, paired by task, strict scores ({comparison.suite})"
    )
    return Page(tuple(parts))


def _amounts(comparison: Comparison) -> Table:
    titles = ("Tasks", "A", "B", "B - A", "95 % interval")

    def interval(found: AmountDifference) -> str:
        if found.interval is None:
            return "-"
        return " to ".join(quantity(found.name, end, sign="+") for end in (found.interval.low, found.interval.high))

    return Table(
        (Column("Took, per answer"), *(Column(title, True) for title in titles)),
        tuple(
            (
                found.label,
                f"{found.tasks} of {comparison.denominator}",
                quantity(found.name, found.a),
                quantity(found.name, found.b),
                quantity(found.name, found.difference, sign="+"),
                interval(found),
            )
            for found in comparison.amounts
        ),
    )


def validation_page(validation: ValidationReport) -> Page:
    """A line a task, then the shares."""
    rows = tuple(
        (
            health.task,
            "healthy" if health.healthy else "quarantined",
            "none" if health.reference is Reference.NONE else _yes(health.reference_passed),
            _yes(health.empty_passed),
            _yes(health.stub_passed),
            str(len(health.flaky)),
            str(len(health.non_discriminating)),
        )
        for health in validation.health
    )
    columns = (
        Column("Task"),
        Column("Health"),
        Column("Reference passed"),
        Column("Empty passed"),
        Column("Stub passed"),
        Column("Flaky", True),
        Column("Passed by a stub", True),
    )
    parts: list[Part] = [Table(columns, rows)]
    for title, quarantines in (("Why", True), ("Noted", False)):
        if found := _defects(validation, quarantines=quarantines):
            parts.append(Table((Column("Task"), Column("Defect"), Column("Reason")), found, title=title))
    proved = "-" if validation.reference_passed is None else f"{validation.reference_passed:.0%}"
    parts.append(
        f"{counted(validation.tasks, 'task')}: reference passed {proved}, empty passed {validation.empty_passed:.0%}, "
        f"stub passed {validation.stub_passed:.0%}, quarantined {validation.quarantined:.0%}"
        + (f", without a reference {validation.without_reference:.0%}" if validation.without_reference else "")
    )
    return Page(tuple(parts))


def _defects(validation: ValidationReport, *, quarantines: bool) -> tuple[tuple[str, str, str], ...]:
    """A line for each; a record of an older version has reasons only."""
    lines: list[tuple[str, str, str]] = []
    for health in validation.health:
        lines += ((health.task, d.code, d.words) for d in health.defects if d.quarantines is quarantines)
        if quarantines and not health.defects:
            lines += ((health.task, "-", reason) for reason in health.reasons)
    return tuple(lines)


def doctor_page(findings: Sequence[Finding]) -> Page:
    """What works, what does not, and how to mend it."""
    rows = tuple((f.name, "ok" if f.ok else "missing", f.detail) for f in findings)
    mends = [
        f"{finding.name}: {finding.mend}" for finding in findings if finding.mend and finding.mend not in finding.detail
    ]
    return Page((Table((Column("What"), Column("State"), Column("Found")), rows), *mends))


def _side(name: str, side: Side) -> str:
    about = [
        f"model {side.model_name}" if side.model_name else "",
        f"agent {side.agent_name}" if side.agent_name else "",
        "" if side.is_result else "not a result",
    ]
    return f"{name}: {', '.join([side.path, *filter(None, about)])}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
