"""The values that an evaluation of Java knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tree_sitter import Node

from .java_project import JavaProject
from .java_types import JavaType, Method
from .values import UNKNOWN, Names, Site, Value


@dataclass(eq=False)
class Scope(Names):
    """Names and what they hold, block by block, inside one type."""

    inside: JavaType
    this: Value = UNKNOWN

    def inner(self) -> Scope:
        return Scope(self.inside, self.this, parent=self)

    def objects(self) -> Iterator[Made]:
        """The objects that the code is in, the nearest first: an anonymous class sees the fields of what it was made in."""
        for scope in self.outwards():
            if isinstance(scope.this, Made):
                yield scope.this


@dataclass(eq=False)
class Made:
    """An instance of a type of the tree."""

    type: JavaType
    fields: dict[str, Value] = field(default_factory=dict)
    around: Scope | None = None
    """What an anonymous or local class was made in."""
    base: Value = UNKNOWN
    """What a superclass outside the tree makes of it."""


@dataclass(eq=False)
class Closure:
    """A lambda with the scope it closes over."""

    node: Node
    scope: Scope


@dataclass(eq=False)
class Bound:
    """`owner::name`."""

    owner: Value
    name: str


@dataclass(frozen=True)
class TypeName:
    """A type, used as a value: `Users.class`, or the `Users` of `Users.register(app)`."""

    name: str
    """Fully qualified."""


class Interpreter(Protocol):
    """What a framework's objects may ask of the evaluation."""

    project: JavaProject
    applications: list[Any]
    """Where a framework notes each application that it makes."""

    def invoke(self, owner: Value, name: str, arguments: Sequence[Value], site: Site) -> Value: ...
    def run(self, function: Value, arguments: Sequence[Value], site: Site) -> Value: ...
    def method(self, owner: Value, name: str, count: int) -> Method | None: ...


class Native:
    """An object of a library. Whatever a class does not say of it is unknown."""

    made_as: JavaType | None = None
    """The type of the tree that it is an object of, where the class of the library is only what that extends."""

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        """What calling the method gives."""
        for argument in arguments:
            if isinstance(argument, Closure):
                interpreter.run(argument, (), site)
        return UNKNOWN

    def field(self, name: str) -> Value:
        return UNKNOWN

    def assign(self, name: str, value: Value) -> None:
        return None


Invoke = Callable[[str, Sequence[Value], Site, Interpreter], Value]


@dataclass(eq=False)
class NativeClass(Native):
    """A class of a library: its static methods by name, its static fields, and what `new` gives."""

    methods: dict[str, Invoke] = field(default_factory=dict)
    fields: dict[str, Value] = field(default_factory=dict)
    make: Callable[[Sequence[Value], Site, Interpreter], Value] | None = None

    def knows(self, name: str) -> bool:
        """Whether it has such a static method, for names that several classes may have been imported for."""
        return name in self.methods

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        found = self.methods.get(name)
        return (
            found(name, arguments, site, interpreter) if found else super().invoke(name, arguments, site, interpreter)
        )

    def field(self, name: str) -> Value:
        return self.fields.get(name, UNKNOWN)


def is_code(value: Value) -> bool:
    """Whether the value can only be something that is called."""
    return isinstance(value, (Closure, Bound, Made))
