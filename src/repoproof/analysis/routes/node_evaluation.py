"""Evaluates JavaScript as far as routes need it: names, imports, strings, arrays, objects, and calls of the functions of the tree.

Nothing is run. Both branches of a condition are taken unless it is a constant, a loop over a known array is taken for each element,
any other loop once; what cannot be told is `UNKNOWN`. Functions that are handed to unknown code (`connect().then(() => ...)`) are called
with unknown arguments. Steps, call depth and sizes are capped, so that no source can make this slow.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from tree_sitter import Node

from .node_library import GLOBALS, LIBRARY, MAX_ELEMENTS, TEXT_METHODS, as_text, capped, combined, method_of_array
from .node_project import Module, Project
from .node_syntax import is_static, key_of, members_of, named, string_of, text_of, unescaped, unwrapped
from .node_values import UNKNOWN, UNKNOWN_TEXT, Builtin, Class, Function, Scope, Site, Value

MAX_STEPS = 300_000
MAX_CALL_DEPTH = 25
MAX_CALLS_OF_ONE_FUNCTION = 200

_FUNCTIONS = frozenset(
    (
        "arrow_function",
        "function_expression",
        "function_declaration",
        "generator_function",
        "generator_function_declaration",
    )
)


class OutOfSteps(Exception):
    """The source asks for more evaluation than any service needs."""


class Evaluation:
    """The modules of one project, each evaluated once, when it is first imported."""

    def __init__(self, project: Project, packages: Mapping[str, Value]) -> None:
        self.project = project
        self.packages = {**LIBRARY, **packages}
        self.applications: list[Any] = []
        self.functions: list[Function] = []
        """Every function met, in order."""
        self._exports: dict[Module, dict[str, Value]] = {}
        self._steps = 0
        self._depth = 0

    def exports(self, module: Module) -> Value:
        """What `require` of the module gives. In a circle of imports: what it has exported so far."""
        if module.file.endswith(".json"):
            return module.data
        if module not in self._exports:
            holder: dict[str, Value] = {"exports": {}}
            self._exports[module] = holder
            folder = "/" + posixpath.dirname(module.file)
            scope = Scope(
                module,
                names={
                    "module": holder,
                    "exports": holder["exports"],
                    "__dirname": folder,
                    "__filename": "/" + module.file,
                },
            )
            if module.syntax is not None:
                with suppress(OutOfSteps):
                    self._block(module.syntax, scope)
        return self._exports[module]["exports"]

    def call(self, function: Value, arguments: Sequence[Value], site: Site) -> Value:
        """What calling `function` gives; nothing happens if it is not known."""
        return self._call(function, arguments, site, this=UNKNOWN)

    def value(self, node: Node, scope: Scope) -> Value:
        """What an expression means that only a framework asks for: a decorator's."""
        with suppress(OutOfSteps, RecursionError):
            return self._value(node, scope)
        return UNKNOWN

    def _call(self, function: Value, arguments: Sequence[Value], site: Site, *, this: Value) -> Value:
        if isinstance(function, Function):
            return self._call_function(function, arguments, this)
        if isinstance(function, Class):
            return self._construct(function, arguments, site)
        if hasattr(function, "call"):
            return function.call(arguments, site, self)
        if function is UNKNOWN:
            for argument in arguments:
                if isinstance(argument, Function):
                    self._call_function(argument, [], UNKNOWN)
        return UNKNOWN

    def _call_function(self, function: Function, arguments: Sequence[Value], this: Value) -> Value:
        function.calls += 1
        if function.calls > MAX_CALLS_OF_ONE_FUNCTION or self._depth >= MAX_CALL_DEPTH:
            return UNKNOWN
        is_arrow = function.node.type == "arrow_function"
        scope = function.scope.inner(this=None if is_arrow else this)
        if not is_arrow:
            scope.names["arguments"] = list(arguments)
        self._depth += 1
        try:
            self._bind_parameters(function.node, arguments, scope)
            body = function.node.child_by_field_name("body")
            if body is None:
                return UNKNOWN
            if body.type != "statement_block":
                return self._value(body, scope)
            return _result(self._block(body, scope))
        finally:
            self._depth -= 1

    def _bind_parameters(self, function: Node, arguments: Sequence[Value], scope: Scope) -> None:
        single = function.child_by_field_name("parameter")
        if single is not None:
            self._bind(single, arguments[0] if arguments else None, scope)
        parameters = function.child_by_field_name("parameters")
        for at, parameter in enumerate(named(parameters) if parameters is not None else ()):
            pattern = parameter.child_by_field_name("pattern") or parameter
            if pattern.type == "rest_pattern":
                self._bind(named(pattern)[0], list(arguments[at:]), scope)
                continue
            value = arguments[at] if at < len(arguments) else None
            default = parameter.child_by_field_name("value")
            if value is None:
                value = self._value(default, scope) if default is not None else UNKNOWN
            self._bind(pattern, value, scope)
            if any(child.type in ("accessibility_modifier", "readonly") for child in parameter.children) and isinstance(
                scope.this, dict
            ):
                scope.this[text_of(pattern)] = value

    def _construct(self, made: Class, arguments: Sequence[Value], site: Site) -> Value:
        """An instance: a dict of the methods, those of the parent class first, and of what the constructor sets."""
        instance: dict[str, Value] = {}
        if self._depth >= MAX_CALL_DEPTH:
            return UNKNOWN
        lineage: list[Class] = [made]
        while isinstance(lineage[-1].parent, Class) and len(lineage) < 10:
            lineage.append(lineage[-1].parent)
        self._depth += 1
        try:
            constructor: Function | None = None
            for member_of in reversed(lineage):
                scope = member_of.scope.inner(this=instance)
                for member in members_of(member_of.node):
                    name = key_of(member.child_by_field_name("name") or member.child_by_field_name("property"))
                    if member.type == "method_definition":
                        instance[name] = self._function(member, scope)
                    elif not is_static(member):
                        value = member.child_by_field_name("value")
                        instance[name] = self._value(value, scope) if value is not None else None
                own = instance.pop("constructor", None)
                if isinstance(own, Function):
                    own.scope.names["super"] = constructor
                    constructor = own
            if constructor is not None:
                self._call_function(constructor, arguments, instance)
        finally:
            self._depth -= 1
        return instance

    # Statements. Each gives the values returned so far; None stands for "goes on".

    def _block(self, block: Node, scope: Scope) -> list[Value]:
        """Runs the statements in order, functions and imports first, and stops behind one that always leaves."""
        statements = named(block)
        for statement in statements:
            inner = statement.child_by_field_name("declaration") if statement.type == "export_statement" else statement
            if inner is not None and inner.type in ("function_declaration", "generator_function_declaration"):
                scope.names[text_of(inner.child_by_field_name("name"))] = self._function(inner, scope)
            elif statement.type == "import_statement":
                self._import(statement, scope)
        returned: list[Value] = []
        for statement in statements:
            with suppress(RecursionError):  # a statement nested too deeply is passed over, the next one is not
                returned += self._statement(statement, scope)
            if statement.type in ("return_statement", "throw_statement"):
                break
        return returned

    def _statement(self, node: Node, scope: Scope) -> list[Value]:
        self._step()
        match node.type:
            case "return_statement":
                return [self._value(named(node)[0], scope)] if named(node) else [None]
            case "lexical_declaration" | "variable_declaration":
                for declarator in named(node):
                    if declarator.type == "variable_declarator":
                        self._declare(declarator, scope)
            case "if_statement":
                return self._if(node, scope)
            case "for_in_statement":
                return self._for_each(node, scope)
            case "for_statement" | "while_statement" | "do_statement" | "labeled_statement" | "with_statement":
                inner = scope.inner()
                start, body = node.child_by_field_name("initializer"), node.child_by_field_name("body")
                return [
                    *(self._statement(start, inner) if start else []),
                    *(self._statement(body, inner) if body else []),
                ]
            case (
                "statement_block"
                | "else_clause"
                | "finally_clause"
                | "catch_clause"
                | "try_statement"
                | "switch_body"
                | "switch_case"
            ):
                return self._parts(node, scope)
            case "switch_default" | "switch_statement" | "internal_module" | "module":
                return self._parts(node, scope)
            case "export_statement":
                self._export(node, scope)
            case "class_declaration" | "abstract_class_declaration":
                scope.names[text_of(node.child_by_field_name("name"))] = self._class(node, scope)
            case "enum_declaration":
                scope.names[text_of(node.child_by_field_name("name"))] = self._enumeration(node, scope)
            case "expression_statement":
                for child in named(node):
                    self._value(child, scope)
            case _:
                if node.type.endswith("expression"):
                    self._value(node, scope)
        return []

    def _parts(self, node: Node, scope: Scope) -> list[Value]:
        """A block of its own, or a statement made of blocks."""
        if node.type == "statement_block":
            return self._block(node, scope.inner())
        returned: list[Value] = []
        for child in named(node):
            returned += self._statement(child, scope)
        return returned

    def _if(self, node: Node, scope: Scope) -> list[Value]:
        condition = node.child_by_field_name("condition")
        value = self._value(condition, scope) if condition is not None else UNKNOWN
        branches = [] if value is False else [node.child_by_field_name("consequence")]
        branches += [] if value is True else [node.child_by_field_name("alternative")]
        return [returned for branch in branches if branch is not None for returned in self._statement(branch, scope)]

    def _for_each(self, node: Node, scope: Scope) -> list[Value]:
        left, right, body = (node.child_by_field_name(name) for name in ("left", "right", "body"))
        if left is None or right is None or body is None:
            return []
        collection = self._value(right, scope)
        by_key = any(child.type == "in" for child in node.children)
        elements = list(collection) if isinstance(collection, list if not by_key else dict) else [UNKNOWN]
        returned: list[Value] = []
        for element in elements[:MAX_ELEMENTS]:
            inner = scope.inner()
            self._bind(left, element, inner)
            returned += self._statement(body, inner)
        return returned

    def _declare(self, declarator: Node, scope: Scope) -> None:
        name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
        if name is not None:
            self._bind(name, self._value(value, scope) if value is not None else None, scope)

    def _import(self, node: Node, scope: Scope) -> None:
        source = node.child_by_field_name("source")
        clause = next(
            (child for child in named(node) if child.type in ("import_clause", "import_require_clause")), None
        )
        if clause is not None and clause.type == "import_require_clause":
            source = clause.child_by_field_name("source")
            scope.names[text_of(named(clause)[0])] = self._require(string_of(source), scope)
            return
        exported = self._require(string_of(source), scope)
        for part in named(clause) if clause is not None else ():
            if part.type == "identifier":
                scope.names[text_of(part)] = _default(exported)
            elif part.type == "namespace_import":
                scope.names[text_of(named(part)[0])] = exported
            elif part.type == "named_imports":
                for specifier in named(part):
                    name = specifier.child_by_field_name("name")
                    alias = specifier.child_by_field_name("alias") or name
                    wanted = key_of(name)
                    scope.names[text_of(alias)] = (
                        _default(exported) if wanted == "default" else self._member(exported, wanted)
                    )

    def _export(self, node: Node, scope: Scope) -> None:
        holder = self._exports[scope.module]
        source, declaration = node.child_by_field_name("source"), node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        exported = holder["exports"] if isinstance(holder["exports"], dict) else {}
        is_default = any(child.type == "default" for child in node.children)
        if value is not None and not is_default:  # TypeScript's `export = value`
            holder["exports"] = self._value(value, scope)
        elif is_default and (value or declaration) is not None:
            exported["default"] = self._declared(value or declaration, scope)
        elif declaration is not None:
            before = set(scope.names)
            self._statement(declaration, scope)
            own = declaration.child_by_field_name("name")
            for name in (*(set(scope.names) - before), *([text_of(own)] if own is not None else [])):
                exported[name] = scope.names.get(name, UNKNOWN)
        elif any(child.type == "=" for child in node.children):
            holder["exports"] = self._value(named(node)[0], scope)
        else:
            self._export_names(
                node, exported, self._require(string_of(source), scope) if source is not None else None, scope
            )

    def _export_names(self, node: Node, exported: dict[str, Value], origin: Value, scope: Scope) -> None:
        parts = [part for part in named(node) if part.type in ("export_clause", "namespace_export")]
        if not parts and isinstance(origin, dict):
            exported.update({name: value for name, value in origin.items() if name != "default"})
        for part in parts:
            if part.type == "namespace_export":
                exported[text_of(named(part)[0])] = origin
                continue
            for specifier in named(part):
                name = specifier.child_by_field_name("name")
                alias = specifier.child_by_field_name("alias") or name
                if origin is None:
                    exported[key_of(alias)] = scope.look_up(key_of(name))
                else:
                    exported[key_of(alias)] = (
                        _default(origin) if key_of(name) == "default" else self._member(origin, key_of(name))
                    )

    def _declared(self, node: Node | None, scope: Scope) -> Value:
        """The value of `export default`: an expression, or a declaration that may have a name."""
        if node is None:
            return UNKNOWN
        name = node.child_by_field_name("name")
        if node.type in ("class_declaration", "abstract_class_declaration"):
            value = self._class(node, scope)
        elif node.type in _FUNCTIONS:
            value = scope.names.get(text_of(name)) if name is not None else None
            value = value or self._function(node, scope)
        else:
            return self._value(node, scope)
        if name is not None:
            scope.names[text_of(name)] = value
        return value

    # Expressions.

    def _value(self, node: Node, scope: Scope) -> Value:
        self._step()
        if node.type in _FUNCTIONS:
            return self._function(node, scope)
        evaluate = _EXPRESSIONS.get(node.type)
        return evaluate(self, node, scope) if evaluate else UNKNOWN

    def _identifier(self, node: Node, scope: Scope) -> Value:
        return self._named_value(text_of(node), scope)

    def _named_value(self, name: str, scope: Scope) -> Value:
        if name == "require" and scope.holder(name) is None:
            return Builtin(
                lambda arguments, _site, _interpreter: self._require(arguments[0] if arguments else None, scope)
            )
        holder = scope.holder(name)
        return holder.names[name] if holder else GLOBALS.get(name, UNKNOWN)

    def _template(self, node: Node, scope: Scope) -> Value:
        pieces: list[str] = []
        for child in named(node):
            value = self._value(named(child)[0], scope) if child.type == "template_substitution" else unescaped(child)
            text = as_text(value)
            if text is None:
                return UNKNOWN_TEXT
            pieces.append(text)
        return capped("".join(pieces))

    def _array(self, node: Node, scope: Scope) -> Value:
        return self._elements(named(node), scope)

    def _elements(self, nodes: Sequence[Node], scope: Scope) -> list[Value]:
        elements: list[Value] = []
        for node in nodes[:MAX_ELEMENTS]:
            if node.type == "spread_element":
                spread = self._value(named(node)[0], scope)
                elements += spread[:MAX_ELEMENTS] if isinstance(spread, list) else [UNKNOWN]
            elif node.type != "comment":
                elements.append(self._value(node, scope))
        return elements[:MAX_ELEMENTS]

    def _object(self, node: Node, scope: Scope) -> Value:
        made: dict[str, Value] = {}
        for part in named(node):
            match part.type:
                case "pair":
                    key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
                    if key is not None and value is not None:
                        name = (
                            self._value(named(key)[0], scope) if key.type == "computed_property_name" else key_of(key)
                        )
                        if isinstance(name, str):
                            made[name] = self._value(value, scope)
                case "shorthand_property_identifier":
                    made[text_of(part)] = self._named_value(text_of(part), scope)
                case "method_definition":
                    made[key_of(part.child_by_field_name("name"))] = self._function(part, scope)
                case "spread_element":
                    spread = self._value(named(part)[0], scope)
                    made.update(spread if isinstance(spread, dict) else {})
                case _:
                    pass
        return made

    def _member_expression(self, node: Node, scope: Scope) -> Value:
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        return (
            self._member(self._value(owner, scope), text_of(name))
            if owner is not None and name is not None
            else UNKNOWN
        )

    def _subscript(self, node: Node, scope: Scope) -> Value:
        owner, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if owner is None or index is None:
            return UNKNOWN
        value, key = self._value(owner, scope), self._value(index, scope)
        if isinstance(value, list) and isinstance(key, int):
            return value[key] if 0 <= key < len(value) else None
        return self._member(value, key) if isinstance(key, str) else UNKNOWN

    def _member(self, owner: Value, name: str) -> Value:
        if isinstance(owner, dict):
            return owner.get(name, UNKNOWN)
        if isinstance(owner, Class) and name not in owner.properties:
            static = next(
                (
                    member
                    for member in members_of(owner.node)
                    if is_static(member)
                    and key_of(member.child_by_field_name("name") or member.child_by_field_name("property")) == name
                ),
                None,
            )
            if static is not None:
                owner.properties[name] = self._static(static, owner)
        if isinstance(owner, (Function, Class)):
            return owner.properties.get(name, UNKNOWN)
        return owner.member(name) if hasattr(owner, "member") else UNKNOWN

    def _static(self, member: Node, owner: Class) -> Value:
        scope, value = owner.scope.inner(this=owner), member.child_by_field_name("value")
        if member.type == "method_definition":
            return self._function(member, scope)
        return self._value(value, scope) if value is not None else UNKNOWN

    def _call_expression(self, node: Node, scope: Scope) -> Value:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or given is None or given.type == "template_string":
            return UNKNOWN
        this: Value = UNKNOWN
        site = Site(scope.module.file, node.start_point[0] + 1)
        function = unwrapped(function)
        if function.type == "import":
            arguments = self._elements(named(given), scope)
            return self._require(arguments[0] if arguments else None, scope)
        if function.type == "super":
            constructor = scope.look_up("super")
            arguments = self._elements(named(given), scope)
            return (
                self._call_function(constructor, arguments, scope.this)
                if isinstance(constructor, Function)
                else UNKNOWN
            )
        if function.type == "member_expression":
            owner, name = function.child_by_field_name("object"), function.child_by_field_name("property")
            if owner is None or name is None:
                return UNKNOWN
            this = self._value(owner, scope)
            site = Site(scope.module.file, name.start_point[0] + 1)
            arguments = self._elements(named(given), scope)
            known, result = self._method(this, text_of(name), arguments, site)
            if known:
                return result
            target = self._member(this, text_of(name))
        else:
            target = self._value(function, scope)
            arguments = self._elements(named(given), scope)
        return self._call(target, arguments, site, this=this)

    def _new_expression(self, node: Node, scope: Scope) -> Value:
        constructor, given = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
        if constructor is None:
            return UNKNOWN
        target = self._value(constructor, scope)
        arguments = self._elements(named(given), scope) if given is not None else []
        site = Site(scope.module.file, node.start_point[0] + 1)
        if isinstance(target, Function):
            instance: dict[str, Value] = {}
            result = self._call_function(target, arguments, instance)
            return result if result not in (None, UNKNOWN) else instance
        if constructor.type == "identifier" and text_of(constructor) == "Promise" and arguments:
            return self._call(arguments[0], [], site, this=UNKNOWN)
        return self._call(target, arguments, site, this=UNKNOWN)

    def _method(self, owner: Value, name: str, arguments: Sequence[Value], site: Site) -> tuple[bool, Value]:
        """Whether the call is one of a method of the language, and what it gives."""
        first = arguments[0] if arguments else None
        if isinstance(owner, dict) and name in owner:
            return False, None
        if name == "then" and owner is not UNKNOWN:
            return True, self._call(first, [owner], site, this=UNKNOWN)
        if name in ("catch", "finally") and owner is not UNKNOWN:
            return True, owner
        if isinstance(owner, Function) and name in ("call", "apply", "bind"):
            rest = (
                first
                if name == "apply" and len(arguments) < 2
                else arguments[1]
                if name == "apply"
                else list(arguments[1:])
            )
            return True, owner if name == "bind" else self._call_function(
                owner, rest if isinstance(rest, list) else [], first
            )
        if isinstance(owner, list):
            return True, method_of_array(
                owner, name, arguments, lambda function, given: self._call(function, given, site, this=UNKNOWN)
            )
        if isinstance(owner, str):
            made = TEXT_METHODS.get(name)
            return (True, capped(made(owner, arguments))) if made else (True, UNKNOWN)
        return False, None

    def _assignment(self, node: Node, scope: Scope) -> Value:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return UNKNOWN
        value = self._value(right, scope)
        if node.type == "augmented_assignment_expression":
            operator = text_of(node.child_by_field_name("operator")).removesuffix("=")
            value = combined(operator, self._value(left, scope), value)
        self._assign(left, value, scope)
        return value

    def _assign(self, target: Node, value: Value, scope: Scope) -> None:
        target = unwrapped(target)
        if target.type == "identifier":
            (scope.holder(text_of(target)) or scope).names[text_of(target)] = value
        elif target.type in ("member_expression", "subscript_expression"):
            owner = target.child_by_field_name("object")
            index = target.child_by_field_name("index")
            key = text_of(target.child_by_field_name("property")) if index is None else self._value(index, scope)
            holder = self._value(owner, scope) if owner is not None else UNKNOWN
            if isinstance(holder, (Function, Class)):
                holder = holder.properties
            if isinstance(holder, dict) and isinstance(key, str) and len(holder) < MAX_ELEMENTS:
                holder[key] = value
        else:
            self._bind(target, value, scope)

    def _bind(self, pattern: Node, value: Value, scope: Scope) -> None:
        """Gives the names in a pattern their parts of the value."""
        match pattern.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                scope.names[text_of(pattern)] = value
            case "object_pattern":
                for part in named(pattern):
                    self._bind_property(part, value, scope)
            case "array_pattern":
                for at, part in enumerate(named(pattern)):
                    if part.type == "rest_pattern":
                        self._bind(named(part)[0], value[at:] if isinstance(value, list) else UNKNOWN, scope)
                    else:
                        self._bind(part, value[at] if isinstance(value, list) and at < len(value) else UNKNOWN, scope)
            case "assignment_pattern":
                left, right = pattern.child_by_field_name("left"), pattern.child_by_field_name("right")
                if left is not None and right is not None:
                    self._bind(left, self._value(right, scope) if value is None or value is UNKNOWN else value, scope)
            case "variable_declarator" | "lexical_declaration":
                for child in named(pattern)[:1]:
                    self._bind(child, value, scope)
            case _:
                pass

    def _bind_property(self, part: Node, value: Value, scope: Scope) -> None:
        match part.type:
            case "shorthand_property_identifier_pattern":
                self._bind(part, self._member(value, text_of(part)), scope)
            case "object_assignment_pattern":
                left, right = part.child_by_field_name("left"), part.child_by_field_name("right")
                if left is not None and right is not None:
                    given = self._member(value, text_of(left))
                    self._bind(left, self._value(right, scope) if given is None or given is UNKNOWN else given, scope)
            case "pair_pattern":
                key, target = part.child_by_field_name("key"), part.child_by_field_name("value")
                if target is not None:
                    self._bind(target, self._member(value, key_of(key)), scope)
            case "rest_pattern":
                self._bind(named(part)[0], dict(value) if isinstance(value, dict) else UNKNOWN, scope)
            case _:
                pass

    def _binary(self, node: Node, scope: Scope) -> Value:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return UNKNOWN
        return combined(
            text_of(node.child_by_field_name("operator")), self._value(left, scope), self._value(right, scope)
        )

    def _ternary(self, node: Node, scope: Scope) -> Value:
        condition, yes, no = (node.child_by_field_name(name) for name in ("condition", "consequence", "alternative"))
        if condition is None or yes is None or no is None:
            return UNKNOWN
        decided = self._value(condition, scope)
        values = [
            self._value(branch, scope) for branch, against in ((yes, False), (no, True)) if decided is not against
        ]
        return next((value for value in values if value is not UNKNOWN), UNKNOWN)

    def _unary(self, node: Node, scope: Scope) -> Value:
        argument = node.child_by_field_name("argument")
        value = self._value(argument, scope) if argument is not None else UNKNOWN
        operator = text_of(node.child_by_field_name("operator"))
        return not value if operator == "!" and isinstance(value, bool) else None if operator == "void" else UNKNOWN

    def _first_inside(self, node: Node, scope: Scope) -> Value:
        inside = named(node)
        return self._value(inside[0], scope) if inside else UNKNOWN

    def _last_inside(self, node: Node, scope: Scope) -> Value:
        values = [self._value(child, scope) for child in named(node)]
        return values[-1] if values else UNKNOWN

    def _this(self, node: Node, scope: Scope) -> Value:
        return scope.this

    def _function(self, node: Node, scope: Scope) -> Function:
        function = Function(node, scope)
        self.functions.append(function)
        return function

    def _class(self, node: Node, scope: Scope) -> Value:
        heritage = next((child for child in node.children if child.type == "class_heritage"), None)
        parent = None
        if heritage is not None and named(heritage):
            inside = named(heritage)[0]
            expression = inside.child_by_field_name("value") if inside.type == "extends_clause" else inside
            parent = self._value(expression, scope) if expression is not None else None
        return Class(node, scope, parent)

    def _enumeration(self, node: Node, scope: Scope) -> Value:
        body = node.child_by_field_name("body")
        members: dict[str, Value] = {}
        for member in named(body) if body is not None else ():
            value = member.child_by_field_name("value")
            if member.type == "enum_assignment" and value is not None:
                members[key_of(member.child_by_field_name("name"))] = self._value(value, scope)
        return members

    def _require(self, name: Value, scope: Scope) -> Value:
        if not isinstance(name, str):
            return UNKNOWN
        name = name.removeprefix("node:")
        module = self.project.resolve(scope.module, name)
        if module is not None and (name.startswith((".", "/")) or name not in self.packages):
            return self.exports(module)
        return self.packages.get(name, UNKNOWN)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise OutOfSteps


_Expression = Callable[[Evaluation, Node, Scope], Value]


def _constant(value: Value) -> _Expression:
    return lambda _evaluation, _node, _scope: value


_EXPRESSIONS: dict[str, _Expression] = {
    "identifier": Evaluation._identifier,
    "string": lambda _evaluation, node, _scope: string_of(node),
    "number": lambda _evaluation, node, _scope: (
        int(text_of(node)) if re.fullmatch(r"\d{1,15}", text_of(node)) else UNKNOWN
    ),
    "true": _constant(True),
    "false": _constant(False),
    "null": _constant(None),
    "undefined": _constant(None),
    "template_string": Evaluation._template,
    "array": Evaluation._array,
    "object": Evaluation._object,
    "member_expression": Evaluation._member_expression,
    "subscript_expression": Evaluation._subscript,
    "call_expression": Evaluation._call_expression,
    "new_expression": Evaluation._new_expression,
    "assignment_expression": Evaluation._assignment,
    "augmented_assignment_expression": Evaluation._assignment,
    "binary_expression": Evaluation._binary,
    "ternary_expression": Evaluation._ternary,
    "unary_expression": Evaluation._unary,
    "await_expression": Evaluation._first_inside,
    "parenthesized_expression": Evaluation._first_inside,
    "as_expression": Evaluation._first_inside,
    "satisfies_expression": Evaluation._first_inside,
    "non_null_expression": Evaluation._first_inside,
    "type_assertion": Evaluation._last_inside,
    "sequence_expression": Evaluation._last_inside,
    "class": Evaluation._class,
    "this": Evaluation._this,
}


def _result(returned: Sequence[Value]) -> Value:
    """What a function with several returns gives: the last that is known, because early returns are for what goes wrong."""
    return next(
        (value for value in reversed(returned) if value is not None and value is not UNKNOWN),
        returned[-1] if returned else None,
    )


def _default(exported: Value) -> Value:
    """What `import name from` gives: the default export, or all of a CommonJS module."""
    return exported["default"] if isinstance(exported, dict) and "default" in exported else exported
