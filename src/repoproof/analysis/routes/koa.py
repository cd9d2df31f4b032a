"""Koa with @koa/router: routers, their prefixes, and routers used by an application or by each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from .node_routers import METHODS_BY_NAME, Router, makes_application
from .node_values import Builtin, Interpreter, package
from .paths import slashed
from .values import UNKNOWN, Site, Value, texts

_METHODS = {**METHODS_BY_NAME, "del": "DELETE"}

join = slashed


class KoaRouter(Router):
    """`new Router({prefix})`."""

    def member(self, name: str) -> Value:
        if name == "use":
            return Builtin(lambda arguments, _site, _interpreter: self._use(arguments))
        if name in _METHODS:
            return Builtin(lambda arguments, site, _: self._method(_METHODS[name], arguments, site))
        match name:
            case "routes" | "middleware":
                return Builtin(lambda *_: self)
            case "prefix":
                return Builtin(lambda arguments, _site, _interpreter: self._prefix(arguments))
            case _:
                return UNKNOWN

    def _method(self, method: str, arguments: Sequence[Value], site: Site) -> Value:
        """`get([name], path, answer)`: of two strings in front the first is a name."""
        if len(arguments) > 2 and isinstance(arguments[0], str) and isinstance(arguments[1], str):
            arguments = arguments[1:]
        if len(arguments) > 1:
            for path in texts(arguments[0]):
                self.add(method, path, site)
        return self

    def _use(self, arguments: Sequence[Value]) -> Value:
        prefixes = texts(arguments[0]) if arguments else []
        routers = [argument for argument in arguments if isinstance(argument, Router)]
        for prefix, router in product(prefixes or [""], routers):
            self.mount(prefix, router)
        return self

    def _prefix(self, arguments: Sequence[Value]) -> Value:
        if arguments and isinstance(arguments[0], str):
            self.prefix = slashed(arguments[0], self.prefix)
        return self


class KoaApplication(KoaRouter):
    """`new Koa()`, which only mounts."""

    def member(self, name: str) -> Value:
        return super().member(name) if name == "use" else UNKNOWN


def _new_router(arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    options = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
    prefix = options.get("prefix")
    return KoaRouter("koa", prefix=prefix if isinstance(prefix, str) else "")


_ROUTER = Builtin(_new_router)
PACKAGES = {
    "koa": package(makes_application(lambda: KoaApplication("koa"))),
    "koa-router": package(_ROUTER, Router=_ROUTER),
    "@koa/router": package(_ROUTER, Router=_ROUTER),
}
