"""What evaluating JavaScript without running it yields.

Strings, numbers, booleans, None (for null and undefined), lists (arrays) and dicts (objects) stand for themselves. Everything else is
one of these classes. A framework's own objects are `Native`: they say what reading a property of them and calling them means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tree_sitter import Node

from .node_project import Module, Project
from .values import UNKNOWN, Names, Site, Unknown, Value

UNKNOWN_TEXT = Unknown()
"""One that is a string in any case: a template with an unknown part."""


@dataclass(eq=False)
class Scope(Names):
    """Names and what they hold, block by block."""

    module: Module
    this: Value = UNKNOWN

    def inner(self, *, this: Value = None) -> Scope:
        return Scope(self.module, self.this if this is None else this, parent=self)

    def look_up(self, name: str) -> Value:
        holder = self.holder(name)
        return holder.names[name] if holder else UNKNOWN


@dataclass(eq=False)
class Function:
    """A function with the scope it closes over."""

    node: Node
    scope: Scope
    properties: dict[str, Value] = field(default_factory=dict)
    calls: int = 0


@dataclass(eq=False)
class Class:
    """A class; calling it with `new` gives a dict that holds its methods."""

    node: Node
    scope: Scope
    parent: Value = None
    properties: dict[str, Value] = field(default_factory=dict)


class Interpreter(Protocol):
    """What a framework's objects may ask of the evaluation."""

    project: Project
    applications: list[Any]
    """Where a framework notes each application that it makes."""

    def call(self, function: Value, arguments: Sequence[Value], site: Site) -> Value: ...
    def exports(self, module: Module) -> Value: ...
    def decorator(self, node: Node, scope: Scope) -> Value: ...


class Native:
    """An object of a framework, or of the language where it matters to routes. Whatever a class does not say of it is unknown."""

    def member(self, name: str) -> Value:
        """What reading `.name` gives."""
        return UNKNOWN

    def call(self, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        """What calling it gives, with or without `new`."""
        return UNKNOWN


@dataclass(eq=False)
class Builtin(Native):
    """A function of a library."""

    run: Callable[[Sequence[Value], Site, Interpreter], Value]
    members: dict[str, Value] = field(default_factory=dict)

    def member(self, name: str) -> Value:
        return self.members.get(name, UNKNOWN)

    def call(self, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        return self.run(arguments, site, interpreter)


def package(function: Builtin, **members: Value) -> Builtin:
    """A package that exports `function` in each way in which packages are imported: itself, its default, and by name."""
    function.members |= {"default": function, **members}
    return function
