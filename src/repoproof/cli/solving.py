"""How a solving is shown: what is going on, and what came of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from shlex import quote

from rich.console import Console

from ..core.submission import submission_label
from ..models.base import FaultKind
from ..reports.report import counted
from ..reports.tables import Column, Page, Part, Table
from ..solvers.attempts import Attempted, Key, Outcome, Usage
from ..solvers.solving import Begun, Ended, Event, Solving, Started
from .logs import logging_to
from .progress import duration, live

SHORT = 10.0
"""Seconds below which tenths of them are shown."""


@dataclass
class Tally:
    """Where a solving is."""

    wanted: int = 0
    kept: int = 0
    running: dict[Key, None] = field(default_factory=dict[Key, None])
    """In the order in which they began."""
    outcomes: dict[Outcome, int] = field(default_factory=dict[Outcome, int])
    tokens: int = 0

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
                return f"[{self.done}/{self.wanted}] {_label(ended.key)} {_said_of(ended)}"

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
        f"{solving.unusable} unusable, {solving.faulty} ended in faults, {solving.over_budget} not asked"
        + (f" ({solving.kept} kept from before)" if solving.kept else "")
    ]
    if solving.reasons:
        rows = tuple(
            (kind.value, str(solving.faults.get(kind, solving.over_budget)), reason)
            for kind, reason in solving.reasons.items()
        )
        parts.append(Table((Column("Fault"), Column("Attempts", True), Column("For example")), rows))
    parts.append(f"The answers took {_amounts(solving.usage)}")
    parts.append(f"Next: {next_}")
    return Page(tuple(parts))


def next_command(
    solving: Solving, suite: str, *, tasks: Sequence[str] = (), language: str = "", replayed: bool = False
) -> str:
    """What to run now. Scored is what was asked for: any other task would count as missing."""
    if not solving.submitted:
        if replayed:
            return "replay a store that holds the answers, or ask for them: --auto instead of --replay"
        todo = "correct what the faults say, then" if solving.faulty else "with a larger budget,"
        return f"{todo} give the same command again"
    again = (
        ", or the same command with a larger budget, for what was not asked"
        if solving.over_budget
        else ", or --auto instead of --replay, to ask for what the store does not hold"
        if solving.faulty and replayed
        else ", or the same command again, for what ended in a fault"
        if solving.faulty
        else ""
    )
    output = solving.output.rstrip("/")
    chosen = [*(f" --task {quote(task)}" for task in tasks), f" --language {quote(language)}" if language else ""]
    return f"repoproof score {quote(suite)} {quote(output)} -o {quote(f'{output}-run')}{''.join(chosen)}{again}"


def _said_of(ended: Attempted) -> str:
    if ended.fault is not None and ended.fault.kind is FaultKind.OVER_BUDGET:
        return f"not asked: {ended.fault.reason}"
    if ended.fault is not None:
        return f"{ended.outcome} {ended.fault.boundary}: {ended.fault.kind}: {ended.fault.reason}"
    said = f"{ended.outcome} {ended.usage.tokens:,} tokens, {ended.usage.seconds:.1f} s"
    return f"{said}: {ended.note}" if ended.note else said


def _amounts(usage: Usage) -> str:
    cost = "unknown cost" if usage.cost_usd is None else f"${usage.cost_usd:,.4f}"
    seconds = f"{usage.seconds:.1f} s" if usage.seconds < SHORT else duration(usage.seconds)
    return (
        f"{usage.prompt_tokens:,} tokens in, {usage.completion_tokens:,} out, {cost}, "
        f"{counted(usage.calls, 'call')} of {seconds} in all"
    )


def _label(key: Key) -> str:
    return submission_label(key.task, key.attempt)
