"""Express: applications, routers, `route()` chains, and routers mounted by `use`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from .node_routers import METHODS_BY_NAME, Router, makes_application
from .node_values import UNKNOWN_TEXT, Builtin, Native, package
from .paths import slashed
from .values import UNKNOWN, Site, Value, leaves

join = slashed


class ExpressRouter(Router):
    """`express()` or `express.Router()`; also a router made by the packages that wrap it."""

    def member(self, name: str) -> Value:
        if name in METHODS_BY_NAME:
            return Builtin(lambda arguments, site, _: self._method(METHODS_BY_NAME[name], arguments, site))
        if name == "use":
            return Builtin(lambda arguments, _site, _interpreter: self._use(arguments))
        if name == "route":
            return Builtin(lambda arguments, _site, _interpreter: _Chain(self, tuple(_paths(arguments[:1]))))
        return UNKNOWN

    def _method(self, method: str, arguments: Sequence[Value], site: Site) -> Value:
        """A route needs a path that is known and something that answers: `app.get('title')` reads a setting."""
        if len(arguments) > 1:
            for path in _paths(arguments[:1]):
                self.add(method, path, site)
        return self

    def _use(self, arguments: Sequence[Value]) -> Value:
        """Mounts every router among the arguments; what is not a path at the front is middleware.

        Under a path that cannot be told nothing is mounted: it would give routes that are not there.
        """
        if arguments and arguments[0] is UNKNOWN_TEXT:
            return self
        prefixes = list(_paths(arguments[:1]))
        is_path = any(isinstance(one, str) for one in leaves(list(arguments[:1])))
        routers = [one for one in leaves(list(arguments)) if isinstance(one, Router)]
        for prefix, router in product(prefixes if is_path else [""], routers):
            self.mount(prefix, router)
        return self


@dataclass(eq=False)
class _Chain(Native):
    """`router.route('/x')`, on which methods are called one after another."""

    router: ExpressRouter
    paths: tuple[str, ...]

    def member(self, name: str) -> Value:
        if name in METHODS_BY_NAME:
            return Builtin(lambda arguments, site, _: self._method(METHODS_BY_NAME[name], arguments, site))
        return UNKNOWN

    def _method(self, method: str, arguments: Sequence[Value], site: Site) -> Value:
        if arguments:
            for path in self.paths:
                self.router.add(method, path, site)
        return self


def _paths(arguments: Sequence[Value]) -> Iterator[str]:
    """The known paths among the arguments, arrays opened. Express matches nothing with a path that has no slash in front."""
    for argument in leaves(list(arguments)):
        if isinstance(argument, str) and (argument == "" or argument.startswith(("/", "*", "{/"))):
            yield from _variants(argument)


def _variants(path: str) -> Iterator[str]:
    """An optional last part, `/:id?` in Express 4 and `{/:id}` in Express 5, is two paths."""
    optional = re.fullmatch(r"(.*)(?:/:(\w+)\?|\{/:(\w+)\})", path)
    if optional:
        yield optional[1] or "/"
        yield f"{optional[1]}/:{optional[2] or optional[3]}"
    else:
        yield path


def _new_router(*_: object) -> Value:
    return ExpressRouter("express")


_APPLICATION = makes_application(lambda: ExpressRouter("express"))
_ROUTER = Builtin(_new_router)
PACKAGES = {
    "express": package(_APPLICATION, Router=_ROUTER, application=UNKNOWN),
    "express-promise-router": package(Builtin(_new_router)),
    "express-async-router": package(Builtin(_new_router), AsyncRouter=_ROUTER),
}
