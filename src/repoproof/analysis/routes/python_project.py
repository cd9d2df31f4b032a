"""The Python modules of a tree: which files there are, what an import means, and their syntax, parsed once and on demand."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from ..source_files import source_files

# A syntax tree takes 300 to 700 bytes for each token of its source: this is what bounds our memory, at 1 to 2 GB.
MAX_TOKENS = 2_500_000
_TOKENS = re.compile(rb"\w+|[^\w\s]")
_IMPORTS = re.compile(rb"^[ \t]*(?:from|import)\b(?:[^\n(]*\([^)]*\)|[^\n]*)", re.MULTILINE)


@dataclass(eq=False)
class Module:
    """A module or a package of the tree; a directory without `__init__.py` is a package without source."""

    parts: tuple[str, ...]
    """Where it lies: `("src", "app", "users")` for `src/app/users.py` and for `src/app/users/__init__.py`."""
    path: Path | None = None
    file: str = ""
    """Relative to the tree, with slashes."""

    @property
    def package(self) -> tuple[str, ...]:
        """What one leading dot of a relative import means."""
        is_package = self.path is None or self.path.name == "__init__.py"
        return self.parts if is_package else self.parts[:-1]

    @cached_property
    def source(self) -> bytes:
        try:
            return b"" if self.path is None else self.path.read_bytes()
        except OSError:
            return b""


class Project:
    """All modules of a tree, found by their place."""

    def __init__(self, tree: Path) -> None:
        self.modules: dict[tuple[str, ...], Module] = {}
        self._tokens = 0
        for path in source_files(tree, (".py",)):
            file = path.relative_to(tree).as_posix()
            parts = PurePosixPath(file).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            known = self.modules.get(parts)
            if known is None or known.path is None or path.name == "__init__.py":
                self.modules[parts] = Module(parts, path, file)
            for depth in range(len(parts)):
                self.modules.setdefault(parts[:depth], Module(parts[:depth]))
        self._by_last_part: dict[str, list[tuple[str, ...]]] = {}
        for parts in self.modules:
            if parts:
                self._by_last_part.setdefault(parts[-1], []).append(parts)

    def syntax(self, module: Module) -> ast.Module:
        """Parsed; empty where that fails: such a module cannot be imported either. Each module is parsed once, by its evaluation."""
        nothing = ast.Module(body=[], type_ignores=[])
        tokens = len(_TOKENS.findall(module.source))
        if self._tokens + tokens > MAX_TOKENS:
            return nothing
        self._tokens += tokens
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(module.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return nothing

    def concerned(self, mentions: Iterable[str]) -> set[tuple[str, ...]]:
        """Modules whose source has one of the words, and those that, by the words of their import statements, may import such a one.

        A quick look at the text, which spares the parsing of what cannot matter; it errs towards too many.
        """
        words = re.compile(b"|".join(re.escape(word.encode()) for word in sorted(mentions)))
        found = {parts for parts, module in self.modules.items() if words.search(module.source)}
        importers: dict[bytes, set[tuple[str, ...]]] = {}
        for parts, module in self.modules.items():
            for statement in _IMPORTS.findall(module.source):
                for word in re.findall(rb"\w+", statement):
                    importers.setdefault(word, set()).add(parts)
        waiting = list(found)
        while waiting:
            parts = waiting.pop()
            for importer in importers.get(parts[-1].encode(), set()) - found if parts else ():
                found.add(importer)
                waiting.append(importer)
        return found

    def child(self, module: Module, name: str) -> Module | None:
        return self.modules.get((*module.parts, name))

    def relative(self, importer: Module, level: int, name: str) -> Module | None:
        """The module that `from ..name import x` names."""
        package = importer.package
        if level - 1 > len(package):
            return None
        base = package[: len(package) - (level - 1)]
        return self.modules.get((*base, *(name.split(".") if name else ())))

    def absolute(self, importer: Module, name: str) -> Module | None:
        """The module of this tree that `import name` means, None for one from outside.

        What the import path holds at run time is not known, so directories are tried from the importer's upwards, those that are not
        packages first (a script's directory, the project's root), then any place in the tree that ends so.
        """
        wanted = tuple(name.split("."))
        ancestors = [importer.parts[:depth] for depth in range(len(importer.parts), -1, -1)]
        roots = [parts for parts in ancestors if parts in self.modules and self.modules[parts].path is None]
        for root in roots:
            if (*root, *wanted) in self.modules:
                return self.modules[(*root, *wanted)]
        if wanted[0] in sys.stdlib_module_names:
            return None
        places = [parts for parts in self._by_last_part.get(wanted[-1], ()) if parts[-len(wanted) :] == wanted]
        # A package's own `flask.py` does not shadow the framework for its siblings, unless it lies where scripts start.
        places = [parts for parts in places if not self._inside_a_package(parts[: -len(wanted)])]
        return self.modules[min(places, key=lambda parts: (len(parts), parts))] if places else None

    def _inside_a_package(self, parts: tuple[str, ...]) -> bool:
        return parts in self.modules and self.modules[parts].path is not None
