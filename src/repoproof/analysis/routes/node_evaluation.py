"""Evaluates JavaScript as far as routes need it: names, imports, strings, arrays, objects, and calls of the functions of the tree.

Nothing is run. Both branches of a condition are taken unless it is a constant, a loop over a known array is taken for each element,
any other loop once; what cannot be told is `UNKNOWN`. Functions that are handed to unknown code (`connect().then(() => ...)`) are called
with unknown arguments. Steps, call depth and sizes are capped, so that no source can make this slow.

Here is what an evaluation knows, and where its recursion closes: an expression may call a function, whose body is statements, which are made
of expressions. What each of them means is in `node_statements.py`, `node_patterns.py`, `node_expressions.py`, `node_calls.py` and
`node_classes.py`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from tree_sitter import Node

from .budget import MAX_CALL_DEPTH, Budget, OutOfSteps
from .node_classes import instance, static_member
from .node_expressions import EXPRESSIONS
from .node_library import LIBRARY
from .node_patterns import bind_parameters
from .node_project import Module, Project
from .node_statements import block
from .node_syntax import FUNCTIONS
from .node_values import Class, Function, Native, Scope
from .values import UNKNOWN, Site, Value, returned_of

MAX_STEPS = 300_000
MAX_CALLS_OF_ONE_FUNCTION = 200


class Evaluation:
    """The modules of one project, each evaluated once, when it is first imported."""

    def __init__(self, project: Project, packages: Mapping[str, Value]) -> None:
        self.project = project
        self.packages = {**LIBRARY, **packages}
        self.applications: list[Any] = []
        self.functions: list[Function] = []
        """Every function met, in order."""
        self.modules: dict[Module, dict[str, Value]] = {}
        """What is called `module` in each: it holds the exports."""
        self.budget = Budget(MAX_STEPS)
        self._depth = 0

    # What frameworks ask.

    def exports(self, module: Module) -> Value:
        """What `require` of the module gives. In a circle of imports: what it has exported so far."""
        if module.file.endswith(".json"):
            return module.data
        if module not in self.modules:
            exported: dict[str, Value] = {}
            self.modules[module] = {"exports": exported}
            places = {"__dirname": "/" + posixpath.dirname(module.file), "__filename": "/" + module.file}
            scope = Scope(module, names={"module": self.modules[module], "exports": exported, **places})
            if module.syntax is not None:
                with suppress(OutOfSteps):
                    block(self, module.syntax, scope)
        return self.modules[module]["exports"]

    def decorator(self, node: Node, scope: Scope) -> Value:
        """What the expression of a decorator means, which nothing but a framework asks for."""
        with suppress(OutOfSteps, RecursionError):
            return self.value(node, scope)
        return UNKNOWN

    def call(self, function: Value, arguments: Sequence[Value], site: Site, this: Value = UNKNOWN) -> Value:
        """What calling `function` gives; one that is not known may call whatever functions it is given."""
        if isinstance(function, Function):
            return self.call_function(function, arguments, this)
        if isinstance(function, Class):
            return self.construct(function, arguments)
        if isinstance(function, Native):
            return function.call(arguments, site, self)
        if function is UNKNOWN:
            for argument in arguments:
                if isinstance(argument, Function):
                    self.call_function(argument, [], UNKNOWN)
        return UNKNOWN

    # What the parts of the language ask.

    def value(self, node: Node | None, scope: Scope) -> Value:
        """What an expression means; `UNKNOWN` for one that is not there."""
        if node is None:
            return UNKNOWN
        self.budget.spend()
        if node.type in FUNCTIONS:
            return self.function(node, scope)
        evaluate = EXPRESSIONS.get(node.type)
        return evaluate(self, node, scope) if evaluate else UNKNOWN

    def require(self, name: Value, importer: Module) -> Value:
        """What the module or package exports that `importer` calls `name`."""
        if not isinstance(name, str):
            return UNKNOWN
        name = name.removeprefix("node:")
        module = self.project.resolve(importer, name)
        if module is not None and (name.startswith((".", "/")) or name not in self.packages):
            return self.exports(module)
        return self.packages.get(name, UNKNOWN)

    def member(self, owner: Value, name: str) -> Value:
        """What `owner.name` holds."""
        if isinstance(owner, dict):
            return owner.get(name, UNKNOWN)
        if isinstance(owner, Class):
            return static_member(self, owner, name)
        if isinstance(owner, Function):
            return owner.properties.get(name, UNKNOWN)
        return owner.member(name) if isinstance(owner, Native) else UNKNOWN

    def function(self, node: Node, scope: Scope) -> Function:
        self.functions.append(Function(node, scope))
        return self.functions[-1]

    def call_function(self, function: Function, arguments: Sequence[Value], this: Value) -> Value:
        function.calls += 1
        if function.calls > MAX_CALLS_OF_ONE_FUNCTION or self._depth >= MAX_CALL_DEPTH:
            return UNKNOWN
        is_arrow = function.node.type == "arrow_function"
        scope = function.scope.inner(this=None if is_arrow else this)
        if not is_arrow:
            scope.names["arguments"] = list(arguments)
        self._depth += 1
        try:
            bind_parameters(self, function.node, arguments, scope)
            body = function.node.child_by_field_name("body")
            if body is None or body.type != "statement_block":
                return self.value(body, scope)
            return returned_of(block(self, body, scope), nothing=None)
        finally:
            self._depth -= 1

    def construct(self, made: Class, arguments: Sequence[Value]) -> Value:
        """What `new` makes of a class."""
        if self._depth >= MAX_CALL_DEPTH:
            return UNKNOWN
        self._depth += 1
        try:
            return instance(self, made, arguments)
        finally:
            self._depth -= 1
