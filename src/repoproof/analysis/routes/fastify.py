"""Fastify: instances, `route()`, and plugins registered under a prefix."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..endpoints import METHODS
from .node_routers import METHODS_BY_NAME, Router, makes_application
from .node_values import Builtin, Interpreter, Native, package
from .values import UNKNOWN, Site, Value, texts

_GIVING_ITSELF = frozenset(
    (
        *("withTypeProvider", "addHook", "addSchema", "setErrorHandler"),
        *("decorate", "decorateRequest", "decorateReply"),
    )
)


def join(prefix: str, path: str) -> str:
    """Put together as they are written: Fastify adds no slash. `/` below a prefix is the prefix itself."""
    if prefix.endswith("/") and path.startswith("/"):
        prefix = prefix[:-1]
    return prefix if prefix and path == "/" else prefix + path


class FastifyInstance(Router):
    """`fastify()`, or the instance that a plugin is given."""

    def member(self, name: str) -> Value:
        if name in METHODS_BY_NAME:
            return Builtin(lambda arguments, site, _: self._shorthand(METHODS_BY_NAME[name], arguments, site))
        match name:
            case "route":
                return Builtin(lambda arguments, site, _: self._route(arguments, site))
            case "register":
                return Builtin(self._register)
            case "after" | "ready":
                return Builtin(self._then)
            case _ if name in _GIVING_ITSELF:
                return Builtin(lambda *_: self)
            case "prefix":
                return self.prefix
            case _:
                return UNKNOWN

    def _shorthand(self, method: str, arguments: Sequence[Value], site: Site) -> Value:
        """`get(path, [options], answer)`; the answer may be in the options."""
        if len(arguments) > 1 and isinstance(arguments[0], str):
            self.add(method, _unescaped(arguments[0]), site)
        return self

    def _route(self, arguments: Sequence[Value], site: Site) -> Value:
        options = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
        path = options.get("url", options.get("path"))
        for method in texts(options.get("method")):
            if isinstance(path, str) and method.upper() in METHODS:
                self.add(method.upper(), _unescaped(path), site)
        return self

    def _register(self, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        plugin = arguments[0] if arguments else UNKNOWN
        if isinstance(plugin, dict):
            plugin = plugin.get("default", UNKNOWN)
        options = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], dict) else {}
        if plugin is AUTOLOAD:
            self._autoload(options, site, interpreter)
        elif isinstance(plugin, _SharedPlugin):
            # A plugin that asks for the parent's own instance gets no prefix either.
            interpreter.call(plugin.function, [self, options, UNKNOWN], site)
        else:
            interpreter.call(plugin, [self._child(options.get("prefix")), options, UNKNOWN], site)
        return self

    def _child(self, prefix: Value) -> FastifyInstance:
        """An instance under this one; under a prefix that cannot be told it stays apart, and its routes are not found."""
        child = FastifyInstance("fastify", prefix=prefix if isinstance(prefix, str) else "")
        if prefix is None or isinstance(prefix, str):
            self.mount("", child)
        return child

    def _autoload(self, options: dict[str, Value], site: Site, interpreter: Interpreter) -> None:
        """@fastify/autoload registers every module of a folder, under the names of the sub-folders that hold them."""
        folder, inner = options.get("dir"), options.get("options")
        if not isinstance(folder, str):
            return
        base = self._child(inner.get("prefix") if isinstance(inner, dict) else None)
        for module in interpreter.project.below(folder):
            exported = interpreter.exports(module)
            below = posixpath.relpath("/" + posixpath.dirname(module.file), folder)
            prefix = exported.get("autoPrefix") if isinstance(exported, dict) else None
            if not isinstance(prefix, str):
                prefix = "" if below == "." else "/" + re.sub(r"(?<=/)_(\w+)", r":\1", f"/{below}")[1:]
            base._register([exported, {"prefix": prefix}], site, interpreter)

    def _then(self, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        for argument in arguments:
            interpreter.call(argument, [UNKNOWN, self], site)
        return self


@dataclass(eq=False)
class _SharedPlugin(Native):
    """What fastify-plugin makes of a function: it is run on the instance that registers it, not on a new one."""

    function: Value

    def member(self, name: str) -> Value:
        return self if name == "default" else UNKNOWN

    def call(self, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        return interpreter.call(self.function, arguments, site)


def _unescaped(path: str) -> str:
    """A doubled colon stands for a colon. At the head of a segment it stays, or the colon would read as a parameter's."""
    return re.sub(r"(?<=[^/])::", ":", path)


def _share(arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return _SharedPlugin(arguments[0] if arguments else UNKNOWN)


AUTOLOAD = Builtin(lambda *_: UNKNOWN)
_INSTANCE = makes_application(lambda: FastifyInstance("fastify"))
_PLUGIN = package(Builtin(_share))
PACKAGES = {
    "fastify": package(_INSTANCE, fastify=_INSTANCE),
    "fastify-plugin": package(_PLUGIN, fastifyPlugin=_PLUGIN),
    "@fastify/autoload": package(AUTOLOAD, fastifyAutoload=AUTOLOAD),
}
