"""What of JavaScript's own operators, methods and modules matters to the paths of routes."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from typing import Any

from .node_values import UNKNOWN, UNKNOWN_TEXT, Builtin, Site, Value, package

MAX_TEXT = 5_000
MAX_ELEMENTS = 1_000
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
            texts = [as_text(element) for element in owner]
            glue = first if isinstance(first, str) else ","
            return UNKNOWN if None in texts else capped(glue.join(text for text in texts if text is not None))
        case "slice" | "reverse" | "sort" | "flat" | "values":
            return list(owner)
        case _:
            return UNKNOWN


def as_text(value: Value) -> str | None:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def capped(text: Value) -> Value:
    return text if not isinstance(text, str) or len(text) <= MAX_TEXT else UNKNOWN


def combined(operator: str, left: Value, right: Value) -> Value:
    match operator:
        case "||":
            return right if left is UNKNOWN or (not _is_object(left) and left in _FALSE) else left
        case "??":
            return right if left is UNKNOWN or left is None else left
        case "&&":
            return right if left is UNKNOWN else left if not _is_object(left) and left in _FALSE else right
        case "+":
            parts = (as_text(left), as_text(right))
            if parts[0] is None or parts[1] is None:
                return (
                    UNKNOWN_TEXT
                    if isinstance(left, str) or isinstance(right, str) or UNKNOWN_TEXT in (left, right)
                    else UNKNOWN
                )
            return capped(parts[0] + parts[1])
        case _:
            return UNKNOWN


def _is_object(value: Value) -> bool:
    return not isinstance(value, (str, int, type(None)))


def _replaced(text: str, arguments: Sequence[Value]) -> Value:
    old, new = [*arguments, UNKNOWN, UNKNOWN][:2]
    return text.replace(old, new, 1) if isinstance(old, str) and isinstance(new, str) else UNKNOWN


TEXT_METHODS: dict[str, Callable[[str, Sequence[Value]], Value]] = {
    "toString": lambda text, _: text,
    "trim": lambda text, _: text.strip(),
    "toLowerCase": lambda text, _: text.lower(),
    "toUpperCase": lambda text, _: text.upper(),
    "concat": lambda text, parts: (
        UNKNOWN if any(as_text(part) is None for part in parts) else text + "".join(map(str, parts))
    ),
    "replace": _replaced,
}


def _join_paths(arguments: Sequence[Value], site: Site, _interpreter: Any) -> Value:
    if not arguments or not all(isinstance(part, str) for part in arguments):
        return UNKNOWN
    return capped(posixpath.normpath("/".join(part for part in arguments if part) or "."))


def _first(arguments: Sequence[Value], site: Site, _interpreter: Any) -> Value:
    return arguments[0] if arguments else UNKNOWN


def _of_object(give: Callable[[dict[str, Value]], Value]) -> Builtin:
    return Builtin(
        lambda arguments, _site, _interpreter: (
            give(arguments[0]) if arguments and isinstance(arguments[0], dict) else UNKNOWN
        )
    )


def _assign_all(arguments: Sequence[Value], site: Site, _interpreter: Any) -> Value:
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
