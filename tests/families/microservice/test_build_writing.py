"""A specification that a model writes: what it is told, what is taken of its answer, and when the skeleton stays."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from plugins.asking import endpoint_at
from plugins.notes_service import NOTES
from plugins.small_suite import write_tree

from repoproof import api
from repoproof.analysis.endpoints import Endpoint
from repoproof.api.asking import ran
from repoproof.cli import main
from repoproof.core.errors import BadInput
from repoproof.families.microservice.build.examples import LONGEST, ranked
from repoproof.families.microservice.build.forms import (
    Among,
    Exactly,
    Expected,
    Fields,
    Form,
    Items,
    Like,
    SameAs,
    Some,
    Stable,
    Written,
)
from repoproof.families.microservice.build.readme import DRAFT
from repoproof.families.microservice.build.records import Scenario, Step
from repoproof.families.microservice.build.writing import MOST_EXAMPLES, Sealed, Writer, Writing, markdown_of, write
from repoproof.families.microservice.task import MicroserviceTask
from repoproof.models.base import Answer, ChatRequest, Fault, FaultKind
from repoproof.models.opening import opened
from repoproof.models.scripted import Rule, Spoiled, scripted_server

GOOD = """\
# notes

Keeps notes.

### `POST /notes`

Makes a note of `text`, which is required. 201 with the note; 422 without a text.

### `GET /notes/{note_id}`

The note; 404 where there is none.
"""
SKELETON = f"# notes\n\n{DRAFT}\n\n### `POST /notes`\n\n### `GET /notes/{{id}}`\n"
ENDPOINTS = [Endpoint(method="POST", path="/notes"), Endpoint(method="GET", path="/notes/{id}")]
GOLDEN = "def test_a_note_is_made(api):\n    api.post('/notes', json={'text': 'x'}).has(201)\n"
ID = "test_notes.py::test_a_note_is_made"
TASK = MicroserviceTask.model_validate(
    {"id": "notes", "language": "python", "port": 8199, "specification": "README.md", "provenance": {"source": "here", "licence": "MIT"}}
)  # fmt: skip


def stable(*steps: tuple[Step, int, Form | None]) -> Stable:
    scenario = Scenario(title="notes", area="notes", steps=tuple(step for step, *_ in steps))
    return Stable(scenario, tuple(Expected(*one) for one in steps))


POST = Step(method="POST", path="/notes", endpoint="POST /notes", body={"text": "text-${unique}"})
GET = Step(method="GET", path="/notes/${0.id}", endpoint="GET /notes/{id}", query={"as": "text"}, headers={"X-Key": "k"})  # fmt: skip
MADE = Fields((("id", Like("n[0-9]+")), ("text", Written("text-${unique}")), ("at", Some("text"))))
RECORDED = [
    stable((POST, 201, MADE)),
    stable((POST, 201, MADE), (GET, 200, SameAs(0, ""))),
    stable((POST.model_copy(update={"body": {"text": "a" * (LONGEST + 1)}}), 422, Exactly({"error": "invalid"}))),
    stable((POST.model_copy(update={"body": None, "raw": "{"}), 422, None)),
]


def written(
    tmp_path: Path, *rules: Rule, tokens: int = 8_000, recorded: list[Stable] | None = None
) -> tuple[str, Writing]:
    """What is made of the answers of a server with these rules, and what it was asked."""
    tests = write_tree(tmp_path / "tests", {"test_notes.py": GOLDEN})
    with scripted_server(rules) as server:
        endpoint = endpoint_at(server.base_url, tries=2)

        async def asked(request: ChatRequest) -> Answer | Fault:
            async with opened(endpoint) as model:
                return await model.ask(request)

        writer = Writer("scripted", lambda request: ran(asked(request)), tokens)
        return write(writer, TASK, ENDPOINTS, SKELETON, recorded or RECORDED, Sealed((tests,), (ID,)))


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"```markdown\n{GOOD}```",
        f"<think>\nWhich endpoints? GET /other\n</think>\n\nHere it is:\n\n```md\n{GOOD}```\n",
    ],
)
def test_a_fit_text_becomes_the_readme_and_how_is_written_down(tmp_path, answer):
    readme, writing = written(tmp_path, Rule(replies=(answer,)))
    assert readme == GOOD
    assert writing.taken and writing.template == "readme/1" and re.fullmatch("[0-9a-f]{64}", writing.key)
    assert writing.examples == len(RECORDED) and writing.usage is not None and writing.usage.tokens > 0


@pytest.mark.parametrize(
    ("rule", "refused"),
    [
        (Rule(replies=(GOOD.partition("### `GET")[0],)), "it leaves out GET /notes/{id}"),
        (
            Rule(replies=(f"{GOOD}\n### `DELETE /notes/{{id}}`\n\nForgets it.\n",)),
            "it names DELETE /notes/{id}, which the service has not",
        ),
        (Rule(replies=(f"{GOOD}\nSee {ID}.\n",)), f"it names the golden test {ID}"),
        (Rule(replies=(f"{GOOD}\n```python\n{GOLDEN}```\n",)), "it holds tests/test_notes.py"),
        (Rule(replies=("<think>\n\n</think>\n",)), "the answer has no text"),
        (Rule(replies=(GOOD,), fault=Spoiled.TRUNCATED), "the answer ends too early: length"),
    ],
)
def test_a_text_that_is_not_fit_is_refused_with_the_reason_and_was_paid(tmp_path, rule, refused):
    readme, writing = written(tmp_path, rule)
    assert readme == SKELETON
    assert (writing.taken, writing.refused, writing.fault) == (False, refused, None)
    assert writing.usage is not None


def test_where_there_is_no_answer_the_skeleton_stays(tmp_path):
    readme, writing = written(tmp_path, Rule(status=500))
    assert readme == SKELETON
    assert writing.fault is not None and writing.fault.kind is FaultKind.OVERLOADED
    assert writing.refused.startswith("there is no answer: overloaded: ")


def test_a_prompt_that_cannot_be_short_enough_is_not_asked(tmp_path):
    readme, writing = written(tmp_path, Rule(replies=(GOOD,)), tokens=100)
    assert readme == SKELETON
    assert writing.refused == "prompt: instruction: does not fit into 100 tokens" and not writing.key


@pytest.mark.parametrize(("tokens", "fewest", "most"), [(1_500, 1, 40), (24_000, MOST_EXAMPLES, MOST_EXAMPLES)])
def test_examples_are_bounded_in_number_and_by_what_fits(tmp_path, tokens, fewest, most):
    _, writing = written(tmp_path, Rule(replies=(GOOD,)), tokens=tokens, recorded=RECORDED * 50)
    assert writing.taken and fewest <= writing.examples <= most


def test_examples_say_what_was_sent_and_what_is_the_same_every_time():
    made = '0. POST /notes {"text": "text-${unique}"}\n   201 {"id": "<text like n[0-9]+>", "text": "text-${unique}", "at": "<text>"}'
    assert list(ranked(RECORDED)) == [
        (0, made),
        (0, f'{made}\n1. GET /notes/${{0.id}}?as=text [X-Key: k]\n   200 "${{0}}"'),
        (0, '0. POST /notes {"text": "aaaaaaaaaaaaaaaaaaaa... (121 characters)"}\n   422 {"error": "invalid"}'),
        (1, "0. POST /notes {\n   422"),
    ]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (Exactly(""), "200 (empty)"),
        (Among((Exactly(1),)), '200 [1, "..."]'),
        (Items((Some("integer"), SameAs(0, "id"))), '200 ["<integer>", "${0.id}"]'),
        (Like("(?s).*"), '200 "<text>"'),
    ],
)
def test_an_answer_is_shown_by_its_form(form, text):
    (told,) = ranked([stable((POST, 200, form))])
    assert told[1].partition("\n   ")[2] == text


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("# a\n", "# a\n"),
        ("\n\n# a\n\n```\nx\n```", "# a\n\n```\nx\n```\n"),
        ("Sure!\n\n````markdown\n# a\n\n```json\n{}\n```\n````\n\nDone.", "# a\n\n```json\n{}\n```\n"),
        ("```markdown\n# a\n\n```json\n{}\n```\n\nb\n```", "# a\n\n```json\n{}\n```\n\nb\n"),
        ("  \n", ""),
    ],
)
def test_what_is_around_the_readme_is_no_part_of_it(answer, text):
    assert markdown_of(answer) == text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"budget": "calls=1"}, "budget.*goes with a model"),
        ({"model": "m"}, "budget.*is missing"),
        ({"model": "m", "budget": "calls=1", "store": "s"}, "goes with recording"),
        ({"model": "m", "budget": "calls=1", "recording": "auto"}, "auto needs a directory"),
        ({"model": "m", "recording": "replay", "store": "s"}, "no such directory"),
        ({"model": "m", "budget": "usd=1"}, "a budget in usd needs prices"),
    ],
)
def test_a_model_that_cannot_be_asked_is_said_before_anything_runs(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    write_tree(tmp_path / "notes", NOTES)
    with pytest.raises(BadInput, match=words):
        api.build_from_reference("notes", "task", **arguments)


@pytest.mark.slow
@pytest.mark.needs("bubblewrap")
def test_a_build_has_its_readme_written_and_a_replay_has_the_same(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    text = GOOD + "\n### `GET /health`\n\nHow it is.\n\n### `GET /broken`\n\nFails.\n"
    words = ["build", "microservice", "--reference", str(write_tree(tmp_path / "notes", NOTES)), "--deployments", "2"]
    words += ["--mutants", "0", "--model", "writer"]
    store = str(tmp_path / "store")
    with scripted_server([Rule(contains="POST /notes", replies=(text,))]) as server:
        models = write_tree(
            tmp_path / "models", {"models.toml": f'[writer]\nmodel = "w-1"\nbase_url = "{server.base_url}"\n'}
        )
        words += ["--models", str(models / "models.toml")]
        asked = [*words, "--port", "8199", "--budget", "calls=1", "--record", store, "-o", str(tmp_path / "asked")]
        assert main(asked) == 0
        assert server.counts().total == 1
    assert "README.md is written by w-1 (readme/1; " in capsys.readouterr().out
    assert main([*words, "--port", "8199", "--replay", store, "-o", str(tmp_path / "replayed")]) == 0
    assert (tmp_path / "asked/README.md").read_text() == (tmp_path / "replayed/README.md").read_text() == text
    first, second = (json.loads((tmp_path / name / "build.json").read_text())["writing"] for name in ("asked", "replayed"))  # fmt: skip
    assert first == second and (first["model"], first["refused"]) == ("w-1", "")
    capsys.readouterr()
    # Another port is another question, which nobody has answered.
    assert main([*words, "--port", "8198", "--replay", store, "-o", str(tmp_path / "other")]) == 3
    assert "README.md stays a skeleton: there is no answer: not_recorded: " in capsys.readouterr().out
    assert DRAFT in (tmp_path / "other/README.md").read_text()
