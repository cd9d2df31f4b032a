"""What a name stands for: a local, a field of an object around, a static field, a constant, a type. And what is assigned to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tree_sitter import Node

from .java_objects import construct
from .java_types import JavaType
from .java_values import Made, Native, Scope, TypeName
from .syntax import text_of
from .values import UNKNOWN, Value

if TYPE_CHECKING:
    from .java_evaluation import Evaluation


def identifier(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    """A bare name: what is nearest of a local, a field of an object around, a static member of a type around, what is imported."""
    name = text_of(node)
    holder = scope.holder(name)
    if holder is not None:
        return holder.names[name]
    for made in scope.objects():
        if name in made.fields:
            return made.fields[name]
    for inside in scope.inside.outwards():
        if inside.has_static(name):
            return static(evaluation, inside, name)
    return _imported(evaluation, name, scope.inside)


def _imported(evaluation: Evaluation, name: str, inside: JavaType) -> Value:
    """A member that `import static` brings, or else a type."""
    types, packages = evaluation.project.types, evaluation.packages
    for owner in inside.source.owners_of(name):
        if owner in types and types[owner].has_static(name):
            return static(evaluation, types[owner], name)
        if owner in packages and packages[owner].field(name) is not UNKNOWN:
            return packages[owner].field(name)
    return type_named(evaluation, name, inside)


def type_named(evaluation: Evaluation, name: str, inside: JavaType) -> Value:
    """The type that a name means, if it is one of the tree or of a library that is known."""
    whole = evaluation.project.qualified(name, inside)
    return TypeName(whole) if evaluation.is_type(whole) else UNKNOWN


def static(evaluation: Evaluation, made_of: JavaType, name: str) -> Value:
    """A static field or enum constant of a type or of what it inherits from."""
    for holder in made_of.lineage:
        if (holder, name) in evaluation.statics:
            return evaluation.statics[holder, name]
        field, constant = holder.fields.get(name), holder.constants.get(name)
        if field is not None and field.is_static:
            evaluation.statics[holder, name] = UNKNOWN  # in a circle of constants
            evaluation.statics[holder, name] = evaluation.value(field.value, Scope(holder, None))
            return evaluation.statics[holder, name]
        if constant is not None:
            evaluation.statics[holder, name] = UNKNOWN
            given = evaluation.values(constant.child_by_field_name("arguments"), Scope(holder, None))
            made = construct(evaluation, holder, given)
            if isinstance(made, Made):
                made.fields.setdefault("name", name)
            evaluation.statics[holder, name] = made
            return made
    return UNKNOWN


def field_access(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    """`owner.member`, where the owner may be an object, a type, or the package in front of one."""
    owner, member = node.child_by_field_name("object"), text_of(node.child_by_field_name("field"))
    if member == "this":
        return next((one for one in scope.objects() if one.type.simple_name == text_of(owner)), UNKNOWN)
    holder = evaluation.value(owner, scope)
    match holder:
        case Made():
            return holder.fields[member] if member in holder.fields else static(evaluation, holder.type, member)
        case TypeName():
            return _member_of_type(evaluation, holder.name, member)
        case Native():
            return holder.field(member)
        case list() if member == "length":
            return len(holder)
    if holder is UNKNOWN and re.fullmatch(r"[\w.]+", text_of(owner)):
        whole = evaluation.project.qualified(text_of(owner), scope.inside)
        if evaluation.is_type(whole):
            return _member_of_type(evaluation, whole, member)
        if evaluation.is_type(f"{whole}.{member}"):
            return TypeName(f"{whole}.{member}")
    return UNKNOWN


def _member_of_type(evaluation: Evaluation, name: str, member: str) -> Value:
    made_of = evaluation.project.types.get(name)
    if made_of is None:
        native = evaluation.packages.get(name)
        return native.field(member) if native is not None else UNKNOWN
    if made_of.has_static(member):
        return static(evaluation, made_of, member)
    inner = next((holder.types[member] for holder in made_of.lineage if member in holder.types), None)
    return TypeName(inner.name) if inner is not None else UNKNOWN


def assign(evaluation: Evaluation, target: Node, value: Value, scope: Scope) -> None:
    """Gives a name or a field its value; what is neither keeps what it has."""
    if target.type == "identifier":
        _assign_name(evaluation, text_of(target), value, scope)
    elif target.type == "field_access":
        holder = evaluation.value(target.child_by_field_name("object"), scope)
        member = text_of(target.child_by_field_name("field"))
        if isinstance(holder, Made):
            holder.fields[member] = value
        elif isinstance(holder, Native):
            holder.assign(member, value)
        elif isinstance(holder, TypeName) and holder.name in evaluation.project.types:
            evaluation.statics[evaluation.project.types[holder.name], member] = value


def _assign_name(evaluation: Evaluation, name: str, value: Value, scope: Scope) -> None:
    holder = scope.holder(name)
    if holder is not None:
        holder.names[name] = value
        return
    for made in scope.objects():
        if name in made.fields:
            made.fields[name] = value
            return
    for inside in scope.inside.outwards():
        if name in inside.fields and inside.fields[name].is_static:
            evaluation.statics[inside, name] = value
            return
