"""Rules in a TOML file."""

from __future__ import annotations

from pathlib import Path

import pytest

from repoproof.core.errors import BadInput
from repoproof.models.scripted import Rule, Spoiled, read_rules


def read(folder: Path, text: str) -> tuple[Rule, ...]:
    file = folder / "rules.toml"
    file.write_text(text)
    named = [path for path in folder.iterdir() if path.is_dir() and path.name != "empty"]
    return read_rules(file, lambda tree: f"tree of {tree.relative_to(folder)}" if tree in named else "")


def test_a_rule_is_a_table_with_the_fields_of_a_record(tmp_path: Path):
    assert read(tmp_path, '[[rule]]\ncontains = "a"\nfault = "cut"\nfirst = 2\n[[rule]]\nstatus = 429') == (
        Rule(contains="a", fault=Spoiled.CUT, first=2),
        Rule(status=429),
    )


def test_a_file_without_rules_is_fine(tmp_path: Path):
    assert read(tmp_path, "") == ()


@pytest.mark.parametrize(
    ("line", "replies"),
    [
        ('reply = "a"', ("a",)),
        ('reply_file = "in/a.md"', ("from a file",)),
        ('tree = "good"', ("tree of good",)),
        ('replies = ["a", {tree = "good"}, {file = "in/a.md"}]', ("a", "tree of good", "from a file")),
    ],
)
def test_a_reply_is_a_text_a_file_or_a_tree_beside_the_rules(tmp_path: Path, line: str, replies: tuple[str, ...]):
    (tmp_path / "in").mkdir()
    (tmp_path / "good").mkdir()
    (tmp_path / "in/a.md").write_text("from a file")
    assert read(tmp_path, f"[[rule]]\n{line}") == (Rule(replies=replies),)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[rule]", "rules.toml: not TOML: Expected ']]' at the end of an array declaration (at line 1, column 7)"),
        ("rule = 3", "rules.toml: rule: is no list of tables (each rule is a table [[rule]])"),
        ("[[rules]]", "rules.toml: rules: unknown (each rule is a table [[rule]])"),
        ('[[rule]]\n[[rule]]\ncontain = "a"', "rules.toml: rule 2: contain: unknown field (did you mean 'contains'?)"),
        ('[[rule]]\nmatches = "("', "rules.toml: rule 1: matches: '(' is no regular expression: "),
        ('[[rule]]\nreply = "a"\ntree = "b"', "rules.toml: rule 1: has reply and tree (keep one of them)"),
        ('[[rule]]\nreplies = "a"', "rules.toml: rule 1: replies: is not a list (as in replies = "),
        ('[[rule]]\n[[rule]]\nreplies = []', "rules.toml: rule 2: replies: is empty (give a text, {file = ...} or"),
        ('[[rule]]\ntree = "nowhere"', "rules.toml: rule 1: tree: nowhere: no such directory (it must be a folder with"),
        ('[[rule]]\ntree = "rules.toml"', "rules.toml: rule 1: tree: rules.toml: not a directory (it must be a folder"),
        ('[[rule]]\nreplies = ["a", {tree = "nowhere"}]', "rules.toml: rule 1: replies: nowhere: no such directory (it"),
        ('[[rule]]\ntree = "empty"', "rules.toml: rule 1: tree: empty: is empty (it must hold what is to be answered; paths"),
        ('[[rule]]\nreply_file = "empty.md"', "rules.toml: rule 1: reply_file: empty.md: is empty (it must hold"),
        ("[[rule]]\nreply = 3", "rules.toml: rule 1: reply: 3 is no reply (a text, "),
        ("[[rule]]\ntree = 3", "rules.toml: rule 1: tree: {'tree': 3} is no reply (a text, "),
        ('[[rule]]\nreplies = [{tree = "a", file = "b"}]', "rules.toml: rule 1: replies: {'tree': 'a', 'file': 'b'} is no"),
        ('[[rule]]\nstatus = 429\nfault = "cut"', "rules.toml: rule 1: status and fault exclude each other"),
        ("[[rule]]\nretry_after = 1", "rules.toml: rule 1: retry_after goes with status"),
        ('[[rule]]\nstatus = 200', "rules.toml: rule 1: status: 200 is not in 400..599 (Answer with this error: 429, 500, ...)"),
        ('[[rule]]\nreply_file = "absent.md"', "rules.toml: rule 1: reply_file: absent.md: no such file (it must be"),
    ],
)  # fmt: skip
def test_a_wrong_rule_is_named_with_its_field(tmp_path: Path, text: str, complaint: str):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.md").touch()
    with pytest.raises(BadInput) as caught:
        read(tmp_path, text)
    assert str(caught.value).replace(f"{tmp_path}/", "").startswith(complaint), str(caught.value)


def test_rules_that_are_not_there_are_complained_about(tmp_path: Path):
    with pytest.raises(BadInput, match="no such file"):
        read_rules(tmp_path / "absent.toml", str)
