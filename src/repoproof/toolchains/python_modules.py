"""What a tree's Python modules offer to start: app objects, factories of them, main blocks that serve. Read, never imported."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..core.base import MiB
from .fault import Refused
from .reading import text

MOST_FILES = 500
DEEPEST = 5

FRAMEWORKS = {
    "fastapi.FastAPI": "FastAPI",
    "fastapi.applications.FastAPI": "FastAPI",
    "starlette.applications.Starlette": "Starlette",
    "litestar.Litestar": "Litestar",
    "quart.Quart": "Quart",
    "flask.Flask": "Flask",
    "aiohttp.web.Application": "aiohttp",
    "eve.Eve": "Eve",
}

_SERVING_CALLS = {"uvicorn.run", "hypercorn.run", "waitress.serve", "aiohttp.web.run_app"}
_SERVING_METHODS = {"run", "serve_forever", "run_app", "run_server"}
_ELSEWHERE = re.compile(
    r"\..*|venv|env|node_modules|__pycache__|site-packages|tests?|docs?|migrations|build|dist|examples?"
)
_TESTS = re.compile(r"test_.*|.*_test|conftest|setup")


@dataclass(frozen=True)
class App:
    """Something that serves requests."""

    name: str
    framework: str
    factory: bool = False
    """Whether `name` is a function, callable without arguments, that makes it."""


@dataclass(frozen=True)
class Module:
    """One module of the tree."""

    path: Path
    """Relative to the tree."""
    root: Path
    """The folder, relative to the tree, that its imports of its own tree are relative to."""
    apps: tuple[App, ...]
    has_main: bool
    serves_itself: bool
    """Whether running it as a script starts a server."""

    @property
    def dotted(self) -> str:
        relative = self.path.relative_to(self.root).with_suffix("")
        parts = relative.parts[:-1] if relative.name == "__init__" else relative.parts
        return ".".join(parts)


def modules(tree: Path) -> Iterator[Module]:
    """The modules that parse, but for tests, virtual environments and the like."""
    for path in _files(tree):
        try:
            source = text(tree, path.as_posix(), limit=MiB)
            with warnings.catch_warnings(action="ignore"):
                parsed = ast.parse(source or "")
            names = _imports(parsed)
            yield Module(
                path=path,
                root=_root(tree, path, parsed),
                apps=_apps(parsed, names),
                has_main=any(_is_main_block(statement) for statement in parsed.body),
                serves_itself=any(_serves(statement, names) for statement in _run_as_script(parsed)),
            )
        except (Refused, SyntaxError, ValueError, RecursionError, MemoryError):
            continue


def _files(tree: Path) -> Iterator[Path]:
    count = 0
    for directory, folders, files in os.walk(tree):
        here = Path(directory).relative_to(tree)
        folders[:] = (
            sorted(name for name in folders if not _ELSEWHERE.fullmatch(name)) if len(here.parts) < DEEPEST else []
        )
        for name in sorted(files):
            if name.endswith(".py") and not _TESTS.fullmatch(name[:-3]):
                count += 1
                if count > MOST_FILES:
                    return
                yield here / name


def _imports(parsed: ast.Module) -> dict[str, str]:
    """Local name -> full dotted name."""
    names: dict[str, str] = {}
    for node in ast.walk(parsed):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def _dotted(expression: ast.expr, names: dict[str, str]) -> str:
    if isinstance(expression, ast.Name):
        return names.get(expression.id, expression.id)
    if isinstance(expression, ast.Attribute):
        return f"{_dotted(expression.value, names)}.{expression.attr}"
    if isinstance(expression, ast.Call):
        return _dotted(expression.func, names)
    return ""


def _apps(parsed: ast.Module, names: dict[str, str]) -> tuple[App, ...]:
    makers: dict[str, str] = {}
    """Functions that return an app -> its framework."""
    factories: list[App] = []
    for statement in parsed.body:
        if isinstance(statement, ast.FunctionDef) and (framework := _returned(statement, names)):
            makers[statement.name] = framework
            required = len(statement.args.posonlyargs + statement.args.args) - len(statement.args.defaults)
            if not required and None not in statement.args.kw_defaults:
                factories.append(App(statement.name, framework, factory=True))
    objects: list[App] = []
    for statement in parsed.body:
        for target, value in _assigned(statement):
            framework = _framework(value, names) or makers.get(
                _dotted(value.func, {}) if isinstance(value, ast.Call) else ""
            )
            if framework:
                objects.append(App(target, framework))
    return (*objects, *factories)


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        yield statement.targets[0].id, statement.value
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        yield statement.target.id, statement.value
    elif isinstance(statement, ast.Try):
        for inner in statement.body:
            yield from _assigned(inner)


def _framework(value: ast.expr, names: dict[str, str]) -> str:
    return FRAMEWORKS.get(_dotted(value.func, names), "") if isinstance(value, ast.Call) else ""


def _returned(function: ast.FunctionDef, names: dict[str, str]) -> str:
    """The framework of the app that a function makes and returns."""
    made: dict[str, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.stmt):
            for target, value in _assigned(node):
                if framework := _framework(value, names):
                    made[target] = framework
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            framework = (
                made.get(node.value.id, "") if isinstance(node.value, ast.Name) else _framework(node.value, names)
            )
            if framework:
                return framework
    return ""


def _is_main_block(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and ast.unparse(statement.test).replace('"', "'") in (
        "__name__ == '__main__'",
        "'__main__' == __name__",
    )


def _run_as_script(parsed: ast.Module) -> Iterator[ast.stmt]:
    """Statements that run as a script: top level, main block, and functions called from there by a plain name."""
    functions = {node.name: node for node in parsed.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    pending = [
        node for node in parsed.body if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    while pending:
        statement = pending.pop()
        yield statement
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
                pending.append(functions.pop(node.func.id))


def _serves(statement: ast.stmt, names: dict[str, str]) -> bool:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            called = _dotted(node.func, names)
            if called in _SERVING_CALLS:
                return True
            owner, _, method = called.rpartition(".")
            if (
                method in _SERVING_METHODS
                and owner
                and owner.split(".")[0] not in ("subprocess", "asyncio", "anyio", "trio")
            ):
                return True
    return False


def _root(tree: Path, path: Path, parsed: ast.Module) -> Path:
    """The outermost folder from which the module's imports of its own tree resolve; the tree's root if that cannot be told."""
    wanted: set[str] = set()
    for node in ast.walk(parsed):
        if isinstance(node, ast.Import):
            wanted |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            wanted.add(node.module.split(".")[0])
    relative = any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(parsed))
    folders = [folder for folder in reversed((path.parent, *path.parent.parents)) if _importable(path, folder)]
    own = {name for name in wanted if any(_holds(tree / folder, name) for folder in folders)}
    for folder in folders:
        if relative and folder == path.parent:
            continue
        if all(_holds(tree / folder, name) for name in own):
            return folder
    return folders[0] if folders else Path()


def _importable(path: Path, folder: Path) -> bool:
    return all(part.isidentifier() for part in path.relative_to(folder).with_suffix("").parts)


def _holds(folder: Path, name: str) -> bool:
    return (folder / f"{name}.py").is_file() or (folder / name).is_dir()
