"""The table of a benchmark's repositories (language, port, framework), as JSON, TOML or the Python that it is published as."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from ....core.base import Frozen, MiB
from ....core.errors import BadInput
from ....core.jsonl import read_json, to_record

LARGEST = 4 * MiB


class Spec(Frozen):
    """What the table says of one repository; empty where it says nothing."""

    language: str = ""
    port: int | None = Field(default=None, ge=1, le=65535)
    framework: str = ""
    domain: str = ""
    difficulty: str = ""


_SPELLINGS = {"lang": "language", "level": "difficulty"}


def read_specs(file: Path) -> dict[str, Spec]:
    """Repository -> what the table in `file` says of it. Python is read, never executed: literals, and names of literals."""
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise BadInput(f"{size} bytes are no table", file=file)
        match file.suffix.lower():
            case ".json":
                table: Mapping[str, Any] = read_json(file)
            case ".toml":
                table = tomllib.loads(file.read_text(encoding="utf-8"))
            case ".py":
                table = python_table(file.read_text(encoding="utf-8"))
            case _:
                raise BadInput("neither .json nor .toml nor .py", file=file, mend="name it after what it is")
    except (OSError, ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as error:
        raise BadInput(f"cannot be read: {error}", file=file) from None
    if set(table) == {"REPO_SPECS"} and isinstance(table["REPO_SPECS"], dict):
        table = table["REPO_SPECS"]
    specs = {str(name): _spec(str(name), entry, file) for name, entry in table.items()}
    if not specs:
        raise BadInput(
            "no table of repositories in it", file=file, mend='REPO_SPECS = {"name": {"lang": ..., "port": ...}}'
        )
    return specs


def _spec(name: str, entry: object, file: Path) -> Spec:
    if not isinstance(entry, dict):
        raise BadInput("not a table of lang, port and framework", file=file, subject=name)
    named = {_SPELLINGS.get(str(key), str(key)): value for key, value in entry.items()}
    return to_record(Spec, {key: named[key] for key in named if key in Spec.model_fields}, file=file, subject=name)


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
