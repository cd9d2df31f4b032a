"""Evaluate the Python of a tree far enough to see which objects it builds, without running any of it.

Module bodies are evaluated as imports reach them, functions as calls do: so prefixes from constants, routers in loops, factories and
registrations across files need no rules of their own. What cannot be told becomes `UNKNOWN`, of which nothing follows. Where the branch taken is not
known, both are evaluated, the first one last, so that its bindings stay.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .python_builtins import (
    BUILTINS,
    MAX_ITEMS,
    MAX_TEXT,
    METHODS,
    Reply,
    bounded,
    default_of_a_setting,
    percent,
    total,
)
from .python_project import Module, Project
from .python_values import (
    UNKNOWN,
    Bound,
    Class,
    External,
    Function,
    Member,
    Object,
    Pending,
    Scope,
    Site,
    Super,
    Table,
    Value,
)

MAX_STEPS = 1_500_000
MAX_STEPS_AT_ONCE = 200_000
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


class _Exhausted(Exception):
    """More evaluation is asked for than any service needs."""


class Evaluation:
    """A tree, evaluated: the namespaces of its modules and all objects that were made."""

    def __init__(self, tree: Path, mentions: Iterable[str]) -> None:
        """Evaluate the modules whose source mentions one of `mentions`, what these import, and what imports them."""
        self.project = Project(tree)
        self.objects: list[Object] = []
        self.scopes: dict[tuple[str, ...], Scope] = {}
        self._steps = 0
        self._left = MAX_STEPS_AT_ONCE
        self._stack: list[Function] = []
        self._functions: list[Function] = []
        self._speculation = 0
        concerned = self.project.concerned(mentions)
        for module in sorted((self.project.modules[parts] for parts in concerned), key=_entry_order):
            self.scope(module)
        self._call_what_nobody_called()
        self._steps = 0

    # What the readers of frameworks ask.

    def instances(self, packages: tuple[str, ...], names: tuple[str, ...]) -> list[Object]:
        return [one for one in self.objects if one.isa(packages, names)]

    def spend(self) -> None:
        """One step of work; bounds what a tree can make us do."""
        self._steps += 1
        self._left -= 1
        if self._left < 0 or self._steps > MAX_STEPS:
            raise _Exhausted

    @contextmanager
    def allowance(self) -> Iterator[None]:
        """Steps for one module, function or reader. What uses them up ends there, and keeps nothing else from having its own."""
        outer, self._left = self._left, MAX_STEPS_AT_ONCE
        try:
            yield
        except _Exhausted:
            pass
        finally:
            self._left = outer

    def module_named(self, name: str) -> Module | None:
        return self.project.absolute(Module(()), name)

    def scope(self, module: Module) -> Scope:
        """The namespace of a module, which is evaluated on first use."""
        scope = self.scopes.get(module.parts)
        if scope is None:
            scope = self.scopes[module.parts] = Scope(
                {"__name__": ".".join(module.parts), "__file__": module.file}, module
            )
            with self.allowance():
                self._run(self.project.syntax(module).body, scope)
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
        """The leaves of a list of lists, each resolved."""
        value = self.resolved(value)
        self.spend()
        if isinstance(value, list | tuple | set | frozenset):
            for one in value:
                yield from self.items(one)
        elif value is not UNKNOWN and value is not None:
            yield value

    # Statements. Each `_run` tells whether the statements after it are cut off by a return, raise, break or continue.

    def _run(self, body: Sequence[ast.stmt], scope: Scope, returned: list[Value] | None = None) -> bool:
        returned = [] if returned is None else returned
        for statement in body:
            self.spend()
            try:
                if self._statement(statement, scope, returned):
                    return True
            except RecursionError:
                continue
        return False

    def _statement(self, node: ast.stmt, scope: Scope, returned: list[Value]) -> bool:
        match node:
            case ast.Expr(value=value):
                self.value(value, scope)
            case ast.Assign(targets=targets, value=value):
                result = self.value(value, scope)
                for target in targets:
                    self._bind(target, result, scope)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._bind(target, self.value(value, scope), scope)
            case ast.AugAssign(target=target, op=ast.Add(), value=value):
                self._bind(target, total(self.value(target, scope), self.value(value, scope)), scope)
            case ast.Import(names=names):
                for alias in names:
                    self._import(alias, scope)
            case ast.ImportFrom():
                self._import_from(node, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define_function(node, scope)
            case ast.ClassDef():
                self._define_class(node, scope)
            case ast.Return(value=value):
                returned.append(None if value is None else self.value(value, scope))
                return True
            case ast.Raise() | ast.Break() | ast.Continue():
                return True
            case ast.If():
                return self._branch(node, scope, returned)
            case ast.For() | ast.AsyncFor():
                for item in self._iterated(self.value(node.iter, scope)):
                    self._bind(node.target, item, scope)
                    self._run(node.body, scope, returned)
                self._run(node.orelse, scope, returned)
            case ast.While(test=test, body=body):
                self.value(test, scope)
                self._run(body, scope, returned)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    entered = self.value(item.context_expr, scope)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, entered, scope)
                return self._run(body, scope, returned)
            case ast.Try() | ast.TryStar():
                for handler in node.handlers:
                    self._run(handler.body, scope, returned)
                ended = self._run(node.body, scope, returned) or self._run(node.orelse, scope, returned)
                self._run(node.finalbody, scope, returned)
                return ended and all(_ends(handler.body) for handler in node.handlers)
            case ast.Match(subject=subject, cases=cases):
                self.value(subject, scope)
                for case in reversed(cases):
                    self._run(case.body, scope, returned)
            case ast.Global(names=names):
                scope.globals.update(names)
            case _:
                pass
        return False

    def _branch(self, node: ast.If, scope: Scope, returned: list[Value]) -> bool:
        known = _known_test(node.test)
        if known is not None:
            return self._run(node.body if known else node.orelse, scope, returned)
        self.value(node.test, scope)
        other_ends = self._run(node.orelse, scope, returned)
        return self._run(node.body, scope, returned) and other_ends

    def _bind(self, target: ast.expr, value: Value, scope: Scope) -> None:
        match target:
            case ast.Name(id=name):
                self._home(name, scope)[name] = value
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                items = list(value) if isinstance(value, list | tuple) else []
                for position, one in enumerate(elts):
                    self._bind(one, items[position] if position < len(items) else UNKNOWN, scope)
            case ast.Starred(value=inner):
                self._bind(inner, UNKNOWN, scope)
            case ast.Attribute(value=inner, attr=name):
                owner = self.value(inner, scope)
                if isinstance(owner, Object | Class):
                    owner.attributes[name] = value
                elif isinstance(owner, Module):
                    self.scope(owner).names[name] = value
            case ast.Subscript(value=inner, slice=index):
                owner, key = self.value(inner, scope), self.value(index, scope)
                if isinstance(owner, Table) and isinstance(key, str | int) and len(owner) < MAX_ITEMS:
                    owner[key] = value
                    owner.sites[key] = self._site(target, scope)
            case _:
                pass

    def _home(self, name: str, scope: Scope) -> dict[str, Value]:
        return self.scope(scope.module).names if name in scope.globals else scope.names

    def _define_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        function = Function(node, scope)
        if not scope.is_class:
            self._functions.append(function)
        scope.names[node.name] = function
        self._decorate(function, node.decorator_list, scope)
        scope.names[node.name] = function

    def _define_class(self, node: ast.ClassDef, scope: Scope) -> None:
        inner = Scope({}, scope.module, scope, is_class=True)
        bases = tuple(self.value(base, scope) for base in node.bases)
        defined = Class(node.name, bases, inner.names, self._site(node, scope))
        self._run(node.body, inner)
        for value in list(inner.names.values()):
            if isinstance(value, Function) and value.owner is None:
                value.owner = defined
        scope.names[node.name] = defined
        self._decorate(defined, node.decorator_list, scope)

    def _decorate(self, target: Function | Class, decorators: list[ast.expr], scope: Scope) -> None:
        for expression in reversed(decorators):
            decorator = self.value(expression, scope)
            target.decorations.append(decorator)
            if isinstance(decorator, Object):
                decorator.applied.append(target)
            elif isinstance(decorator, Function | Bound | Member):
                self.call(decorator, (target,), {}, self._site(expression, scope))

    # Imports.

    def _import(self, alias: ast.alias, scope: Scope) -> None:
        module = self.project.absolute(scope.module, alias.name)
        if module is None:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            scope.names[alias.asname or name] = External(name)
            return
        self.scope(module)
        depth = alias.name.count(".")
        top = self.project.modules[module.parts[: len(module.parts) - depth]]
        self.scope(top)
        scope.names[alias.asname or alias.name.partition(".")[0]] = module if alias.asname else top

    def _import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        name = node.module or ""
        find = (
            self.project.relative(scope.module, node.level, name)
            if node.level
            else self.project.absolute(scope.module, name)
        )
        for alias in node.names:
            if find is None:
                if alias.name != "*":
                    scope.names[alias.asname or alias.name] = (
                        UNKNOWN if node.level else External(f"{name}.{alias.name}")
                    )
            elif alias.name == "*":
                names = self.scope(find).names
                listed = names.get("__all__")
                public = (
                    listed if isinstance(listed, list | tuple) else [one for one in names if not one.startswith("_")]
                )
                scope.names.update({one: names[one] for one in public if isinstance(one, str) and one in names})
            else:
                scope.names[alias.asname or alias.name] = self._attribute(find, alias.name, pending=True)

    # Expressions.

    def value(self, node: ast.expr | None, scope: Scope) -> Value:
        self.spend()
        match node:
            case ast.Constant(value=constant):
                return UNKNOWN if isinstance(constant, str) and len(constant) > MAX_TEXT else constant
            case ast.Name(id=name):
                return self.resolved(self._name(name, scope))
            case ast.Attribute(value=inner, attr=name):
                return self.resolved(self._attribute(self.value(inner, scope), name))
            case ast.Call():
                return self._call(node, scope)
            case ast.JoinedStr(values=values):
                return self._joined(values, scope)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return total(self.value(left, scope), self.value(right, scope))
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                return percent(self.value(left, scope), self.value(right, scope))
            case ast.List(elts=elts):
                return self._elements(elts, scope)
            case ast.Tuple(elts=elts):
                return tuple(self._elements(elts, scope))
            case ast.Set(elts=elts):
                # A tuple: members need not be hashable, and the order of a set literal is the order of its routes.
                return tuple(self._elements(elts, scope))
            case ast.Dict(keys=keys, values=values):
                return self._table(keys, values, scope)
            case ast.Subscript(value=inner, slice=index):
                return self._item(self.value(inner, scope), index, scope)
            case ast.BoolOp(values=values):
                results = [self.value(one, scope) for one in values]
                known = [one for one in results if one is not UNKNOWN and one is not None]
                return known[0] if known else UNKNOWN
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.value(test, scope)
                other, one = self.value(orelse, scope), self.value(body, scope)
                return other if one is UNKNOWN or one is None else one
            case ast.NamedExpr(target=target, value=inner):
                result = self.value(inner, scope)
                self._bind(target, result, scope)
                return result
            case ast.Await(value=inner):
                return self.value(inner, scope)
            case ast.Lambda():
                return Function(node, scope)
            case (
                ast.ListComp(elt=element, generators=generators) | ast.GeneratorExp(elt=element, generators=generators)
            ):
                return self._comprehended(element, generators, scope)
            case ast.SetComp(elt=element, generators=generators):
                return self._comprehended(element, generators, scope)
            case ast.Compare(left=left, comparators=comparators):
                for one in (left, *comparators):
                    self.value(one, scope)
                return UNKNOWN
            case _:
                return UNKNOWN

    def _name(self, name: str, scope: Scope) -> Value:
        at: Scope | None = scope
        while at is not None:
            # A class's names are not seen from its methods.
            if name in at.names and (at is scope or not at.is_class):
                return at.names[name]
            at = at.parent
        module = self.scope(scope.module).names
        if name in module:
            return module[name]
        return External(f"builtins.{name}") if hasattr(builtins, name) else UNKNOWN

    def _attribute(self, owner: Value, name: str, *, pending: bool = False) -> Value:
        match owner:
            case Module():
                names = self.scope(owner).names
                if name in names:
                    return names[name]
                child = self.project.child(owner, name)
                if child is not None:
                    self.scope(child)
                    return child
                return Pending(owner, name) if pending else UNKNOWN
            case External(name=outer):
                return External(f"{outer}.{name}")
            case Object():
                return self._object_attribute(owner, name)
            case Class():
                found = owner.lookup(name, owner)
                if found is not owner:
                    return default_of_a_setting(found)
                return Member(owner, name) if owner.externals() else UNKNOWN
            case Member():
                return Member(owner.owner, f"{owner.name}.{name}") if len(owner.name) < MAX_TEXT else UNKNOWN
            case Function():
                return Member(owner, name)
            case Super(above=above, receiver=receiver):
                found = above.lookup(name, above)
                if isinstance(found, Function):
                    return Bound(found, receiver)
                return Member(receiver, name) if found is above and above.externals() else UNKNOWN
            case str() | list() | tuple() | dict() if name in METHODS.get(
                type(owner), METHODS[dict] if isinstance(owner, dict) else {}
            ):
                return Member(owner, name)
            case _:
                return UNKNOWN

    def _object_attribute(self, owner: Object, name: str) -> Value:
        if name in owner.attributes:
            return owner.attributes[name]
        if not isinstance(owner.kind, Class):
            return Member(owner, name)
        found = owner.kind.lookup(name, owner)
        if isinstance(found, Function):
            kinds = [one.name for one in found.decorations if isinstance(one, External)]
            if any(kind.endswith(("property", "cached_property")) for kind in kinds):
                return self.call(Bound(found, owner), (), {}, found.site)
            return found if "builtins.staticmethod" in kinds else Bound(found, owner)
        if found is not owner:
            return default_of_a_setting(found)
        return Member(owner, name) if owner.kind.externals() else UNKNOWN

    def _joined(self, values: list[ast.expr], scope: Scope) -> Value:
        parts: list[str] = []
        for one in values:
            plain = not isinstance(one, ast.FormattedValue) or (one.format_spec is None and one.conversion == -1)
            part = self.value(one.value if isinstance(one, ast.FormattedValue) else one, scope)
            if not plain or not isinstance(part, str | int):
                return UNKNOWN
            parts.append(str(part))
        return bounded("".join(parts))

    def _elements(self, elts: list[ast.expr], scope: Scope) -> list[Value]:
        items: list[Value] = []
        for one in elts[:MAX_ITEMS]:
            if isinstance(one, ast.Starred):
                inner = self.value(one.value, scope)
                items.extend(inner if isinstance(inner, list | tuple) else [inner])
            else:
                items.append(self.value(one, scope))
        return items[:MAX_ITEMS]

    def _table(self, keys: Sequence[ast.expr | None], values: list[ast.expr], scope: Scope) -> Table:
        table = Table()
        for key_node, value_node in zip(keys, values, strict=True):
            result = self.value(value_node, scope)
            if key_node is None:
                if isinstance(result, Table):
                    table.update(result)
                    table.sites.update(result.sites)
            else:
                key = self.value(key_node, scope)
                if isinstance(key, str | int):
                    table[key] = result
                    table.sites[key] = self._site(key_node, scope)
        return table

    def _item(self, owner: Value, index: ast.expr, scope: Scope) -> Value:
        if isinstance(owner, External) and owner.name == "os.environ":
            return UNKNOWN
        if isinstance(index, ast.Slice):
            bounds = [None if one is None else self.value(one, scope) for one in (index.lower, index.upper, index.step)]
            if isinstance(owner, str | list | tuple) and all(
                one is None or (isinstance(one, int) and one) for one in bounds
            ):
                return owner[slice(*bounds)]
            return UNKNOWN
        key = self.value(index, scope)
        if isinstance(owner, list | tuple) and isinstance(key, int) and -len(owner) <= key < len(owner):
            return owner[key]
        if isinstance(owner, Table) and isinstance(key, str | int):
            return owner.get(key, UNKNOWN)
        return UNKNOWN

    def _comprehended(self, element: ast.expr, generators: list[ast.comprehension], scope: Scope) -> list[Value]:
        inner = Scope({}, scope.module, scope)
        results: list[Value] = []

        def loop(remaining: list[ast.comprehension]) -> None:
            if not remaining:
                if len(results) < MAX_ITEMS:
                    results.append(self.value(element, inner))
                return
            for item in self._iterated(self.value(remaining[0].iter, inner)):
                self._bind(remaining[0].target, item, inner)
                loop(remaining[1:])

        loop(generators)
        return results

    def _iterated(self, value: Value) -> list[Value]:
        """What a loop goes over; a loop over something unknown is gone through once."""
        return list(value)[:MAX_ITEMS] if isinstance(value, list | tuple | dict) else [UNKNOWN]

    # Calls.

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        args: list[Value] = self._elements(node.args, scope)
        keywords: dict[str, Value] = {}
        for one in node.keywords:
            result = self.value(one.value, scope)
            if one.arg is not None:
                keywords[one.arg] = result
            elif isinstance(result, dict):
                keywords.update({key: value for key, value in result.items() if isinstance(key, str)})
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return self._super(scope)
        return self.call(self.value(node.func, scope), tuple(args), keywords, self._site(node, scope))

    def call(self, target: Value, args: tuple[Value, ...], keywords: dict[str, Value], site: Site) -> Value:
        match target:
            case Function():
                return self._call_function(target, args, keywords)
            case Bound(function=function, receiver=receiver):
                return self._call_function(function, (receiver, *args), keywords)
            case Class():
                made = self._made(target, args, keywords, site)
                initialise = target.lookup("__init__")
                if isinstance(initialise, Function):
                    self._call_function(initialise, (made, *args), keywords)
                else:
                    made.attributes.update(keywords)
                return made
            case External(name=name):
                reply = self._builtin(name, args, keywords)
                return self._made(target, args, keywords, site) if reply is None else reply.value
            case Member(owner=owner, name=name):
                if isinstance(owner, str | list | tuple | dict):
                    kind = dict if isinstance(owner, dict) else type(owner)
                    return METHODS[kind][name](owner, args, keywords)
                event = self._made(target, args, keywords, site)
                if isinstance(owner, Object) and owner.born >= self._speculation:
                    owner.events.append(event)
                return event
            case Object():
                # A call of what a call returned: a decorator, or a wrapper of a view.
                for one in args:
                    if isinstance(one, Function | Class | Bound | Object):
                        target.applied.append(one)
                        return one
                return UNKNOWN
            case _:
                return UNKNOWN

    def _made(
        self, kind: External | Class | Member, args: tuple[Value, ...], keywords: dict[str, Value], site: Site
    ) -> Object:
        made = Object(kind, args, keywords, site, self._speculation)
        self.objects.append(made)
        return made

    def _call_function(self, function: Function, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
        function.calls += 1
        busy = function in self._stack or len(self._stack) >= MAX_CALL_DEPTH or function.calls > MAX_CALLS_OF_A_FUNCTION
        if busy:
            return UNKNOWN
        inner = Scope({}, function.scope.module, function.scope, function=function, receiver=args[0] if args else None)
        self._bind_parameters(function, args, keywords, inner)
        if isinstance(function.node, ast.Lambda):
            return self.value(function.node.body, inner)
        self._stack.append(function)
        try:
            returned: list[Value] = []
            self._run(function.node.body, inner, returned)
        finally:
            self._stack.pop()
        known = [one for one in returned if one is not UNKNOWN and one is not None]
        return known[-1] if known else UNKNOWN if UNKNOWN in returned else None

    def _bind_parameters(
        self, function: Function, args: tuple[Value, ...], keywords: dict[str, Value], inner: Scope
    ) -> None:
        spec = function.node.args
        positional = [*spec.posonlyargs, *spec.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults)) + list(spec.defaults)
        for position, (parameter, default) in enumerate(
            [*zip(positional, defaults, strict=True), *zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
        ):
            if position < len(positional) and position < len(args):
                value = args[position]
            elif parameter.arg in keywords:
                value = keywords[parameter.arg]
            else:
                value = UNKNOWN if default is None else self.value(default, function.scope)
            inner.names[parameter.arg] = value
        if spec.vararg:
            inner.names[spec.vararg.arg] = args[len(positional) :]
        if spec.kwarg:
            rest = Table()
            rest.update({key: value for key, value in keywords.items() if key not in inner.names})
            inner.names[spec.kwarg.arg] = rest

    def _super(self, scope: Scope) -> Value:
        at: Scope | None = scope
        while at is not None and (at.function is None or at.function.owner is None):
            at = at.parent
        if at is None or at.function is None or at.function.owner is None or not isinstance(at.receiver, Object):
            return UNKNOWN
        above = Class("super", at.function.owner.bases, {}, at.function.owner.site)
        return Super(above, at.receiver)

    def _builtin(self, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Reply | None:
        if name == "builtins.getattr" and len(args) >= 2 and isinstance(args[1], str):
            return Reply(self.resolved(self._attribute(args[0], args[1])))
        if name == "importlib.import_module" and args and isinstance(args[0], str):
            module = self.module_named(args[0])
            if module is not None:
                self.scope(module)
            return Reply(UNKNOWN if module is None else module)
        evaluate: Callable[..., Reply | None] | None = BUILTINS.get(name)
        return None if evaluate is None else evaluate(args, keywords)

    def _call_what_nobody_called(self) -> None:
        """Factories that only a server's command line names (`uvicorn app:create_app --factory`).

        They are called with unknown arguments, and what they do counts on objects that they make themselves: a function that would
        register a route on an existing application, and is never called, registers nothing. Those that no code names come first,
        because the others may be parts of these.
        """
        for function in list(self._functions):
            hooks = (
                one.name for one in function.decorations if isinstance(one, Object) and isinstance(one.kind, Member)
            )
            if any(hook in _STARTUP_HOOKS for hook in hooks) and not function.calls:
                with self.allowance():
                    self._call_function(function, (), {})
        sources = {function.scope.module.source for function in self._functions}
        named = {word.decode() for source in sources for word in set(_USED_NAMES.findall(source))}
        for speculation, function in enumerate(sorted(self._functions, key=lambda one: one.name in named), start=1):
            if not function.calls and not function.decorations and function.scope.parent is None:
                self._speculation = speculation
                with self.allowance():
                    self._call_function(function, (), {})
                self._speculation = 0

    def _site(self, node: ast.AST, scope: Scope) -> Site:
        return Site(scope.module.file, getattr(node, "lineno", 1))


def _entry_order(module: Module) -> tuple[bool, int, tuple[str, ...]]:
    name = module.parts[-1] if module.parts else "__main__"
    return name not in _ENTRY_NAMES, len(module.parts), module.parts


def _known_test(test: ast.expr) -> bool | None:
    """What a condition certainly is: only literals and `TYPE_CHECKING`, because a variable may be set from anywhere."""
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            known = _known_test(operand)
            return None if known is None else not known
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return False
        case _:
            return None


def _ends(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(one, ast.Return | ast.Raise | ast.Continue | ast.Break) for one in body)
