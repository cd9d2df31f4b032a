"""Bodies with objects in a list: a source without a schema names the fields of both, and not which are whose."""

from __future__ import annotations

from .records import Operation, Step
from .values import LISTS, named

MOST_LISTS = 2


def nested(operation: Operation, step: Step) -> list[Step]:
    """The request with one field of a list's name, which holds an object of all others."""
    fields = [one.name for one in operation.fields]
    if not isinstance(step.body, dict) or any(one.schema_ for one in operation.fields):
        return []
    found = []
    for name in [one for one in fields if LISTS.search(one)][:MOST_LISTS]:
        inner = {one: step.body.get(one, named(one)[0]) for one in fields if one != name}
        if inner and not isinstance(step.body.get(name), list):
            found.append(step.model_copy(update={"body": {name: [inner]}}))
    return found
