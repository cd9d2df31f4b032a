"""One submission of a run: its verdict, its logs, scored again, looked into."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from ..core.config import SCORER_VERSION, ScoreConfig
from ..core.errors import BadInput
from ..core.paths import cache_root
from ..core.run import Asked, RunDirectory, RunInfo
from ..core.submission import Origin, Submission, submission_label
from ..core.submissions import read_submissions
from ..core.suite import Suite
from ..core.task import Task
from ..core.verdict import Verdict
from ..engine.plan import config_hash, plan
from ..families import Bench, family
from ..sandbox import Sandbox, open_sandbox
from . import arguments
from .runs import OnEvent, answer, settings
from .suites import load_suite, nearest


def verdict(run: Path | str, task: str, *, attempt: int | None = None) -> Verdict:
    """One verdict of a run. `task` is its id, or as reports label it: `blog#1`, `blog/second-try`."""
    directory = RunDirectory.read(arguments.place(run, "run"))
    return _answer(directory, _question(directory.info, task, attempt))


def label(run: Path | str, task: str, *, attempt: int | None = None) -> str:
    """What reports call that submission: `blog#1`, or `blog/second-try` where it has a name."""
    found = _question(RunDirectory.read(arguments.place(run, "run")).info, task, attempt)
    return submission_label(found.key.task, found.key.attempt, found.name)


@dataclass(frozen=True)
class Shown:
    """One verdict, and what the run knows of the submission that it is on."""

    verdict: Verdict
    label: str
    """What reports call the submission."""
    origin: Origin
    """Who made it, and what they say of it."""
    static_only: bool
    """Whether the code was only read."""


def show(run: Path | str, task: str, *, attempt: int | None = None) -> Shown:
    """All that `repoproof show` prints of one submission of a run."""
    directory = RunDirectory.read(arguments.place(run, "run"))
    info = directory.info
    found = _question(info, task, attempt)
    label = submission_label(found.key.task, found.key.attempt, found.name)
    return Shown(_answer(directory, found), label, found.origin, info.config.static_only)


def show_log(run: Path | str, task: str, log: str, *, attempt: int | None = None) -> bytes:
    """The raw log of that name of one verdict."""
    found = verdict(run, task, attempt=attempt)
    if log not in found.logs:
        raise BadInput(
            f"no log {log!r} of {task}",
            field="log",
            mend=f"one of: {', '.join(found.logs)}" if found.logs else "there are none",
        )
    path = arguments.place(run, "run") / found.logs[log]
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", file=path) from error


def rerun(run: Path | str, task: str, *, attempt: int | None = None, on_event: OnEvent = lambda event: None) -> Verdict:
    """Score one submission of a run again, as it was scored then, and keep its work files. The new verdict takes the old one's place."""
    # Read first: locking makes a run where there is none.
    place = arguments.place(run, "run")
    again = _again(RunDirectory.read(place), task, attempt)
    with RunDirectory.locked(place) as directory:
        box = None if again.info.config.static_only else open_sandbox(again.info.config.sandbox)
        _same_conditions(again, _settings_now(again, box))
        planned = plan(
            again.suite,
            [again.task],
            [again.submission],
            config=again.info.config,
            run=directory,
            again=[again.task.id],
        )
        options = again.info.options.model_copy(update={"keep": True, "workers": 1})
        answer(planned, directory, box=box, config=again.info.config, options=options, on_event=on_event)
        return _answer(directory, again.question)


def shell(run: Path | str, task: str, *, attempt: int | None = None) -> int:
    """A shell in the sandbox of one submission, on this terminal; returns the shell's exit code."""
    directory = RunDirectory.read(arguments.place(run, "run"))
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
    mend: str
    """What to do where the question has become another one."""


def _again(directory: RunDirectory, task: str, attempt: int | None) -> _Again:
    """`BadInput` where suite or submission are not what they were: the answer would be to another question."""
    info = directory.info
    question = _question(info, task, attempt)
    if not question.is_answered:
        raise BadInput(
            f"nothing was submitted for {question.key.task!r}",
            file=info.submissions_path,
            mend="there is nothing to run; submit something and score again",
        )
    suite = load_suite(Path(info.suite_path))
    mend = f"score them all: repoproof score {info.suite_path} {info.submissions_path} -o {directory.path}"
    if info.config.scorer_version != SCORER_VERSION:
        problem = f"scored by version {info.config.scorer_version} of the scorer, and this is {SCORER_VERSION}"
        raise BadInput(problem, file=directory.path, mend=mend)
    record = next((record for record in suite if record.id == question.key.task), None)
    if record is None or config_hash(info.config, record, suite.quarantined.get(record.id)) != question.key.config_hash:
        raise BadInput(f"task {question.key.task!r} has changed since it was scored", file=info.suite_path, mend=mend)
    found = read_submissions(Path(info.submissions_path), [task.id for task in suite])
    for submission in found.items:
        if (submission.attempt, submission.hash) == (question.key.attempt, question.key.submission_hash):
            return _Again(info, question, suite, record, submission, mend)
    raise BadInput(
        f"the submission for {task!r} has changed since it was scored, or is gone",
        file=info.submissions_path,
        mend=mend,
    )


def _settings_now(again: _Again, box: Sandbox | None) -> ScoreConfig:
    then = again.info.config
    return settings(again.suite, box, task_seconds=then.task_seconds, coverage=then.coverage)


def _same_conditions(again: _Again, now: ScoreConfig) -> None:
    """`BadInput` where the machine is not as it was: that would be another question too."""
    then = again.info.config
    for name, was in then.model_dump().items():
        if was != (present := getattr(now, name)):
            raise BadInput(
                f"the run was scored under {name} {str(was)[:12] or 'unknown'!r}, and here it is {str(present)[:12]!r}",
                file=again.info.submissions_path,
                mend=again.mend,
            )


def _question(info: RunInfo, label: str, attempt: int | None) -> Asked:
    named = {submission_label(asked.key.task, asked.key.attempt, asked.name): asked for asked in info.asked}
    numbered = {submission_label(asked.key.task, asked.key.attempt): asked for asked in info.asked}
    first = {asked.key.task: asked for asked in reversed(info.asked)}
    wanted = label if attempt is None else submission_label(label, attempt)
    for labels in (named, numbered, first):
        if wanted in labels:
            return labels[wanted]
    raise BadInput(f"the run has no {wanted!r}", field="task", mend=_instead(wanted, named))


def _instead(wanted: str, labels: Mapping[str, Asked]) -> str:
    """The mend for a submission that the run does not have; `labels` are those that it has, as reports call them."""
    task = re.split("[#/]", wanted)[0]
    if of_task := [label for label, asked in labels.items() if asked.key.task == task]:
        return f"of {task} it has: {', '.join(of_task[:5])}{', ...' if len(of_task) > 5 else ''}"
    tasks = list(dict.fromkeys(asked.key.task for asked in labels.values()))
    near = get_close_matches(wanted, [*tasks, *labels], n=1)
    return nearest(near[0] if near else wanted, [*near, *tasks])


def _answer(directory: RunDirectory, question: Asked) -> Verdict:
    found = directory.verdict(question.key)
    if found is None:
        label = submission_label(question.key.task, question.key.attempt, question.name)
        raise BadInput(
            f"{label} is not scored yet", file=directory.path, mend="run the same `repoproof score` to go on"
        )
    return found
