"""Prompts: what they are filled with, and that none changes without a new version."""

from __future__ import annotations

import pytest

from repoproof.completions.filetree import parse_tree
from repoproof.completions.templates import template, templates
from repoproof.core.errors import BadInput

# A digest here is of a text that results may already be recorded under. For another text, add a file with the next version and a line.
DIGESTS = {
    "function-chat/1": "a4e8fdedf8197f8a03a961614b3ac24f90e467d34db36318a1948b5b4aebcfeb",
    "function-fill/1": "bdb3dce08ce3e6b04d325421bdc2b14256f83c1c9e0a5c57395f1d0299c17e53",
    "microservice/1": "370db79ab0452a16abb2ecd315dea7e4f8659445e72ffb1224f5859e29ed1cb9",
    "readme/1": "3d1d9978d00ffd7defaec9b55302c603f395a91f68ff65a51a8f0a4f0f3633ce",
}

MICROSERVICE = {
    "language": "Python",
    "port": "8101",
    "readme": "# A service\n\nIt says `{{port}}`.",
    "build_file": "requirements.txt",
    "build_text": "# empty",
}


def test_no_text_changes_without_a_new_version() -> None:
    assert {one.identity: one.digest for one in templates()} == DIGESTS


def test_the_newest_version_is_given_unless_another_is_asked_for() -> None:
    assert template("microservice") is template(
        "microservice", max(t.version for t in templates() if t.name == "microservice")
    )
    assert template("microservice", 1).identity == "microservice/1"


def test_a_chat_template_becomes_the_messages_of_a_request() -> None:
    filled = template("microservice", 1).filled(MICROSERVICE)
    assert [message.role for message in filled.messages] == ["system", "user"]
    user = filled.messages[1].content
    assert "port 8101" in user and "from `requirements.txt`" in user
    assert filled.template == "microservice/1" and filled.template_digest == DIGESTS["microservice/1"]


def test_a_value_is_not_searched_for_placeholders() -> None:
    user = template("microservice", 1).filled(MICROSERVICE).messages[1].content
    assert "It says `{{port}}`." in user


def test_no_placeholder_is_left_in_any_template() -> None:
    for one in templates():
        filled = one.filled(dict.fromkeys(one.placeholders, "value"))
        assert not [part for part in filled.parts.values() if "{{" in part or "}}" in part]


def test_what_the_prompt_shows_as_the_form_of_an_answer_is_what_is_read() -> None:
    user = template("microservice", 1).filled(MICROSERVICE).messages[1].content
    assert [file.path for file in parse_tree(user).files] == ["folder/name.ext"]


def test_a_fill_template_ends_where_the_body_begins() -> None:
    values = {
        "above": "import os\n",
        "signature": "def f(x):",
        "docstring": '    """Say x."""',
        "below": "def g(): ...",
    }
    parts = template("function-fill", 1).filled(values).parts
    assert parts == {"prefix": 'import os\n\ndef f(x):\n    """Say x."""\n', "suffix": "\ndef g(): ...\n"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"port": None}, "template microservice/1: no value for port"),
        ({"port": None, "readme": None}, "template microservice/1: no value for port, readme"),
        ({"extra": "x"}, "template microservice/1: no placeholder for extra"),
    ],
)
def test_values_fit_the_placeholders_exactly(values: dict[str, str | None], message: str) -> None:
    given = {name: text for name, text in (MICROSERVICE | values).items() if text is not None}
    with pytest.raises(BadInput) as error:
        template("microservice", 1).filled(given)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("name", "version", "message"),
    [
        ("no-such", None, "no template 'no-such' (there are function-chat, function-fill, microservice, readme)"),
        ("microservice", 99, "template 'microservice' has no version 99 (newest is 1)"),
    ],
)
def test_an_unknown_template_is_named(name: str, version: int | None, message: str) -> None:
    with pytest.raises(BadInput) as error:
        template(name, version)
    assert str(error.value) == message
