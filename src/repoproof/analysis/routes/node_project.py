"""The JavaScript and TypeScript modules of a tree: which files there are, what an import means, and their syntax, parsed on demand."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from ..source_files import source_files

_EXTENSIONS = (".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx")
# `import './x.js'` in TypeScript names the file that x.ts is compiled to.
_COMPILED_FROM = {".js": (".ts", ".tsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
_NOT_SOURCE = frozenset(
    (
        "node_modules",
        "bower_components",
        "coverage",
        "test",
        "tests",
        "__tests__",
        "__mocks__",
        "spec",
        "e2e",
        "cypress",
    )
)
_COMPILED = frozenset(("dist", "build", "out"))
_TEST_FILE = re.compile(
    r"[._-](?:test|spec)s?\.\w+$|\.d\.[mc]?ts$|\.min\.js$|^(?:jest|vitest|webpack|rollup|vite|babel|eslint)\.config"
)


@dataclass(eq=False)
class Module:
    """One source file."""

    file: str
    """Relative to the tree, with slashes."""
    path: Path

    @cached_property
    def syntax(self) -> Node | None:
        """The root of the syntax tree, with error nodes where the file does not parse; None if it cannot be read."""
        try:
            return _parser(self.path.suffix).parse(self.path.read_bytes()).root_node
        except OSError:
            return None

    @cached_property
    def data(self) -> object:
        """What a `.json` file holds."""
        try:
            return json.loads(self.path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return None


class Project:
    """All modules of a tree, found by their place. Compiled copies are read only where there is nothing else."""

    def __init__(self, tree: Path) -> None:
        found = [Module(path.relative_to(tree).as_posix(), path) for path in _files(tree)]
        source = [module for module in found if not _COMPILED & set(module.file.split("/")[:-1])]
        if not any(_is_code(module.file) for module in source):
            source = found
        self.by_file = {module.file: module for module in source}
        self.modules = [module for module in source if _is_code(module.file)]

    def resolve(self, importer: Module, name: str) -> Module | None:
        """The module of this tree that `name` means when `importer` imports it; None for a package."""
        if name.startswith((".", "/")):
            return self._at(posixpath.normpath(posixpath.join("/", posixpath.dirname(importer.file), name)).lstrip("/"))
        # Aliases and base directories of tsconfig.json, by what projects call them.
        alias = re.match(r"(?:[@~#]/?(?=[\w-]+/)|[@~#]/)(.*)", name)
        inside = alias[1] if alias else name
        if alias or "/" in name:
            return self._at(f"src/{inside}") or self._at(inside)
        return None

    def below(self, folder: str) -> Iterator[Module]:
        """The modules in `folder` (absolute, the tree being `/`) and its sub-folders, in alphabetical order."""
        start = folder.strip("/") + "/" if folder.strip("/") else ""
        return (self.by_file[file] for file in sorted(self.by_file) if file.startswith(start) and _is_code(file))

    def _at(self, place: str) -> Module | None:
        stem, extension = posixpath.splitext(place)
        candidates = [place, *(stem + source for source in _COMPILED_FROM.get(extension, ()))]
        candidates += [place + extension for extension in (*_EXTENSIONS, ".json")]
        candidates += [posixpath.join(place, "index" + extension) for extension in _EXTENSIONS]
        return next((self.by_file[file] for file in candidates if file in self.by_file), None)


@cache
def _parser(suffix: str) -> Parser:
    if suffix in (".ts", ".mts", ".cts"):
        return Parser(Language(tree_sitter_typescript.language_typescript()))
    if suffix == ".tsx":
        return Parser(Language(tree_sitter_typescript.language_tsx()))
    return Parser(Language(tree_sitter_javascript.language()))


def _is_code(file: str) -> bool:
    return file.endswith(_EXTENSIONS)


def _files(tree: Path) -> list[Path]:
    return source_files(
        tree,
        (*_EXTENSIONS, ".json"),
        skip_folder=lambda folder: folder.name.startswith(".") or folder.name in _NOT_SOURCE,
        skip_file=lambda name: name.startswith(".") or _TEST_FILE.search(name) is not None,
    )
