"""Spring MVC and WebFlux: the mapped methods of controllers that an application scans, and its router functions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import product

from ..endpoints import Route
from . import spring_functional
from .java_annotations import among, filled, methods_of, nearest, place_of
from .java_evaluation import Evaluation
from .java_routes import METHOD_ENUM
from .java_settings import Settings
from .java_types import Annotation, JavaType, Method
from .java_values import Interpreter, Made, Native, NativeClass, TypeName
from .paths import combined, made, slashed
from .values import UNKNOWN, Site, Value, listed

_WEB = "org.springframework.web.bind.annotation."
_CONTEXT = "org.springframework.context.annotation."
_STEREOTYPE = "org.springframework.stereotype."
_BOOT = "org.springframework.boot."
_EXCHANGE = "org.springframework.web.service.annotation."

_MAPPINGS = {
    f"{_WEB}RequestMapping": "",
    **{f"{_WEB}{method.title()}Mapping": method for method in ("GET", "POST", "PUT", "PATCH", "DELETE")},
    f"{_EXCHANGE}HttpExchange": "",
    **{f"{_EXCHANGE}{method.title()}Exchange": method for method in ("GET", "POST", "PUT", "PATCH", "DELETE")},
}
_OF_TYPES = {f"{_WEB}RequestMapping", f"{_EXCHANGE}HttpExchange"}
_CONTROLLERS = {f"{_WEB}RestController", f"{_STEREOTYPE}Controller"}
_COMPONENTS = _CONTROLLERS | {
    *(f"{_STEREOTYPE}{name}" for name in ("Component", "Service", "Repository")),
    *(f"{_CONTEXT}Configuration", f"{_WEB}ControllerAdvice", f"{_WEB}RestControllerAdvice"),
}
_SPRING_BOOT = f"{_BOOT}autoconfigure.SpringBootApplication"
_APPLICATIONS = {_SPRING_BOOT, f"{_BOOT}autoconfigure.EnableAutoConfiguration", f"{_BOOT}SpringBootConfiguration"}
_SCANS = {f"{_CONTEXT}ComponentScan", f"{_CONTEXT}ComponentScans"}
_BEAN = {f"{_CONTEXT}Bean"}
_IMPORT = {f"{_CONTEXT}Import"}
_CONFIGURERS = (
    "org.springframework.web.servlet.config.annotation.WebMvcConfigurer",
    "org.springframework.web.servlet.config.annotation.WebMvcConfigurationSupport",
    "org.springframework.web.reactive.config.WebFluxConfigurer",
)
_PREDICATE = "org.springframework.web.method.HandlerTypePredicate"
NAMES = {*_MAPPINGS, *_COMPONENTS, *_APPLICATIONS, *_SCANS, *_BEAN, *_IMPORT, *_CONFIGURERS}


def packages() -> dict[str, NativeClass]:
    return {
        f"{_WEB}RequestMethod": METHOD_ENUM,
        "org.springframework.http.HttpMethod": METHOD_ENUM,
        "org.springframework.web.reactive.HandlerTypePredicate": _PREDICATES,
        _PREDICATE: _PREDICATES,
        **spring_functional.packages(),
    }


def routes(evaluation: Evaluation) -> Iterator[Route]:
    for application in list(evaluation.project.types.values()):
        if among(application.annotations, _APPLICATIONS) or among(application.annotations, _SCANS):
            yield from _served(application, evaluation)


def _served(application: JavaType, evaluation: Evaluation) -> Iterator[Route]:
    """What the application answers to, wherever in the tree its beans are."""
    settings = evaluation.project.settings_of(application.source)
    base = _base_path(application, evaluation, settings)
    if base is None:
        return
    beans = _beans(application, evaluation)
    prefixes = _Prefixes()
    for bean in beans:
        methods = {chain[0].name: chain[0] for chain in reversed(list(methods_of(bean)))}
        configure = methods.get("configurePathMatching") or methods.get("configurePathMatch")
        if configure is not None and bean.is_a(*_CONFIGURERS):
            evaluation.run_method(configure, evaluation.instance(bean), [prefixes])
    for bean in beans:
        if any(among(holder.annotations, _CONTROLLERS) for holder in bean.lineage) and not bean.is_abstract:
            for route in _mapped(bean, evaluation, settings):
                for prefix in prefixes.of(bean, evaluation):
                    known = settings.filled(prefix)
                    if known is not None:
                        path = combined(base, combined(known, route.path))
                        yield from made(route.method, path, Site(route.file, route.line), "spring")
        for method in bean.methods:
            if among(method.annotations, _BEAN):
                given = evaluation.run_method(method, evaluation.instance(bean))
                for verb, path, site in spring_functional.routes_in(given):
                    yield from made(verb, combined(base, path), site, "spring")


def _base_path(application: JavaType, evaluation: Evaluation, settings: Settings) -> str | None:
    source = application.source
    mentions = evaluation.project.build_mentions
    if mentions(source, "starter-webflux") and not mentions(
        source, "starter-web<", "starter-web'", 'starter-web"', "starter-webmvc"
    ):
        return settings.get("spring.webflux.base-path")
    context = settings.get("server.servlet.context-path", "server.context-path")
    servlet = settings.get("spring.mvc.servlet.path", "server.servlet-path")
    return None if context is None or servlet is None else slashed(context, servlet.removesuffix("/*")).rstrip("/")


# Which types are beans.


def _beans(application: JavaType, evaluation: Evaluation) -> list[JavaType]:
    """The types that the application makes objects of: what it scans, imports, and what its `@Bean` methods give."""
    project = evaluation.project
    components = [one for one in project.types.values() if among(one.annotations, _COMPONENTS)]
    found: dict[JavaType, None] = {application: None}
    pending = deque([application])
    while pending:
        current = pending.popleft()
        packages = _scanned(current, evaluation)
        more = [one for one in components if any(_is_below(one, package) for package in packages)] if packages else []
        for annotation in among(current.annotations, _IMPORT):
            more += _types(annotation, ("value",), evaluation)
        for method in current.methods:
            if among(method.annotations, _BEAN):
                more += _returned(method, evaluation)
        for one in more:
            if one not in found:
                found[one] = None
                pending.append(one)
    return list(found)


def _scanned(configuration: JavaType, evaluation: Evaluation) -> list[str]:
    """The packages that a configuration has scanned."""
    found: list[str] = []
    scans = among(configuration.annotations, {f"{_CONTEXT}ComponentScan"})
    for annotation in [*among(configuration.annotations, {_SPRING_BOOT}), *scans]:
        elements = ("scanBasePackages", "basePackages") + (("value",) if annotation in scans else ())
        classes = _types(annotation, ("scanBasePackageClasses", "basePackageClasses"), evaluation)
        packages = [text for text in evaluation.texts(annotation, *elements) if text]
        packages += [one.source.package for one in classes]
        if packages or annotation in scans or not scans:
            found += packages or [configuration.source.package]
    return found


def _types(annotation: Annotation, elements: Sequence[str], evaluation: Evaluation) -> list[JavaType]:
    found: list[JavaType] = []
    for element in elements:
        for one in listed(evaluation.element(annotation, element)):
            if isinstance(one, TypeName) and one.name in evaluation.project.types:
                found.append(evaluation.project.types[one.name])
    return found


def _returned(method: Method, evaluation: Evaluation) -> list[JavaType]:
    """The type of the tree that a `@Bean` method gives an object of."""
    given = evaluation.run_method(method, UNKNOWN)
    return [given.type] if isinstance(given, Made) else []


def _is_below(one: JavaType, package: str) -> bool:
    package = package.removesuffix(".**").removesuffix(".*")
    return not package or f"{one.source.package}.".startswith(f"{package}.")


# What a controller maps.


def _mapped(controller: JavaType, evaluation: Evaluation, settings: Settings) -> Iterator[Route]:
    of_type = nearest(controller.lineage, _OF_TYPES)[:1]
    for chain in methods_of(controller):
        for annotation in nearest(chain, _MAPPINGS)[:1]:
            verbs = {verb for one in (*of_type, annotation) for verb in _verbs(one, evaluation)}
            above = _paths(of_type[0], evaluation, settings) if of_type else [""]
            for prefix, path in product(above, _paths(annotation, evaluation, settings)):
                for verb in sorted(verbs) or ["ANY"]:
                    yield from made(verb, combined(prefix, path), place_of(annotation), "spring")


def _verbs(annotation: Annotation, evaluation: Evaluation) -> list[str]:
    if _MAPPINGS[annotation.name]:
        return [_MAPPINGS[annotation.name]]
    verbs = evaluation.texts(annotation, "method")
    return [verb.upper() for verb in verbs if verb] or (["unknown"] if None in verbs else [])


def _paths(annotation: Annotation, evaluation: Evaluation, settings: Settings) -> list[str]:
    """The paths of a mapping, its placeholders filled in; an empty one where it has none."""
    return filled(evaluation.texts(annotation, "value", "path", "url"), settings, default="")


# Prefixes that the configuration puts in front of whole groups of controllers.


class _Prefixes(Native):
    """The `PathMatchConfigurer`."""

    def __init__(self) -> None:
        self.added: list[tuple[Value, Value]] = []

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        if name == "addPathPrefix" and len(arguments) == 2:
            self.added.append((arguments[0], arguments[1]))
        return self

    def of(self, controller: JavaType, evaluation: Evaluation) -> list[str]:
        """The prefix of the first rule that takes the controller; both answers where a rule cannot be decided."""
        found: list[str] = []
        for prefix, rule in self.added:
            takes = _test(rule, controller, evaluation)
            if takes is not False:
                found += [prefix] if isinstance(prefix, str) else []
            if takes is True:
                return found
        return [*found, ""]


def _test(rule: Value, controller: JavaType, evaluation: Evaluation) -> Value:
    if isinstance(rule, _Rule):
        return rule.takes(controller, evaluation)
    with evaluation.asked():
        return evaluation.run(rule, [_Handler(controller)], Site("", 0))
    return UNKNOWN


class _Handler(Native):
    """The class of a controller, as a rule's lambda asks it."""

    def __init__(self, controller: JavaType) -> None:
        self.controller = controller

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        first = arguments[0] if arguments else UNKNOWN
        match name:
            case "isAnnotationPresent" if isinstance(first, TypeName):
                return bool(among(self.controller.annotations, {first.name}))
            case "getPackageName":
                return self.controller.source.package
            case "getName" | "getSimpleName":
                return self.controller.name if name == "getName" else self.controller.simple_name
            case "getPackage":
                return _Package(self.controller.source.package)
            case "equals":
                return first == TypeName(self.controller.name) if isinstance(first, TypeName) else UNKNOWN
            case _:
                return UNKNOWN


class _Package(Native):
    def __init__(self, name: str) -> None:
        self.name = name

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        return self.name if name == "getName" else UNKNOWN


class _Rule(Native):
    """A `HandlerTypePredicate`."""

    def __init__(self, kind: str, arguments: Sequence[Value]) -> None:
        self.kind = kind
        self.arguments = arguments

    def takes(self, controller: JavaType, evaluation: Evaluation) -> bool:
        given = [one.name if isinstance(one, TypeName) else one for one in self.arguments]
        names = [one for one in given if isinstance(one, str)]
        match self.kind:
            case "forAnnotation":
                return bool(among(controller.annotations, names))
            case "forBasePackage":
                return any(_is_below(controller, name) for name in names)
            case "forBasePackageClass":
                types = [evaluation.project.types[name] for name in names if name in evaluation.project.types]
                return any(_is_below(controller, one.source.package) for one in types)
            case "forAssignableType":
                return controller.is_a(*names)
            case _:
                return True


def _rule(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    flat = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], list) else arguments
    return _Rule(name, flat)


_PREDICATES = NativeClass(
    dict.fromkeys(
        ("forAnnotation", "forBasePackage", "forBasePackageClass", "forAssignableType", "forAnyHandlerType"), _rule
    )
)
