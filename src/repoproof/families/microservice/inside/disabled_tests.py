"""Tests that are switched off: in their source, whatever is there, or by a mark that was decided while they were collected. Stdlib only.

In the source, without a condition: `skip` or `xfail` as a decorator or in `pytestmark`, the same of unittest, or a `pytest.skip()` that a file,
a test or its setup cannot get past. A test that is expected to fail cannot pass: pytest counts it as failed where it does.
"""

from __future__ import annotations

import ast
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

MARKS = frozenset(("pytest.mark.skip", "pytest.mark.xfail", "unittest.skip", "unittest.expectedFailure"))
ENDS = frozenset(("pytest.skip", "pytest.xfail", "self.skipTest", "unittest.SkipTest", "pytest.skip.Exception"))
"""What a test is called off with: called or raised."""
SETUPS = frozenset(("setup_module", "setUpModule", "setup_class", "setUpClass", "setup_method", "setUp"))
WHOLE = ""


def disabled_in(module: ast.Module) -> frozenset[str]:
    """What the source of a file switches off: `TestNotes::test_read`, `TestNotes`, or `WHOLE` for all of it."""
    return frozenset(_disabled(module.body, "", _names(module)))


def is_disabled(name: str, disabled: Iterable[str]) -> bool:
    """Whether a test, `TestNotes::test_read[1]`, is among them, or what it belongs to is."""
    parts = name.partition("[")[0].split("::")
    return any(place in disabled for place in (WHOLE, *("::".join(parts[:n]) for n in range(1, len(parts) + 1))))


def disabled(item: Any) -> bool:
    """Whether the source has switched off a test that pytest has collected; one set of its parameters may be."""
    marks = [getattr(mark, "mark", mark) for mark in getattr(getattr(item, "callspec", None), "marks", ())]
    if any(mark.name in ("skip", "xfail") and not _conditions(mark) for mark in marks):
        return True
    name = item.nodeid.partition("::")[2]
    return is_disabled(name, _disabled_in_file(str(getattr(item, "path", None) or item.fspath)))


def left_out(item: Any) -> str | None:
    """Why pytest leaves a test out, or expects it to fail, as it is marked here and now; None if it does not."""
    for mark in item.iter_markers():
        if mark.name == "skip" or (mark.name in ("skipif", "xfail") and _holds(mark, item)):
            return str(mark.kwargs.get("reason") or (mark.args[0] if mark.name == "skip" and mark.args else mark.name))
    for it in (getattr(item, "obj", None), getattr(item, "cls", None)):
        if getattr(it, "__unittest_skip__", False):
            return str(getattr(it, "__unittest_skip_why__", "")) or "skip"
        if getattr(it, "__unittest_expecting_failure__", False):
            return "expectedFailure"
    return None


@cache
def _disabled_in_file(path: str) -> frozenset[str]:
    try:
        return disabled_in(ast.parse(Path(path).read_bytes()))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()


def _disabled(body: list[ast.stmt], prefix: str, names: dict[str, str]) -> Iterator[str]:
    """Of a module or class, the name of which ends `prefix`."""
    here = prefix.removesuffix("::")
    if _marked(body, names) or (not prefix and _is_called_off(body, names)):
        yield here
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{prefix}{node.name}"
            if any(_is_mark(decorator, names) for decorator in node.decorator_list):
                yield name
            if isinstance(node, ast.ClassDef):
                yield from _disabled(node.body, f"{name}::", names)
            elif _is_called_off(node.body, names):
                yield here if node.name in SETUPS else name


def _marked(body: list[ast.stmt], names: dict[str, str]) -> bool:
    """By its `pytestmark`: the last that is assigned without a condition."""
    marks: list[ast.expr] = []
    for node in body:
        if isinstance(node, ast.Assign) and any(_dotted(target, {}) == "pytestmark" for target in node.targets):
            marks = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
    return any(_is_mark(mark, names) for mark in marks)


def _is_mark(node: ast.expr, names: dict[str, str]) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    name = _dotted(called, names)
    conditional = isinstance(node, ast.Call) and (node.args or any(word.arg == "condition" for word in node.keywords))
    return name in MARKS and not (name == "pytest.mark.xfail" and conditional)


def _is_called_off(body: list[ast.stmt], names: dict[str, str]) -> bool:
    """Whether a run comes to where it is, if it comes through at all: nothing before may have returned."""
    for node in body:
        it = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Expr) else None
        if isinstance(it, ast.Await):
            it = it.value
        ends = isinstance(it, ast.Call) or isinstance(node, ast.Raise)
        if it is not None and ends and _dotted(it.func if isinstance(it, ast.Call) else it, names) in ENDS:
            return True
        if any(isinstance(inner, ast.Return | ast.Yield | ast.YieldFrom) for inner in _own(node)):
            return False
    return False


def _own(node: ast.stmt) -> Iterator[ast.AST]:
    """The node and what is in it, but for functions and classes of its own."""
    yield node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for child in ast.iter_child_nodes(node):
            yield from _own(child) if isinstance(child, ast.stmt) else ast.walk(child)


def _names(module: ast.Module) -> dict[str, str]:
    """What names at the top level stand for: imports, and marks that were given a name."""
    found: dict[str, str] = {}
    for node in module.body:
        if isinstance(node, ast.Import):
            found |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _is_mark(node.value, found):
            found[node.targets[0].id] = "pytest.mark.skip"
    return found


def _dotted(node: ast.AST, names: dict[str, str]) -> str:
    """`pytest.mark.skip`, by whatever name it goes; empty for anything but names and attributes."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute) and (owner := _dotted(node.value, names)):
        return f"{owner}.{node.attr}"
    return ""


def _conditions(mark: Any) -> tuple[Any, ...]:
    if "condition" in mark.kwargs:
        return (mark.kwargs["condition"],)
    return () if mark.name == "skip" else tuple(mark.args)


def _holds(mark: Any, item: Any) -> bool:
    """As pytest sees it: one of the conditions does, or there is none."""
    conditions = _conditions(mark)
    return not conditions or any(_is_true(condition, item) for condition in conditions)


def _is_true(condition: Any, item: Any) -> bool:
    known = {"os": os, "sys": sys, "platform": platform, "config": item.config}
    known |= getattr(getattr(item, "obj", None), "__globals__", {})
    try:
        return bool(eval(condition, known) if isinstance(condition, str) else condition)
    except Exception:  # pytest fails such a test where it is run
        return False
