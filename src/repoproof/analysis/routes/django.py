"""Django: `urlpatterns` from the root URL configuration down, and the methods that its views take."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..endpoints import METHODS, Route
from . import django_rest
from .django_patterns import template_of_regex
from .python_evaluation import Evaluation
from .python_project import Module
from .python_routes import as_view_class, handled, methods, route, text, unwrapped
from .python_values import Class, External, Function, Member, Object
from .values import UNKNOWN, Value

MENTIONS = ("django", "rest_framework", "urlpatterns", "ROOT_URLCONF")

_PACKAGES = ("django", "rest_framework")
# Methods of Django's generic views, by class.
_GENERIC = {
    "TemplateView": ("GET",),
    "ListView": ("GET",),
    "DetailView": ("GET",),
    "FormView": ("GET", "POST", "PUT"),
    "CreateView": ("GET", "POST", "PUT"),
    "UpdateView": ("GET", "POST", "PUT"),
    "DeleteView": ("GET", "POST", "DELETE"),
    "RedirectView": METHODS,
    "View": (),
}
_RESTRICTING = {"require_GET": ("GET",), "require_POST": ("POST",), "require_safe": ("GET", "HEAD")}


def routes(evaluation: Evaluation) -> Iterator[Route]:
    reader = _Reader(evaluation)
    for root in _roots(evaluation):
        yield from reader.patterns(evaluation.scope(root).names.get("urlpatterns"), "", frozenset({root.parts}))


def _roots(evaluation: Evaluation) -> list[Module]:
    """The modules that `ROOT_URLCONF` names, in settings modules or in `settings.configure(...)`."""
    values = [scope.names.get("ROOT_URLCONF") for scope in list(evaluation.scopes.values())]
    values += [call.argument(-1, "ROOT_URLCONF") for call in evaluation.instances(("django",), ("configure",))]
    roots: dict[tuple[str, ...], Module] = {}
    for name in values:
        module = evaluation.module_named(name) if isinstance(name, str) and name else None
        if module is not None:
            roots[module.parts] = module
    return list(roots.values())


class _Reader:
    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def patterns(self, value: Value, prefix: str, path: frozenset[tuple[str, ...]]) -> Iterator[Route]:
        """Routes of a list of patterns; `path` is the modules that lead here, so that a cycle of includes ends."""
        for item in self.evaluation.items(value):
            if isinstance(item, Member) and item.name == "urls" and isinstance(item.owner, Object):
                yield from django_rest.router_routes(self.evaluation, item.owner, prefix)
            elif isinstance(item, Object) and item.isa(_PACKAGES, ("format_suffix_patterns", "i18n_patterns")):
                yield from self.patterns(item.args[:1], prefix, path)
            elif isinstance(item, Object) and item.isa(("django",), ("path", "re_path", "url")):
                yield from self._pattern(item, prefix, path)

    def _pattern(self, pattern: Object, prefix: str, path: frozenset[tuple[str, ...]]) -> Iterator[Route]:
        written = text(pattern.argument(0, "route" if pattern.name.endswith(".path") else "regex", UNKNOWN))
        if written is None:
            return
        is_path = pattern.name.rpartition(".")[2] == "path"
        prefix += written if is_path else template_of_regex(written)
        view = self.evaluation.resolved(pattern.argument(1, "view"))
        if isinstance(view, Object) and view.isa(("django",), ("include",)):
            yield from self._include(view.argument(0, "arg"), prefix, path)
        elif isinstance(view, tuple):
            yield from self._include(view, prefix, path)
        elif isinstance(view, Member) and view.name == "urls" and isinstance(view.owner, Object):
            yield from django_rest.router_routes(self.evaluation, view.owner, prefix)
        else:
            yield from route("django", self._methods(view), prefix, pattern.site)

    def _include(self, included: Value, prefix: str, path: frozenset[tuple[str, ...]]) -> Iterator[Route]:
        """`include("app.urls")`, `include(module)`, `include(list)`, each perhaps in a tuple with a namespace."""
        included = self.evaluation.resolved(included)
        if isinstance(included, tuple) and included:
            included = self.evaluation.resolved(included[0])
        module = self.evaluation.module_named(included) if isinstance(included, str) and included else included
        if not isinstance(module, Module):
            yield from self.patterns([included], prefix, path)
        elif module.parts not in path:
            yield from self.patterns(
                self.evaluation.scope(module).names.get("urlpatterns"), prefix, path | {module.parts}
            )

    def _methods(self, view: Value) -> tuple[str, ...]:
        """Methods that a view takes; none for a view that cannot be found, which Django would not start with."""
        restricted: tuple[str, ...] = ()
        at = view
        while isinstance(at, Object) and isinstance(at.kind, External) and at.args:
            restricted = restricted or _RESTRICTING.get(at.name.rpartition(".")[2], ())
            at = at.args[0]
        view = unwrapped(self.evaluation, view)
        if restricted and view is not UNKNOWN:
            return restricted
        if isinstance(view, Function):
            return function_methods(self.evaluation, view)
        if isinstance(view, Object) and isinstance(view.kind, Member) and view.kind.name.endswith("as_view"):
            of_class = as_view_class(view)
            if view.args and isinstance(view.args[0], dict):
                return tuple(verb.upper() for verb in view.args[0] if isinstance(verb, str))
            return class_methods(self.evaluation, of_class) if of_class else ()
        if isinstance(view, Object) and isinstance(view.kind, External) and view.name.endswith(".as_view"):
            return _external_methods(External(view.name.removesuffix(".as_view"))) or ("ANY",)
        return ("ANY",) if isinstance(view, External | Class) else ()


def class_methods(evaluation: Evaluation, view: Class) -> tuple[str, ...]:
    """Methods that a class has a function for or inherits from a generic view, unless `http_method_names` leaves them out."""
    found = list(handled(view))
    for base in view.externals():
        found += _external_methods(base) or ()
    if not found and any(base is UNKNOWN for one in view.ancestry() if isinstance(one, Class) for base in one.bases):
        found = ["ANY"]
    names = methods(evaluation, view.lookup("http_method_names"), ())
    return tuple(method for method in dict.fromkeys(found) if not names or method in names)


def _external_methods(view: External) -> tuple[str, ...] | None:
    """Methods of a class from outside the tree; None where they are not known."""
    name = view.name.rpartition(".")[2]
    if view.name.startswith("django."):
        return _GENERIC.get(name)
    return django_rest.generic_methods(name)


def function_methods(evaluation: Evaluation, view: Function) -> tuple[str, ...]:
    """What decorators allow; else what the body compares `request.method` with; else all."""
    for decoration in view.decorations:
        name = decoration.name.rpartition(".")[2] if isinstance(decoration, Object | External) else ""
        if name in _RESTRICTING:
            return _RESTRICTING[name]
        if name in ("api_view", "require_http_methods"):
            given = (
                decoration.argument(0, "http_method_names" if name == "api_view" else "request_method_list")
                if isinstance(decoration, Object)
                else None
            )
            return methods(evaluation, given, ("GET",))
    return _tested_methods(view) or ("ANY",)


def _tested_methods(view: Function) -> tuple[str, ...]:
    """Methods that the body tests for. One that tests only for others, and refuses nothing with 405, answers GET at its end."""
    tested: list[str] = []
    refuses = False
    for node in ast.walk(view.node):
        if isinstance(node, ast.Compare) and _is_method(node.left):
            tested += [
                one.value
                for part in node.comparators
                for one in ast.walk(part)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
        elif isinstance(node, ast.Match) and _is_method(node.subject):
            tested += [
                one.value
                for case in node.cases
                for one in ast.walk(case.pattern)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
        elif (isinstance(node, ast.Constant) and node.value == 405) or (
            isinstance(node, ast.Name | ast.Attribute) and _refuses(node)
        ):
            refuses = True
    found = [method for method in dict.fromkeys(tested) if method in METHODS]
    return (*found, "GET") if found and "GET" not in found and not refuses else tuple(found)


def _is_method(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute) and node.attr == "method" and isinstance(node.value, ast.Name | ast.Attribute)
    )


def _refuses(node: ast.Name | ast.Attribute) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr
    return "NotAllowed" in name or "METHOD_NOT_ALLOWED" in name
