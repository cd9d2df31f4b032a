"""Evaluates Java as far as routes need it: constants, fields, lists and maps, lambdas, and calls of the methods of the tree.

Nothing is run. Both branches of a condition are taken unless it is a constant, a loop over a known list is taken for each element,
any other loop once; what cannot be told is `UNKNOWN`. A field or parameter that somebody else fills (injection) holds an instance of
its declared type where that is one of the tree. Steps, call depth and sizes are capped, so that no source can make this slow.

Here is what an evaluation knows, and where its recursion closes: an expression may call a method, whose body is statements, which are made
of expressions. What each of them means is in `java_statements.py`, `java_expressions.py`, `java_names.py`, `java_calls.py`,
`java_parameters.py` and `java_objects.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from tree_sitter import Node

from .budget import MAX_CALL_DEPTH, Budget
from .java_calls import invoke_made, invoke_static, invoke_unknown
from .java_expressions import EXPRESSIONS
from .java_library import method_of_list, method_of_map, method_of_text
from .java_objects import construct, instance
from .java_parameters import bind, bind_names, chosen
from .java_project import JavaProject
from .java_statements import block
from .java_syntax import parameters_of, type_name
from .java_types import Annotation, JavaType, Method
from .java_values import Bound, Closure, Made, Native, NativeClass, Scope, TypeName
from .syntax import named
from .values import UNKNOWN, Site, Value, returned_of

MAX_STEPS = 300_000
"""For whatever a reader asks for at once."""
MAX_STEPS_IN_ALL = 2_000_000
MAX_CALLS_OF_ONE_METHOD = 200
MAX_EXPRESSION_DEPTH = 150


class Evaluation:
    """One project, evaluated from the methods that somebody asks for."""

    def __init__(self, project: JavaProject, packages: Mapping[str, NativeClass]) -> None:
        self.project = project
        self.packages = packages
        """Types outside the tree, fully qualified."""
        self.applications: list[Any] = []
        self.statics: dict[tuple[JavaType, str], Value] = {}
        """What static fields and enum constants hold, each evaluated when it is first asked for."""
        self.anonymous: dict[tuple[str, int], JavaType] = {}
        """Anonymous classes, by file and place."""
        self.making: list[JavaType] = []
        """Types that objects are being made of."""
        self.depth = 0
        """Calls, of methods and of constructors, inside each other."""
        self.budget = Budget(MAX_STEPS_IN_ALL, at_once=MAX_STEPS)
        self._expressions = 0
        self._calls: dict[tuple[str, int, int], int] = {}
        self._is_asked = False

    # What readers of frameworks ask for.

    def element(self, annotation: Annotation, name: str) -> Value:
        """What an element of an annotation means; `UNKNOWN` if it is not there or that cannot be told."""
        with self.asked():
            return self.value(annotation.elements.get(name), Scope(annotation.inside, None))
        return UNKNOWN

    def texts(self, annotation: Annotation, *names: str) -> list[str | None]:
        """The texts of elements that each hold one or several; None stands for one that cannot be told."""
        found: list[Value] = []
        for name in names:
            if name in annotation.elements:
                value = self.element(annotation, name)
                found += value if isinstance(value, list) else [value]
        return [one if isinstance(one, str) else None for one in found]

    def instance(self, made_of: JavaType) -> Value:
        """An object of the type, made with arguments that nobody knows; of an interface, the only type that implements it."""
        with self.asked():
            return instance(self, made_of)
        return UNKNOWN

    def run_method(self, method: Method, this: Value, arguments: Sequence[Value] | None = None) -> Value:
        """What calling the method gives; without `arguments`, with such as nobody knows."""
        with self.asked():
            return self.call_method(
                method, [UNKNOWN] * len(method.parameters) if arguments is None else arguments, this
            )
        return UNKNOWN

    def was_called(self, method: Method) -> bool:
        return _place(method) in self._calls

    @contextmanager
    def asked(self) -> Iterator[None]:
        """What a reader asks for has steps of its own, and ends, without a result, where they do."""
        if self._is_asked:
            yield
            return
        self._is_asked, self.depth, self._expressions = True, 0, 0
        self.making.clear()
        try:
            with suppress(RecursionError), self.budget.allowance():
                yield
        finally:
            self._is_asked = False

    # What natives ask for.

    def run(self, function: Value, arguments: Sequence[Value], site: Site) -> Value:
        """What calling a lambda, a method reference or an object with one method gives."""
        match function:
            case Closure():
                return self.call_closure(function, arguments)
            case Bound(owner=TypeName(name=name), name="new"):
                made_of = self.project.types.get(name)
                return construct(self, made_of, arguments) if made_of else UNKNOWN
            case Bound(owner=TypeName() as owner, name=name):
                if arguments and self.method(owner, name, len(arguments)) is None and owner.name not in self.packages:
                    return self.invoke(arguments[0], name, arguments[1:], site)
                return self.invoke(owner, name, arguments, site)
            case Bound():
                return self.invoke(function.owner, function.name, arguments, site)
            case Made():
                own = [one for one in function.type.methods if len(one.parameters) == len(arguments)]
                return self.call_method(own[0], arguments, function) if len(own) == 1 else UNKNOWN
            case _:
                return UNKNOWN

    def method(self, owner: Value, name: str, count: int) -> Method | None:
        """The method of an object or type of the tree that a call with so many arguments reaches."""
        made_of = owner.type if isinstance(owner, Made) else None
        if isinstance(owner, TypeName):
            made_of = self.project.types.get(owner.name)
        return chosen(made_of, name, [UNKNOWN] * count) if made_of else None

    def invoke(self, owner: Value, name: str, arguments: Sequence[Value], site: Site) -> Value:
        """What calling a method of a value gives."""

        def call(function: Value, given: Sequence[Value]) -> Value:
            return self.run(function, given, site)

        match owner:
            case str():
                return method_of_text(owner, name, arguments)
            case list():
                return method_of_list(owner, name, arguments, call)
            case dict():
                return method_of_map(owner, name, arguments, call)
            case Made():
                return invoke_made(self, owner, name, arguments, site)
            case TypeName():
                return invoke_static(self, owner, name, arguments, site)
            case Native():
                return owner.invoke(name, arguments, site, self)
            case Closure() | Bound():
                return self.run(owner, arguments, site)
            case _:
                return invoke_unknown(self, name, arguments)

    # What the parts of the language ask for.

    def value(self, node: Node | None, scope: Scope) -> Value:
        """What an expression means; `UNKNOWN` for one that is not there."""
        if node is None:
            return UNKNOWN
        self.budget.spend()
        evaluate = EXPRESSIONS.get(node.type)
        if evaluate is None or self._expressions >= MAX_EXPRESSION_DEPTH:
            return UNKNOWN
        self._expressions += 1
        try:
            return evaluate(self, node, scope)
        finally:
            self._expressions -= 1

    def values(self, arguments: Node | None, scope: Scope) -> list[Value]:
        """What the arguments of a call mean."""
        return [self.value(argument, scope) for argument in named(arguments)]

    def is_type(self, name: str) -> bool:
        """Whether it is the whole name of a type that is known."""
        return name in self.project.types or name in self.packages

    def given(self, typed: Node | None, inside: JavaType) -> Value:
        """What somebody outside the tree may hand over for a declared type."""
        made_of = self.project.find(type_name(typed), inside) if typed is not None else None
        return instance(self, made_of) if made_of is not None else UNKNOWN

    def call_method(self, method: Method, arguments: Sequence[Value], this: Value) -> Value:
        calls = self._calls[_place(method)] = self._calls.get(_place(method), 0) + 1
        if calls > MAX_CALLS_OF_ONE_METHOD or self.depth >= MAX_CALL_DEPTH or method.body is None:
            return UNKNOWN
        scope = Scope(method.owner, this, parent=this.around if isinstance(this, Made) else None)
        bind(self, method.parameters, arguments, scope)
        self.depth += 1
        try:
            return returned_of(block(self, method.body, scope), nothing=UNKNOWN)
        finally:
            self.depth -= 1

    def call_closure(self, closure: Closure, arguments: Sequence[Value]) -> Value:
        if self.depth >= MAX_CALL_DEPTH:
            return UNKNOWN
        scope = closure.scope.inner()
        written, body = (closure.node.child_by_field_name(name) for name in ("parameters", "body"))
        if written is not None and written.type == "identifier":
            bind_names([written], arguments, scope)
        elif written is not None and written.type == "inferred_parameters":
            bind_names(named(written), arguments, scope)
        else:
            bind(self, parameters_of(closure.node), arguments, scope)
        self.depth += 1
        try:
            if body is None or body.type != "block":
                return self.value(body, scope)
            return returned_of(block(self, body, scope), nothing=UNKNOWN)
        finally:
            self.depth -= 1


def _place(method: Method) -> tuple[str, int, int]:
    return method.owner.source.file, method.node.start_byte, method.node.end_byte
