"""How a solving is shown: what is going on, and what came of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from shlex import quote

from rich.console import Console

from ..core.submission import submission_label
from ..models.base import Fault, FaultKind
from ..reports.report import counted
from ..reports.tables import Column, Page, Part, Table
from ..solvers.attempts import Attempted, Key, Outcome, Usage
from ..solvers.solving import Begun, Ended, Event, Solving, Spending, Started
from .logs import logging_to
from .progress import duration, live

SHORT = 10.0
"""Seconds below which tenths of them are shown."""

LASTING = frozenset({FaultKind.REFUSED, FaultKind.MALFORMED, FaultKind.UNREACHABLE})
"""Faults that the same command would only come to again."""


@dataclass
class Tally:
    """Where a solving is."""

    wanted: int = 0
    kept: int = 0
    running: dict[Key, None] = field(default_factory=dict[Key, None])
    """In the order in which they began."""
    outcomes: dict[Outcome, int] = field(default_factory=dict[Outcome, int])
    tokens: int = 0
    stopped: set[str] = field(default_factory=set[str])
    """Budgets that were said to be used up."""

    @property
    def done(self) -> int:
        return self.kept + sum(self.outcomes.values())

    def hear(self, event: Event) -> str:
        """Take note of an event; returns the line to print for it, empty for none."""
        match event:
            case Begun():
                self.wanted, self.kept = event.wanted, event.kept
                return f"{self.kept} of {self.wanted} answered before: kept" if self.kept else ""
            case Started():
                self.running[event.key] = None
                return ""
            case Ended():
                ended = event.attempted
                self.running.pop(ended.key)
                self.outcomes[ended.outcome] = self.outcomes.get(ended.outcome, 0) + 1
                self.tokens += ended.usage.tokens
                said = self._of_budget(ended.fault) if _is_over_budget(ended.fault) else _said_of(ended)
                return f"[{self.done}/{self.wanted}] {_label(ended.key)} {said}" if said else ""

    def _of_budget(self, fault: Fault | None) -> str:
        """What a budget stopped, said once of each: hundreds of attempts may follow."""
        assert fault is not None
        budget = fault.reason.partition(":")[0]
        if budget in self.stopped:
            return ""
        self.stopped.add(budget)
        return f"not asked: {fault.reason}; others that this stops are counted at the end"

    def line(self) -> str:
        """How far it is, and what it is at."""
        parts = [f"{self.done}/{self.wanted}", *(f"{count} {outcome}" for outcome, count in self.outcomes.items())]
        if self.tokens:
            parts.append(f"{self.tokens:,} tokens")
        if self.running:
            parts.append("now " + ", ".join(map(_label, self.running)))
        return "  ".join(parts)


@contextmanager
def solving_progress(screen: Console, args: argparse.Namespace) -> Iterator[Callable[[Event], None]]:
    """Show on `screen` what the yielded function hears; log as `args` say."""
    tally = Tally()
    with logging_to(screen, verbose=args.verbose, file=args.log_file), live(screen, tally.line) as show:
        yield lambda event: show(tally.hear(event))


def solving_page(solving: Solving, next_: str) -> Page:
    """What came of all attempts, why some came to nothing, what it took, and what to do now."""
    parts: list[Part] = [
        f"{solving.suite} by {solving.model}: {solving.wanted} wanted, {solving.answered} answered, "
        f"{solving.unusable} unusable, "
        + (f"{solving.too_long} too long for the model, " if solving.too_long else "")
        + f"{solving.faulty} ended in faults, {solving.over_budget} not asked"
        + (f" ({solving.kept} kept from before)" if solving.kept else "")
    ]
    if solving.faults:
        rows = tuple((kind.value, str(count), solving.reasons[kind]) for kind, count in solving.faults.items())
        parts.append(Table((Column("Fault"), Column("Attempts", True), Column("For example")), rows))
    for kind, what in ((FaultKind.TOO_LONG, "Too long for the model"), (FaultKind.OVER_BUDGET, "Not asked")):
        if kind in solving.reasons:
            parts.append(f"{what}: {solving.reasons[kind]}")
    if solving.submitted:
        parts.append(f"The answers took {_amounts(solving.usage, solving.submitted)}")
    if (spent := solving.spent) is not None and (spent.failed_calls or (spent.earlier and _differ(solving))):
        parts.append(_spent(spent))
    parts.append(f"Next: {next_}")
    return Page(tuple(parts))


def next_command(
    solving: Solving, suite: str, *, tasks: Sequence[str] = (), language: str = "", replayed: bool = False
) -> str:
    """What to run now. Scored is what was asked for: any other task would count as missing."""
    if not solving.submitted and (solving.faulty or solving.over_budget or not solving.too_long):
        if replayed:
            return "replay a store that holds the answers, or ask for them: --auto instead of --replay"
        if solving.faulty:
            return f"{_to_mend(solving) or 'correct what the faults say'}, then give the same command again"
        return "with a larger budget, give the same command again"
    mend = _to_mend(solving)
    first = f"{mend}, then " if mend else ""
    again = (
        f", or {first}the same command with a larger budget, for what was not asked"
        if solving.over_budget
        else ", or --auto instead of --replay, to ask for what the store does not hold"
        if solving.faulty and replayed
        else f", or {first}the same command again, for what ended in a fault"
        if solving.faulty
        else f", or {solving.mends[FaultKind.TOO_LONG]}, then the same command again, for what was too long"
        if solving.too_long
        else ""
    )
    output = solving.output.rstrip("/")
    chosen = [*(f" --task {quote(task)}" for task in tasks), f" --language {quote(language)}" if language else ""]
    return f"repoproof score {quote(suite)} {quote(output)} -o {quote(f'{output}-run')}{''.join(chosen)}{again}"


def _to_mend(solving: Solving) -> str:
    """What has to be done first, where the same again would come to the same faults."""
    mends = [mend for kind, mend in solving.mends.items() if kind in solving.faults and kind in LASTING]
    return "; ".join(dict.fromkeys(mends))


def _is_over_budget(fault: Fault | None) -> bool:
    return fault is not None and fault.kind is FaultKind.OVER_BUDGET


def _said_of(ended: Attempted) -> str:
    if ended.fault is not None and ended.fault.kind is FaultKind.TOO_LONG:
        return f"too long for the model: {ended.fault.reason}"
    if ended.fault is not None:
        return f"{ended.outcome} {ended.fault.boundary}: {ended.fault.kind}: {ended.fault.reason}"
    estimated = " (estimated)" if ended.usage.estimated else ""
    said = f"{ended.outcome} {ended.usage.tokens:,} tokens{estimated}, {ended.usage.seconds:.1f} s"
    return f"{said}: {ended.note}" if ended.note else said


def _amounts(usage: Usage, answers: int) -> str:
    estimated = (
        f"; tokens{' and cost' if usage.cost_usd is not None else ''} of {usage.estimated} of {answers} estimated"
    )
    return (
        f"{usage.prompt_tokens:,} tokens in, {usage.completion_tokens:,} out, {_dollars(usage.cost_usd)}, "
        f"{counted(usage.calls, 'call')} of {_seconds(usage.seconds)} in all{estimated if usage.estimated else ''}"
    )


def _differ(solving: Solving) -> bool:
    """Whether more was paid than what the answers took, or less: others may have asked for them."""
    assert solving.spent is not None
    return (solving.spent.calls, solving.spent.tokens) != (solving.usage.calls, solving.usage.tokens)


def _spent(spent: Spending) -> str:
    """All that a budget counts."""
    failed = f", {spent.failed_calls} of them without an answer" if spent.failed_calls else ""
    return (
        f"Spent {'in all' if spent.earlier else 'by this run'}: {_dollars(spent.cost_usd)}, {spent.tokens:,} tokens, "
        f"{counted(spent.calls, 'call')} of {_seconds(spent.seconds)}{failed}"
    )


def _dollars(cost: float | None) -> str:
    return "unknown cost" if cost is None else f"${cost:,.4f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < SHORT else duration(seconds)


def _label(key: Key) -> str:
    return submission_label(key.task, key.attempt)
