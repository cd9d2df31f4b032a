"""NestJS: the decorated methods of the controllers that an application's modules list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from tree_sitter import Node

from ..endpoints import METHODS, normalise_path
from .node_routers import MAX_ROUTES, Router
from .node_syntax import key_of
from .node_values import Builtin, Class, Interpreter, Native, package
from .paths import slashed
from .syntax import line_of, named
from .values import UNKNOWN, Site, Value, leaves, listed, texts

MAX_MODULES = 500
MAX_LINEAGE = 10
MAX_DEPTH = 10
"""Of paths of modules inside each other."""

join = slashed

_VERBS = {**{method.title(): method for method in METHODS}, "All": "ANY", "Sse": "GET"}
_NEUTRAL = object()


@dataclass(frozen=True)
class Decoration:
    """What a decorator puts on a class or a method."""

    name: str
    arguments: Sequence[Value]

    @property
    def first(self) -> Value:
        return self.arguments[0] if self.arguments else None


@dataclass(eq=False)
class _RouterModule:
    """`RouterModule.register([{ path, module, children }])`."""

    tree: Value


@dataclass(eq=False)
class NestApplication(Native):
    """`NestFactory.create(AppModule)`. What it serves is read when it is asked for, after all that configures it."""

    root: Value
    interpreter: Interpreter
    framework: str = "nest"
    prefix: str = ""
    mounted: bool = False
    mounts: list[tuple[str, Router]] = field(default_factory=list)
    global_prefix: Value = ""
    excluded: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of what the global prefix does not reach."""
    versioning: dict[str, Value] | None = None

    def member(self, name: str) -> Value:
        match name:
            case "setGlobalPrefix":
                return Builtin(self._set_prefix)
            case "enableVersioning":
                return Builtin(self._enable_versioning)
            case _:
                return UNKNOWN

    @property
    def routes(self) -> list[tuple[str, str, Site]]:
        if not isinstance(self.global_prefix, str):
            return []
        found: list[tuple[str, str, Site]] = []
        for prefix, controller in self._controllers():
            for method, path, site in self._mapped(prefix, controller):
                if len(found) < MAX_ROUTES:
                    found.append(
                        (method, path if self._is_excluded(method, path) else slashed(self.global_prefix, path), site)
                    )
        return found

    def _set_prefix(self, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        prefix, options = [*arguments, None, None][:2]
        self.global_prefix = prefix
        for one in listed(options.get("exclude")) if isinstance(options, dict) else ():
            path, method = (one.get("path"), one.get("method", "ANY")) if isinstance(one, dict) else (one, "ANY")
            if isinstance(path, str) and isinstance(method, str):
                self.excluded.append((method, normalise_path(path.replace("(.*)", "*"))))
        return self

    def _enable_versioning(self, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        options = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
        self.versioning = options if options.get("type", "uri") == "uri" else None
        return self

    def _is_excluded(self, method: str, path: str) -> bool:
        path = normalise_path(path)
        return any(
            only in (method, "ANY")
            and (
                path == without
                or ("{" in without and path.startswith(without.partition("{")[0]) and without.endswith("}"))
            )
            for only, without in self.excluded
        )

    # Modules.

    def _controllers(self) -> Iterator[tuple[Value, Class]]:
        """The controllers of every module that the root leads to, under the path that the router gives their module."""
        modules: dict[Class, list[Value]] = {}
        paths: dict[Class, Value] = {}
        pending = [self.root]
        while pending and len(modules) < MAX_MODULES:
            module = pending.pop()
            options: dict[str, Value] = {}
            if isinstance(module, dict):  # a dynamic module
                module, options = module.get("module"), module
            if isinstance(module, _RouterModule):
                paths.update(_paths_of_modules(module.tree, ""))
            if not isinstance(module, Class):
                continue
            given = listed(options.get("controllers"))
            pending += listed(options.get("imports"))
            if module not in modules:
                modules[module] = []
                for decoration in _decorations(module.node, module, self.interpreter):
                    if decoration.name == "Module" and isinstance(decoration.first, dict):
                        given += listed(decoration.first.get("controllers"))
                        pending += listed(decoration.first.get("imports"))
            modules[module] += given
        for module, controllers in modules.items():
            for one in dict.fromkeys(one for one in controllers if isinstance(one, Class)):
                yield paths.get(module, ""), one

    # Controllers.

    def _mapped(self, prefix: Value, controller: Class) -> Iterator[tuple[str, str, Site]]:
        """Method, path below the global prefix, place."""
        head = next(
            (one for one in _decorations(controller.node, controller, self.interpreter) if one.name == "Controller"),
            None,
        )
        if head is None or not isinstance(prefix, str):
            return
        options = head.first if isinstance(head.first, dict) else {"path": head.first}
        for owner, decorators in _methods(controller):
            decorations = [
                (one, Site(owner.scope.module.file, line_of(node)))
                for node in decorators
                for one in _flat(self.interpreter.decorator(named(node)[0], owner.scope) if named(node) else UNKNOWN)
            ]
            own = [one.first for one, _ in decorations if one.name == "Version"]
            versions = self._versions(own[0] if own else options.get("version"))
            for one, site in decorations:
                if one.name in _VERBS:
                    for version, above, path in product(versions, _paths(options.get("path")), _paths(one.first)):
                        yield _VERBS[one.name], slashed(version, slashed(prefix, slashed(above, path))), site

    def _versions(self, version: Value) -> list[str]:
        """The first segment that each version of a method has in its path."""
        if self.versioning is None:
            return [""]
        version = self.versioning.get("defaultVersion") if version is None else version
        written = self.versioning.get("prefix", "v")
        written = written if isinstance(written, str) else ""
        return [
            "" if one is _NEUTRAL else f"/{written}{one}"
            for one in (listed(version) or [_NEUTRAL])
            if one is _NEUTRAL or isinstance(one, str)
        ]


def _methods(controller: Class) -> Iterator[tuple[Class, list[Node]]]:
    """The methods of a class and of those it extends, each with its decorators; one that is written anew has only its own."""
    seen: set[str] = set()
    owner: Value = controller
    for _ in range(MAX_LINEAGE):
        if not isinstance(owner, Class):
            return
        before: list[Node] = []
        for member in named(owner.node.child_by_field_name("body")):
            if member.type == "decorator":
                before.append(member)
                continue
            inside = [child for child in named(member) if child.type == "decorator"]
            name = key_of(member.child_by_field_name("name"))
            if name not in seen:
                seen.add(name)
                yield owner, [*before, *inside]
            before = []
        owner = owner.parent


def _decorations(node: Node, made: Class, interpreter: Interpreter) -> list[Decoration]:
    """What is written in front of a class, `export` between them or not."""
    holders = [node.parent, node] if node.parent is not None and node.parent.type == "export_statement" else [node]
    decorators = [child for holder in holders for child in named(holder) if child.type == "decorator"]
    values = [interpreter.decorator(named(one)[0], made.scope) for one in decorators if named(one)]
    return [one for value in values for one in _flat(value)]


def _flat(value: Value) -> Iterator[Decoration]:
    """The decorations of one decorator; `applyDecorators` makes one of several."""
    return (one for one in leaves(value) if isinstance(one, Decoration))


def _paths_of_modules(tree: Value, above: str, depth: int = 0) -> Iterator[tuple[Class, Value]]:
    for branch in listed(tree) if depth < MAX_DEPTH else ():
        if isinstance(branch, Class):
            yield branch, above
        if not isinstance(branch, dict):
            continue
        path = branch.get("path", "")
        known = isinstance(path, str)
        if isinstance(branch.get("module"), Class):
            yield branch["module"], slashed(above, path) if known else UNKNOWN
        if known:
            yield from _paths_of_modules(branch.get("children"), slashed(above, path), depth + 1)


def _paths(value: Value) -> list[str]:
    """One or several; an absent one is empty."""
    return texts("" if value is None else value)


def _decorator(name: str) -> Builtin:
    return Builtin(lambda arguments, _site, _interpreter: Decoration(name, arguments))


def _create(arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    application = NestApplication(arguments[0] if arguments else UNKNOWN, interpreter)
    interpreter.applications.append(application)
    return application


def _forward(arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return interpreter.call(arguments[0], [], site) if arguments else UNKNOWN


def _register(arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return _RouterModule(arguments[0] if arguments else UNKNOWN)


def _together(arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
    return list(arguments)


def _members(names: Iterable[str]) -> dict[str, Value]:
    return {name: _decorator(name) for name in names}


PACKAGES = {
    "@nestjs/core": package(
        Builtin(lambda *_: UNKNOWN),
        NestFactory=Builtin(lambda *_: UNKNOWN, {"create": Builtin(_create)}),
        RouterModule=Builtin(lambda *_: UNKNOWN, {"register": Builtin(_register)}),
    ),
    "@nestjs/common": package(
        Builtin(lambda *_: UNKNOWN),
        **_members([*_VERBS, "Controller", "Module", "Version"]),
        applyDecorators=Builtin(_together),
        forwardRef=Builtin(_forward),
        RequestMethod={**{method: method for method in METHODS}, "ALL": "ANY"},
        VersioningType={"URI": "uri", "HEADER": "header", "MEDIA_TYPE": "media", "CUSTOM": "custom"},
        VERSION_NEUTRAL=_NEUTRAL,
    ),
}
