"""The few functions and methods of Python itself, and of its environment, whose results routes are written with."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .python_values import External, Object, Table
from .values import UNKNOWN, Reply, Value

MAX_ITEMS = 5_000
MAX_TEXT = 4_096
MAX_BITS = 64
"""Of a number: Python writes none out that is very long."""

Arguments = tuple[Value, ...]
Keywords = Mapping[str, Value]


def bounded(text: str) -> Value:
    """No path is longer; a text that doubles itself is not worth following."""
    return text if len(text) <= MAX_TEXT else UNKNOWN


def total(left: Value, right: Value) -> Value:
    """`left + right`; a list keeps an unknown or opaque part (`router.urls`) as one item."""
    if isinstance(left, str) and isinstance(right, str):
        return bounded(left + right)
    if isinstance(left, list | tuple) or isinstance(right, list | tuple):
        joined = [
            *(left if isinstance(left, list | tuple) else [left]),
            *(right if isinstance(right, list | tuple) else [right]),
        ]
        return tuple(joined[:MAX_ITEMS]) if isinstance(left, tuple) else joined[:MAX_ITEMS]
    return UNKNOWN


def percent(form: Value, values: Value) -> Value:
    """`"/%s/items" % name`; a width could ask for a gigabyte, so only plain conversions."""
    parts = values if isinstance(values, tuple) else (values,)
    if not isinstance(form, str) or not all(isinstance(one, str | int) for one in parts) or re.search(r"%[^sd%]", form):
        return UNKNOWN
    try:
        return bounded(form % parts)
    except (TypeError, ValueError):
        return UNKNOWN


def default_of_a_setting(value: Value) -> Value:
    """A pydantic field stands for its default."""
    if (
        isinstance(value, Object)
        and isinstance(value.kind, External)
        and value.kind.among(("pydantic", "dataclasses"), ("Field", "field"))
    ):
        return value.argument(0, "default", UNKNOWN)
    return value


# Functions, by where they come from.


def _listed(args: Arguments, keywords: Keywords) -> Reply:
    if not args:
        return Reply([])
    return Reply(list(args[0])[:MAX_ITEMS] if isinstance(args[0], list | tuple | dict) else args[0])


def _reversed(args: Arguments, keywords: Keywords) -> Reply | None:
    return Reply(list(args[0])[::-1]) if args and isinstance(args[0], list | tuple) else None


def _dict(args: Arguments, keywords: Keywords) -> Reply:
    table = Table()
    for one in (*(one for one in args if isinstance(one, dict)), keywords):
        table.update(one)
        table.sites.update(one.sites if isinstance(one, Table) else {})
    return Reply(table)


def _str(args: Arguments, keywords: Keywords) -> Reply:
    return Reply(str(args[0]) if args and isinstance(args[0], str | int) else UNKNOWN)


def _enumerate(args: Arguments, keywords: Keywords) -> Reply | None:
    return Reply(list(enumerate(args[0]))) if args and isinstance(args[0], list | tuple) else None


def _zip(args: Arguments, keywords: Keywords) -> Reply | None:
    return Reply(list(zip(*args, strict=False))) if all(isinstance(one, list | tuple) for one in args) else None


def _chain(args: Arguments, keywords: Keywords) -> Reply:
    return Reply([item for one in args for item in (one if isinstance(one, list | tuple) else [one])][:MAX_ITEMS])


def _first(args: Arguments, keywords: Keywords) -> Reply | None:
    return Reply(args[0]) if args else None


def _second(args: Arguments, keywords: Keywords) -> Reply | None:
    return Reply(args[1]) if len(args) > 1 else None


def _setting(args: Arguments, keywords: Keywords) -> Reply:
    """A setting from the environment is its default: what the service has when nobody sets it."""
    return Reply(args[1] if len(args) > 1 else keywords.get("default", UNKNOWN))


BUILTINS: dict[str, Callable[[Arguments, Keywords], Reply | None]] = {
    "builtins.list": _listed,
    "builtins.tuple": _listed,
    "builtins.set": _listed,
    "builtins.frozenset": _listed,
    "builtins.sorted": _listed,
    "builtins.reversed": _reversed,
    "builtins.dict": _dict,
    "builtins.str": _str,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "itertools.chain": _chain,
    "functools.partial": _first,
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "typing.cast": _second,
    "os.getenv": _setting,
    "os.environ.get": _setting,
    "decouple.config": _setting,
}


# Methods of texts, lists and dicts.

Method = Callable[[Value, Arguments, Keywords], Value]


def _text(name: str) -> Method:
    def call(owner: str, args: Arguments, keywords: Keywords) -> Value:
        if keywords or not all(isinstance(one, str) for one in args):
            return UNKNOWN
        try:
            result = getattr(owner, name)(*args)
        except (TypeError, ValueError):
            return UNKNOWN
        return bounded(result) if isinstance(result, str) else result

    return call


def _format(owner: str, args: Arguments, keywords: Keywords) -> Value:
    plain = re.fullmatch(r"(?:[^{}]|\{\w*\}|\{\{|\}\})*", owner)
    if plain is None or not all(isinstance(one, str | int) for one in (*args, *keywords.values())):
        return UNKNOWN
    try:
        return bounded(owner.format(*args, **keywords))
    except (LookupError, ValueError):
        return UNKNOWN


def _join(owner: str, args: Arguments, keywords: Keywords) -> Value:
    parts = args[0] if args else None
    return (
        bounded(owner.join(parts))
        if isinstance(parts, list | tuple) and all(isinstance(one, str) for one in parts)
        else UNKNOWN
    )


def _append(owner: list[Value], args: Arguments, keywords: Keywords) -> None:
    if args and len(owner) < MAX_ITEMS:
        owner.append(args[0])


def _extend(owner: list[Value], args: Arguments, keywords: Keywords) -> None:
    if args and len(owner) < MAX_ITEMS:
        owner.extend(args[0] if isinstance(args[0], list | tuple) and args[0] is not owner else [args[0]])


def _insert(owner: list[Value], args: Arguments, keywords: Keywords) -> None:
    if len(args) == 2 and isinstance(args[0], int) and len(owner) < MAX_ITEMS:
        owner.insert(args[0], args[1])


def _get(owner: dict[Value, Value], args: Arguments, keywords: Keywords) -> Value:
    if args and isinstance(args[0], str | int):
        return owner.get(args[0], args[1] if len(args) > 1 else None)
    return UNKNOWN


def _setdefault(owner: dict[Value, Value], args: Arguments, keywords: Keywords) -> Value:
    if args and isinstance(args[0], str | int):
        return owner.setdefault(args[0], args[1] if len(args) > 1 else None)
    return UNKNOWN


def _update(owner: Table, args: Arguments, keywords: Keywords) -> None:
    for one in (*args, keywords):
        if isinstance(one, dict):
            owner.update(one)
            owner.sites.update(one.sites if isinstance(one, Table) else {})


METHODS: dict[type, dict[str, Method]] = {
    str: {
        **{
            name: _text(name)
            for name in ("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "replace")
        },
        **{name: _text(name) for name in ("removeprefix", "removesuffix", "split", "rsplit")},
        "format": _format,
        "join": _join,
    },
    list: {"append": _append, "extend": _extend, "insert": _insert, "copy": lambda owner, args, keywords: list(owner)},
    tuple: {},
    dict: {
        "get": _get,
        "setdefault": _setdefault,
        "update": _update,
        "keys": lambda owner, args, keywords: list(owner),
        "values": lambda owner, args, keywords: list(owner.values()),
        "items": lambda owner, args, keywords: list(owner.items()),
        "copy": lambda owner, args, keywords: _dict((owner,), {}).value,
    },
}
"""By type of the owner. `replace` cannot explode: texts are bounded before and after."""
