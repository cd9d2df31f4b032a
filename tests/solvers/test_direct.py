from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from plugins.asking import endpoint_at

from repoproof.completions.templates import template
from repoproof.models.base import ChatRequest, Fault, FaultKind, Sampling
from repoproof.models.pacing import asking
from repoproof.models.scripted import Rule, Spoiled, scripted_server
from repoproof.solvers import Assignment, Solved
from repoproof.solvers.direct import Direct

PROMPT = template("microservice").filled(
    {"language": "Python", "port": "1", "readme": "# Blog", "build_file": "requirements.txt", "build_text": "# none"}
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text("# Blog\n")
    (tmp_path / "requirements.txt").write_text("# none\n")
    return tmp_path


def attempt(workspace: Path, *rules: Rule, number: int = 0, sampling: Sampling | None = None) -> Solved | Fault:
    with scripted_server(rules) as server:

        async def made() -> Solved | Fault:
            async with asking(endpoint_at(server.base_url, tries=1)) as model:
                return await Direct().solve(
                    Assignment("blog", number, workspace, PROMPT, model, "scripted", sampling or Sampling())
                )

        return asyncio.run(made())


def files(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_the_answers_files_lie_over_the_workspace(workspace):
    reply = "### FILE: app/main.py\n```\nprint()\n```\n\n### FILE: requirements.txt\n```\nflask\n```\n"
    came = attempt(workspace, Rule(replies=(reply,)))
    assert isinstance(came, Solved) and came.usable and came.notes == ()
    assert files(workspace) == {"README.md": "# Blog\n", "app/main.py": "print()\n", "requirements.txt": "flask\n"}


def test_the_question_says_which_attempt_it_is_and_how_to_sample(workspace):
    came = attempt(workspace, Rule(replies=("no",)), number=3, sampling=Sampling(temperature=0.4, seed=9))
    assert isinstance(came, Solved) and not came.usable
    (exchange,) = came.exchanges
    assert isinstance(exchange.request, ChatRequest)
    assert (exchange.request.sample, exchange.request.sampling.seed) == (3, 9)
    assert exchange.request.messages == PROMPT.messages
    assert files(workspace) == {"README.md": "# Blog\n", "requirements.txt": "# none\n"}


def test_an_answer_that_the_limit_of_tokens_cut_off_is_taken_as_far_as_it_goes(workspace):
    reply = "### FILE: a.py\n```\na = 1\n```\n\n### FILE: b.py\n```\n" + "b = 2\n" * 100 + "```\n"
    came = attempt(workspace, Rule(replies=(reply,)), sampling=Sampling(max_tokens=40))
    assert isinstance(came, Solved) and came.usable
    assert came.cut_off and came.notes[0] == "the answer was cut off at max_tokens (40)"
    assert files(workspace)["a.py"] == "a = 1\n"


def test_an_answer_that_leads_out_of_the_workspace_does_not(workspace):
    reply = "### FILE: ../evil.py\n```\nx\n```\n\n### FILE: .git/hooks/pre-commit\n```\nx\n```\n"
    came = attempt(workspace, Rule(replies=(reply,)))
    assert isinstance(came, Solved) and not came.usable and len(came.notes) == 3
    assert came.note.startswith("the answer holds no file; ../evil.py: refused")
    assert sorted(files(workspace)) == ["README.md", "requirements.txt"]
    assert not (workspace.parent / "evil.py").exists()


def test_no_answer_is_the_fault_that_the_model_reports(workspace):
    came = attempt(workspace, Rule(status=500))
    assert isinstance(came, Fault) and came.kind is FaultKind.OVERLOADED


def test_an_answer_that_the_endpoint_cut_off_is_told_from_one_that_the_model_did_not_finish(workspace):
    by_endpoint = attempt(workspace, Rule(replies=("Let me think.",), fault=Spoiled.TRUNCATED))
    by_itself = attempt(workspace, Rule(replies=("### FILE: a.py\n```\na = 1\n",)))
    assert isinstance(by_endpoint, Solved) and isinstance(by_itself, Solved)
    assert (by_endpoint.cut_off, by_itself.cut_off) == (True, False)
    assert by_endpoint.note == "the answer was cut off at the endpoint's own limit; the answer holds no file"
    assert by_itself.note == "the answer ends in the middle"
