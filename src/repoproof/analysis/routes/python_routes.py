"""What the readers of Python frameworks share: arguments as texts and methods, and a route from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..endpoints import METHODS, Route, normalise_path
from .paths import VERBS
from .python_evaluation import Evaluation
from .python_values import Class, External, Function, Member, Object
from .values import UNKNOWN, Site, Value


def route(framework: str, methods: Iterable[str], path: str, site: Site) -> Iterator[Route]:
    for method in methods:
        if method in METHODS or method == "ANY":
            yield Route(method=method, path=normalise_path(path), file=site.file, line=site.line, framework=framework)


def text(value: Value) -> str | None:
    """A path or prefix: None where it cannot be told; an absent one is empty."""
    return value if isinstance(value, str) else "" if value is None else None


def methods(evaluation: Evaluation, value: Value, default: tuple[str, ...]) -> tuple[str, ...]:
    """`["GET", 'post']`, `("GET",)`, `"GET"`, `[HTTPMethod.GET]` in upper case; `default` where there is none to read."""
    found: list[str] = []
    for one in evaluation.items(value):
        if isinstance(one, str):
            found.append(one.upper())
        elif isinstance(one, External):
            found.append(one.name.rpartition(".")[2].upper())
    return tuple(dict.fromkeys(found)) or default


def handled(view: Class) -> tuple[str, ...]:
    """Methods that a class-based view has a function for."""
    functions = view.functions()
    return tuple(method for verb, method in VERBS.items() if verb in functions)


def call_name(event: Object, *owners: str) -> str:
    """What was called on an object, without the names of the parts of it that lead there: `app.router.add_get` -> `add_get`."""
    name = event.name
    for owner in owners:
        name = name.removeprefix(f"{owner}.")
    return name


def as_view_class(value: Value) -> Class | None:
    """The class of `View.as_view(...)`."""
    if (
        isinstance(value, Object)
        and isinstance(value.kind, Member)
        and value.kind.name == "as_view"
        and isinstance(value.kind.owner, Class)
    ):
        return value.kind.owner
    return None


def unwrapped(evaluation: Evaluation, value: Value) -> Value:
    """The view inside wrappers: `csrf_exempt(view)`, `cached(60)(view)`, a decorator that uses `functools.wraps`."""
    for _ in range(20):
        value = evaluation.resolved(value)
        if (
            isinstance(value, Object)
            and isinstance(value.kind, External)
            and value.args
            and isinstance(value.args[0], Function | Class | Object)
        ):
            value = value.args[0]
        elif isinstance(value, Function) and (inner := _wrapped(value)) is not None:
            value = inner
        else:
            return value
    return UNKNOWN


def _wrapped(function: Function) -> Value:
    for decoration in function.decorations:
        if isinstance(decoration, Object) and decoration.name == "functools.wraps" and decoration.args:
            return decoration.args[0]
    return None
