"""Runs: score submissions, read what came out, look into one of them."""

from __future__ import annotations

import logging
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from ..core.config import RunOptions, ScoreConfig
from ..core.errors import BadInput
from ..core.paths import cache_root
from ..core.run import Asked, RunDirectory, RunInfo
from ..core.submission import Submission
from ..core.submissions import read_submissions
from ..core.suite import Suite
from ..core.task import Task
from ..core.verdict import Verdict
from ..engine.plan import Plan, config_hash, plan
from ..engine.pool import Event, Finished, Retried, Started, score_all
from ..families import Bench, family
from ..reports.comparison import Comparison, comparison_of
from ..reports.plan import Plan as Check
from ..reports.plan import plan_of
from ..reports.report import Report, submission_label
from ..reports.scores import report_of
from ..sandbox import open_sandbox
from .suites import load_suite, nearest, select

log = logging.getLogger(__name__)

OnEvent = Callable[[Plan | Event], None]
"""Hears of the plan first, then of everything that happens; called in the caller's thread."""

NO_SANDBOX = "none"
"""In the settings of a static run: the same wherever it is done."""


def check(
    submissions: Path | str, suite: Suite | Path | str, *, tasks: Sequence[str] = (), language: str = ""
) -> Check:
    """What `score` would score, what is missing and what is wrong; runs nothing."""
    loaded = load_suite(suite)
    chosen = select(loaded, tasks, language)
    return plan_of(read_submissions(Path(submissions), {task.id for task in loaded}), loaded, chosen)


def score(
    suite: Suite | Path | str,
    submissions: Path | str,
    run: Path | str,
    *,
    sandbox: str = "auto",
    workers: int = 1,
    tasks: Sequence[str] = (),
    language: str = "",
    static_only: bool = False,
    task_seconds: float | None = None,
    fresh: bool = False,
    keep: bool = False,
    model_name: str = "",
    agent_name: str = "",
    on_event: OnEvent = lambda event: None,
) -> Report:
    """Score the submissions at `submissions` on the tasks of `suite` (all, or those chosen) into the run directory `run`.

    Goes on with what is in `run` already: finished verdicts on the same submissions under the same settings are kept. The report is
    also in `run/report.json`, even after an interrupt. Raises `BadInput` where suite, submissions or run directory are wrong, and
    `InfrastructureError` where no sandbox works: nothing has run then. What a submission does never raises.
    """
    loaded = load_suite(suite)
    if not loaded.has_sealed:
        raise BadInput("only the public half is here", file=loaded.root, mend="score where sealed/ is")
    chosen = select(loaded, tasks, language)
    found = read_submissions(Path(submissions), {task.id for task in loaded})
    box = None if static_only else open_sandbox(sandbox)
    config = ScoreConfig(
        sandbox=box.name if box else NO_SANDBOX,
        static_only=static_only,
        task_seconds=task_seconds,
        cutoff=loaded.info.cutoff,
    )
    options = RunOptions(
        workers=workers,
        fresh=fresh,
        keep=keep,
        tasks=tuple(tasks),
        language=language,
        model_name=model_name,
        agent_name=agent_name,
    )
    of = family(loaded.info.family)
    with RunDirectory.locked(Path(run)) as directory:
        planned = plan(loaded, chosen, found.items, config=config, run=directory)
        directory.ask(
            RunInfo(
                family=loaded.info.family,
                suite=loaded.name,
                suite_version=loaded.info.version,
                suite_digest=loaded.digest,
                health_version=loaded.health_version,
                suite_tasks=len(loaded),
                config=config,
                options=options,
                versions={"repoproof": version("repoproof"), "python": platform.python_version()},
                started=datetime.now(UTC),
                suite_path=str(loaded.root),
                submissions_path=str(Path(submissions).resolve()),
                asked=planned.asked,
            )
        )
        hear = _logged(on_event)
        hear(planned)
        with _reported(directory):
            score_all(
                planned,
                of,
                run=directory,
                box=box,
                cache=cache_root(),
                config=config,
                options=options,
                on_event=hear,
            )
        return _report(directory)


def report(run: Path | str) -> Report:
    """The scores of a run as it is now, finished or not."""
    return _report(RunDirectory.read(Path(run)))


def compare(run_a: Path | str, run_b: Path | str) -> Comparison:
    """How the second run differs from the first: paired by task, strict. `BadInput` if they are not of the same tasks."""
    a, b = RunDirectory.read(Path(run_a)), RunDirectory.read(Path(run_b))
    sources = {asked.key.task: asked.source for asked in a.info.asked}
    return comparison_of(_report(a), _report(b), sources)


def verdict(run: Path | str, task: str, *, attempt: int | None = None) -> Verdict:
    """One verdict of a run. `task` is its id, or as reports label it: `blog#1`, `blog/second-try`."""
    directory = RunDirectory.read(Path(run))
    return _answer(directory, _question(directory.info, task, attempt))


def show_log(run: Path | str, task: str, log: str, *, attempt: int | None = None) -> bytes:
    """The raw log of that name of one verdict."""
    found = verdict(run, task, attempt=attempt)
    if log not in found.logs:
        raise BadInput(
            f"no log {log!r} of {task}", field="--log", mend=f"one of: {', '.join(found.logs) or 'there are none'}"
        )
    path = Path(run) / found.logs[log]
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", file=path) from error


def rerun(run: Path | str, task: str, *, attempt: int | None = None, on_event: OnEvent = lambda event: None) -> Verdict:
    """Score one submission of a run again, as it was scored then, and keep its work files. The new verdict takes the old one's place."""
    with RunDirectory.locked(Path(run)) as directory:
        again = _again(directory, task, attempt)
        box = None if again.info.config.static_only else open_sandbox(again.info.config.sandbox)
        planned = plan(
            again.suite,
            [again.task],
            [again.submission],
            config=again.info.config,
            run=directory,
            again=[again.task.id],
        )
        hear = _logged(on_event)
        hear(planned)
        with _reported(directory):
            score_all(
                planned,
                family(again.info.family),
                run=directory,
                box=box,
                cache=cache_root(),
                config=again.info.config,
                options=again.info.options.model_copy(update={"keep": True, "workers": 1}),
                on_event=hear,
            )
        return _answer(directory, again.question)


def shell(run: Path | str, task: str, *, attempt: int | None = None) -> int:
    """A shell in the sandbox of one submission, on this terminal; returns the shell's exit code."""
    directory = RunDirectory.read(Path(run))
    again = _again(directory, task, attempt)
    box = open_sandbox("auto" if again.info.config.static_only else again.info.config.sandbox)
    with tempfile.TemporaryDirectory() as logs:
        bench = Bench(
            box=box,
            cache=cache_root(),
            logs=Path(logs),
            log_prefix="",
            config=again.info.config,
            config_hash=again.question.key.config_hash,
        )
        return family(again.info.family).shell(again.task, again.submission, bench)


@dataclass(frozen=True)
class _Again:
    """A question of a run, and all that it takes to ask it again."""

    info: RunInfo
    question: Asked
    suite: Suite
    task: Task
    submission: Submission


def _again(directory: RunDirectory, task: str, attempt: int | None) -> _Again:
    """`BadInput` where suite or submission are not what they were: the answer would be to another question."""
    info = directory.info
    question = _question(info, task, attempt)
    suite = load_suite(Path(info.suite_path))
    mend = f"score them all: repoproof score {info.suite_path} {info.submissions_path} -o {directory.path}"
    record = next((record for record in suite if record.id == question.key.task), None)
    if record is None or config_hash(info.config, record, suite.quarantined.get(record.id)) != question.key.config_hash:
        raise BadInput(f"task {question.key.task!r} has changed since it was scored", file=info.suite_path, mend=mend)
    found = read_submissions(Path(info.submissions_path), [record.id])
    for submission in found.items:
        if (submission.attempt, submission.hash) == (question.key.attempt, question.key.submission_hash):
            return _Again(info, question, suite, record, submission)
    raise BadInput(
        f"the submission for {task!r} has changed since it was scored, or is gone",
        file=info.submissions_path,
        mend=mend,
    )


def _question(info: RunInfo, label: str, attempt: int | None) -> Asked:
    named = {submission_label(asked.key.task, asked.key.attempt, asked.name): asked for asked in info.asked}
    numbered = {submission_label(asked.key.task, asked.key.attempt): asked for asked in info.asked}
    first = {asked.key.task: asked for asked in reversed(info.asked)}
    wanted = label if attempt is None else submission_label(label, attempt)
    for labels in (named, numbered, first):
        if wanted in labels:
            return labels[wanted]
    raise BadInput(f"the run has no {wanted!r}", field="TASK", mend=nearest(wanted, [*first, *named, *numbered]))


def _answer(directory: RunDirectory, question: Asked) -> Verdict:
    found = directory.verdict(question.key)
    if found is None:
        label = submission_label(question.key.task, question.key.attempt, question.name)
        raise BadInput(
            f"{label} is not scored yet", file=directory.path, mend="run the same `repoproof score` to go on"
        )
    return found


def _logged(on_event: OnEvent) -> OnEvent:
    """`on_event`, and a line in the log for what a person would ask about afterwards."""

    def hear(event: Plan | Event) -> None:
        match event:
            case Plan():
                log.info(
                    "%d asked, %d finished before, %d to run", len(event.asked), len(event.finished), len(event.jobs)
                )
            case Started():
                log.info("%s: try %d", submission_label(event.job.key.task, event.job.key.attempt), event.tries)
            case Finished():
                found = event.verdict
                phases = ", ".join(f"{phase.name} {phase.seconds:.1f} s" for phase in found.phases)
                label = submission_label(found.task, found.attempt)
                log.info("%s: %s: %s (%s)", label, found.status, found.reason, phases or "nothing run")
            case Retried():
                pass  # The engine has logged it, as a warning.
        on_event(event)

    return hear


def _report(directory: RunDirectory) -> Report:
    info = directory.info
    return report_of(info, directory.verdicts(), family(info.family).metrics)


@contextmanager
def _reported(directory: RunDirectory) -> Iterator[None]:
    """Leave `report.json` behind, however scoring ends."""
    try:
        yield
    finally:
        directory.write_report(_report(directory).model_dump_json(indent=2) + "\n")
