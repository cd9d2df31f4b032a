"""An extractor must give back every true solution: here each function of RepoProof itself stands for one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import repoproof
from repoproof.completions.extract import Target, extract_function
from repoproof.completions.python_source import shifted

ROOT = Path(repoproof.__file__).parent
FILES = [path for path in sorted(ROOT.rglob("*.py")) if "template" not in path.parts and path.stat().st_size]


def _functions(body: list[ast.stmt], owner: str = "") -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    found: list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]] = []
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            found.append((owner, statement))
        elif isinstance(statement, ast.ClassDef):
            found += _functions(statement.body, f"{owner}.{statement.name}".lstrip("."))
    return found


def _lines(lines: list[str], first: int, last: int) -> str:
    return "\n".join(lines[first - 1 : last]) + "\n"


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_every_function_comes_back_whole_and_from_its_body(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    lines = source.split("\n")
    for owner, node in _functions(ast.parse(source).body):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        written = _lines(lines, first, node.end_lineno or 0)
        function = shifted(written, "")
        header = _lines(lines, first, node.body[0].lineno - 1)
        target = Target(name=node.name, header=header, class_name=owner)
        whole = extract_function(f"Here it is:\n\n~~~~~python\n{written}~~~~~\n", target=target)
        assert whole.function == function, (node.name, whole)
        assert not [note for note in whole.notes if "not the target's" in note]
        if node.body[0].lineno == node.lineno or _says_nothing(node):
            continue
        body = _lines(lines, node.body[0].lineno, node.end_lineno or 0)
        filled = extract_function(
            body if "```" not in body and "~~~" not in body else f"~~~~~\n{body}~~~~~", target=target
        )
        assert ast.dump(ast.parse(filled.function)) == ast.dump(ast.parse(function)), (node.name, filled)


def _says_nothing(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A protocol's member, or a `print` or nothing: no one could tell such a body from an example."""
    plain = (ast.Expr, ast.Pass)
    return all(isinstance(statement, plain) for statement in node.body) and not any(
        isinstance(part, ast.Call) and not (isinstance(part.func, ast.Name) and part.func.id == "print")
        for statement in node.body
        for part in ast.walk(statement)
    )
