"""Django REST framework: generic views, and the routes that its routers make of viewsets."""

from __future__ import annotations

from collections.abc import Iterator

from ..endpoints import Route
from .django_patterns import template_of_regex
from .paths import VERBS
from .python_evaluation import Evaluation
from .python_routes import methods, route, text
from .python_values import Class, Function, Member, Object
from .values import UNKNOWN, Site, Value

_PACKAGES = ("rest_framework", "rest_framework_nested", "drf_yasg", "rest_framework_extensions")
_ROUTERS = (
    "DefaultRouter",
    "SimpleRouter",
    "NestedSimpleRouter",
    "NestedDefaultRouter",
    "ExtendedSimpleRouter",
    "ExtendedDefaultRouter",
)

_GENERIC = {
    "APIView": (),
    "GenericAPIView": (),
    "ListAPIView": ("GET",),
    "RetrieveAPIView": ("GET",),
    "CreateAPIView": ("POST",),
    "DestroyAPIView": ("DELETE",),
    "UpdateAPIView": ("PUT", "PATCH"),
    "ListCreateAPIView": ("GET", "POST"),
    "RetrieveUpdateAPIView": ("GET", "PUT", "PATCH"),
    "RetrieveDestroyAPIView": ("GET", "DELETE"),
    "RetrieveUpdateDestroyAPIView": ("GET", "PUT", "PATCH", "DELETE"),
    "ObtainAuthToken": ("POST",),
    "TokenObtainPairView": ("POST",),
    "TokenRefreshView": ("POST",),
    "TokenVerifyView": ("POST",),
}
# What a router calls for which method, and the classes that bring it.
_COLLECTION = {"list": "GET", "create": "POST"}
_ITEM = {"retrieve": "GET", "update": "PUT", "partial_update": "PATCH", "destroy": "DELETE"}
_BROUGHT = {
    "ModelViewSet": (*_COLLECTION, *_ITEM),
    "ReadOnlyModelViewSet": ("list", "retrieve"),
    "ListModelMixin": ("list",),
    "CreateModelMixin": ("create",),
    "RetrieveModelMixin": ("retrieve",),
    "UpdateModelMixin": ("update", "partial_update"),
    "DestroyModelMixin": ("destroy",),
}


def generic_methods(name: str) -> tuple[str, ...] | None:
    """Methods of a view class of the framework or of its usual extensions; None for an unknown one."""
    return _GENERIC.get(name)


def router_routes(evaluation: Evaluation, router: Object, prefix: str) -> Iterator[Route]:
    """Routes of `router.urls` under `prefix`."""
    if not router.isa(_PACKAGES, _ROUTERS):
        return
    if router.isa(_PACKAGES, ("DefaultRouter", "NestedDefaultRouter", "ExtendedDefaultRouter")):
        yield from route("django", ("GET",), prefix, router.site)
    slash = "" if router.argument(-1, "trailing_slash") is False else "/"
    for registration in _registrations(evaluation, router, 0):
        at = text(registration.argument(0, "prefix", UNKNOWN))
        viewset = evaluation.resolved(registration.argument(1, "viewset"))
        before = _parent(evaluation, router)
        if at is not None and before is not None and isinstance(viewset, Class):
            at = template_of_regex(at)
            yield from _viewset(evaluation, viewset, prefix + before + at, slash, registration.site)


def _registrations(evaluation: Evaluation, router: Object, depth: int) -> Iterator[Object]:
    """Calls of `register`, and those of a router whose registry was taken over."""
    evaluation.budget.spend()
    for event in router.events:
        if event.name == "register":
            yield event
        elif event.name == "registry.extend" and event.args and depth < 10:
            taken = evaluation.resolved(event.args[0])
            if isinstance(taken, Member) and taken.name == "registry" and isinstance(taken.owner, Object):
                yield from _registrations(evaluation, taken.owner, depth + 1)


def _parent(evaluation: Evaluation, router: Object, depth: int = 0) -> str | None:
    """What a nested router puts before its prefixes: `authors/{author_pk}/`."""
    if not router.isa(_PACKAGES, ("NestedSimpleRouter", "NestedDefaultRouter")):
        return ""
    parent, at = evaluation.resolved(router.argument(0, "parent_router")), router.argument(1, "parent_prefix")
    if not isinstance(parent, Object) or not isinstance(at, str) or depth > 10:
        return None
    lookup = router.argument(-1, "lookup")
    before = _parent(evaluation, parent, depth + 1)
    return None if before is None else f"{before}{at}/{{{lookup if isinstance(lookup, str) else 'nested'}_pk}}/"


def _viewset(evaluation: Evaluation, viewset: Class, base: str, slash: str, site: Site) -> Iterator[Route]:
    names = methods(evaluation, viewset.lookup("http_method_names"), ())

    def allowed(wanted: Iterator[str] | tuple[str, ...]) -> list[str]:
        return [method for method in wanted if not names or method in names]

    functions = viewset.functions()
    has = set(functions) | {
        action for one in viewset.externals() for action in _BROUGHT.get(one.name.rpartition(".")[2], ())
    }
    lookup = viewset.lookup("lookup_url_kwarg") or viewset.lookup("lookup_field") or "pk"
    item = f"{base}/{{{lookup if isinstance(lookup, str) else 'pk'}}}"
    yield from route(
        "django", allowed(tuple(method for action, method in _COLLECTION.items() if action in has)), base + slash, site
    )
    yield from route(
        "django", allowed(tuple(method for action, method in _ITEM.items() if action in has)), item + slash, site
    )
    for function in functions.values():
        for decoration in function.decorations:
            if isinstance(decoration, Object) and decoration.isa(_PACKAGES, ("action", "list_route", "detail_route")):
                detail = decoration.argument(1, "detail") is True or decoration.name.endswith("detail_route")
                path = text(decoration.argument(2, "url_path"))
                taken = allowed(
                    (*methods(evaluation, decoration.argument(0, "methods"), ("GET",)), *_mapped(functions, function))
                )
                if path is not None:
                    at = template_of_regex(path or function.name)
                    yield from route("django", taken, f"{item if detail else base}/{at}{slash}", decoration.site)


def _mapped(functions: dict[str, Function], action: Function) -> Iterator[str]:
    """Methods added by `@action_name.mapping.post`."""
    for function in functions.values():
        for decoration in function.decorations:
            member: Value = decoration.kind if isinstance(decoration, Object) else decoration
            if isinstance(member, Member) and member.owner is action and member.name.startswith("mapping."):
                verb = member.name.removeprefix("mapping.")
                if verb in VERBS:
                    yield VERBS[verb]
