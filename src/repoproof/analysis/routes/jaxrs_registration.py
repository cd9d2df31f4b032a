"""Where JAX-RS resources are registered by hand: Dropwizard's environment and Jersey's `ResourceConfig`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from .java_project import JavaProject
from .java_types import JavaType
from .java_values import Interpreter, Made, Native, NativeClass, TypeName
from .paths import slashed
from .values import UNKNOWN, Site, Value, leaves

DROPWIZARD = ("io.dropwizard.core.Application", "io.dropwizard.Application")
RESOURCE_CONFIG = "org.glassfish.jersey.server.ResourceConfig"

_SERVERS = (
    "org.glassfish.jersey.grizzly2.httpserver.GrizzlyHttpServerFactory",
    "org.glassfish.jersey.jdkhttp.JdkHttpServerFactory",
    "org.glassfish.jersey.jetty.JettyHttpContainerFactory",
    "org.glassfish.jersey.netty.httpserver.NettyHttpContainerProvider",
    "org.glassfish.jersey.simple.SimpleContainerFactory",
)
_SERVER_SETTINGS = ("rootPath", "applicationContextPath", "applicationConnectors", "connector", "type")


class Registry(Native):
    """What an application serves, and under which path."""

    def __init__(self, prefix: str | None = "") -> None:
        self.prefix = prefix
        """None if it cannot be told."""
        self.named: set[str] = set()
        """Classes that are registered."""
        self.packages: list[str] = []
        """Packages that are scanned."""
        self.everything = False

    def has(self, resource: JavaType) -> bool:
        scanned = any(f"{resource.source.package}.".startswith(f"{package}.") for package in self.packages)
        return self.everything or scanned or resource.name in self.named

    def register(self, value: Value) -> None:
        """An object, a class, or a list of them."""
        for one in leaves(value):
            if isinstance(one, Made):
                self.named.add(one.type.name)
            elif isinstance(one, TypeName):
                self.named.add(one.name)

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        match name:
            case "register":
                self.register(arguments[0] if arguments else UNKNOWN)
            case "registerClasses" | "registerInstances":
                self.register(list(arguments))
            case "packages":
                self.packages += [one for one in arguments if isinstance(one, str)]
            case "setUrlPattern" | "setApplicationPath" if arguments:
                self.prefix = arguments[0].removesuffix("*") if isinstance(arguments[0], str) else None
        return self


def packages() -> dict[str, NativeClass]:
    """Jersey without a container: a configuration, and the server that is given it together with its address."""

    def configuration(arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        registry = Registry()
        registry.register(list(arguments))
        interpreter.applications.append(registry)
        return registry

    def serve(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        address, registry = [*arguments, UNKNOWN, UNKNOWN][:2]
        registry = registry.base if isinstance(registry, Made) else registry
        if isinstance(registry, Registry) and isinstance(address, str):
            registry.prefix = urlsplit(address).path
        return UNKNOWN

    server = NativeClass(dict.fromkeys(("createHttpServer", "createServer", "createHttp2Server", "create"), serve))
    return {
        RESOURCE_CONFIG: NativeClass({"forApplicationClass": lambda *_: UNKNOWN}, make=configuration),
        **dict.fromkeys(_SERVERS, server),
        "java.net.URI": NativeClass({"create": lambda _, arguments, *__: arguments[0] if arguments else UNKNOWN}),
    }


class Environment(Native):
    """Dropwizard's `Environment`: what `jersey()` is told."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        return self.registry if name == "jersey" else UNKNOWN


class Bootstrap(Native):
    """Dropwizard's `Bootstrap`: the bundles that are added, which may register resources of their own."""

    def __init__(self) -> None:
        self.bundles: list[Value] = []

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        if name == "addBundle":
            self.bundles += arguments[:1]
        return UNKNOWN


def dropwizard_prefix(project: JavaProject, registry: Registry) -> str | None:
    """Where the configuration file puts the resources; without one, where the program does."""
    for _, document in sorted(project.documents, key=lambda one: (len(PurePosixPath(one[0]).parts), one[0])):
        server = document.get("server")
        if isinstance(server, Mapping) and any(name in server for name in _SERVER_SETTINGS):
            context = server.get("applicationContextPath", "/application" if server.get("type") == "simple" else "/")
            filled = [_filled(context), _filled(server.get("rootPath", registry.prefix))]
            return None if None in filled else slashed(*(text.removesuffix("*") for text in filled if text is not None))
    return registry.prefix


def _filled(text: object) -> str | None:
    """A setting with its `${NAME:-default}` replaced."""
    if not isinstance(text, str):
        return None
    text = re.sub(r"\$\{\w+:-([^{}]*)\}", r"\1", text)
    return None if "${" in text else text
