"""What of JavaScript's own operators, methods and modules matters to the paths of routes."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence

from .library import MAX_ELEMENTS, added, as_text, capped, text_joined
from .node_values import UNKNOWN_TEXT, Builtin, Interpreter, package
from .values import UNKNOWN, Site, Value, first_two

_FALSE = (False, None, "", 0)


def method_of_array(
    owner: list[Value], name: str, arguments: Sequence[Value], call: Callable[[Value, Sequence[Value]], Value]
) -> Value:
    """What calling the method of an array gives; `call` calls a function of the program."""
    first = arguments[0] if arguments else None
    match name:
        case "forEach" | "map" | "flatMap" | "filter" | "some" | "every" | "find":
            results = [call(first, [element, at]) for at, element in enumerate(owner[:MAX_ELEMENTS])]
            return results if name in ("map", "flatMap") else list(owner) if name == "filter" else UNKNOWN
        case "reduce":
            result = arguments[1] if len(arguments) > 1 else owner[0] if owner else UNKNOWN
            for element in owner[0 if len(arguments) > 1 else 1 : MAX_ELEMENTS]:
                result = call(first, [result, element])
            return result
        case "push" | "unshift":
            owner += arguments[: max(0, MAX_ELEMENTS - len(owner))]
            return UNKNOWN
        case "concat":
            joined = [
                *owner,
                *(part for given in arguments for part in (given if isinstance(given, list) else [given])),
            ]
            return joined[:MAX_ELEMENTS]
        case "join":
            return text_joined(owner, first if isinstance(first, str) else ",")
        case "slice" | "reverse" | "sort" | "flat" | "values":
            return list(owner)
        case _:
            return UNKNOWN


def combined(operator: str, left: Value, right: Value) -> Value:
    match operator:
        case "||":
            return right if left is UNKNOWN or (not _is_object(left) and left in _FALSE) else left
        case "??":
            return right if left is UNKNOWN or left is None else left
        case "&&":
            return right if left is UNKNOWN else left if not _is_object(left) and left in _FALSE else right
        case "+":
            if as_text(left) is not None and as_text(right) is not None:
                return added(left, right)
            is_text = any(isinstance(one, str) or one is UNKNOWN_TEXT for one in (left, right))
            return UNKNOWN_TEXT if is_text else UNKNOWN
        case _:
            return UNKNOWN


def _is_object(value: Value) -> bool:
    return not isinstance(value, (str, int, type(None)))


def _replaced(text: str, arguments: Sequence[Value]) -> Value:
    old, new = first_two(arguments)
    return text.replace(old, new, 1) if isinstance(old, str) and isinstance(new, str) else UNKNOWN


TEXT_METHODS: dict[str, Callable[[str, Sequence[Value]], Value]] = {
    "toString": lambda text, _: text,
    "trim": lambda text, _: text.strip(),
    "toLowerCase": lambda text, _: text.lower(),
    "toUpperCase": lambda text, _: text.upper(),
    "concat": lambda text, parts: text_joined((text, *parts)),
    "replace": _replaced,
}


def _join_paths(arguments: Sequence[Value], site: Site, _interpreter: Interpreter) -> Value:
    if not arguments or not all(isinstance(part, str) for part in arguments):
        return UNKNOWN
    return capped(posixpath.normpath("/".join(part for part in arguments if part) or "."))


def _first(arguments: Sequence[Value], site: Site, _interpreter: Interpreter) -> Value:
    return arguments[0] if arguments else UNKNOWN


def _of_object(give: Callable[[dict[str, Value]], Value]) -> Builtin:
    return Builtin(
        lambda arguments, _site, _interpreter: (
            give(arguments[0]) if arguments and isinstance(arguments[0], dict) else UNKNOWN
        )
    )


def _assign_all(arguments: Sequence[Value], site: Site, _interpreter: Interpreter) -> Value:
    for given in arguments[1:]:
        if isinstance(given, dict) and isinstance(arguments[0], dict):
            arguments[0].update(given)
    return arguments[0] if arguments else UNKNOWN


_PATH = package(
    Builtin(lambda *_: UNKNOWN), join=Builtin(_join_paths), resolve=Builtin(_join_paths), dirname=Builtin(_first)
)
_PATH.members["posix"] = _PATH
LIBRARY: dict[str, Value] = {"path": _PATH}
GLOBALS: dict[str, Value] = {
    "String": Builtin(
        lambda arguments, *_: UNKNOWN if not arguments or as_text(arguments[0]) is None else as_text(arguments[0])
    ),
    "Object": Builtin(
        lambda *_: UNKNOWN,
        {
            "entries": _of_object(lambda given: [[key, value] for key, value in given.items()]),
            "keys": _of_object(list),
            "values": _of_object(lambda given: list(given.values())),
            "freeze": Builtin(_first),
            "assign": Builtin(_assign_all),
        },
    ),
    "Promise": Builtin(lambda *_: UNKNOWN, {"all": Builtin(_first), "resolve": Builtin(_first)}),
}
