"""Objects of the tree's own types: how they are made, and what their fields hold then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from .budget import MAX_CALL_DEPTH
from .java_parameters import best, bind
from .java_statements import block
from .java_syntax import parameter_name, parameters_of, type_name
from .java_types import JavaType, Method
from .java_values import Made, Native, Scope
from .syntax import line_of, named
from .values import UNKNOWN, Site, Value

if TYPE_CHECKING:
    from .java_evaluation import Evaluation


def new(evaluation: Evaluation, node: Node, scope: Scope) -> Value:
    """`new Users(...)`: of a type of the tree, an anonymous one, or one of a library."""
    arguments = evaluation.values(node.child_by_field_name("arguments"), scope)
    name = evaluation.project.qualified(type_name(node.child_by_field_name("type")), scope.inside)
    body = next((child for child in named(node) if child.type == "class_body"), None)
    if body is not None:
        return construct(evaluation, _anonymous(evaluation, body, name, scope.inside), arguments, scope)
    if name in evaluation.project.types:
        return construct(evaluation, evaluation.project.types[name], arguments)
    native = evaluation.packages.get(name)
    site = Site(scope.inside.source.file, line_of(node))
    if native is not None and native.make is not None:
        return native.make(arguments, site, evaluation)
    return evaluation.invoke(UNKNOWN, name, arguments, site)


def _anonymous(evaluation: Evaluation, body: Node, above: str, inside: JavaType) -> JavaType:
    """The type of an anonymous class, one for each place where it is written."""
    place = (inside.source.file, body.start_byte)
    if place not in evaluation.anonymous:
        name = f"{inside.name}.{body.start_byte}"
        made = JavaType(name, body, inside.source, evaluation.project, inside, written_as=above)
        evaluation.anonymous[place] = made
    return evaluation.anonymous[place]


def instance(evaluation: Evaluation, made_of: JavaType) -> Value:
    """An object made with arguments that nobody knows; of an interface, of the only type that implements it."""
    if made_of.is_abstract:
        below = evaluation.project.implementations.get(made_of, [])
        made_of = below[0] if len(below) == 1 else made_of
    if made_of.is_abstract or len(evaluation.making) > MAX_CALL_DEPTH:
        return UNKNOWN
    constructor = min(made_of.constructors, key=lambda one: len(one.parameters), default=None)
    return construct(evaluation, made_of, [UNKNOWN] * (len(constructor.parameters) if constructor else 0))


def construct(
    evaluation: Evaluation, made_of: JavaType, arguments: Sequence[Value], around: Scope | None = None
) -> Value:
    """An object; unknown of a type that one is being made of already."""
    if evaluation.depth >= MAX_CALL_DEPTH or made_of in evaluation.making:
        return UNKNOWN
    made = Made(made_of, around=around)
    evaluation.making.append(made_of)
    evaluation.depth += 1
    try:
        _initialise(evaluation, made, made_of, arguments)
    finally:
        evaluation.depth -= 1
        evaluation.making.pop()
    return made


def _initialise(evaluation: Evaluation, made: Made, as_type: JavaType, arguments: Sequence[Value]) -> None:
    """The fields and the constructor of one class of the lineage, its superclass first."""
    constructor = best(arguments, as_type.constructors)
    scope = Scope(as_type, made, parent=made.around)
    if constructor is not None:
        bind(evaluation, constructor.parameters, arguments, scope)
    _initialise_above(evaluation, made, as_type, _super_arguments(evaluation, constructor, scope))
    if as_type.is_record:
        for at, component in enumerate(parameters_of(as_type.node)):
            made.fields[parameter_name(component)] = arguments[at] if at < len(arguments) else UNKNOWN
    own = {name: field for name, field in as_type.fields.items() if not field.is_static}
    for name, field in own.items():
        made.fields[name] = evaluation.value(field.value, Scope(as_type, made, parent=made.around))
        if field.value is None and constructor is None:
            made.fields[name] = evaluation.given(field.type, as_type)
    for member in as_type.members:
        if member.type == "block":
            block(evaluation, member, Scope(as_type, made, parent=made.around))
    if constructor is not None and constructor.body is not None:
        block(evaluation, constructor.body, scope)
        for name, field in own.items():
            if made.fields.get(name) is UNKNOWN:
                made.fields[name] = evaluation.given(field.type, as_type)


def _initialise_above(evaluation: Evaluation, made: Made, as_type: JavaType, arguments: Sequence[Value]) -> None:
    above = evaluation.project.types.get(as_type.superclass)
    if above is not None:
        if evaluation.depth < MAX_CALL_DEPTH:
            evaluation.depth += 1
            _initialise(evaluation, made, above, arguments)
            evaluation.depth -= 1
        return
    native = evaluation.packages.get(as_type.superclass)
    if native is not None and native.make is not None:
        made.base = native.make(arguments, Site(as_type.source.file, as_type.line), evaluation)
        if isinstance(made.base, Native):
            made.base.made_as = made.type


def _super_arguments(evaluation: Evaluation, constructor: Method | None, scope: Scope) -> list[Value]:
    first = named(constructor.body)[:1] if constructor is not None else []
    if first and first[0].type == "explicit_constructor_invocation":
        return evaluation.values(first[0].child_by_field_name("arguments"), scope)
    return []
