"""Evaluates Java as far as routes need it: constants, fields, lists and maps, lambdas, and calls of the methods of the tree.

Nothing is run. Both branches of a condition are taken unless it is a constant, a loop over a known list is taken for each element,
any other loop once; what cannot be told is `UNKNOWN`. A field or parameter that somebody else fills (injection) holds an instance of
its declared type where that is one of the tree. Steps, call depth and sizes are capped, so that no source can make this slow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from tree_sitter import Node

from .java_library import MAX_ELEMENTS, added, method_of_list, method_of_map, method_of_text
from .java_project import JavaProject, JavaType, Method
from .java_syntax import line_of, named, parameter_name, parameter_type, parameters_of, string_of, text_of, type_name
from .java_values import UNKNOWN, Bound, Closure, Made, Native, NativeClass, Scope, Site, TypeName, Value

MAX_STEPS = 300_000
"""For whatever a reader asks for at once."""
MAX_STEPS_IN_ALL = 2_000_000
MAX_CALL_DEPTH = 25
MAX_CALLS_OF_ONE_METHOD = 200
MAX_EXPRESSION_DEPTH = 150

_LOOPS = frozenset(("for_statement", "while_statement", "do_statement"))
_PARTED = _LOOPS | {
    *("block", "constructor_body", "try_statement", "catch_clause", "finally_clause", "synchronized_statement"),
    *("switch_block", "switch_block_statement_group", "switch_rule", "labeled_statement", "switch_expression"),
    *("try_with_resources_statement", "resource_specification"),
}
"""Statements that are made of others."""


class OutOfSteps(Exception):
    """The source asks for more evaluation than any service needs."""


class Evaluation:
    """One project, evaluated from the methods that somebody asks for."""

    def __init__(self, project: JavaProject, packages: Mapping[str, NativeClass]) -> None:
        self.project = project
        self.packages = packages
        """Types outside the tree, fully qualified."""
        self.applications: list[Any] = []
        self._statics: dict[tuple[JavaType, str], Value] = {}
        self._calls: dict[tuple[str, int, int], int] = {}
        self._anonymous: dict[tuple[str, int], JavaType] = {}
        self._making: list[JavaType] = []
        self._steps = 0
        self._steps_before = 0
        self._is_asked = False
        self._depth = 0
        self._expressions = 0

    # What readers of frameworks ask for.

    def constant(self, node: Node | None, inside: JavaType) -> Value:
        """What an expression in an annotation or a field means; `UNKNOWN` if that cannot be told."""
        with self._allowance():
            return self._value(node, Scope(inside, this=None)) if node is not None else UNKNOWN
        return UNKNOWN

    def strings(self, node: Node | None, inside: JavaType) -> list[str | None]:
        """The texts of an element that holds one or several; None stands for one that cannot be told."""
        if node is None:
            return []
        value = self.constant(node, inside)
        return [one if isinstance(one, str) else None for one in (value if isinstance(value, list) else [value])]

    def instance(self, made_of: JavaType) -> Value:
        """An object of the type, made with arguments that nobody knows; of an interface, the only type that implements it."""
        with self._allowance():
            return self._instance(made_of)
        return UNKNOWN

    def _instance(self, made_of: JavaType) -> Value:
        if made_of.is_abstract:
            made_of = self._only_implementation(made_of) or made_of
        if made_of.is_abstract or made_of in self._making or len(self._making) > MAX_CALL_DEPTH:
            return UNKNOWN
        constructor = min(made_of.constructors, key=lambda one: len(one.parameters), default=None)
        count = len(constructor.parameters) if constructor else 0
        return self._construct(made_of, [UNKNOWN] * count)

    def run_method(self, method: Method, this: Value, arguments: Sequence[Value]) -> Value:
        with self._allowance():
            return self._call_method(method, arguments, this)
        return UNKNOWN

    @contextmanager
    def _allowance(self) -> Iterator[None]:
        """What a reader asks for has steps of its own, and ends, without a result, where they do."""
        if self._is_asked:
            yield
            return
        self._is_asked, self._steps, self._depth, self._expressions = True, 0, 0, 0
        self._making.clear()
        try:
            with suppress(OutOfSteps, RecursionError):
                yield
        finally:
            self._is_asked = False
            self._steps_before += self._steps

    def was_called(self, method: Method) -> bool:
        return self._key(method) in self._calls

    # What natives ask for.

    def run(self, function: Value, arguments: Sequence[Value], site: Site) -> Value:
        """What calling a lambda, a method reference or an object with one method gives."""
        match function:
            case Closure():
                return self._call_closure(function, arguments)
            case Bound(owner=TypeName(name=name), name="new"):
                made_of = self.project.types.get(name)
                return self._construct(made_of, arguments) if made_of else UNKNOWN
            case Bound(owner=TypeName() as owner, name=name):
                if arguments and self.method(owner, name, len(arguments)) is None and owner.name not in self.packages:
                    return self.invoke(arguments[0], name, arguments[1:], site)
                return self.invoke(owner, name, arguments, site)
            case Bound():
                return self.invoke(function.owner, function.name, arguments, site)
            case Made():
                own = [one for one in function.type.methods if len(one.parameters) == len(arguments)]
                return self._call_method(own[0], arguments, function) if len(own) == 1 else UNKNOWN
            case _:
                return UNKNOWN

    def method(self, owner: Value, name: str, count: int) -> Method | None:
        """The method of an object or type of the tree that a call with so many arguments reaches."""
        made_of = owner.type if isinstance(owner, Made) else None
        if isinstance(owner, TypeName):
            made_of = self.project.types.get(owner.name)
        return self._choose(made_of, name, [UNKNOWN] * count) if made_of else None

    def invoke(self, owner: Value, name: str, arguments: Sequence[Value], site: Site) -> Value:
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
                return self._invoke_made(owner, name, arguments, site)
            case TypeName():
                return self._invoke_static(owner, name, arguments, site)
            case Native():
                return owner.invoke(name, arguments, site, self)
            case Closure() | Bound():
                return self.run(owner, arguments, site)
            case _:
                return self._invoke_unknown(name, arguments, site)

    def _invoke_unknown(self, name: str, arguments: Sequence[Value], site: Site) -> Value:
        for argument in arguments:
            if isinstance(argument, Closure):
                result = self._call_closure(argument, ())
                if name == "orElseGet":
                    return result
            if isinstance(argument, Bound) and (found := self.method(argument.owner, argument.name, 0)):
                self._call_method(found, (), argument.owner)
            if name in ("getInstance", "getBean") and isinstance(argument, TypeName):  # of a container
                made_of = self.project.types.get(argument.name)
                return self.instance(made_of) if made_of is not None else UNKNOWN
        return arguments[-1] if arguments and name in ("orElse", "getOrDefault") else UNKNOWN

    def _invoke_made(self, owner: Made, name: str, arguments: Sequence[Value], site: Site) -> Value:
        found = self._choose(owner.type, name, arguments)
        if found is not None:
            return self._call_method(found, arguments, owner)
        is_record = owner.type.node.type == "record_declaration"
        if not arguments and name in owner.fields and (is_record or name == "name"):
            return owner.fields[name]
        if isinstance(owner.base, Native):
            return owner.base.invoke(name, arguments, site, self)
        return self._invoke_unknown(name, arguments, site)

    def _invoke_static(self, owner: TypeName, name: str, arguments: Sequence[Value], site: Site) -> Value:
        made_of = self.project.types.get(owner.name)
        if made_of is None:
            native = self.packages.get(owner.name)
            return native.invoke(name, arguments, site, self) if native else self._invoke_unknown(name, arguments, site)
        found = self._choose(made_of, name, arguments)
        if found is not None:
            return self._call_method(found, arguments, UNKNOWN)
        if made_of.node.type == "enum_declaration" and name == "values":
            names = [text_of(one.child_by_field_name("name")) for one in made_of.members if one.type == "enum_constant"]
            return [self._static(made_of, one) for one in names[:MAX_ELEMENTS]]
        return self._invoke_unknown(name, arguments, site)

    # Methods and objects.

    def _choose(self, made_of: JavaType, name: str, arguments: Sequence[Value]) -> Method | None:
        for holder in made_of.lineage:
            fitting = [one for one in holder.methods if one.name == name and _takes(one, len(arguments)) and one.body]
            if fitting:
                return max(fitting, key=lambda one: _fit(one, arguments))
        return None

    def _key(self, method: Method) -> tuple[str, int, int]:
        return method.owner.source.file, method.node.start_byte, method.node.end_byte

    def _call_method(self, method: Method, arguments: Sequence[Value], this: Value) -> Value:
        calls = self._calls[self._key(method)] = self._calls.get(self._key(method), 0) + 1
        if calls > MAX_CALLS_OF_ONE_METHOD or self._depth >= MAX_CALL_DEPTH or method.body is None:
            return UNKNOWN
        around = this.around if isinstance(this, Made) else None
        scope = Scope(method.owner, this, around)
        self._bind(method.parameters, arguments, scope)
        self._depth += 1
        try:
            return _result(self._block(method.body, scope))
        finally:
            self._depth -= 1

    def _call_closure(self, closure: Closure, arguments: Sequence[Value]) -> Value:
        if self._depth >= MAX_CALL_DEPTH:
            return UNKNOWN
        scope = closure.scope.inner()
        written = closure.node.child_by_field_name("parameters")
        if written is not None and written.type == "identifier":
            scope.names[text_of(written)] = arguments[0] if arguments else UNKNOWN
        elif written is not None and written.type == "inferred_parameters":
            for at, name in enumerate(named(written)):
                scope.names[text_of(name)] = arguments[at] if at < len(arguments) else UNKNOWN
        else:
            self._bind(parameters_of(closure.node), arguments, scope)
        body = closure.node.child_by_field_name("body")
        if body is None:
            return UNKNOWN
        self._depth += 1
        try:
            return _result(self._block(body, scope)) if body.type == "block" else self._value(body, scope)
        finally:
            self._depth -= 1

    def _bind(self, parameters: Sequence[Node], arguments: Sequence[Value], scope: Scope) -> None:
        for at, parameter in enumerate(parameters):
            value = arguments[at] if at < len(arguments) else UNKNOWN
            if parameter.type == "spread_parameter":
                value = list(arguments[at:])
                if len(value) == 1 and isinstance(value[0], list):
                    value = value[0]
            elif value is UNKNOWN:
                value = self._given(parameter_type(parameter), scope.inside)
            scope.names[parameter_name(parameter)] = value

    def _given(self, typed: Node | None, inside: JavaType) -> Value:
        """What somebody outside the tree may hand over for a declared type."""
        made_of = self.project.find(type_name(typed), inside) if typed is not None else None
        return self._instance(made_of) if made_of is not None else UNKNOWN

    def _construct(self, made_of: JavaType, arguments: Sequence[Value], around: Scope | None = None) -> Value:
        made = Made(made_of, around=around)
        if self._depth >= MAX_CALL_DEPTH or made_of in self._making:
            return UNKNOWN
        self._making.append(made_of)
        self._depth += 1
        try:
            self._initialise(made, made_of, arguments)
        finally:
            self._depth -= 1
            self._making.pop()
        return made

    def _initialise(self, made: Made, as_type: JavaType, arguments: Sequence[Value]) -> None:
        """The fields and the constructor of one class of the lineage, its superclass first."""
        constructor = max(
            (one for one in as_type.constructors if _takes(one, len(arguments))),
            key=lambda one: _fit(one, arguments),
            default=None,
        )
        scope = Scope(as_type, made, made.around)
        if constructor is not None:
            self._bind(constructor.parameters, arguments, scope)
        given, above = self._super_arguments(constructor, scope), self.project.types.get(as_type.superclass)
        if above is not None and self._depth < MAX_CALL_DEPTH:
            self._depth += 1
            self._initialise(made, above, given)
            self._depth -= 1
        native = self.packages.get(as_type.superclass) if above is None else None
        if native is not None and native.make is not None:
            made.base = native.make(given, Site(as_type.source.file, as_type.line), self)
            if isinstance(made.base, Native):
                made.base.made_as = made.type
        if as_type.node.type == "record_declaration":
            for at, component in enumerate(parameters_of(as_type.node)):
                made.fields[parameter_name(component)] = arguments[at] if at < len(arguments) else UNKNOWN
        for name, (declarator, typed, static) in as_type.fields.items():
            value = declarator.child_by_field_name("value")
            if not static:
                inner = Scope(as_type, made, made.around)
                made.fields[name] = self._value(value, inner) if value is not None else UNKNOWN
                if value is None and constructor is None:
                    made.fields[name] = self._given(typed, as_type)
        for member in as_type.members:
            if member.type == "block":
                self._block(member, Scope(as_type, made, made.around))
        if constructor is not None and constructor.body is not None:
            self._block(constructor.body, scope)
            for name, (_, typed, static) in as_type.fields.items():
                if not static and made.fields.get(name) is UNKNOWN:
                    made.fields[name] = self._given(typed, as_type)

    def _super_arguments(self, constructor: Method | None, scope: Scope) -> list[Value]:
        first = named(constructor.body)[:1] if constructor is not None else []
        if first and first[0].type == "explicit_constructor_invocation":
            return [self._value(node, scope) for node in named(first[0].child_by_field_name("arguments"))]
        return []

    def _only_implementation(self, above: JavaType) -> JavaType | None:
        below = [one for one in self.project.types.values() if not one.is_abstract and above in one.lineage]
        return below[0] if len(below) == 1 else None

    def _static(self, made_of: JavaType, name: str) -> Value:
        """A static field or enum constant of a type or of what it inherits from."""
        for holder in made_of.lineage:
            if (holder, name) in self._statics:
                return self._statics[holder, name]
            if name in holder.fields and holder.fields[name][2]:
                self._statics[holder, name] = UNKNOWN  # in a circle of constants
                value = holder.fields[name][0].child_by_field_name("value")
                found = self._value(value, Scope(holder, None)) if value is not None else UNKNOWN
                self._statics[holder, name] = found
                return found
            for member in holder.members if holder.node.type == "enum_declaration" else ():
                if member.type == "enum_constant" and text_of(member.child_by_field_name("name")) == name:
                    self._statics[holder, name] = UNKNOWN
                    given = named(member.child_by_field_name("arguments"))
                    made = self._construct(holder, [self._value(node, Scope(holder, None)) for node in given])
                    if isinstance(made, Made):
                        made.fields["name"] = made.fields.get("name", name)
                    self._statics[holder, name] = made
                    return made
        return UNKNOWN

    # Statements. Each gives the values returned so far.

    def _block(self, block: Node, scope: Scope) -> list[Value]:
        returned: list[Value] = []
        for statement in named(block):
            with suppress(RecursionError):  # a statement nested too deeply is passed over, the next one is not
                returned += self._statement(statement, scope)
            if statement.type in ("return_statement", "throw_statement"):
                break
        return returned

    def _statement(self, node: Node, scope: Scope) -> list[Value]:
        self._step()
        match node.type:
            case "return_statement" | "yield_statement":
                return [self._value(inside, scope) for inside in named(node)[:1]]
            case "local_variable_declaration":
                for declarator in node.children_by_field_name("declarator"):
                    value = declarator.child_by_field_name("value")
                    name = text_of(declarator.child_by_field_name("name"))
                    scope.names[name] = self._value(value, scope) if value is not None else UNKNOWN
            case "resource":
                value = node.child_by_field_name("value")
                name = text_of(node.child_by_field_name("name"))
                scope.names[name] = self._value(value, scope) if value is not None else UNKNOWN
            case "expression_statement":
                for child in named(node):
                    if child.type == "switch_expression":
                        return self._statement(child, scope)
                    self._value(child, scope)
            case "if_statement":
                return self._if(node, scope)
            case "enhanced_for_statement":
                return self._for_each(node, scope)
            case kind if kind in _PARTED:
                inner = scope.inner()
                return [value for child in named(node) for value in self._statement(child, inner)]
            case kind if kind.endswith(("_expression", "_invocation")) and kind != "parenthesized_expression":
                self._value(node, scope)
        return []

    def _if(self, node: Node, scope: Scope) -> list[Value]:
        condition = node.child_by_field_name("condition")
        value = self._value(condition, scope) if condition is not None else UNKNOWN
        branches = [] if value is False else [node.child_by_field_name("consequence")]
        branches += [] if value is True else [node.child_by_field_name("alternative")]
        return [one for branch in branches if branch is not None for one in self._statement(branch, scope.inner())]

    def _for_each(self, node: Node, scope: Scope) -> list[Value]:
        collection, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        if collection is None or body is None:
            return []
        known = self._value(collection, scope)
        returned: list[Value] = []
        for element in known[:MAX_ELEMENTS] if isinstance(known, list) else [UNKNOWN]:
            inner = scope.inner()
            if element is UNKNOWN:
                element = self._given(node.child_by_field_name("type"), scope.inside)
            inner.names[text_of(node.child_by_field_name("name"))] = element
            returned += self._statement(body, inner)
        return returned

    # Expressions.

    def _value(self, node: Node, scope: Scope) -> Value:
        self._step()
        evaluate = _EXPRESSIONS.get(node.type)
        if evaluate is None or self._expressions >= MAX_EXPRESSION_DEPTH:
            return UNKNOWN
        self._expressions += 1
        try:
            return evaluate(self, node, scope)
        finally:
            self._expressions -= 1

    def _identifier(self, node: Node, scope: Scope) -> Value:
        name = text_of(node)
        holder = scope.holder(name)
        if holder is not None:
            return holder.names[name]
        around: Scope | None = scope
        while around is not None:  # the objects around: an anonymous class sees the fields of what it was made in
            if isinstance(around.this, Made) and name in around.this.fields:
                return around.this.fields[name]
            around = around.parent
        inside: JavaType | None = scope.inside
        while inside is not None:
            if self._has_static(inside, name):
                return self._static(inside, name)
            inside = inside.outer
        return self._imported_member(name, scope.inside)

    def _has_static(self, made_of: JavaType, name: str) -> bool:
        return any(
            (name in holder.fields and holder.fields[name][2])
            or any(
                one.type == "enum_constant" and text_of(one.child_by_field_name("name")) == name
                for one in (holder.members if holder.node.type == "enum_declaration" else ())
            )
            for holder in made_of.lineage
        )

    def _imported_member(self, name: str, inside: JavaType) -> Value:
        source = inside.source
        for owner in [source.members[name]] if name in source.members else source.member_types:
            if owner in self.project.types and self._has_static(self.project.types[owner], name):
                return self._static(self.project.types[owner], name)
            if owner in self.packages and self.packages[owner].field(name) is not UNKNOWN:
                return self.packages[owner].field(name)
        named_type = self.project.qualified(name, inside)
        return TypeName(named_type) if named_type in self.project.types or named_type in self.packages else UNKNOWN

    def _field_access(self, node: Node, scope: Scope) -> Value:
        owner, member = node.child_by_field_name("object"), text_of(node.child_by_field_name("field"))
        if owner is None:
            return UNKNOWN
        if member == "this":
            return self._enclosing(text_of(owner), scope)
        holder = self._value(owner, scope)
        match holder:
            case Made():
                return holder.fields[member] if member in holder.fields else self._static(holder.type, member)
            case TypeName():
                return self._member_of_type(holder.name, member)
            case Native():
                return holder.field(member)
            case list() if member == "length":
                return len(holder)
        if holder is UNKNOWN and re.fullmatch(r"[\w.]+", text_of(owner)):
            whole = self.project.qualified(text_of(owner), scope.inside)
            if whole in self.project.types or whole in self.packages:
                return self._member_of_type(whole, member)
            if f"{whole}.{member}" in self.project.types or f"{whole}.{member}" in self.packages:
                return TypeName(f"{whole}.{member}")
        return UNKNOWN

    def _enclosing(self, name: str, scope: Scope) -> Value:
        around: Scope | None = scope
        while around is not None:
            if isinstance(around.this, Made) and around.this.type.simple_name == name:
                return around.this
            around = around.parent
        return UNKNOWN

    def _member_of_type(self, name: str, member: str) -> Value:
        made_of = self.project.types.get(name)
        if made_of is None:
            native = self.packages.get(name)
            return native.field(member) if native is not None else UNKNOWN
        if self._has_static(made_of, member):
            return self._static(made_of, member)
        inner = next((holder.types[member] for holder in made_of.lineage if member in holder.types), None)
        return TypeName(inner.name) if inner is not None else UNKNOWN

    def _invocation(self, node: Node, scope: Scope) -> Value:
        name, owner = text_of(node.child_by_field_name("name")), node.child_by_field_name("object")
        held = self._value(owner, scope) if owner is not None and owner.type != "super" else UNKNOWN
        if owner is not None and owner.type != "super" and held is UNKNOWN and re.fullmatch(r"[\w.]+", text_of(owner)):
            whole = self.project.qualified(text_of(owner), scope.inside)
            if scope.holder(whole.partition(".")[0]) is None and (
                whole in self.project.types or whole in self.packages
            ):
                held = TypeName(whole)
        arguments = [self._value(argument, scope) for argument in named(node.child_by_field_name("arguments"))]
        # Where a chain of calls is spread over lines, each name has its own.
        site = Site(scope.inside.source.file, line_of(node.child_by_field_name("name") or node))
        if owner is None:
            return self._invoke_bare(name, arguments, site, scope)
        if owner.type == "super":
            above = self.project.types.get(scope.inside.superclass)
            found = self._choose(above, name, arguments) if above is not None else None
            if found is None and isinstance(scope.this, Made) and isinstance(scope.this.base, Native):
                return scope.this.base.invoke(name, arguments, site, self)
            return self._call_method(found, arguments, scope.this) if found else UNKNOWN
        return self.invoke(held, name, arguments, site)

    def _invoke_bare(self, name: str, arguments: Sequence[Value], site: Site, scope: Scope) -> Value:
        """A call without an object: a method of the type or of one around it, or one that is imported."""
        around: Scope | None = scope
        while around is not None:
            if isinstance(around.this, Made) and (found := self._choose(around.this.type, name, arguments)):
                return self._call_method(found, arguments, around.this)
            around = around.parent
        inside: JavaType | None = scope.inside
        while inside is not None:
            if found := self._choose(inside, name, arguments):
                return self._call_method(found, arguments, scope.this if inside is scope.inside else UNKNOWN)
            inside = inside.outer
        source = scope.inside.source
        for owner in [source.members[name]] if name in source.members else source.member_types:
            made_of = self.project.types.get(owner)
            if made_of is not None and (found := self._choose(made_of, name, arguments)):
                return self._call_method(found, arguments, UNKNOWN)
            if owner in self.packages and self.packages[owner].knows(name):
                return self.packages[owner].invoke(name, arguments, site, self)
        if isinstance(scope.this, Made) and isinstance(scope.this.base, Native):
            return scope.this.base.invoke(name, arguments, site, self)
        return self._invoke_unknown(name, arguments, site)

    def _new(self, node: Node, scope: Scope) -> Value:
        arguments = [self._value(argument, scope) for argument in named(node.child_by_field_name("arguments"))]
        name = self.project.qualified(type_name(node.child_by_field_name("type")), scope.inside)
        body = next((child for child in named(node) if child.type == "class_body"), None)
        if body is not None:
            return self._construct(self._anonymous_type(body, name, scope), arguments, scope)
        if name in self.project.types:
            return self._construct(self.project.types[name], arguments)
        native = self.packages.get(name)
        site = Site(scope.inside.source.file, line_of(node))
        if native is not None and native.make is not None:
            return native.make(arguments, site, self)
        return self._invoke_unknown(name, arguments, site)

    def _anonymous_type(self, body: Node, above: str, scope: Scope) -> JavaType:
        place = (scope.inside.source.file, body.start_byte)
        if place not in self._anonymous:
            name, around = f"{scope.inside.name}.{body.start_byte}", scope.inside
            made = JavaType(name, body, around.source, self.project, around, written_as=above)
            self._anonymous[place] = made
        return self._anonymous[place]

    def _lambda(self, node: Node, scope: Scope) -> Value:
        return Closure(node, scope)

    def _reference(self, node: Node, scope: Scope) -> Value:
        inside = named(node)
        if not inside:
            return UNKNOWN
        owner = self._value(inside[0], scope)
        if owner is UNKNOWN:
            name = self.project.qualified(type_name(inside[0]), scope.inside)
            owner = TypeName(name) if name in self.project.types or name in self.packages else UNKNOWN
        return Bound(owner, "new" if node.children[-1].type == "new" else text_of(inside[-1]))

    def _class_literal(self, node: Node, scope: Scope) -> Value:
        return TypeName(self.project.qualified(type_name(named(node)[0]), scope.inside)) if named(node) else UNKNOWN

    def _binary(self, node: Node, scope: Scope) -> Value:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return UNKNOWN
        operator = text_of(node.child_by_field_name("operator"))
        if operator == "+":
            return self._sum(node, scope)
        first, second = self._value(left, scope), self._value(right, scope)
        if operator in ("&&", "||") and (first is (operator == "||") or second is (operator == "||")):
            return operator == "||"
        if operator in ("&&", "||") and isinstance(first, bool) and isinstance(second, bool):
            return operator == "&&"
        known = all(isinstance(one, (int, str)) or one is None for one in (first, second))
        if operator in ("==", "!=") and known:
            return (first == second) is (operator == "==")
        return UNKNOWN

    def _sum(self, node: Node, scope: Scope) -> Value:
        """A chain of `+`, which leans to the left and may be long, without going down it."""
        operands: list[Node] = []
        current: Node | None = node
        while current is not None and current.type == "binary_expression":
            right, self._steps = current.child_by_field_name("right"), self._steps + 1
            if text_of(current.child_by_field_name("operator")) != "+" or right is None:
                break
            operands.append(right)
            current = current.child_by_field_name("left")
        total = self._value(current, scope) if current is not None else UNKNOWN
        for operand in reversed(operands):
            total = added(total, self._value(operand, scope))
        return total

    def _not(self, node: Node, scope: Scope) -> Value:
        operand = node.child_by_field_name("operand")
        value = self._value(operand, scope) if operand is not None else UNKNOWN
        operator = text_of(node.child_by_field_name("operator"))
        if operator == "-" and isinstance(value, int):
            return -value
        return not value if operator == "!" and isinstance(value, bool) else UNKNOWN

    def _ternary(self, node: Node, scope: Scope) -> Value:
        condition, yes, no = (node.child_by_field_name(name) for name in ("condition", "consequence", "alternative"))
        if condition is None or yes is None or no is None:
            return UNKNOWN
        decided = self._value(condition, scope)
        values = [
            self._value(branch, scope) for branch, against in ((yes, False), (no, True)) if decided is not against
        ]
        return next((value for value in values if value is not UNKNOWN), UNKNOWN)

    def _switch(self, node: Node, scope: Scope) -> Value:
        body = node.child_by_field_name("body")
        results: list[Value] = []
        for rule in named(body):
            for part in named(rule)[1:]:
                inner = scope.inner()
                if part.type == "expression_statement":
                    results += [self._value(child, inner) for child in named(part)]
                else:
                    results += self._statement(part, inner)
        return _result(results)

    def _assignment(self, node: Node, scope: Scope) -> Value:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return UNKNOWN
        value = self._value(right, scope)
        operator = text_of(node.child_by_field_name("operator"))
        if operator != "=":
            value = added(self._value(left, scope), value) if operator == "+=" else UNKNOWN
        if left.type == "identifier":
            self._assign_name(text_of(left), value, scope)
        elif left.type == "field_access":
            owner, member = left.child_by_field_name("object"), text_of(left.child_by_field_name("field"))
            holder = self._value(owner, scope) if owner is not None else UNKNOWN
            if isinstance(holder, Made):
                holder.fields[member] = value
            elif isinstance(holder, Native):
                holder.assign(member, value)
            elif isinstance(holder, TypeName) and holder.name in self.project.types:
                self._statics[self.project.types[holder.name], member] = value
        return value

    def _assign_name(self, name: str, value: Value, scope: Scope) -> None:
        holder = scope.holder(name)
        if holder is not None:
            holder.names[name] = value
            return
        around: Scope | None = scope
        while around is not None:
            if isinstance(around.this, Made) and name in around.this.fields:
                around.this.fields[name] = value
                return
            around = around.parent
        inside: JavaType | None = scope.inside
        while inside is not None:
            if name in inside.fields and inside.fields[name][2]:
                self._statics[inside, name] = value
                return
            inside = inside.outer

    def _array(self, node: Node, scope: Scope) -> Value:
        return [self._value(element, scope) for element in named(node)[:MAX_ELEMENTS]]

    def _new_array(self, node: Node, scope: Scope) -> Value:
        value = node.child_by_field_name("value")
        return self._array(value, scope) if value is not None else []

    def _element(self, node: Node, scope: Scope) -> Value:
        array, index = node.child_by_field_name("array"), node.child_by_field_name("index")
        held = self._value(array, scope) if array is not None else UNKNOWN
        at = self._value(index, scope) if index is not None else UNKNOWN
        return held[at] if isinstance(held, list) and isinstance(at, int) and 0 <= at < len(held) else UNKNOWN

    def _inside(self, node: Node, scope: Scope) -> Value:
        inside = named(node)
        return self._value(inside[-1], scope) if inside else UNKNOWN

    def _this(self, node: Node, scope: Scope) -> Value:
        return scope.this

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS or self._steps + self._steps_before > MAX_STEPS_IN_ALL:
            raise OutOfSteps


_Expression = Callable[[Evaluation, Node, Scope], Value]


def _literal(value: Value) -> _Expression:
    return lambda _evaluation, _node, _scope: value


def _number(_evaluation: Evaluation, node: Node, _scope: Scope) -> Value:
    found = re.fullmatch(r"(\d{1,15})[lL]?", text_of(node).replace("_", ""))
    return int(found[1]) if found else UNKNOWN


_EXPRESSIONS: dict[str, _Expression] = {
    "identifier": Evaluation._identifier,
    "string_literal": lambda _evaluation, node, _scope: string_of(node),
    "character_literal": lambda _evaluation, node, _scope: string_of(node),
    "decimal_integer_literal": _number,
    "true": _literal(True),
    "false": _literal(False),
    "null_literal": _literal(None),
    "field_access": Evaluation._field_access,
    "method_invocation": Evaluation._invocation,
    "object_creation_expression": Evaluation._new,
    "lambda_expression": Evaluation._lambda,
    "method_reference": Evaluation._reference,
    "class_literal": Evaluation._class_literal,
    "binary_expression": Evaluation._binary,
    "unary_expression": Evaluation._not,
    "ternary_expression": Evaluation._ternary,
    "switch_expression": Evaluation._switch,
    "assignment_expression": Evaluation._assignment,
    "element_value_array_initializer": Evaluation._array,
    "array_initializer": Evaluation._array,
    "array_creation_expression": Evaluation._new_array,
    "array_access": Evaluation._element,
    "parenthesized_expression": Evaluation._inside,
    "cast_expression": Evaluation._inside,
    "this": Evaluation._this,
}


def _takes(method: Method, count: int) -> bool:
    parameters = method.parameters
    if parameters and parameters[-1].type == "spread_parameter":
        return count >= len(parameters) - 1
    return count == len(parameters)


def _fit(method: Method, arguments: Sequence[Value]) -> int:
    """How well the declared types of the parameters suit the arguments, as far as either is known."""
    score = 0
    for parameter, argument in zip(method.parameters, arguments, strict=False):
        wanted = type_name(parameter_type(parameter)).rpartition(".")[2]
        is_text = wanted in ("String", "CharSequence")
        score += (isinstance(argument, str) and is_text) - (
            argument is not UNKNOWN and is_text != isinstance(argument, str)
        )
        score -= parameter.type == "spread_parameter"
    return score


def _result(returned: Sequence[Value]) -> Value:
    """What a method with several returns gives: the last that is known, because early returns are for what goes wrong."""
    known = (value for value in reversed(returned) if value is not None and value is not UNKNOWN)
    return next(known, returned[-1] if returned else UNKNOWN)
