"""Runs: score submissions, read what came out."""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from ..core.config import RunOptions, ScoreConfig
from ..core.errors import BadInput
from ..core.paths import cache_root
from ..core.run import RunDirectory, RunInfo
from ..core.submission import submission_label
from ..core.submissions import Submissions, read_submissions
from ..core.suite import Suite
from ..core.verdict import VerdictKey
from ..engine.plan import Plan, plan
from ..engine.pool import Event, Finished, Retried, Started, score_all
from ..families import family
from ..reports.check import Check, check_of, unknown_lines
from ..reports.comparison import Comparison, comparison_of
from ..reports.report import Report, status_word
from ..reports.scores import report_of
from ..sandbox import Sandbox, open_sandbox
from ..solvers.output import unanswered
from . import arguments
from .suites import is_suite, load_suite, load_whole_suite, select

log = logging.getLogger(__name__)

OnEvent = Callable[[Plan | Event], None]
"""Hears of the plan first, then of everything that happens; called in the caller's thread."""

NO_SANDBOX = "none"
"""In the settings of a static run: the same wherever it is done."""


def check(
    submissions: Path | str, suite: Suite | Path | str, *, tasks: Sequence[str] = (), language: str = ""
) -> Check:
    """What `score` would score, what is missing and what is wrong; runs nothing."""
    tasks, language = arguments.texts(tasks, "tasks"), arguments.line(language, "language")
    submissions = _not_swapped(submissions, suite)
    loaded = load_suite(suite)
    chosen = select(loaded, tasks, language)
    return check_of(_read(submissions, loaded), loaded, chosen)


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
    coverage: bool = False,
    task_seconds: float | None = None,
    fresh: bool = False,
    keep: bool = False,
    model_name: str = "",
    agent_name: str = "",
    on_event: OnEvent = lambda event: None,
) -> Report:
    """Score the submissions at `submissions` on the tasks of `suite` (all, or those chosen) into the run directory `run`.

    Goes on with what is in `run` already: finished verdicts on the same submissions under the same settings are kept. The report is
    also in `run/report.json`, even after an interrupt. `coverage` runs the golden tests of Python and Node services once more, to see how
    much of the submitted code they reach; no score depends on it. Raises `BadInput` where suite, submissions or run directory are wrong, and
    `InfrastructureError` where no sandbox works: nothing has run then. What a submission does never raises.
    """
    directory_of_run = arguments.place(run, "run")
    task_seconds = arguments.seconds(task_seconds, "task_seconds")
    options = RunOptions(
        workers=arguments.whole(workers, "workers"),
        fresh=fresh,
        keep=keep,
        tasks=arguments.texts(tasks, "tasks"),
        language=arguments.line(language, "language"),
        model_name=arguments.line(model_name, "model_name"),
        agent_name=arguments.line(agent_name, "agent_name"),
    )
    submissions = _not_swapped(submissions, suite)
    loaded = load_whole_suite(suite, to="score")
    chosen = select(loaded, options.tasks, language)
    found = answers_in(submissions, loaded)
    if not found.items and not found.unanswered:
        log.warning("%s is empty: every task counts as missing", submissions)
    for warning in unknown_lines(check_of(found, loaded, chosen)):
        log.warning("%s", warning)
    box = None if static_only else open_sandbox(sandbox)
    config = settings(loaded, box, task_seconds=task_seconds, coverage=coverage)
    with RunDirectory.locked(directory_of_run) as directory:
        planned = plan(loaded, chosen, (*found.items, *found.unanswered), config=config, run=directory)
        versions = {"repoproof": version("repoproof"), "python": platform.python_version()}
        info = RunInfo.of(
            loaded,
            config,
            options,
            planned.asked,
            submissions=submissions,
            versions=versions,
            not_asked=planned.not_asked,
        )
        before = directory.ask(info)
        if before is not None and (was := _about(before)) != (now := _about(info)):
            log.warning("%s held %s; now it holds %s", directory.path, was, now)
        return answer(planned, directory, box=box, config=config, options=options, on_event=on_event)


def report(run: Path | str) -> Report:
    """The scores of a run as it is now, finished or not."""
    return report_on(RunDirectory.read(arguments.place(run, "run")))


def compare(run_a: Path | str, run_b: Path | str) -> Comparison:
    """How the second run differs from the first: paired by task, strict. `BadInput` if they are not of the same tasks."""
    a, b = (RunDirectory.read(arguments.place(run, name)) for run, name in ((run_a, "run_a"), (run_b, "run_b")))
    sources = {asked.key.task: asked.source for asked in a.info.asked}
    return comparison_of(report_on(a), report_on(b), sources, paths=(str(a.path), str(b.path)))


def settings(suite: Suite, box: Sandbox | None, *, task_seconds: float | None, coverage: bool = False) -> ScoreConfig:
    """All that could change a verdict when the tasks of `suite` are scored in `box`; None to read the code only."""
    if box is None:
        return ScoreConfig(sandbox=NO_SANDBOX, static_only=True, task_seconds=task_seconds, cutoff=suite.info.cutoff)
    pins = files("repoproof.toolchains") / "runner-requirements.txt"
    return ScoreConfig(
        sandbox=box.name,
        # Either version of control groups holds the same limits.
        limits=box.fingerprint()["limits"].split()[0],
        runner=sha256(pins.read_bytes()).hexdigest(),
        task_seconds=task_seconds,
        coverage=coverage,
        cutoff=suite.info.cutoff,
    )


def _about(info: RunInfo) -> str:
    """What a person would tell one scoring into a directory from another by."""
    config, options = info.config, info.options
    chosen = f"only {', '.join(options.tasks[:3])}{', ...' if len(options.tasks) > 3 else ''}"
    words = [
        info.submissions_path,
        chosen if options.tasks else "all tasks",
        f"in {options.language}" if options.language else "",
        "static only"
        if config.static_only
        else f"in {config.sandbox} with limits by {config.limits or 'unknown means'}",
        f"within {config.task_seconds:g} s" if config.task_seconds else "",
        "with coverage" if config.coverage else "",
        f"model {options.model_name}" if options.model_name else "",
        f"agent {options.agent_name}" if options.agent_name else "",
    ]
    return ", ".join(word for word in words if word)


def answer(
    planned: Plan,
    directory: RunDirectory,
    *,
    box: Sandbox | None,
    config: ScoreConfig,
    options: RunOptions,
    on_event: OnEvent,
) -> Report:
    """Score what is planned into a locked run, and leave `report.json` behind, however that ends."""
    of, hear = family(directory.info.family), _logged(on_event, static_only=config.static_only)
    hear(planned)
    try:
        score_all(
            planned, of, run=directory, box=box, cache=cache_root(), config=config, options=options, on_event=hear
        )
    finally:
        report = report_on(directory)
        directory.write_report(report.model_dump_json(indent=2) + "\n")
    return report


def report_on(directory: RunDirectory) -> Report:
    """The scores of a run that is open."""
    info = directory.info
    return report_of(info, directory.verdicts(), family(info.family).metrics)


def answers_in(submissions: Path, suite: Suite) -> Submissions:
    """What is submitted to `suite`; `BadInput` where there is something, and none of it belongs to a task."""
    found = _read(submissions, suite)
    if not found.items and (found.unknown or found.notes):
        raise BadInput(
            f"nothing in it belongs to a task of suite {suite.name}",
            file=submissions,
            mend=f"name one folder after each task: {', '.join(task.id for task in suite.tasks[:3])}, ...",
        )
    return found


def _read(submissions: Path, suite: Suite) -> Submissions:
    completions = family(suite.info.family).completions
    found = read_submissions(submissions, [task.id for task in suite], completions=completions)
    answered = {(item.task, item.attempt) for item in found.items}
    without = tuple(one for one in unanswered(submissions) if (one.task, one.attempt) not in answered)
    return found.model_copy(update={"unanswered": without})


def _not_swapped(submissions: Path | str, suite: Suite | Path | str) -> Path:
    """The place of the submissions; `BadInput` where it is the suite that was meant, and the other way round."""
    place = arguments.place(submissions, "submissions")
    if not isinstance(suite, Suite) and is_suite(place) and not is_suite(arguments.place(suite, "suite")):
        raise BadInput(
            f"{place} is a suite, and {suite} is none: are the two swapped?",
            mend="the order is: score SUITE SUBMISSIONS, check SUBMISSIONS SUITE",
        )
    return place


def _logged(on_event: OnEvent, *, static_only: bool) -> OnEvent:
    """`on_event`, and a line in the log for what a person would ask about afterwards."""

    labels: dict[VerdictKey, str] = {}

    def hear(event: Plan | Event) -> None:
        match event:
            case Plan():
                labels.update(
                    (one.key, submission_label(one.key.task, one.key.attempt, one.name)) for one in event.asked
                )
                log.info(
                    "%d asked, %d finished before, %d to run", len(event.asked), len(event.finished), len(event.jobs)
                )
            case Started():
                log.info("%s: try %d", labels[event.job.key], event.tries)
            case Finished():
                found = event.verdict
                phases = ", ".join(f"{phase.name} {phase.seconds:.1f} s" for phase in found.phases)
                label = labels[found.key]
                word = status_word(found.status, static_only=static_only)
                log.info("%s: %s: %s (%s)", label, word, found.reason, phases or "nothing run")
                for phase in found.phases:
                    log.debug("%s: %s", label, phase.model_dump_json(exclude_defaults=True))
            case Retried():
                pass  # The engine has logged it, as a warning.
        on_event(event)

    return hear
