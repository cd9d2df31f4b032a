"""What is going on: one live line on a terminal, a line an event elsewhere."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ..api.validation import Validated
from ..core.outcomes import Status
from ..core.submission import submission_label
from ..core.verdict import VerdictKey
from ..engine.plan import Plan
from ..engine.pool import Event, Finished, Retried, Started
from ..reports.report import status_word
from ..reports.tables import visible
from ..stats.means import value_of
from .logs import logging_to
from .printing import STATUS_STYLES


@dataclass
class Tally:
    """Where a scoring is. `now` is a clock, in seconds."""

    workers: int
    metric: str
    static_only: bool = False
    now: Callable[[], float] = time.monotonic
    labels: dict[VerdictKey, str] = field(default_factory=dict)
    """What each submission is called."""
    kept: int = 0
    """Finished by an earlier run of the same command."""
    running: dict[VerdictKey, float] = field(default_factory=dict)
    """What runs, and since when."""
    counts: dict[Status, int] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    """What each verdict that ran took."""
    mean_before: float | None = None
    """What those of an earlier run took on average."""

    @property
    def total(self) -> int:
        return len(self.labels)

    @property
    def done(self) -> int:
        return self.kept + sum(self.counts.values())

    @property
    def seconds_left(self) -> float | None:
        """From what finished ones took, as many at once as there are workers; None as long as none has finished."""
        mean = fmean(self.seconds) if self.seconds else self.mean_before
        if mean is None:
            return None
        spent = sum(min(mean, self.now() - since) for since in self.running.values())
        return max(0.0, mean * (self.total - self.done) - spent) / self.workers

    def hear(self, event: Plan | Event) -> str:
        """Take note of an event; returns the line to print for it, empty for none."""
        if isinstance(event, Plan):
            self.labels = {
                asked.key: submission_label(asked.key.task, asked.key.attempt, asked.name) for asked in event.asked
            }
            self.kept, self.mean_before = len(event.finished), event.mean_seconds
            return f"{self.kept} of {self.total} finished before: kept" if self.kept else ""
        if isinstance(event, Started):
            self.running[event.job.key] = self.now()
            return ""
        if isinstance(event, Retried):
            # The engine logs it, as a warning, with the reason.
            self.running.pop(event.job.key, None)
            return ""
        return self.finished(event)

    def finished(self, event: Finished) -> str:
        found = event.verdict
        self.running.pop(found.key, None)
        self.counts[found.status] = self.counts.get(found.status, 0) + 1
        if event.ran:
            self.seconds.append(found.seconds)
        score = "-" if found.status.is_ours else f"{value_of(found, self.metric):.2f}"
        return f"[{self.done}/{self.total}] {self.labels[found.key]} {self.word(found.status)} {score} {found.seconds:.1f}s"

    def word(self, status: Status) -> str:
        return status_word(status, static_only=self.static_only)

    def line(self) -> str:
        """The live line."""
        if not self.labels:
            return "reading"
        parts = [f"{self.done}/{self.total}"]
        by_word: Counter[str] = Counter()
        for status in Status:
            by_word[self.word(status)] += self.counts.get(status, 0)
        parts += [f"{word} {count}" for word, count in by_word.items() if count]
        if (left := self.seconds_left) is not None and self.done < self.total:
            parts.append(f"{duration(left)} left")
        if self.running:
            parts.append("now " + ", ".join(self.labels[key] for key in self.running))
        return "  ".join(parts)


def duration(seconds: float) -> str:
    """`45 s`, `3 min`, `2 h 05 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


@contextmanager
def scoring_progress(
    screen: Console, args: argparse.Namespace, *, static_only: bool = False
) -> Iterator[Callable[[Plan | Event], None]]:
    """Show on `screen` what the yielded function hears; log as `args` say."""
    tally = Tally(args.workers, "ac_static" if static_only else "pass_at_1", static_only)
    with logging_to(screen, verbose=args.verbose, file=args.log_file), live(screen, tally.line) as show:
        yield lambda event: show(tally.hear(event))


@contextmanager
def validation_progress(screen: Console, args: argparse.Namespace) -> Iterator[Callable[[Validated], None]]:
    """The same for a validation."""
    line = "validating"

    def hear(event: Validated) -> None:
        nonlocal line
        line = f"{event.done}/{event.of} validated"
        found = "healthy" if event.health.healthy else f"quarantined: {event.health.reasons[0]}"
        show(f"[{event.done}/{event.of}] {event.health.task} {found}")

    with logging_to(screen, verbose=args.verbose, file=args.log_file), live(screen, lambda: line) as show:
        yield hear


@contextmanager
def live(screen: Console, line: Callable[[], str]) -> Iterator[Callable[[str], None]]:
    """Yields what prints a line that stays. On a terminal, `line` is kept up to date below."""

    def stay(text: str) -> None:
        if text:
            screen.print(Text(visible(text), style=_style(text)), soft_wrap=True)

    if not screen.is_terminal:
        yield stay
        return

    class Moving:
        def __rich__(self) -> Any:
            return Text(line(), overflow="ellipsis", no_wrap=True)

    with Live(Moving(), console=screen, transient=True, refresh_per_second=4):
        yield stay


def _style(text: str) -> str:
    words = text.split()
    return STATUS_STYLES.get(words[2], "") if text.startswith("[") and len(words) > 2 else ""
