"""Evaluate the Python of a tree far enough to see which objects it builds, without running any of it.

Module bodies are evaluated as imports reach them, functions as calls do: so prefixes from constants, routers in loops, factories and
registrations across files need no rules of their own. What cannot be told becomes `UNKNOWN`, of which nothing follows. Where the branch taken is not
known, both are evaluated, the first one last, so that its bindings stay.

Here is what an evaluation knows, and where its recursion closes: an expression may call a function, whose body is statements, which are made
of expressions. What each of them means is in `python_statements.py`, `python_expressions.py`, `python_names.py` and `python_calls.py`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from .budget import Budget
from .python_expressions import value
from .python_project import Module, Project
from .python_statements import run
from .python_values import Class, External, Function, Member, Object, Pending, Scope, Table
from .values import UNKNOWN, Site, Value, is_known

MAX_STEPS = 1_500_000
"""For evaluating the tree, and as many again for the readers."""
MAX_STEPS_AT_ONCE = 200_000
"""For one module, function or reader."""
MAX_CALL_DEPTH = 30
MAX_CALLS_OF_A_FUNCTION = 500
# Servers and process managers are pointed at these names; starting with them meets imports in the order of the real start.
_ENTRY_NAMES = ("__main__", "main", "app", "application", "server", "run", "wsgi", "asgi", "manage", "settings")
# Decorators by which a framework is told to call a function at its start.
_STARTUP_HOOKS = (
    "on_event",
    "before_first_request",
    "before_serving",
    "listener",
    "before_server_start",
    "main_process_start",
)
# Words of a source, but not those that a definition introduces.
_USED_NAMES = re.compile(rb"(?<!def )\b[A-Za-z_]\w*")


class Evaluation:
    """A tree, evaluated: the namespaces of its modules and all objects that were made."""

    def __init__(self, tree: Path, mentions: Iterable[str]) -> None:
        """Evaluate the modules whose source mentions one of `mentions`, what these import, and what imports them."""
        self.project = Project(tree)
        self.objects: list[Object] = []
        self.scopes: dict[tuple[str, ...], Scope] = {}
        self.functions: list[Function] = []
        """Every function defined in a module or in another function."""
        self.budget = Budget(MAX_STEPS, at_once=MAX_STEPS_AT_ONCE)
        self._running: list[Function] = []
        self._speculation = 0
        """Which function is being called that nobody called; 0 for none."""
        concerned = self.project.concerned(mentions)
        for module in sorted((self.project.modules[parts] for parts in concerned), key=_entry_order):
            self.scope(module)
        self._call_what_nobody_called()
        self.budget.renew()

    # What the readers of frameworks ask.

    def instances(self, packages: tuple[str, ...], names: tuple[str, ...]) -> list[Object]:
        return [one for one in self.objects if one.isa(packages, names)]

    def module_named(self, name: str) -> Module | None:
        return self.project.absolute(Module(()), name)

    def scope(self, module: Module) -> Scope:
        """The namespace of a module, which is evaluated on first use."""
        scope = self.scopes.get(module.parts)
        if scope is None:
            names: dict[str, Value] = {"__name__": ".".join(module.parts), "__file__": module.file}
            scope = self.scopes[module.parts] = Scope(module, names=names)
            with self.budget.allowance():
                run(self, self.project.syntax(module).body, scope)
        return scope

    def resolved(self, value: Value) -> Value:
        """The value behind a name that was imported before its module had it."""
        for _ in range(10):
            if not isinstance(value, Pending):
                return value
            names = self.scope(value.module).names
            value = names.get(value.name) or self.project.child(value.module, value.name) or UNKNOWN
        return UNKNOWN

    def items(self, value: Value) -> Iterator[Value]:
        """The leaves of a list of lists, each resolved. Each list is opened once: it may be in itself."""
        opened: set[int] = set()
        pending = [value]
        while pending:
            one = self.resolved(pending.pop())
            self.budget.spend()
            if not isinstance(one, list | tuple | set | frozenset):
                if is_known(one):
                    yield one
            elif id(one) not in opened:
                opened.add(id(one))
                pending += reversed(list(one))

    # What the parts of the language ask.

    def make(
        self, kind: External | Class | Member, args: tuple[Value, ...], keywords: dict[str, Value], site: Site
    ) -> Object:
        """The object that a call gives. A call of an object's member is noted by the object, unless another speculation made that."""
        made = Object(kind, args, keywords, site, self._speculation)
        self.objects.append(made)
        if isinstance(kind, Member) and isinstance(kind.owner, Object) and kind.owner.born >= self._speculation:
            kind.owner.events.append(made)
        return made

    def call_function(self, function: Function, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
        """What a function of the tree gives; unknown if it is running already."""
        function.calls += 1
        is_deep = len(self._running) >= MAX_CALL_DEPTH or function.calls > MAX_CALLS_OF_A_FUNCTION
        if is_deep or function in self._running:
            return UNKNOWN
        scope = Scope(
            function.scope.module, parent=function.scope, function=function, receiver=args[0] if args else None
        )
        _bind_parameters(self, function, args, keywords, scope)
        if isinstance(function.node, ast.Lambda):
            return value(self, function.node.body, scope)
        returned: list[Value] = []
        self._running.append(function)
        try:
            run(self, function.node.body, scope, returned)
        finally:
            self._running.pop()
        known = [one for one in returned if is_known(one)]
        return known[-1] if known else UNKNOWN if UNKNOWN in returned else None

    def _call_what_nobody_called(self) -> None:
        """Factories that only a server's command line names (`uvicorn app:create_app --factory`).

        They are called with unknown arguments, and what they do counts on objects that they make themselves: a function that would
        register a route on an existing application, and is never called, registers nothing. Those that no code names come first,
        because the others may be parts of these.
        """
        for function in list(self.functions):
            if _is_startup_hook(function) and not function.calls:
                with self.budget.allowance():
                    self.call_function(function, (), {})
        sources = {function.scope.module.source for function in self.functions}
        used = {word.decode() for source in sources for word in set(_USED_NAMES.findall(source))}
        for speculation, function in enumerate(sorted(self.functions, key=lambda one: one.name in used), start=1):
            if not function.calls and not function.decorations and function.scope.parent is None:
                self._speculation = speculation
                with self.budget.allowance():
                    self.call_function(function, (), {})
                self._speculation = 0


def _bind_parameters(
    evaluation: Evaluation, function: Function, args: tuple[Value, ...], keywords: dict[str, Value], scope: Scope
) -> None:
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults)) + list(spec.defaults)
    for position, (parameter, default) in enumerate(
        [*zip(positional, defaults, strict=True), *zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    ):
        if position < len(positional) and position < len(args):
            given = args[position]
        elif parameter.arg in keywords:
            given = keywords[parameter.arg]
        else:
            given = UNKNOWN if default is None else value(evaluation, default, function.scope)
        scope.names[parameter.arg] = given
    if spec.vararg:
        scope.names[spec.vararg.arg] = args[len(positional) :]
    if spec.kwarg:
        rest = Table()
        rest.update({key: given for key, given in keywords.items() if key not in scope.names})
        scope.names[spec.kwarg.arg] = rest


def _entry_order(module: Module) -> tuple[bool, int, tuple[str, ...]]:
    name = module.parts[-1] if module.parts else "__main__"
    return name not in _ENTRY_NAMES, len(module.parts), module.parts


def _is_startup_hook(function: Function) -> bool:
    """Whether it is decorated with `@app.on_event(...)` or the like."""
    return any(
        isinstance(one, Object) and isinstance(one.kind, Member) and one.kind.name in _STARTUP_HOOKS
        for one in function.decorations
    )
