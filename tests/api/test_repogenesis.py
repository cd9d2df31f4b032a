"""RepoGenesis' evaluation through the API, as far as that takes no sandbox."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from plugins.small_suite import REFERENCE, write_suite, write_tree

from repoproof import BadInput, api
from repoproof.cli import main
from repoproof.core.run import RunDirectory
from repoproof.engine.pool import Started
from repoproof.sandbox.owner import claims, owned_name

WORDS_ONLY = {"service.py": '"""/notes /health /notes/{id}"""\nx.get(1), x.post(1)\n'}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite", ids=("first", "second", "third"))


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    """The first is right, the second has the words only, the third is missing."""
    write_tree(tmp_path / "predictions/first", REFERENCE)
    write_tree(tmp_path / "predictions/second", WORDS_ONLY)
    return tmp_path / "predictions"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "eval_results"


def covered(evaluation) -> dict[str, tuple[int, int]]:
    return {
        result.repo_name: (result.api_coverage.implemented_apis, result.api_coverage.total_apis)
        for result in evaluation.results
    }


def test_what_is_not_submitted_counts_as_zero_and_is_named(suite, predictions, output):
    found = api.run_evaluation(suite, predictions, output, skip_docker=True)
    assert covered(found)["third"] == (0, 3)
    assert (found.summary.total_repos, found.repoproof.missing) == (3, ("third",))
    assert found.summary.avg_pass_at_1 is None


def test_the_legacy_profile_counts_words_and_leaves_out_what_is_missing(suite, predictions, output):
    found = api.run_evaluation(suite, predictions, output, skip_docker=True, profile="legacy")
    assert covered(found)["second"] == (3, 3)
    assert "third" not in covered(found)
    (coverage,) = found.repoproof.differences
    assert (coverage.legacy_over, coverage.ours_over) == (2, 3)
    assert "second: 3 of 3 by substring, 0 by syntax tree" in coverage.why


def test_a_report_and_a_file_for_each_repository_are_left_behind(suite, predictions, output):
    found = api.run_evaluation(suite, predictions, output, skip_docker=True, model_name="m-1")
    assert json.loads((output / "report.json").read_text()) == json.loads(found.model_dump_json())
    assert {file.name for file in (output / "intermediate").iterdir()} == {"first.json", "second.json", "third.json"}
    assert json.loads((output / "intermediate/first.json").read_text())["repo_name"] == "first"
    assert api.report(output / "run").run.model_name == "m-1"


def test_an_intermediate_result_is_there_before_anybody_hears_of_it(suite, predictions, output):
    there: list[bool] = []

    def hear(event):
        if hasattr(event, "verdict"):
            there.append((output / "intermediate" / f"{event.verdict.task}.json").is_file())

    api.run_evaluation(suite, predictions, output, skip_docker=True, on_event=hear)
    assert there == [True] * 3


def started_again(suite, predictions, output, *, resume: bool) -> int:
    heard = []
    api.run_evaluation(suite, predictions, output, skip_docker=True, resume=resume, on_event=heard.append)
    return sum(isinstance(event, Started) for event in heard)


def test_resume_goes_on_with_what_is_there(suite, predictions, output):
    assert started_again(suite, predictions, output, resume=False) == 2
    write_tree(predictions / "third", REFERENCE)
    assert started_again(suite, predictions, output, resume=True) == 1


@pytest.mark.parametrize("change", ["another", "none"])
def test_resume_with_other_predictions_is_refused_and_nothing_is_replaced(suite, predictions, output, tmp_path, change):
    started_again(suite, predictions, output, resume=False)
    before = (output / "report.json").read_text()
    write_tree(tmp_path / "others/second", WORDS_ONLY)
    if change == "another":
        write_tree(tmp_path / "others/first", WORDS_ONLY)
    words = f"resume: {output} holds an evaluation of {predictions}, and in {tmp_path}/others the answer to first is {change} "
    with pytest.raises(BadInput, match=re.escape(f"{words}(without it, what is there is moved to earlier/; or")):
        started_again(suite, tmp_path / "others", output, resume=True)
    assert (output / "report.json").read_text() == before
    assert api.report(output / "run").denominator == 3
    started_again(suite, tmp_path / "others", output, resume=False)
    assert (output / "earlier/1/report.json").read_text() == before


def test_resume_goes_on_where_the_predictions_were_moved_to(suite, predictions, output, tmp_path):
    started_again(suite, predictions, output, resume=False)
    predictions.rename(tmp_path / "elsewhere")
    assert started_again(suite, tmp_path / "elsewhere", output, resume=True) == 0


def test_resume_on_another_suite_is_refused_before_anything_is_replaced(suite, predictions, output, tmp_path):
    started_again(suite, predictions, output, resume=False)
    info = json.loads((suite / "suite.json").read_text())
    (suite / "suite.json").write_text(json.dumps(info | {"name": "other"}))
    with pytest.raises(BadInput, match=f"resume: {output} holds an evaluation on suite small, not other"):
        started_again(suite, predictions, output, resume=True)


def test_without_resume_all_is_done_anew_and_nothing_is_lost(suite, predictions, output):
    started_again(suite, predictions, output, resume=False)
    before = (output / "report.json").read_text()
    assert started_again(suite, predictions, output, resume=False) == 2
    assert (output / "earlier/1/report.json").read_text() == before
    assert api.report(output / "earlier/1/run").denominator == 3
    started_again(suite, predictions, output, resume=False)
    assert (output / "earlier/2/report.json").is_file()


def test_a_report_of_another_harness_is_not_overwritten(suite, predictions, output):
    write_tree(output, {"report.json": "theirs", "intermediate/first.json": "theirs"})
    started_again(suite, predictions, output, resume=True)
    assert (output / "earlier/1/report.json").read_text() == "theirs"
    assert (output / "earlier/1/intermediate/first.json").read_text() == "theirs"


def test_a_run_that_is_still_at_it_is_not_moved_away(suite, predictions, output):
    started_again(suite, predictions, output, resume=False)
    with RunDirectory.locked(output / "run"), pytest.raises(BadInput, match="is in use by process"):
        started_again(suite, predictions, output, resume=False)
    assert (output / "run/run.json").is_file()


def test_chosen_repositories_are_a_subset_and_say_so(suite, predictions, output):
    found = api.run_evaluation(suite, predictions, output, skip_docker=True, repo_names=["first", "third"])
    assert (found.summary.total_repos, found.repoproof.subset) == (2, "subset: 2 of 3 tasks")
    assert any("subset: 2 of 3 tasks" in warning for warning in found.repoproof.warnings)


@pytest.mark.parametrize(
    "words", [["first,third"], ["first,", "third"], ["first", "third"], ["first", "--repo_names", "third"]]
)
def test_repositories_are_named_with_blanks_or_commas_between_them(suite, predictions, output, words):
    given = ["--predictions_dir", str(predictions), "--output_dir", str(output), "--suite", str(suite), "--skip_docker"]
    assert main(["repogenesis", "run_evaluation", *given, "--repo_names", *words]) == 0
    assert {file.stem for file in (output / "intermediate").iterdir()} == {"first", "third"}


def test_cleanup_says_what_it_removes_as_gc_does(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("REPOPROOF_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("REPOPROOF_CACHE", str(tmp_path / "cache"))
    for command in (["repogenesis", "run_evaluation", "--cleanup"], ["gc"]):
        # By a process that started at another moment than the one which has its number now.
        head, pid, started, *tail = owned_name().split("-")
        name = "-".join((head, pid, str(int(started) - 1), *tail))
        left = write_tree(tmp_path / name, {"file": ""})
        claims().mkdir(parents=True, exist_ok=True)
        (claims() / name).symlink_to(left)
        assert main(command) == 0
        assert f"removed directory {left}\n" in capsys.readouterr().out
        assert not left.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"repo_names": ["frist"]}, r"repo_names: no repository 'frist' in suite small \(did you mean 'first'\?\)"),
        ({"lang": "java"}, r"lang: no task in 'java' in suite small \(one of: python\)"),
        ({"profile": "theirs"}, r"profile: no 'theirs' \(one of: ours, legacy\)"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(suite, predictions, output, arguments, words):
    with pytest.raises(BadInput, match=words):
        api.run_evaluation(suite, predictions, output, skip_docker=True, **arguments)
    assert not output.exists()


def test_predictions_of_no_repository_are_refused_before_anything_is_moved(suite, predictions, output, tmp_path):
    started_again(suite, predictions, output, resume=False)
    before = (output / "report.json").read_text()
    strangers = write_tree(tmp_path / "strangers", {"elsewhere/service.py": ""})
    with pytest.raises(BadInput, match="nothing in it belongs to a task of suite small"):
        api.run_evaluation(suite, strangers, output, skip_docker=True)
    assert (output / "report.json").read_text() == before
    assert not (output / "earlier").exists()


def test_several_answers_to_one_repository_are_refused(suite, predictions, output):
    lines = [{"task": "first", "path": "first"}, {"task": "first", "path": "second", "attempt": 1}]
    (predictions / "submissions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(BadInput, match="several answers to 'first'"):
        api.run_evaluation(suite, predictions, output, skip_docker=True)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--output_dir", "x"], "repogenesis run_evaluation: --predictions_dir is required"),
        (["--predictions_dir", "x"], "repogenesis run_evaluation: nothing says which suite (give --suite SUITE, or set REPOPROOF_SUITE)"),
        (["--predictions_dir", "x", "--suite", "microservice-mini", "--repo_names", "pols"], "--repo_names: no repository 'pols' in"),
        (["--predictions-dir", "x"], "repogenesis: unrecognized arguments: --predictions-dir x (did you mean --predictions_dir?)"),
        (["--prediction_dir=x"], "repogenesis: unrecognized arguments: --prediction_dir=x (did you mean --predictions_dir?)"),
        (["--predictions_dir", "x", "--suite", "microservice-mini", "--repo_names", ""], "--repo_names: no repository '' in"),
    ],
)  # fmt: skip
def test_the_command_says_in_one_line_what_it_misses(words, line, capsys, monkeypatch):
    monkeypatch.delenv("REPOPROOF_SUITE", raising=False)
    assert main(["repogenesis", "run_evaluation", *words]) == 2
    assert capsys.readouterr().err.startswith(f"repoproof: {line}")


def test_the_suite_may_be_named_by_the_environment(suite, predictions, output, capsys, monkeypatch):
    monkeypatch.setenv("REPOPROOF_SUITE", str(suite))
    words = ["--predictions_dir", str(predictions), "--output_dir", str(output), "--skip_docker", "--keep_images", "--lang", "python"]  # fmt: skip
    assert main(["repogenesis", "run_evaluation", *words]) == 0
    shown = capsys.readouterr()
    assert "first                               python   -      -           0/3 (0.00)" in shown.out
    assert "Not submitted, 0 in every metric of ours: third" in shown.out
    assert "--keep_images: no images are made" in shown.err
