"""What a plan finds to be known, settled or left to do."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from plugins.scripted_family import load, score_into, write_script

from repoproof.core.base import MiB
from repoproof.core.config import ScoreConfig
from repoproof.core.errors import Boundary
from repoproof.core.health import Health
from repoproof.core.outcomes import Status
from repoproof.core.run import RunDirectory
from repoproof.core.submission import NoAnswer, Submission
from repoproof.core.submissions import read_submissions
from repoproof.core.suite_files import write_health
from repoproof.core.verdict import Verdict
from repoproof.engine.plan import Plan, config_hash, plan

CONFIG = ScoreConfig(sandbox="none")


def planned(
    suite: Path, submissions: Path, run: Path, config: ScoreConfig = CONFIG, again: tuple[str, ...] = ()
) -> Plan:
    loaded = load(suite)
    found = read_submissions(submissions, [task.id for task in loaded])
    with RunDirectory.locked(run) as directory:
        return plan(loaded, loaded.tasks, found.items, config=config, run=directory, again=again)


def quarantine(suite: Path, task: str, *, healthy: bool = False) -> None:
    record = Health(
        task=task,
        digest=load(suite).task(task).digest,
        healthy=healthy,
        reasons=() if healthy else ("flaky",),
        reference_passed=healthy,
        repeats=3,
        empty_passed=False,
        stub_passed=False,
        checked=datetime(2026, 1, 1, tzinfo=UTC),
    )
    write_health(suite, [record])


def jobs(found: Plan) -> list[str]:
    return [job.key.task for job in found.jobs]


def settled(found: Plan) -> dict[str, Status]:
    return {verdict.task: verdict.status for verdict in found.settled}


def test_every_task_is_asked_about_in_the_order_of_the_suite(suite: Path, submissions: Path, tmp_path: Path) -> None:
    (submissions / "two/run.sh").unlink()
    (submissions / "two").rmdir()
    found = planned(suite, submissions, tmp_path / "run")
    assert [asked.key.task for asked in found.asked] == ["one", "two", "three"]
    assert [(asked.language, asked.source) for asked in found.asked] == [("sh", "us")] * 3
    assert jobs(found) == ["one", "three"]
    assert settled(found) == {"two": Status.MISSING}


def test_several_attempts_are_several_questions(suite: Path, submissions: Path, tmp_path: Path) -> None:
    lines = [f'{{"task": "one", "attempt": {n}, "path": "{folder}"}}\n' for n, folder in ((1, "two"), (0, "one"))]
    (submissions / "submissions.jsonl").write_text("".join(lines))
    found = planned(suite, submissions, tmp_path / "run")
    assert [(job.key.task, job.key.attempt, job.submission.name) for job in found.jobs] == [
        ("one", 0, ""),
        ("one", 1, "two"),
    ]
    assert settled(found) == {"two": Status.MISSING, "three": Status.MISSING}


def test_what_cannot_be_run_is_settled_with_its_evidence(suite: Path, submissions: Path, tmp_path: Path) -> None:
    with (submissions / "one/huge").open("wb") as file:
        file.truncate(600 * MiB)
    (submissions / "two/run.sh").unlink()
    (submissions / "two").rmdir()
    (submissions / "two").symlink_to("/etc")
    found = planned(suite, submissions, tmp_path / "run")
    verdicts = {verdict.task: verdict for verdict in found.settled}
    assert (verdicts["one"].status, verdicts["one"].violations[0].rule) == (Status.BUILD_FAILED, "oversize")
    assert (verdicts["two"].status, verdicts["two"].violations[0].rule) == (Status.CHEATED, "path-escape")
    assert verdicts["one"].reason == "more than 512 MiB"
    assert jobs(found) == ["three"]


def test_a_quarantined_task_is_invalid_only_while_it_is_quarantined(
    suite: Path, submissions: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    score_into(run, suite, submissions)
    quarantine(suite, "one")
    found = planned(suite, submissions, run)
    assert settled(found) == {"one": Status.INVALID_TASK}
    assert (found.settled[0].boundary, found.settled[0].reason) == (Boundary.TASK, "quarantined: flaky")
    score_into(run, suite, submissions)
    assert next(verdict.status for verdict in RunDirectory.read(run).verdicts()) is Status.INVALID_TASK
    quarantine(suite, "one", healthy=True)
    found = planned(suite, submissions, run)
    assert (jobs(found), found.settled, len(found.finished)) == ([], (), 3)
    score_into(run, suite, submissions)
    assert next(verdict.status for verdict in RunDirectory.read(run).verdicts()) is Status.PASSED


def test_what_is_finished_is_not_asked_again_and_what_changed_is(
    suite: Path, submissions: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    assert jobs(planned(suite, submissions, run)) == ["one", "two", "three"]
    score_into(run, suite, submissions)
    assert jobs(planned(suite, submissions, run)) == []
    write_script(submissions, "two", "exit 1")
    assert jobs(planned(suite, submissions, run)) == ["two"]
    assert jobs(planned(suite, submissions, run, ScoreConfig(sandbox="none", task_seconds=5))) == [
        "one",
        "two",
        "three",
    ]
    assert jobs(planned(suite, submissions, run, again=("three",))) == ["two", "three"]
    score_into(run, suite, submissions)
    write_script(submissions, "two", "exit 0")
    assert jobs(planned(suite, submissions, run)) == []


def test_an_infrastructure_error_is_asked_again(suite: Path, submissions: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    key = planned(suite, submissions, run).jobs[0].key
    error = Verdict(**dict(key), status=Status.INFRASTRUCTURE_ERROR, started=datetime(2026, 1, 1, tzinfo=UTC))
    with RunDirectory.locked(run) as directory:
        directory.append(error)
    assert "one" in jobs(planned(suite, submissions, run))


def test_what_a_job_takes_is_known_from_what_is_finished(suite: Path, submissions: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert planned(suite, submissions, run).mean_seconds is None
    score_into(run, suite, submissions)
    write_script(submissions, "two", "exit 1")
    assert planned(suite, submissions, run).mean_seconds == 0.5


def test_the_config_hash_is_of_settings_and_task(suite: Path) -> None:
    one, two, _ = load(suite).tasks
    hashes = {
        config_hash(CONFIG, one),
        config_hash(CONFIG, two),
        config_hash(ScoreConfig(sandbox="docker"), one),
        config_hash(ScoreConfig(sandbox="none", limits="rlimits"), one),
        config_hash(ScoreConfig(sandbox="none", runner="another"), one),
        config_hash(ScoreConfig(sandbox="none", scorer_version="0"), one),
        config_hash(CONFIG, one, "flaky"),
    }
    assert len(hashes) == 7
    assert config_hash(CONFIG, one) == config_hash(ScoreConfig(sandbox="none"), load(suite).task("one"))


def test_an_attempt_without_an_answer_is_our_failure_and_one_that_a_budget_stopped_is_nobodys(
    suite: Path, submissions: Path, tmp_path: Path
) -> None:
    loaded = load(suite)
    found = read_submissions(submissions, [task.id for task in loaded])
    answered = [item for item in found.items if item.task == "one"]

    def lost(task: str, attempt: int, boundary: Boundary | None) -> Submission:
        why = NoAnswer(kind="k", reason="why", boundary=boundary)
        return Submission(task=task, attempt=attempt, no_answer=why, hash=f"{boundary}")

    more = [
        lost("one", 2, None),
        lost("one", 1, Boundary.MODEL),
        lost("two", 0, Boundary.HARNESS),
        lost("two", 1, None),
    ]
    more += [lost("three", 0, None), lost("three", 1, None)]
    with RunDirectory.locked(tmp_path / "run") as directory:
        found = plan(loaded, loaded.tasks, [*answered, *more], config=CONFIG, run=directory)
    assert jobs(found) == ["one"]
    assert [(one.task, one.attempt, one.status, one.reason, one.boundary) for one in found.settled] == [
        ("one", 1, Status.INFRASTRUCTURE_ERROR, "no answer: k: why", Boundary.MODEL),
        ("two", 0, Status.INFRASTRUCTURE_ERROR, "no answer: k: why", Boundary.HARNESS),
        ("three", 0, Status.MISSING, "not asked: why", None),
    ]
    assert found.not_asked == 3
    assert [asked.is_answered for asked in found.asked] == [True, False, False, False]
