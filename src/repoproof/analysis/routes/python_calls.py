"""What a call gives: of functions and classes of the tree, of Python's own functions, of what comes from outside the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .python_builtins import BUILTINS, METHODS
from .python_names import attribute
from .python_values import Bound, Class, External, Function, Member, Object
from .values import UNKNOWN, Reply, Site, Value

if TYPE_CHECKING:
    from .python_evaluation import Evaluation


def call(
    evaluation: Evaluation, target: Value, args: tuple[Value, ...], keywords: dict[str, Value], site: Site
) -> Value:
    """What calling `target` gives; what comes from outside the tree only notes that it was called, and how."""
    match target:
        case Function():
            return evaluation.call_function(target, args, keywords)
        case Bound(function=function, receiver=receiver):
            return evaluation.call_function(function, (receiver, *args), keywords)
        case Class():
            made = evaluation.make(target, args, keywords, site)
            initialise = target.lookup("__init__")
            if isinstance(initialise, Function):
                evaluation.call_function(initialise, (made, *args), keywords)
            else:
                made.attributes.update(keywords)
            return made
        case External(name=name):
            reply = _builtin(evaluation, name, args, keywords)
            return evaluation.make(target, args, keywords, site) if reply is None else reply.value
        case Member(owner=str() | list() | tuple() | dict() as owner, name=name):
            return METHODS[dict if isinstance(owner, dict) else type(owner)][name](owner, args, keywords)
        case Member():
            return evaluation.make(target, args, keywords, site)
        case Object():
            # A call of what a call returned: a decorator, or a wrapper of a view.
            for one in args:
                if isinstance(one, Function | Class | Bound | Object):
                    target.applied.append(one)
                    return one
            return UNKNOWN
        case _:
            return UNKNOWN


def _builtin(evaluation: Evaluation, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Reply | None:
    if name == "builtins.getattr" and len(args) >= 2 and isinstance(args[1], str):
        return Reply(evaluation.resolved(attribute(evaluation, args[0], args[1])))
    if name == "importlib.import_module" and args and isinstance(args[0], str):
        module = evaluation.module_named(args[0])
        if module is not None:
            evaluation.scope(module)
        return Reply(UNKNOWN if module is None else module)
    evaluate: Callable[..., Reply | None] | None = BUILTINS.get(name)
    return None if evaluate is None else evaluate(args, keywords)
