"""Rules in a TOML file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from ...core.errors import BadInput
from ...core.jsonl import to_record
from ...core.user_files import read_text, read_toml
from .rule import Rule

REPLIES = ("reply", "reply_file", "tree", "replies")
"""Keys of a table, at most one of them, that become `Rule.replies`."""

Read = Callable[[Path], str]


def read_rules(file: Path, render_tree: Read) -> tuple[Rule, ...]:
    """The tables `[[rule]]` of `file`, in their order; `BadInput` names the rule and the field.

    A table has the fields of `Rule`, and instead of `replies` one of `reply` (a text), `reply_file` (a file with the text) and `tree`
    (a folder, which `render_tree` turns into the text of an answer). `replies` may have `{file = ...}` and `{tree = ...}` among its texts.
    Paths are relative to the file's folder.
    """
    return tuple(
        to_record(Rule, _with_replies(table, file, f"rule {number}", render_tree), file=file, subject=f"rule {number}")
        for number, table in enumerate(_tables(file), start=1)
    )


def _tables(file: Path) -> list[dict[str, Any]]:
    content = read_toml(file)
    tables = content.pop("rule", [])
    if content:
        raise BadInput("unknown", file=file, field=next(iter(content)), mend="each rule is a table [[rule]]")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in cast("list[object]", tables)):
        raise BadInput("is no list of tables", file=file, field="rule", mend="each rule is a table [[rule]]")
    return cast("list[dict[str, Any]]", tables)


def _with_replies(table: dict[str, Any], file: Path, subject: str, render_tree: Read) -> dict[str, Any]:
    """The fields of a `Rule`."""
    given = [key for key in REPLIES if key in table]
    if len(given) > 1:
        raise BadInput(f"has {' and '.join(given)}", file=file, subject=subject, mend="keep one of them")
    rest = {key: value for key, value in table.items() if key not in REPLIES}
    if not given:
        return rest
    key, value = given[0], table[given[0]]
    listed = {"reply": [value], "reply_file": [{"file": value}], "tree": [{"tree": value}]}.get(key, value)
    if not isinstance(listed, list):
        raise BadInput("is not a list", file=file, subject=subject, field=key, mend='as in replies = ["a text"]')
    if not listed:
        mend = "give a text, {file = ...} or {tree = ...}; without `replies` there is a fixed answer"
        raise BadInput("is empty", file=file, subject=subject, field=key, mend=mend)

    def read(as_text: Read, name: str) -> str:
        try:
            text = as_text(file.parent / name)
        except BadInput as error:
            problem = f"{error.file or file.parent / name}: {error.problem}"
            mend = f"{error.mend}; paths are relative to {file.name}" if error.mend else None
            raise BadInput(problem, file=file, subject=subject, field=key, mend=mend) from None
        if not text.strip():
            mend = f"it must hold what is to be answered; paths are relative to {file.name}"
            raise BadInput(f"{file.parent / name}: is empty", file=file, subject=subject, field=key, mend=mend)
        return text

    def rendered(folder: Path) -> str:
        if not folder.is_dir():
            problem = "not a directory" if folder.exists() else "no such directory"
            raise BadInput(problem, file=folder, mend="it must be a folder with the files of an answer")
        return render_tree(folder)

    def text(item: object) -> str:
        match item:
            case str():
                return item
            case {"file": str(name), **others} if not others:
                return read(read_text, name)
            case {"tree": str(name), **others} if not others:
                return read(rendered, name)
            case _:
                pass
        mend = "a text, or in `replies` also {file = ...} or {tree = ...}"
        raise BadInput(f"{item!r} is no reply", file=file, subject=subject, field=key, mend=mend)

    return rest | {"replies": [text(item) for item in cast("list[object]", listed)]}
