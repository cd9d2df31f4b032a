"""What a name stands for, and what `owner.name` does."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from .python_builtins import MAX_TEXT, METHODS, default_of_a_setting
from .python_project import Module
from .python_values import Bound, Class, External, Function, Member, Object, Pending, Scope, Super
from .values import UNKNOWN, Value

if TYPE_CHECKING:
    from .python_evaluation import Evaluation


def look_up(evaluation: Evaluation, name: str, scope: Scope) -> Value:
    """What a bare name is: of the scopes around, the module, or Python itself."""
    holder = scope.holder(name)
    if holder is not None:
        return holder.names[name]
    module = evaluation.scope(scope.module).names
    if name in module:
        return module[name]
    return External(f"builtins.{name}") if hasattr(builtins, name) else UNKNOWN


def attribute(evaluation: Evaluation, owner: Value, name: str, *, pending: bool = False) -> Value:
    """What `owner.name` is; with `pending`, what a module does not have yet is promised."""
    match owner:
        case Module():
            names = evaluation.scope(owner).names
            if name in names:
                return names[name]
            child = evaluation.project.child(owner, name)
            if child is not None:
                evaluation.scope(child)
                return child
            return Pending(owner, name) if pending else UNKNOWN
        case External(name=outer):
            return External(f"{outer}.{name}")
        case Object():
            return _object_attribute(evaluation, owner, name)
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


def _object_attribute(evaluation: Evaluation, owner: Object, name: str) -> Value:
    if name in owner.attributes:
        return owner.attributes[name]
    if not isinstance(owner.kind, Class):
        return Member(owner, name)
    found = owner.kind.lookup(name, owner)
    if isinstance(found, Function):
        kinds = [one.name for one in found.decorations if isinstance(one, External)]
        if any(kind.endswith(("property", "cached_property")) for kind in kinds):
            return evaluation.call_function(found, (owner,), {})
        return found if "builtins.staticmethod" in kinds else Bound(found, owner)
    if found is not owner:
        return default_of_a_setting(found)
    return Member(owner, name) if owner.kind.externals() else UNKNOWN


def super_of(scope: Scope) -> Value:
    """`super()`: the bases of the class whose method the code is in, seen from the object that the method was called on."""
    for at in scope.outwards():
        if at.function is not None and at.function.owner is not None:
            owner = at.function.owner
            above = Class("super", owner.bases, {}, owner.site)
            return Super(above, at.receiver) if isinstance(at.receiver, Object) else UNKNOWN
    return UNKNOWN
