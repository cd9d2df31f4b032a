"""What evaluating Python without running it yields.

Strings, numbers, None, lists, tuples, sets and dicts stand for themselves. Everything else is one of these classes. A framework's own
objects are never imitated: an `Object` only remembers how it was made and what was called on it, in order, and the reader of the framework
draws the routes from that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .python_project import Module
from .values import Names, Site, Value


class Table(dict[Any, Value]):
    """A dict that knows where each key was written."""

    def __init__(self) -> None:
        super().__init__()
        self.sites: dict[Any, Site] = {}


@dataclass(frozen=True)
class External:
    """A name from outside the tree: `fastapi.FastAPI`."""

    name: str

    def among(self, packages: tuple[str, ...], names: tuple[str, ...]) -> bool:
        """Whether it is one of `names` from one of `packages`, whichever submodule it was imported from."""
        first, _, rest = self.name.partition(".")
        return first in packages and rest.rpartition(".")[2] in names


@dataclass(eq=False)
class Scope(Names):
    """The namespace of a module, a function or a class."""

    module: Module
    is_class: bool = False
    globals: set[str] = field(default_factory=set)
    function: Function | None = None
    """Whose call it is made for."""
    receiver: Value = None
    """The first argument of that call: what `super()` starts from."""

    def holder(self, name: str) -> Scope | None:
        """The innermost that has the name. A class's names are not seen from its methods."""
        at: Scope | None = self
        while at is not None and (name not in at.names or (at.is_class and at is not self)):
            at = at.parent
        return at


@dataclass(eq=False)
class Function:
    """A function with the scope that it closes over."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    owner: Class | None = None
    decorations: list[Value] = field(default_factory=list)
    """Decorators as evaluated, innermost first. A decorated function stays itself: what it does is what its body says."""
    calls: int = 0

    @property
    def name(self) -> str:
        return "" if isinstance(self.node, ast.Lambda) else self.node.name

    @property
    def site(self) -> Site:
        return Site(self.scope.module.file, self.node.lineno)


@dataclass(eq=False)
class Class:
    """A class of the tree."""

    name: str
    bases: tuple[Value, ...]
    attributes: dict[str, Value]
    site: Site
    decorations: list[Value] = field(default_factory=list)

    def ancestry(self) -> Iterator[Value]:
        """Itself and its bases, depth first, each once: close enough to the real order for what routes need."""
        stack: list[Value] = [self]
        seen: set[int] = set()
        while stack:
            one = stack.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            yield one
            if isinstance(one, Class):
                stack.extend(reversed(one.bases))

    def lookup(self, name: str, default: Value = None) -> Value:
        for one in self.ancestry():
            if isinstance(one, Class) and name in one.attributes:
                return one.attributes[name]
        return default

    def functions(self) -> dict[str, Function]:
        """Methods by name, nearest definition first."""
        found: dict[str, Function] = {}
        for one in self.ancestry():
            if isinstance(one, Class):
                for name, value in one.attributes.items():
                    if isinstance(value, Function):
                        found.setdefault(name, value)
        return found

    def externals(self) -> list[External]:
        return [one for one in self.ancestry() if isinstance(one, External)]

    def isa(self, packages: tuple[str, ...], names: tuple[str, ...]) -> bool:
        return any(one.among(packages, names) for one in self.externals())


@dataclass(eq=False)
class Bound:
    """A method of an object of the tree's own class, taken from the object."""

    function: Function
    receiver: Value


@dataclass(eq=False)
class Super:
    """`super()` in a method: the bases, seen from an object."""

    above: Class
    receiver: Object


@dataclass(eq=False)
class Pending:
    """A name that a module, still being evaluated when it was imported from, did not have yet."""

    module: Module
    name: str


@dataclass(eq=False)
class Member:
    """An attribute of something that the evaluation knows only from outside: `app.router.add_get`."""

    owner: Value
    name: str
    """Dotted, from the owner."""


@dataclass(eq=False)
class Object:
    """The result of a call: of an external class or function, of a class of the tree, or of a member of another object."""

    kind: External | Class | Member
    args: tuple[Value, ...]
    keywords: dict[str, Value]
    site: Site
    born: int = 0
    """In which speculative call it was made; 0 for none."""
    attributes: dict[str, Value] = field(default_factory=dict)
    events: list[Object] = field(default_factory=list)
    """Calls of its members, in order: an event's kind is the `Member`."""
    applied: list[Value] = field(default_factory=list)
    """What it was called with afterwards, as a decorator is."""

    @property
    def name(self) -> str:
        """The dotted name of what was called."""
        return self.kind.name

    def isa(self, packages: tuple[str, ...], names: tuple[str, ...]) -> bool:
        if isinstance(self.kind, Class):
            return self.kind.isa(packages, names)
        return isinstance(self.kind, External) and self.kind.among(packages, names)

    def argument(self, position: int, keyword: str, default: Value = None) -> Value:
        """An argument of the call, by position (-1: never positional) or by keyword; of `super().__init__(...)` too."""
        if keyword in self.keywords:
            return self.keywords[keyword]
        if 0 <= position < len(self.args):
            return self.args[position]
        for event in self.events:
            if event.name == "__init__":
                return event.argument(position, keyword, default)
        return default
