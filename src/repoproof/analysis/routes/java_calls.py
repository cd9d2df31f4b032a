"""Calls: which code `users.list(a)`, `Users.list(a)` or `list(a)` reaches, in the tree, a framework, or nobody knows where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from .java_names import static, type_named
from .java_objects import instance
from .java_parameters import chosen
from .java_syntax import type_name
from .java_values import Bound, Closure, Made, Native, Scope, TypeName
from .library import MAX_ELEMENTS
from .syntax import line_of, named, text_of
from .values import UNKNOWN, Site, Value

if TYPE_CHECKING:
    from .java_evaluation import Evaluation


def invocation(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    """A call as it is written: of an object or a type, of `super`, or of a bare name."""
    name, owner = text_of(node.child_by_field_name("name")), node.child_by_field_name("object")
    is_super = owner is not None and owner.type == "super"
    held = evaluation.value(owner, scope) if not is_super else UNKNOWN
    if not is_super and held is UNKNOWN and re.fullmatch(r"[\w.]+", text_of(owner)):
        held = _type_called(evaluation, text_of(owner), scope)
    arguments = evaluation.values(node.child_by_field_name("arguments"), scope)
    # Where a chain of calls is spread over lines, each name has its own.
    site = Site(scope.inside.source.file, line_of(node.child_by_field_name("name") or node))
    if owner is None:
        return _invoke_bare(evaluation, name, arguments, site, scope)
    if is_super:
        return _invoke_super(evaluation, name, arguments, site, scope)
    return evaluation.invoke(held, name, arguments, site)


def _type_called(evaluation: Evaluation, name: str, scope: Scope) -> Value:
    """The type that `name` means in front of a method, unless it is the name of a variable."""
    whole = evaluation.project.qualified(name, scope.inside)
    is_type = scope.holder(whole.partition(".")[0]) is None and evaluation.is_type(whole)
    return TypeName(whole) if is_type else UNKNOWN


def _invoke_super(evaluation: Evaluation, name: str, arguments: Sequence[Value], site: Site, scope: Scope) -> Value:
    above = evaluation.project.types.get(scope.inside.superclass)
    found = chosen(above, name, arguments) if above is not None else None
    if found is not None:
        return evaluation.call_method(found, arguments, scope.this)
    if isinstance(scope.this, Made) and isinstance(scope.this.base, Native):
        return scope.this.base.invoke(name, arguments, site, evaluation)
    return UNKNOWN


def _invoke_bare(evaluation: Evaluation, name: str, arguments: Sequence[Value], site: Site, scope: Scope) -> Value:
    """A call without an object: a method of the type or of one around it, or one that is imported."""
    for made in scope.objects():
        if found := chosen(made.type, name, arguments):
            return evaluation.call_method(found, arguments, made)
    for inside in scope.inside.outwards():
        if found := chosen(inside, name, arguments):
            return evaluation.call_method(found, arguments, scope.this if inside is scope.inside else UNKNOWN)
    for owner in scope.inside.source.owners_of(name):
        made_of, native = evaluation.project.types.get(owner), evaluation.packages.get(owner)
        if made_of is not None and (found := chosen(made_of, name, arguments)):
            return evaluation.call_method(found, arguments, UNKNOWN)
        if native is not None and native.knows(name):
            return native.invoke(name, arguments, site, evaluation)
    if isinstance(scope.this, Made) and isinstance(scope.this.base, Native):
        return scope.this.base.invoke(name, arguments, site, evaluation)
    return invoke_unknown(evaluation, name, arguments)


def invoke_made(evaluation: Evaluation, owner: Made, name: str, arguments: Sequence[Value], site: Site) -> Value:
    """A method of an object of the tree: its own, what a record or an enum has, or what its superclass outside does."""
    found = chosen(owner.type, name, arguments)
    if found is not None:
        return evaluation.call_method(found, arguments, owner)
    if not arguments and name in owner.fields and (owner.type.is_record or name == "name"):
        return owner.fields[name]
    if isinstance(owner.base, Native):
        return owner.base.invoke(name, arguments, site, evaluation)
    return invoke_unknown(evaluation, name, arguments)


def invoke_static(evaluation: Evaluation, owner: TypeName, name: str, arguments: Sequence[Value], site: Site) -> Value:
    """A static method of a type of the tree or of a library."""
    made_of = evaluation.project.types.get(owner.name)
    if made_of is not None:
        if found := chosen(made_of, name, arguments):
            return evaluation.call_method(found, arguments, UNKNOWN)
        if made_of.is_enum and name == "values":
            return [static(evaluation, made_of, one) for one in list(made_of.constants)[:MAX_ELEMENTS]]
    elif owner.name in evaluation.packages:
        return evaluation.packages[owner.name].invoke(name, arguments, site, evaluation)
    return invoke_unknown(evaluation, name, arguments)


def invoke_unknown(evaluation: Evaluation, name: str, arguments: Sequence[Value]) -> Value:
    """A method that nobody knows: it may call whatever code it is given."""
    for argument in arguments:
        if isinstance(argument, Closure):
            result = evaluation.call_closure(argument, ())
            if name == "orElseGet":
                return result
        if isinstance(argument, Bound) and (found := evaluation.method(argument.owner, argument.name, 0)):
            evaluation.call_method(found, (), argument.owner)
        if name in ("getInstance", "getBean") and isinstance(argument, TypeName):  # of a container
            made_of = evaluation.project.types.get(argument.name)
            return instance(evaluation, made_of) if made_of is not None else UNKNOWN
    return arguments[-1] if arguments and name in ("orElse", "getOrDefault") else UNKNOWN


def reference(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    """`users::list`, `Users::new`."""
    inside = named(node)
    if not inside:
        return UNKNOWN
    owner = evaluation.value(inside[0], scope)
    if owner is UNKNOWN:
        owner = type_named(evaluation, type_name(inside[0]), scope.inside)
    return Bound(owner, "new" if node.children[-1].type == "new" else text_of(inside[-1]))
