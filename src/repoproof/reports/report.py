"""The report on a run: what `report.json` holds, and what every table is printed from.

The JSON Schema in `report.schema.json` is made from these records; `docs/report.md` explains them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Self

from pydantic import Field

from ..core.base import Frozen
from ..core.errors import Boundary
from ..core.outcomes import Status
from ..core.run import RunInfo
from ..core.submission import Origin, submission_label
from ..core.suite import Suite
from ..stats.means import Scored, Unanswered
from .answers import Answers
from .code import CodeFigure
from .effort import Effort

REPORT_SCHEMA_VERSION = 1
"""Raised whenever a field is renamed, removed or given another meaning; a new field does not raise it."""

IN_PROCESS = "in_process"
"""The trust in results that the code under test could write itself."""
READ = "read"
"""Shown in the place of `passed` and `failed` where nothing was run."""

Numbers = dict[str, float | None]
"""The family's metrics by name; None where the run did not measure one (`--static-only`) or nothing is left to measure."""


class SuiteIdentity(Frozen):
    """What was scored against. Digest and health version together fix the denominator."""

    name: str
    version: str
    split: str = ""
    """Of the data that it is part of: `test`, `train`."""
    family: str
    digest: str
    """SHA-256 over both halves of the suite, in hex."""
    health: str
    """Version of the health record; `none` where there is none."""
    tasks: int
    """Tasks of the whole suite."""

    @classmethod
    def of(cls, suite: Suite) -> Self:
        return cls(
            name=suite.name,
            version=suite.info.version,
            split=suite.info.split,
            family=suite.info.family,
            digest=suite.digest,
            health=suite.health_version,
            tasks=len(suite),
        )

    @classmethod
    def of_run(cls, info: RunInfo) -> Self:
        return cls(
            name=info.suite,
            version=info.suite_version,
            split=info.suite_split,
            family=info.family,
            digest=info.suite_digest,
            health=info.health_version,
            tasks=info.suite_tasks,
        )

    @property
    def label(self) -> str:
        """All that fixes the denominator, for a line of text."""
        return f"{self.name} {self.version} sha256:{self.digest[:12]} health {self.health}"


class RunIdentity(Frozen):
    """What was scored, how, by what."""

    started: datetime
    versions: dict[str, str] = Field(default_factory=dict)
    """Of RepoProof and of what ran the submissions."""
    scorer_version: str
    sandbox: str
    """`bubblewrap` or `docker`; of no account for a static run."""
    limits: str = ""
    """What held the limits: `cgroup` or `rlimits`; empty for a static run."""
    static_only: bool = False
    coverage: bool = False
    """Whether the coverage of the submitted code under the golden tests was asked for."""
    task_seconds: float | None = None
    """Limit of a whole task, where another one than the family's own was asked for."""
    model_name: str = ""
    agent_name: str = ""

    @classmethod
    def of(cls, info: RunInfo) -> Self:
        return cls(
            started=info.started,
            versions=info.versions,
            scorer_version=info.config.scorer_version,
            sandbox=info.config.sandbox,
            limits=info.config.limits,
            static_only=info.config.static_only,
            coverage=info.config.coverage,
            task_seconds=info.config.task_seconds,
            model_name=info.options.model_name,
            agent_name=info.options.agent_name,
        )


class Metric(Frozen):
    """What one of the numbers is called for people."""

    name: str
    label: str
    column: bool = True
    """Whether it has a column in the table of submissions."""
    stages: tuple[str, ...] = ()
    """Measures on the way to it, in order."""


class Interval(Frozen):
    """A 95 % bootstrap interval: tasks resampled, clustered by source where there is more than one, seeded."""

    low: float
    high: float


class PassAtK(Frozen):
    """The chance that at least one of `k` answers to a task passes: the mean over tasks, strict (unbiased, Chen et al. 2021)."""

    k: int
    value: float
    interval: Interval | None
    """None where there are fewer than two tasks."""


class Slice(Frozen):
    """Strict scores of a part of the tasks."""

    denominator: int
    """Tasks in it."""
    submissions: int
    strict: Numbers
    intervals: dict[str, Interval] = Field(default_factory=dict)
    """Of the first metric that was measured; none where there are fewer than two tasks."""


class TaskRow(Frozen):
    """One verdict, as the report shows it."""

    task: str
    attempt: int
    submission: str = ""
    """The submission's own name, where it has another one than its task."""
    language: str = ""
    status: Status
    reason: str = ""
    boundary: Boundary | None = None
    """Whose failure it was, for infrastructure errors and invalid tasks."""
    no_answer: str = ""
    """Why there is no answer, in one word: `rate_limited`, ..., `over_budget`; empty where there is one, or where nobody says."""
    measures: dict[str, float] = Field(default_factory=dict)
    tests_passed: int = 0
    tests_total: int = 0
    """Tests that the task expects; 0 where the verdict was reached without them."""
    reached: str = ""
    """Last stage on the way to deployment that it came to; empty where it came to none."""
    violations: tuple[str, ...] = ()
    """Names of the rules that it broke."""
    trust: str = ""
    """`in_process` for tests that run in the process of the code under test, whose results are its own word; else empty."""
    seconds: float = 0.0
    """That scoring it took."""
    origin: Origin = Origin()
    """Who made it, and what that took."""

    @property
    def label(self) -> str:
        return submission_label(self.task, self.attempt, self.submission)

    @property
    def is_fault(self) -> bool:
        """Whether the attempt was made, and no answer came: an infrastructure error that only the solver can mend."""
        return bool(self.no_answer) and self.status is Status.INFRASTRUCTURE_ERROR

    @property
    def why(self) -> str:
        """The reason of its status, and what its solver had to say."""
        return "; ".join(filter(None, (self.reason, self.solvers_note)))

    @property
    def solvers_note(self) -> str:
        """What its solver had to say, in one line."""
        return " ".join(self.origin.note.split())


class Report(Frozen):
    """The scores of one run.

    A score is the mean over tasks of the mean over a task's submissions. Strict scores count everything as it is: what is missing,
    not scored yet or lost to a failure of our own is 0. Conditional scores leave out our own failures and what is not scored yet.
    """

    schema_version: int = REPORT_SCHEMA_VERSION
    suite: SuiteIdentity
    run: RunIdentity
    denominator: int
    """Tasks that strict scores are over: all of the suite, or of the subset that was asked for."""
    submissions: int
    """Verdicts, those on missing submissions and on attempts without an answer included."""
    subset: str = ""
    """`subset: 2 of 5 tasks`; empty where the whole suite was scored."""
    unscored: tuple[str, ...] = ()
    """`task#attempt` of what an unfinished run has not scored yet."""
    counts: dict[Status, int]
    """Verdicts by status; every status is there."""
    metrics: tuple[Metric, ...]
    strict: Numbers
    intervals: dict[str, Interval] = Field(default_factory=dict)
    """Of the strict scores; none where there are fewer than two tasks."""
    conditional: Numbers
    conditional_denominator: int
    """Tasks with at least one verdict that is not a failure of our own."""
    infrastructure_rate: float
    """Share of verdicts that are infrastructure errors."""
    infrastructure_loss: float
    """Share of the strict scores that they took: the mean over tasks of their share of the task's verdicts."""
    infrastructure_threshold: float
    """If either is above it, no number of this report is a result."""
    attempts: dict[str, int]
    """Attempts that were made, by task, with or without an answer; 0 where there is none, or only what a budget stopped."""
    pass_at_k: tuple[PassAtK, ...] = ()
    """As far as the task with the fewest answers allows; none where no task has several, in a static run, and where answers are of
    several makers or were given names: these are variants, not samples. A task without any answer counts as 0 for every k."""
    no_pass_at_k: str = ""
    """Why there is none although a task has several answers, in words; else empty."""
    answers: Answers = Answers()
    """What came back of the attempts, as far as the solver says it: an answer without a file is the model's failure, a fault is not."""
    effort: Effort
    """Who answered, and what it took."""
    effort_by_task: dict[str, dict[str, float]] = Field(default_factory=dict)
    """The mean per answer by task, then by figure of `effort`, scored or not yet; without those that some answer of the task does not say."""
    by_language: dict[str, Slice] = Field(default_factory=dict)
    """Empty where all tasks are of one language."""
    slices: dict[str, dict[str, Slice]] = Field(default_factory=dict)
    """By dimension (`language`, `framework`, `domain`, `category`, `difficulty`, `tag`), then by value, `unknown` where a task says
    nothing; without dimensions that no task speaks of. A task with several tags is in each of their slices."""
    code: dict[str, CodeFigure] = Field(default_factory=dict)
    """How large the submitted code is, by figure (`code_lines`, ...); without those that no submission has."""
    warnings: tuple[str, ...] = ()
    """What a reader must know before quoting a number."""
    tasks: tuple[TaskRow, ...]
    """One a verdict, in the suite's order of tasks, then by attempt."""

    @property
    def expected(self) -> tuple[str, ...]:
        """The tasks of the denominator."""
        return tuple(dict.fromkeys(task for task, _ in self.asked))

    @property
    def whole(self) -> tuple[Scored, ...]:
        """What strict scores are over: what is scored, and 0 for what is not yet."""
        return (*self.tasks, *(Unanswered(name.rpartition("#")[0]) for name in self.unscored))

    @property
    def asked(self) -> tuple[tuple[str, int], ...]:
        """Task and attempt of every submission, scored or not yet."""
        unscored = [name.rpartition("#") for name in self.unscored]
        return (
            *((row.task, row.attempt) for row in self.tasks),
            *((task, int(number)) for task, _, number in unscored),
        )

    @property
    def are_scored(self) -> frozenset[str]:
        """The tasks of whose submissions none is left to score."""
        return frozenset(self.expected) - {name.rpartition("#")[0] for name in self.unscored}

    @property
    def in_process(self) -> tuple[str, ...]:
        """The tasks that were tested in the process of the code under test."""
        return tuple(dict.fromkeys(row.task for row in self.tasks if row.trust == IN_PROCESS and row.tests_total))

    @property
    def above_threshold(self) -> bool:
        return max(self.infrastructure_rate, self.infrastructure_loss) > self.infrastructure_threshold

    def word(self, status: Status) -> str:
        """What a status is called in tables: code that was only read has neither passed nor failed."""
        return status_word(status, static_only=self.run.static_only)

    @property
    def headline(self) -> str:
        """The first metric that was measured, with all that it takes to quote it, in one line."""
        metric = next((metric for metric in self.metrics if self.strict[metric.name] is not None), self.metrics[0])
        subset = f", {self.subset}" if self.subset else ""
        if self.unscored:
            subset += f", unfinished: {counted(len(self.unscored), 'submission')} not scored yet"
        missing, faulty = self.counts.get(Status.MISSING, 0), sum(row.is_fault for row in self.tasks)
        submitted = counted(self.submissions - missing - faulty, "submission")
        submitted += (f", {missing} missing" if missing else "") + (f", {faulty} without an answer" if faulty else "")
        return (
            f"{metric.label} {number(self.strict[metric.name])} over {counted(self.denominator, 'task')}, "
            f"{submitted}{subset} (suite {self.suite.label})"
        )


def status_word(status: Status, *, static_only: bool) -> str:
    """`read` for what a static run has read, else the status."""
    return READ if static_only and status in (Status.PASSED, Status.FAILED) else status.value


def subset_label(chosen: int, of: int) -> str:
    """`subset: 2 of 5 tasks`; empty for all."""
    return f"subset: {chosen} of {of} tasks" if chosen < of else ""


def in_process_note(tested: int, of: int) -> str:
    """What a reader must know of results that the code under test could write itself."""
    return (
        f"{tested} of {counted(of, 'task')} {'was' if tested == 1 else 'were'} tested in the process of the code under test: "
        "such results can be forged by a determined submission"
    )


def number(value: float | None) -> str:
    """Four decimals, as scores are quoted; a dash where there is no number."""
    return "-" if value is None else f"{value:.4f}"


def counted(count: int, noun: str) -> str:
    """`1 task`, `5 tasks`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
