"""What golden tests in Python say about themselves, read from their syntax, never run: tests, addresses, variables, imports, files."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from ..inside.disabled_tests import disabled_in, is_disabled

LOCAL = ("localhost", "127.0.0.1", "0.0.0.0", "[::1]")

_URL = re.compile(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):(\d{2,5})")
_ADDRESS_VARIABLE = re.compile(r"URL|URI|ENDPOINT|ADDRESS|_BASE|BASE_|HOST|PORT", re.IGNORECASE)


@dataclass
class Suite:
    """One set of golden tests, read."""

    tests: dict[str, list[str]] = field(default_factory=dict)
    """File -> ids of its tests, parametrised ones once."""
    disabled: set[str] = field(default_factory=set)
    """Those of the ids that the source switches off, whatever is there."""
    ports: dict[int, int] = field(default_factory=dict)
    """Port of this machine that an address names -> how often."""
    variables: dict[str, str | None] = field(default_factory=dict)
    """Variable that may say where the service is -> its default, None where it has none."""
    imports: set[str] = field(default_factory=set)
    """Top-level names of modules that are neither Python's own nor beside the tests."""
    modules: set[str] = field(default_factory=set)
    """The same as dotted names."""
    marks: set[str] = field(default_factory=set)
    """`pytest.mark.X`."""
    fixtures: set[str] = field(default_factory=set)
    """Names that test functions ask for."""
    strings: set[str] = field(default_factory=set)
    unreadable: list[str] = field(default_factory=list)
    """Files that are no Python, with why."""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(id for ids in self.tests.values() for id in ids)


def read_suite(tests: Path) -> Suite:
    """Read all Python below `tests`."""
    suite = Suite()
    files = sorted(path for path in tests.rglob("*.py") if "__pycache__" not in path.parts)
    own = {path.stem for path in files} | {path.parent.name for path in files if path.parent != tests}
    for path in files:
        name = path.relative_to(tests).as_posix()
        try:
            with warnings.catch_warnings(action="ignore"):
                module = ast.parse(path.read_bytes())
            imported = tuple(_imported(module))
            _read_module(module, name, suite)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            suite.unreadable.append(f"{name}: {error}")
            continue
        for dotted in imported:
            top = dotted.split(".")[0]
            if top not in sys.stdlib_module_names and top not in own:
                suite.imports.add(top)
                suite.modules.add(dotted)
    return suite


def _read_module(module: ast.Module, name: str, suite: Suite) -> None:
    constants = _constants(module)
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            suite.strings.add(node.value)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute) and node.value.attr == "mark":
            suite.marks.add(node.attr)
        if (found := _variable(node, constants)) is not None and _ADDRESS_VARIABLE.search(found[0]):
            suite.variables[found[0]] = suite.variables.get(found[0]) or found[1]
        text = _text(node, constants) if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp) else None
        if text and (match := _URL.search(text)) and 1 <= (port := int(match[1])) <= 65535:
            suite.ports[port] = suite.ports.get(port, 0) + 1
    if Path(name).name.startswith("test_") or Path(name).stem.endswith("_test"):
        suite.tests[name] = list(_tests(module.body, f"{name}::", suite.fixtures))
        off = disabled_in(module)
        suite.disabled |= {id for id in suite.tests[name] if is_disabled(id.partition("::")[2], off)}


def _tests(body: list[ast.stmt], prefix: str, fixtures: set[str]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            fixtures |= {argument.arg for argument in node.args.args}
            yield prefix + node.name
        elif isinstance(node, ast.ClassDef) and (node.name.startswith("Test") or _is_unittest(node)):
            yield from _tests(node.body, f"{prefix}{node.name}::", fixtures)


def _is_unittest(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).rpartition(".")[2].endswith("TestCase") for base in node.bases)


def _imported(node: ast.AST) -> Iterator[str]:
    """Modules that must be there; not those whose absence is provided for."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module
    optional = isinstance(node, ast.Try) and any("Import" in ast.unparse(h.type) for h in node.handlers if h.type)
    for child in ast.iter_child_nodes(node):
        if not (optional and isinstance(node, ast.Try) and child in node.body):
            yield from _imported(child)


def _constants(module: ast.Module) -> dict[str, str]:
    """Names at the top level that stand for a text or a number."""
    found: dict[str, str] = {}
    for statement in module.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            value = _text(statement.value, found)
            if value is not None:
                found[statement.targets[0].id] = value
    return found


def _text(node: ast.AST, constants: Mapping[str, str]) -> str | None:
    """What an expression comes to as a text, where that is plain; a variable comes to its default."""
    match node:
        case ast.Constant(value=str() | int() as value) if not isinstance(value, bool):
            return str(value)
        case ast.Name(id=name):
            return constants.get(name)
        case ast.JoinedStr(values=values):
            parts = [_text(part.value if isinstance(part, ast.FormattedValue) else part, constants) for part in values]
            # What cannot be told comes after the address: a path, an id.
            known = parts[: parts.index(None)] if None in parts else parts
            return "".join(part for part in known if part is not None) or None
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            start = _text(left, constants)
            return start if start is None else start + (_text(right, constants) or "")
        case ast.BoolOp(op=ast.Or(), values=values):
            return next((text for value in values if (text := _text(value, constants))), None)
        case ast.Call(func=ast.Attribute(value=inner, attr="rstrip" | "strip")):
            text = _text(inner, constants)
            return text.rstrip("/") if text else text
        case ast.Call(func=ast.Name(id="int" | "str"), args=[inner]):
            return _text(inner, constants)
        case ast.Call() if (found := _variable(node, constants)) is not None:
            return found[1]
        case _:
            return None


def _variable(node: ast.AST, constants: Mapping[str, str]) -> tuple[str, str | None] | None:
    """The variable that an expression reads, with its default: `os.getenv(...)`, `os.environ.get(...)`, `os.environ[...]`, `... or x`."""
    match node:
        case ast.BoolOp(op=ast.Or(), values=[first, *others]):
            found = _variable(first, constants)
            if found is None:
                return None
            default = next((text for other in others if (text := _text(other, constants))), None)
            return found[0], found[1] or default
        case ast.Call(func=function, args=[name, *default]):
            reads = ast.unparse(function) in ("os.getenv", "getenv", "os.environ.get", "environ.get")
            variable = _text(name, constants) if reads else None
            return None if variable is None else (variable, _text(default[0], constants) if default else None)
        case ast.Subscript(value=value, slice=name) if ast.unparse(value) in ("os.environ", "environ"):
            variable = _text(name, constants)
            return None if variable is None else (variable, None)
        case _:
            return None


def local_address(text: str) -> tuple[int | None, str] | None:
    """Port and path of an address on this machine; None for any other text."""
    parts = urlsplit(text)
    try:
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https", "ws") or parts.hostname not in (*LOCAL, "::1"):
        return None
    return port, parts.path.rstrip("/")
