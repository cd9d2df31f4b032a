"""Scoring what a plan left to do: some submissions at a time, each in a thread of its own, in this process.

One thread, the caller's, decides everything: what starts, what is tried again, what is written down. The others verify and hand
over what came out. So a verdict is on disk before its event is reported, an interrupt finds everything in one place, and a thread
that never comes back can be given up.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import queue
import random
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ..core.config import RunOptions, ScoreConfig
from ..core.errors import Boundary, InfrastructureError, RepoProofError
from ..core.outcomes import Status
from ..core.run import RunDirectory
from ..core.submission import submission_label
from ..core.tree import shown
from ..core.verdict import Verdict
from ..core.waiting import SPELL
from ..families import Bench, Family
from ..sandbox.base import Sandbox
from .plan import Job, Plan, with_violations

log = logging.getLogger(__name__)

TASK_SECONDS = 900.0
"""A family's own limit of a whole task, where none is set."""
LONGEST_DELAY = 60.0
"""Between two tries, in seconds."""
FAREWELL = 10.0
"""How long an interrupted run waits for what it stopped, in seconds."""


@dataclass(frozen=True)
class Started:
    """A submission is being verified."""

    job: Job
    tries: int
    """From 1."""


@dataclass(frozen=True)
class Retried:
    """Our side failed; the submission will be tried again."""

    job: Job
    tries: int
    """How often it was tried so far."""
    reason: str
    delay_seconds: float


@dataclass(frozen=True)
class Finished:
    """A verdict is on disk."""

    verdict: Verdict
    ran: bool
    """Whether anything was verified for it; False for what the plan had settled."""


Event = Started | Retried | Finished


def score_all(
    plan: Plan,
    family: Family,
    *,
    run: RunDirectory,
    box: Sandbox | None,
    cache: Path,
    config: ScoreConfig,
    options: RunOptions,
    on_event: Callable[[Event], None] = lambda event: None,
    first_delay: float = 1.0,
    backstop_seconds: float | None = None,
) -> None:
    """Answer everything that the plan left open, into `run`, whose lock is held.

    An infrastructure error is tried again `options.infrastructure_tries` times in all, after `first_delay` seconds, then twice that,
    and so on; then it is the verdict. `on_event` is called in the caller's thread. A verification that is not back after
    `backstop_seconds` (by default, well above all limits that it has of its own) is given up: an infrastructure error of the harness.
    On an interrupt, what runs is stopped and forgotten, what is finished stays, and the interrupt goes on to the caller.
    """
    limit = backstop_seconds or 2 * (config.task_seconds or TASK_SECONDS) + 600
    scoring = _Scoring(family, run, box, cache, config, options, on_event, first_delay, limit)
    run.append(*plan.settled)
    for verdict in plan.settled:
        on_event(Finished(verdict, ran=False))
    scoring.ready.extend(_Try(job, 1) for job in plan.jobs)
    try:
        scoring.go()
    except BaseException:
        scoring.abandon()
        raise


@dataclass(frozen=True)
class _Try:
    job: Job
    number: int

    @property
    def label(self) -> str:
        """As reports call it."""
        return submission_label(self.job.key.task, self.job.key.attempt, self.job.submission.name)


@dataclass(frozen=True)
class _Running:
    this: _Try
    thread: threading.Thread
    deadline: float


@dataclass
class _Scoring:
    """The state of one call of `score_all`. Only the caller's thread changes it, but for `done`."""

    family: Family
    run: RunDirectory
    box: Sandbox | None
    cache: Path
    config: ScoreConfig
    options: RunOptions
    on_event: Callable[[Event], None]
    first_delay: float
    limit: float
    ready: deque[_Try] = field(default_factory=deque)
    waiting: list[tuple[float, int, _Try]] = field(default_factory=list)
    """A heap by the time at which each is due."""
    running: dict[int, _Running] = field(default_factory=dict)
    done: queue.SimpleQueue[tuple[int, Verdict]] = field(default_factory=queue.SimpleQueue)
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    @property
    def has_room(self) -> bool:
        return len(self.running) < max(1, self.options.workers)

    def go(self) -> None:
        while self.ready or self.waiting or self.running:
            self.start_what_may()
            for number, verdict in self.handed_over():
                self.settle(self.running.pop(number).this, verdict)
            for number in [number for number, one in self.running.items() if one.deadline <= time.monotonic()]:
                this = self.running.pop(number).this
                self.settle(this, self.broken(this, _gone(self.limit)))

    def start_what_may(self) -> None:
        now = time.monotonic()
        while self.waiting and self.waiting[0][0] <= now:
            self.ready.append(heapq.heappop(self.waiting)[2])
        while self.ready and self.has_room:
            this, number = self.ready.popleft(), next(self.numbers)
            # A daemon: one that hangs must not keep the process from ending.
            thread = threading.Thread(target=self.verify, args=(number, this), name=this.job.key.task, daemon=True)
            self.on_event(Started(this.job, this.number))
            thread.start()
            self.running[number] = _Running(this, thread, now + self.limit)

    def handed_over(self) -> list[tuple[int, Verdict]]:
        """What came in; waits until something does or is due, or for a spell. What was given up is no longer expected."""
        due = [one.deadline for one in self.running.values()]
        if self.waiting and self.has_room:
            due.append(self.waiting[0][0])
        came: list[tuple[int, Verdict]] = []
        try:
            came.append(self.done.get(timeout=min(max(0.0, min(due) - time.monotonic()), SPELL)))
            while True:
                came.append(self.done.get_nowait())
        except queue.Empty:
            return [(number, verdict) for number, verdict in came if number in self.running]

    def settle(self, this: _Try, verdict: Verdict) -> None:
        """Write a verdict down, or try again where our side failed."""
        if verdict.status is Status.INFRASTRUCTURE_ERROR and this.number < self.options.infrastructure_tries:
            delay = self.delay(this)
            log.warning("%s: %s; trying again in %.1f s", this.label, verdict.reason, delay)
            heapq.heappush(
                self.waiting, (time.monotonic() + delay, next(self.numbers), _Try(this.job, this.number + 1))
            )
            self.on_event(Retried(this.job, this.number, verdict.reason, delay))
            return
        verdict = with_violations(verdict.model_copy(update={"tries": this.number}), this.job.submission)
        self.run.append(verdict)
        self.on_event(Finished(verdict, ran=True))

    def delay(self, this: _Try) -> float:
        """Twice as long each time, and spread: what failed together must not come back together."""
        spread = random.Random(f"{this.job.key.submission_hash} {this.job.key.attempt} {this.number}").uniform(0.5, 1.5)
        return min(LONGEST_DELAY, self.first_delay * 2 ** (this.number - 1)) * spread

    def verify(self, number: int, this: _Try) -> None:
        """In a thread of its own: whatever happens, a verdict is handed over."""
        try:
            logs = self.run.new_log_directory(this.job.key)
            try:
                verdict = self.verified(this, logs)
            except BaseException as error:
                log.debug("%s: our side failed", this.label, exc_info=True)
                verdict = self.broken(this, error, self.kept_traceback(logs))
        except BaseException as error:
            verdict = self.broken(this, error)
        self.done.put((number, verdict))

    def verified(self, this: _Try, logs: Path) -> Verdict:
        key = this.job.key
        bench = Bench(
            box=self.box,
            cache=self.cache,
            logs=logs,
            log_prefix=str(logs.relative_to(self.run.path)),
            config=self.config,
            config_hash=key.config_hash,
            options=self.options,
        )
        verdict = self.family.verify(this.job.task, this.job.submission, bench)
        if verdict.key != key:
            raise InfrastructureError(f"the verdict is on {verdict.key}, not on {key}", boundary=Boundary.HARNESS)
        # What cannot be written down must come to light here, where it costs one verdict and not the run.
        verdict.model_dump_json()
        return verdict

    def broken(self, this: _Try, error: BaseException, logs: dict[str, str] | None = None) -> Verdict:
        """The verdict where our side failed. What nobody foresaw is the harness's."""
        foreseen = isinstance(error, RepoProofError)
        return Verdict(
            **dict(this.job.key),
            status=Status.INFRASTRUCTURE_ERROR,
            reason=shown(str(error) if foreseen else f"{type(error).__name__}: {error}"),
            boundary=error.boundary if foreseen else Boundary.HARNESS,
            logs=logs or {},
            started=datetime.now(UTC),
        )

    def kept_traceback(self, logs: Path) -> dict[str, str]:
        """Of the exception being handled, among the raw logs."""
        file = logs / "harness.log"
        file.write_text(traceback.format_exc(), errors="backslashreplace")
        return {"harness": str(file.relative_to(self.run.path))}

    def abandon(self) -> None:
        """Stop what runs. Nothing that is handed over now is written down: we may have been what ended it."""
        if self.box is not None:
            self.box.interrupt()
        until = time.monotonic() + FAREWELL
        for one in self.running.values():
            one.thread.join(max(0.0, until - time.monotonic()))


def _gone(seconds: float) -> InfrastructureError:
    return InfrastructureError(f"not back after {seconds:.0f} s: given up", boundary=Boundary.HARNESS)
