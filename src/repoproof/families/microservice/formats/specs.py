"""The table of a benchmark's repositories (language, port, framework), as JSON, TOML or the Python that it is published as."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from ....analysis.metrics import LEVELS
from ....core.base import Frozen, MiB
from ....core.errors import BadInput
from ....core.jsonl import read_json, to_record
from ....core.user_files import opened, read_text, read_toml
from ....toolchains import toolchain
from .inference import FRAMEWORKS

LARGEST = 4 * MiB


_ONE_LINE = r"^[^\x00-\x1f\x7f]*$"


class Spec(Frozen):
    """What the table says of one repository; empty where it says nothing."""

    language: str = Field(default="", pattern=_ONE_LINE)
    port: int | None = Field(default=None, ge=1, le=65535)
    framework: str = Field(default="", pattern=_ONE_LINE)
    domain: str = Field(default="", pattern=_ONE_LINE)
    difficulty: str = Field(default="", pattern=_ONE_LINE)


class Specs(NamedTuple):
    """A table."""

    of: dict[str, Spec]
    """Repository -> what is said of it."""
    notes: tuple[str, ...]
    """What it says besides."""


_SPELLINGS = {"lang": "language", "level": "difficulty"}
_KEYS = ("lang", "language", "port", "framework", "domain", "level", "difficulty")
_KNOWN_FRAMEWORKS = {
    **{language: tuple(name for name, _ in known) for language, known in FRAMEWORKS.items()},
    "node": ("express", "fastify", "koa", "nest", "nestjs", "next", "hapi", "hono", "restify"),
}
"""Any other is taken as it is, unless it looks like a slip in one of these."""


def read_specs(file: Path) -> Specs:
    """What the table in `file` says of its repositories. Python is read, never executed: literals, and names of literals.

    `BadInput` names the repository and the field as the table writes them.
    """
    with opened(file) as content:
        if len(content.read(LARGEST + 1)) > LARGEST:
            raise BadInput(f"more than {LARGEST // MiB} MiB are no table", file=file)
    match file.suffix.lower():
        case ".json":
            table: Mapping[str, Any] = read_json(file)
        case ".toml":
            table = read_toml(file)
        case ".py":
            try:
                table = python_table(read_text(file))
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as error:
                raise BadInput(f"cannot be read: {error}", file=file) from None
        case _:
            raise BadInput("neither .json nor .toml nor .py", file=file, mend="name it after what it is")
    if set(table) == {"REPO_SPECS"} and isinstance(table["REPO_SPECS"], dict):
        table = table["REPO_SPECS"]
    specs = {str(name): _spec(str(name), entry, file) for name, entry in table.items()}
    if not specs:
        raise BadInput(
            "no table of repositories in it", file=file, mend='REPO_SPECS = {"name": {"lang": ..., "port": ...}}'
        )
    others = dict.fromkeys(str(key) for entry in table.values() for key in entry if key not in _KEYS)
    return Specs(specs, (f"{file}: not used: {', '.join(others)}",) if others else ())


def _spec(name: str, entry: object, file: Path) -> Spec:
    if not isinstance(entry, dict):
        raise BadInput("not a table of lang, port and framework", file=file, subject=name)
    written = {_SPELLINGS.get(str(key), str(key)): str(key) for key in entry}
    for key in written.values():
        if key not in _KEYS and (meant := _slip(key, _KEYS)):
            raise BadInput("unknown field", file=file, subject=name, field=key, mend=f"did you mean {meant!r}?")
    try:
        given = {field: entry[key] for field, key in written.items() if field in Spec.model_fields}
        return _checked(to_record(Spec, given))
    except BadInput as error:
        raise BadInput(
            error.problem, file=file, subject=name, field=written.get(error.field or ""), mend=error.mend
        ) from None


def _checked(spec: Spec) -> Spec:
    """The same in our own spelling; `BadInput` where a word is none, or a slip in one that is known."""
    language = spec.language.lower()
    if language:
        toolchain(language)
    known = _KNOWN_FRAMEWORKS.get(language) or tuple(name for names in _KNOWN_FRAMEWORKS.values() for name in names)
    return Spec(
        language=language,
        port=spec.port,
        framework=_word(spec.framework, known, "framework"),
        domain=spec.domain,
        difficulty=_word(spec.difficulty, LEVELS, "difficulty"),
    )


def _word(word: str, known: Iterable[str], field: str) -> str:
    """One of `known` however it is written (`Spring Boot`), or a word of the table's own."""
    for name in known:
        if _letters(word) == _letters(name):
            return name
    if meant := _slip(word, known):
        raise BadInput(f"{word!r} is none that is known", field=field, mend=f"did you mean {meant!r}?")
    return word


def _slip(word: str, known: Iterable[str]) -> str | None:
    """The word that was meant, where one looks like a slip of the hand."""
    letters = _letters(word)
    alike = {_letters(name): name for name in known if abs(len(_letters(name)) - len(letters)) < 2}
    near = get_close_matches(letters, alike, n=1, cutoff=0.75)
    return alike[near[0]] if near else None


def _letters(word: str) -> str:
    return re.sub(r"[^a-z]", "", word.lower())


def python_table(source: str) -> dict[str, Any]:
    """The entries of `REPO_SPECS` in a module: assigned as a whole, or one by one (`REPO_SPECS["name"] = {...}`)."""
    table: dict[str, Any] = {}
    names: dict[str, object] = {}
    for target, value in _assignments(ast.parse(source)):
        if isinstance(target, ast.Name) and target.id == "REPO_SPECS":
            table |= _literal(value, names)
        elif isinstance(target, ast.Name):
            try:
                names[target.id] = _literal(value, names)
            except ValueError:
                continue
        elif (
            isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id == "REPO_SPECS"
        ):
            table[str(_literal(target.slice, names))] = _literal(value, names)
    return table


def _assignments(module: ast.Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    for statement in module.body:
        if isinstance(statement, ast.Assign):
            yield from ((target, statement.value) for target in statement.targets)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield statement.target, statement.value


def _literal(node: ast.expr, names: Mapping[str, object]) -> Any:
    """The value of a literal, of names of literals, and of `dict(...)` or a record written with keywords."""
    match node:
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Dict():
            if None in node.keys:
                raise ValueError(f"line {node.lineno}: a table within a table is not followed")
            return {
                _literal(key, names): _literal(value, names)
                for key, value in zip(node.keys, node.values, strict=True)
                if key is not None
            }
        case ast.Call(func=ast.Name(), args=[], keywords=keywords) if all(keyword.arg for keyword in keywords):
            return {keyword.arg: _literal(keyword.value, names) for keyword in keywords}
        case _:
            return ast.literal_eval(node)
