"""RepoGenesis' evaluation command: its arguments in, its report out, our scoring in between."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import cast

from ..analysis.endpoints import Endpoint, coverage
from ..analysis.substring_coverage import covered_by_substring
from ..core.durable import make_directory, write_atomically
from ..core.errors import BadInput
from ..core.outcomes import Status
from ..core.run import RunDirectory
from ..core.submission import Submission
from ..core.suite import Suite
from ..core.verdict import Verdict
from ..engine.plan import Plan
from ..engine.pool import Event, Finished
from ..families.microservice.coverage import required_endpoints
from ..families.microservice.task import MicroserviceTask
from ..reports.repogenesis import (
    Beside,
    Evaluation,
    Metadata,
    Profile,
    Repository,
    Result,
    differences_between,
    legacy_result_of,
    legacy_summary_of,
    result_of,
    summary_of,
)
from ..reports.report import Report
from . import arguments
from .runs import OnEvent, answers_in, score
from .suites import load_suite, nearest, select

log = logging.getLogger(__name__)

RUN, INTERMEDIATE, REPORT, EARLIER = "run", "intermediate", "report.json", "earlier"
TIMEOUT = 900.0
"""Of a repository, in seconds."""


def run_evaluation(
    suite: Suite | Path | str,
    predictions_dir: Path | str,
    output_dir: Path | str = "eval_results",
    *,
    repo_names: Sequence[str] = (),
    lang: str = "",
    skip_docker: bool = False,
    resume: bool = False,
    no_cache: bool = False,
    model_name: str = "",
    agent_name: str = "",
    timeout: float | None = TIMEOUT,
    sandbox: str = "auto",
    workers: int = 1,
    profile: str = Profile.OURS,
    on_event: OnEvent = lambda event: None,
) -> Evaluation:
    """Score the repositories in `predictions_dir`, one folder each, and leave `report.json`, `intermediate/` and `run/` in `output_dir`.

    Every repository of the suite counts, or each of `repo_names` and `lang`; what was not submitted is 0. Without `resume`, what is in
    `output_dir` from before is moved into `output_dir/earlier/`; with it, `BadInput` where that is of other answers. Raises as `score` does.
    """
    clock, output = monotonic(), arguments.place(output_dir, "output_dir")
    scoring = _profile(profile)
    loaded = load_suite(suite)
    if loaded.info.family != "microservice":
        raise BadInput(f"suite {loaded.name} is of family {loaded.info.family}", mend="give one of microservices")
    names = arguments.texts(repo_names, "repo_names")
    predictions = arguments.place(predictions_dir, "predictions_dir")
    asked = {task.id: task for task in _chosen(loaded, names, lang)}
    submitted = _one_each(predictions, loaded)
    grades = _Grades(asked, submitted, scoring)
    if resume:
        _is_of_these(output, loaded, predictions, submitted)
    if (aside := _set_aside(output, resume=resume)) is not None:
        log.warning("what %s held is now in %s (--resume would have gone on with it)", output, aside)
    make_directory(output / INTERMEDIATE)

    def hear(event: Plan | Event) -> None:
        if isinstance(event, Finished):
            _write_intermediate(output, grades.of(event.verdict))
        on_event(event)

    scored = score(
        loaded,
        predictions,
        output / RUN,
        sandbox=sandbox,
        workers=workers,
        tasks=names,
        language=lang,
        static_only=skip_docker,
        task_seconds=timeout,
        fresh=no_cache,
        model_name=model_name,
        agent_name=agent_name,
        on_event=hear,
    )
    verdicts = list(RunDirectory.read(output / RUN).verdicts())
    metadata = Metadata(
        timestamp=datetime.now().isoformat(timespec="seconds"),
        harness_version=f"repoproof {version('repoproof')}",
        model_name=model_name or None,
        agent_name=agent_name or None,
        total_elapsed_seconds=round(monotonic() - clock, 1),
        predictions_dir=str(predictions_dir),
    )
    evaluation = _evaluation(metadata, grades, scored, verdicts)
    for result in evaluation.results:
        _write_intermediate(output, result)
    write_atomically(output / REPORT, evaluation.model_dump_json(indent=2) + "\n")
    return evaluation


class _Grades:
    """Verdicts as the chosen profile shows them."""

    def __init__(self, asked: dict[str, MicroserviceTask], submitted: dict[str, Submission], profile: Profile) -> None:
        self.profile = profile
        self._submitted = submitted
        # Each once, however often the README names it.
        self._endpoints = {id: tuple(coverage(required_endpoints(task), ())) for id, task in asked.items()}
        self._repositories = {id: _repository(task, self._endpoints[id]) for id, task in asked.items()}
        self._implemented: dict[str, int] = {}

    def of(self, verdict: Verdict) -> Result:
        return self.ours(verdict) if self.profile is Profile.OURS else self.legacy(verdict)

    def ours(self, verdict: Verdict) -> Result:
        return result_of(self._repositories[verdict.task], verdict)

    def legacy(self, verdict: Verdict) -> Result:
        if verdict.task not in self._implemented:
            self._implemented[verdict.task] = self._by_substring(verdict.task)
        return legacy_result_of(self._repositories[verdict.task], verdict, self._implemented[verdict.task])

    def _by_substring(self, task: str) -> int:
        submission = self._submitted.get(task)
        if submission is None or submission.path is None or submission.refused:
            return 0
        return covered_by_substring(submission.path, self._endpoints[task])


def _evaluation(metadata: Metadata, grades: _Grades, scored: Report, verdicts: Sequence[Verdict]) -> Evaluation:
    static_only = scored.run.static_only
    submitted = [verdict for verdict in verdicts if verdict.status is not Status.MISSING]
    ours = [grades.ours(verdict) for verdict in verdicts]
    beside = Beside(
        profile=grades.profile,
        suite=scored.suite.label,
        denominator=scored.denominator,
        subset=scored.subset,
        missing=tuple(verdict.task for verdict in verdicts if verdict.status is Status.MISSING),
        statuses={verdict.task: verdict.status for verdict in verdicts},
        strict=scored.strict,
        warnings=scored.warnings,
        above_threshold=scored.above_threshold,
        in_process=scored.in_process,
        run=RUN,
    )
    summary = summary_of(ours, static_only=static_only)
    if grades.profile is Profile.OURS:
        return Evaluation(metadata=metadata, summary=summary, results=tuple(ours), repoproof=beside)
    legacy = [grades.legacy(verdict) for verdict in submitted]
    differences = differences_between(ours, legacy, verdicts=submitted, static_only=static_only)
    return Evaluation(
        metadata=metadata,
        summary=legacy_summary_of(legacy, static_only=static_only),
        results=tuple(legacy),
        repoproof=beside.model_copy(update={"ours": summary, "differences": differences}),
    )


def _repository(task: MicroserviceTask, endpoints: Sequence[Endpoint]) -> Repository:
    return Repository(name=task.id, lang=task.language, port=task.port, framework=task.framework, apis=len(endpoints))


def _profile(profile: str) -> Profile:
    try:
        return Profile(profile)
    except ValueError:
        raise BadInput(f"no {profile!r}", field="profile", mend=f"one of: {', '.join(Profile)}") from None


def _chosen(suite: Suite, names: Sequence[str], lang: str) -> list[MicroserviceTask]:
    """What is asked for; what is wrong with it in the words of this command."""
    ids = [task.id for task in suite]
    for name in names:
        if name not in ids:
            problem = f"no repository {name!r} in suite {suite.name}"
            raise BadInput(problem, field="repo_names", mend=nearest(name, ids))
    try:
        return cast("list[MicroserviceTask]", list(select(suite, names, arguments.line(lang, "lang"))))
    except BadInput as error:
        raise BadInput(error.problem, field="lang", mend=error.mend) from None


def _one_each(predictions: Path, suite: Suite) -> dict[str, Submission]:
    """Repository -> what is submitted for it. The harness knows one prediction of each."""
    found: dict[str, Submission] = {}
    answers = answers_in(predictions, suite)
    failed = [one for one in answers.unanswered if one.no_answer is not None and not one.no_answer.was_stopped]
    for submission in (*answers.items, *failed):
        if found.setdefault(submission.task, submission) is not submission:
            what = "several answers" if submission.no_answer is None else "several attempts, not all with an answer,"
            mend = "score several with `repoproof score`"
            raise BadInput(f"{what} to {submission.task!r}", file=predictions, mend=mend)
    return found


def _is_of_these(output: Path, suite: Suite, predictions: Path, submitted: dict[str, Submission]) -> None:
    """Whether what `output` holds is an evaluation to go on with: its report would be replaced, and says nothing of other answers. A folder
    of predictions that has been moved is the same, and so is one that has been added to or mended in its place."""
    if not (output / RUN / "run.json").is_file():
        return
    before = RunDirectory(output / RUN).info
    mend = "without it, what is there is moved to earlier/; or choose another output_dir"
    if before.suite != suite.name:
        raise BadInput(f"{output} holds an evaluation on suite {before.suite}, not {suite.name}", field="resume", mend=mend)  # fmt: skip
    if before.submissions_path == str(predictions.resolve()):
        return
    for one in before.asked:
        now = submitted.get(one.key.task)
        if one.is_answered and (now is None or now.hash != one.key.submission_hash):
            change = "is another" if now is not None else "is none"
            problem = f"{output} holds an evaluation of {before.submissions_path}, and in {predictions} the answer to {one.key.task} {change}"
            raise BadInput(problem, field="resume", mend=mend)


def _set_aside(output: Path, *, resume: bool) -> Path | None:
    """Move what an earlier evaluation left out of the way, so that nothing of it is lost or mixed up with the new one; where to."""
    there = [name for name in (REPORT, INTERMEDIATE, RUN) if (output / name).exists()]
    has_run = (output / RUN / "run.json").is_file()
    if not there or (resume and has_run):
        return None
    with ExitStack() as stack:
        if has_run:
            # Not under the feet of a process that is still at it.
            stack.enter_context(RunDirectory.locked(output / RUN))
        numbers = (output / EARLIER / str(number) for number in itertools.count(1))
        place = next(place for place in numbers if not place.exists())
        make_directory(place)
        for name in there:
            (output / name).rename(place / name)
    return place


def _write_intermediate(output: Path, result: Result) -> None:
    write_atomically(output / INTERMEDIATE / f"{result.repo_name}.json", result.model_dump_json(indent=2) + "\n")
