"""Which method a call means, by how its parameters suit the arguments, and what they hold then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from .java_syntax import parameter_name, parameter_type, type_name
from .java_types import JavaType, Method
from .java_values import Scope
from .syntax import text_of
from .values import UNKNOWN, Value

if TYPE_CHECKING:
    from .java_evaluation import Evaluation


def chosen(made_of: JavaType, name: str, arguments: Sequence[Value]) -> Method | None:
    """The method of a type, or the nearest one that it inherits, that a call with these arguments reaches."""
    for holder in made_of.lineage:
        found = best(arguments, (one for one in holder.methods if one.name == name and one.body))
        if found is not None:
            return found
    return None


def best(arguments: Sequence[Value], methods: Iterable[Method]) -> Method | None:
    """The method, or constructor, that takes so many arguments and suits them best."""
    fitting = [one for one in methods if _takes(one, len(arguments))]
    return max(fitting, key=lambda one: _fit(one, arguments), default=None)


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


def bind(evaluation: Evaluation, parameters: Sequence[Node], arguments: Sequence[Value], scope: Scope) -> None:
    """Gives the parameters their arguments. What is not known may be what somebody outside the tree hands over."""
    for at, parameter in enumerate(parameters):
        value = arguments[at] if at < len(arguments) else UNKNOWN
        if parameter.type == "spread_parameter":
            value = list(arguments[at:])
            if len(value) == 1 and isinstance(value[0], list):
                value = value[0]
        elif value is UNKNOWN:
            value = evaluation.given(parameter_type(parameter), scope.inside)
        scope.names[parameter_name(parameter)] = value


def bind_names(names: Sequence[Node], arguments: Sequence[Value], scope: Scope) -> None:
    """The same for the parameters of a lambda that are written without types."""
    for at, name in enumerate(names):
        scope.names[text_of(name)] = arguments[at] if at < len(arguments) else UNKNOWN
