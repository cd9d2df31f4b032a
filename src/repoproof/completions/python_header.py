"""The header that the target has: what a bare body is put under, and what a definition is compared with."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass

from .extraction import Target
from .python_scope import Definition
from .python_source import INDENT, indent_of, parsed, shifted


@dataclass(frozen=True)
class Header:
    """A header that can be parsed."""

    signature: str
    """At column 0, decorators included, up to and with the colon."""
    docstring: str
    """Of the target, at column 0; may be empty."""
    indent: str
    """Of the body."""
    node: Definition

    def with_body(self, body: str) -> str:
        """The whole function; the target's docstring unless the body has one."""
        tree = parsed(body)
        has_own = tree is not None and ast.get_docstring(tree, clean=False) is not None
        parts = [self.signature, "" if has_own else shifted(self.docstring, self.indent), shifted(body, self.indent)]
        return "\n".join(part.rstrip("\n") for part in parts if part.strip()) + "\n"

    def is_decorated_as(self, node: Definition) -> bool:
        return _dumps(self.node.decorator_list) == _dumps(node.decorator_list)

    def has_parameters_of(self, node: Definition) -> bool:
        return _parameters(self.node) == _parameters(node) and type(self.node) is type(node)

    def is_with_self(self, node: Definition) -> bool:
        """Whether `node` is this function with `self` put in front, which its body does not use."""
        first, *others = _parameters(node) or [""]
        uses = any(isinstance(part, ast.Name) and part.id == first for line in node.body for part in ast.walk(line))
        return first in ("self", "cls") and others == _parameters(self.node) and not uses


def header_of(target: Target) -> Header | None:
    """The target's header, or None where it has none that can be parsed."""
    text = textwrap.dedent(target.header).strip("\n").rstrip()
    if not text:
        return None
    for source in (text, f"{text}\n{INDENT}pass", f"{text}:\n{INDENT}pass"):
        tree = parsed(source + "\n")
        node = tree.body[-1] if tree is not None and tree.body else None
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return _header(source, node)
    return None


def _header(source: str, node: Definition) -> Header:
    lines = source.split("\n")
    body = node.body[0]
    if body.lineno == node.lineno:
        signature = lines[body.lineno - 1].encode()[: body.col_offset].decode().rstrip()
        return Header("\n".join([*lines[: body.lineno - 1], signature]), "", INDENT, node)
    docstring = ""
    if ast.get_docstring(node, clean=False) is not None:
        docstring = shifted("\n".join(lines[body.lineno - 1 : body.end_lineno]), "")
    signature = "\n".join(line for line in lines[: body.lineno - 1]).rstrip()
    return Header(signature, docstring, indent_of(lines[body.lineno - 1]), node)


def _parameters(node: Definition) -> list[str]:
    """Names with what they can be called by: `/` and `*` stand between those that differ in it."""
    arguments = node.args
    by_place = [one.arg for one in arguments.posonlyargs] + ["/"] * bool(arguments.posonlyargs)
    starred = [f"*{arguments.vararg.arg}"] if arguments.vararg else ["*"] * bool(arguments.kwonlyargs)
    doubled = [f"**{arguments.kwarg.arg}"] if arguments.kwarg else []
    by_name = [one.arg for one in arguments.kwonlyargs]
    return [*by_place, *(one.arg for one in arguments.args), *starred, *by_name, *doubled]


def _dumps(nodes: list[ast.expr]) -> list[str]:
    return [ast.dump(node) for node in nodes]
