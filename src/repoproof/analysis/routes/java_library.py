"""What of Java's own library matters to the paths of routes: texts, lists, maps, optional values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from .java_values import Interpreter, Native, NativeClass
from .library import MAX_ELEMENTS, MAX_TEXT, added, as_text, capped, text_joined
from .values import UNKNOWN, Site, Value, first_two, is_known

Call = Callable[[Value, Sequence[Value]], Value]


class Entry(Native):
    """A pair of a map."""

    def __init__(self, key: Value, value: Value) -> None:
        self.key = key
        self.value = value

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        return {"getKey": self.key, "getValue": self.value}.get(name, UNKNOWN)


class Maybe(Native):
    """An `Optional`."""

    def __init__(self, value: Value) -> None:
        self.value = value

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        known = is_known(self.value)
        match name:
            case "orElse" if arguments:
                return self.value if known else arguments[0]
            case "orElseGet" if arguments:
                return self.value if known else interpreter.run(arguments[0], (), site)
            case "get" | "orElseThrow":
                return self.value
            case "map" if arguments and known:
                return Maybe(interpreter.run(arguments[0], [self.value], site))
            case "map" | "filter":
                return self
            case "ifPresent" if arguments:
                interpreter.run(arguments[0], [self.value], site)
        return UNKNOWN


def formatted(pattern: Value, arguments: Sequence[Value]) -> Value:
    """`String.format` with `%s`, `%d` and `%n$s`."""
    if not isinstance(pattern, str):
        return UNKNOWN
    given = [as_text(argument) for argument in arguments]
    out: list[str] = []
    at = end = 0
    for found in re.finditer(r"%(?:(%)|(\d+)\$[sd]|[sd])", pattern):
        out.append(pattern[end : found.start()])
        end = found.end()
        if found[1]:
            out.append("%")
            continue
        index = int(found[2]) - 1 if found[2] else at
        at += not found[2]
        text = given[index] if 0 <= index < len(given) else None
        if text is None:
            return UNKNOWN
        out.append(text)
    return capped("".join(out) + pattern[end:])


def method_of_text(owner: str, name: str, arguments: Sequence[Value]) -> Value:
    first, second = first_two(arguments)
    match name:
        case "concat":
            return added(owner, first)
        case "formatted":
            return formatted(owner, arguments)
        case "replace" if isinstance(first, str) and isinstance(second, str):
            return capped(owner.replace(first, second))
        case "toLowerCase" | "toUpperCase":
            return owner.lower() if name == "toLowerCase" else owner.upper()
        case "trim" | "strip":
            return owner.strip()
        case "toString" | "intern":
            return owner
        case "isEmpty" | "isBlank":
            return not (owner if name == "isEmpty" else owner.strip())
        case "equals" if isinstance(first, str):
            return owner == first
        case "startsWith" | "endsWith" if isinstance(first, str):
            return owner.startswith(first) if name == "startsWith" else owner.endswith(first)
        case "substring" if isinstance(first, int):
            return owner[first : second if isinstance(second, int) else None]
        case "split" if isinstance(first, str) and len(first) == 1:
            return owner.split(first)[:MAX_ELEMENTS]
        case "repeat" if isinstance(first, int) and 0 <= first * len(owner) <= MAX_TEXT:
            return owner * first
        case _:
            return UNKNOWN


def method_of_list(owner: list[Value], name: str, arguments: Sequence[Value], call: Call) -> Value:
    first = arguments[0] if arguments else UNKNOWN
    match name:
        case "forEach" | "map" | "flatMap" | "peek":
            results = [call(first, [element]) for element in owner[:MAX_ELEMENTS]]
            if name == "flatMap":
                return [one for result in results if isinstance(result, list) for one in result][:MAX_ELEMENTS]
            return results if name == "map" else owner
        case "add" | "addAll" | "addLast" | "addFirst":
            more = (first if isinstance(first, list) else []) if name == "addAll" else arguments[-1:]
            owner += more[: max(0, MAX_ELEMENTS - len(owner))]
            return True
        case "get" if isinstance(first, int) and 0 <= first < len(owner):
            return owner[first]
        case "getFirst" | "getLast" | "findFirst" if owner:
            found = owner[-1 if name == "getLast" else 0]
            return Maybe(found) if name == "findFirst" else found
        case "size":
            return len(owner)
        case "isEmpty":
            return not owner
        case "toArray" | "toList" | "collect" | "stream" | "filter" | "sorted" | "distinct" | "iterator" | "reversed":
            return list(owner)
        case _:
            return UNKNOWN


def method_of_map(owner: dict[Value, Value], name: str, arguments: Sequence[Value], call: Call) -> Value:
    first, second = first_two(arguments)
    match name:
        case "put" | "putIfAbsent" if isinstance(first, (str, int)) and len(owner) < MAX_ELEMENTS:
            owner[first] = second
        case "putAll" if isinstance(first, dict):
            owner.update(list(first.items())[:MAX_ELEMENTS])
        case "get" | "getOrDefault" if isinstance(first, (str, int)):
            return owner.get(first, second if name == "getOrDefault" else None)
        case "forEach":
            for key, value in list(owner.items()):
                call(first, [key, value])
        case "entrySet":
            return [Entry(key, value) for key, value in owner.items()]
        case "keySet":
            return list(owner)
        case "values":
            return list(owner.values())
    return UNKNOWN


def _list(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return list(arguments[0] if len(arguments) == 1 and isinstance(arguments[0], list) else arguments)


def _new_list(arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return list(arguments[0]) if arguments and isinstance(arguments[0], list) else []


def _new_map(arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return dict(arguments[0]) if arguments and isinstance(arguments[0], dict) else {}


def _map_of(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return _map_from(zip(arguments[::2], arguments[1::2], strict=False))


def _map_of_entries(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return _map_from((one.key, one.value) for one in arguments if isinstance(one, Entry))


def _map_from(pairs: Iterable[tuple[Value, Value]]) -> Value:
    return {key: value for key, value in pairs if isinstance(key, (str, int))}


def _entry(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return Entry(*arguments) if len(arguments) == 2 else UNKNOWN


def _first(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return arguments[0] if arguments else UNKNOWN


def _joined(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    parts = arguments[1] if len(arguments) == 2 and isinstance(arguments[1], list) else arguments[1:]
    return text_joined(parts, arguments[0]) if arguments and isinstance(arguments[0], str) else UNKNOWN


def _text(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    text = as_text(arguments[0]) if arguments else None
    return UNKNOWN if text is None else text


def _property(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    """`System.getProperty(name, default)`; the environment has no defaults."""
    return arguments[1] if len(arguments) == 2 else UNKNOWN


def _or_else(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return next((one for one in arguments if is_known(one)), UNKNOWN)


_LIST = NativeClass({"of": _list, "copyOf": _list, "asList": _list, "stream": _list}, make=_new_list)
_MAP = NativeClass({"of": _map_of, "ofEntries": _map_of_entries, "copyOf": _first, "entry": _entry}, make=_new_map)
LIBRARY: dict[str, NativeClass] = {
    "java.lang.String": NativeClass(
        {
            "format": lambda name, arguments, *_: formatted(arguments[0] if arguments else UNKNOWN, arguments[1:]),
            "join": _joined,
            "valueOf": _text,
        }
    ),
    "java.lang.Integer": NativeClass({"toString": _text, "valueOf": _first}),
    "java.lang.System": NativeClass({"getProperty": _property}),
    "java.util.Map": _MAP,
    "java.util.Optional": NativeClass(
        {
            "of": lambda name, arguments, *_: Maybe(arguments[0] if arguments else None),
            "ofNullable": lambda name, arguments, *_: Maybe(arguments[0] if arguments else None),
            "empty": lambda *_: Maybe(None),
        }
    ),
    "java.util.Objects": NativeClass(
        {"requireNonNull": _first, "requireNonNullElse": _or_else, "requireNonNullElseGet": _first}
    ),
    **{f"java.util.{name}": _LIST for name in ("List", "Set", "Arrays", "ArrayList", "LinkedList", "HashSet")},
    **{f"java.util.{name}": _LIST for name in ("LinkedHashSet", "TreeSet", "Collection", "Collections")},
    **{f"java.util.{name}": _MAP for name in ("HashMap", "LinkedHashMap", "TreeMap")},
    "java.util.concurrent.ConcurrentHashMap": _MAP,
    "java.util.stream.Stream": _LIST,
}
