"""The Java sources of a tree: which files and types there are, what a name in them means, and what they are configured with."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from ..source_files import source_files
from .java_settings import Settings, build_files, documents, read_settings
from .java_syntax import TYPE_DECLARATIONS
from .java_types import JavaType, SourceFile
from .syntax import named, text_of

MAX_NESTING = 20

# Build results and what only tests are made of; a package below `src/main` may have any name.
_NOT_SOURCE = frozenset(("target", "build", "out", "bin", "dist", "node_modules", "test", "tests", "it"))
_TEST_SET = re.compile(r"\w*[Tt]ests?\d*|testFixtures|it|jmh")
_TEST_FILE = re.compile(r"(?:.*(?:Tests?|TestCase|IT)|package-info|module-info)\.java|\..*")


class JavaProject:
    """All types of a tree."""

    def __init__(self, tree: Path, known: Collection[str]) -> None:
        """`known`: types outside the tree whose names matter, for what `import x.*` brings in."""
        self.tree = tree
        self.known = frozenset(known)
        self.types: dict[str, JavaType] = {}
        self.sources: list[SourceFile] = []
        self.expanding: set[JavaType] = set()
        """Annotations whose own annotations are being read: they may be on each other."""
        parser = Parser(Language(tree_sitter_java.language()))
        for path in java_files(tree):
            try:
                root = parser.parse(path.read_bytes()).root_node
            except OSError:
                continue
            self._add(root, SourceFile(path.relative_to(tree).as_posix()))

    @cached_property
    def settings(self) -> dict[str, Settings]:
        """By module."""
        return read_settings(self.tree)

    @cached_property
    def build(self) -> dict[str, str]:
        """Folder -> what its build file says."""
        return build_files(self.tree)

    @cached_property
    def documents(self) -> list[tuple[str, dict[str, Any]]]:
        """The YAML of the tree: file and what it holds."""
        return list(documents(self.tree))

    @cached_property
    def implementations(self) -> dict[JavaType, list[JavaType]]:
        """Type -> what is one and can be made."""
        found: dict[JavaType, list[JavaType]] = {}
        for one in self.types.values():
            for above in () if one.is_abstract else one.lineage:
                found.setdefault(above, []).append(one)
        return found

    def settings_of(self, source: SourceFile) -> Settings:
        """The settings of the module that the file belongs to."""
        return self.settings.get(module_of(source.file), Settings())

    def build_mentions(self, source: SourceFile, *words: str) -> bool:
        """Whether the build files of the module, or those above it, name one of the words."""
        module = module_of(source.file)
        return any(
            word in text for place, text in self.build.items() if f"{module}/".startswith(place) for word in words
        )

    def imports(self, *prefixes: str) -> bool:
        """Whether any file imports something whose name begins so."""
        return any(
            name.startswith(prefixes)
            for source in self.sources
            for name in (*source.imports.values(), *source.packages, *source.members.values(), *source.member_types)
        )

    def find(self, name: str, inside: JavaType) -> JavaType | None:
        """The type of this tree that `name` means inside a type."""
        return self.types.get(self.qualified(name, inside))

    def qualified(self, name: str, inside: JavaType, *, not_in: JavaType | None = None) -> str:
        """What the imports make of a type's name; the name itself where they say nothing."""
        first, dot, rest = name.partition(".")
        for around in inside.outwards():
            if around.simple_name == first:
                return around.name + dot + rest
            lineage = [around] if not_in is not None else around.lineage
            for holder in lineage:
                if first in holder.types and holder.types[first] is not not_in:
                    return holder.types[first].name + dot + rest
        return self._imported(first, inside.source) + dot + rest

    def _imported(self, first: str, source: SourceFile) -> str:
        if first in source.imports:
            return source.imports[first]
        own = f"{source.package}.{first}" if source.package else first
        if own in self.types:
            return own
        if first in source.members and f"{source.members[first]}.{first}" in self.types:
            return f"{source.members[first]}.{first}"
        candidates = (f"{package}.{first}" for package in (*source.packages, *source.member_types, "java.lang"))
        return next((name for name in candidates if name in self.types or name in self.known), first)

    def _add(self, root: Node, source: SourceFile) -> None:
        self.sources.append(source)
        for child in named(root):
            if child.type == "package_declaration":
                source.package = text_of(named(child)[-1]) if named(child) else ""
            elif child.type == "import_declaration":
                _read_import(child, source)
        for child in named(root):
            if child.type in TYPE_DECLARATIONS:
                self._add_type(child, source, None, source.package, 0)
        if any(child.type == "method_declaration" for child in named(root)):  # a file whose class is left out
            name = Path(source.file).stem
            self.types.setdefault(name, JavaType(name, root, source, self))

    def _add_type(self, node: Node, source: SourceFile, outer: JavaType | None, prefix: str, depth: int) -> None:
        simple = text_of(node.child_by_field_name("name"))
        name = f"{prefix}.{simple}" if prefix else simple
        made = JavaType(name, node, source, self, outer)
        self.types.setdefault(name, made)
        if outer is not None:
            outer.types[simple] = made
        if depth < MAX_NESTING:
            for member in made.members:
                if member.type in TYPE_DECLARATIONS:
                    self._add_type(member, source, made, name, depth + 1)


def module_of(file: str) -> str:
    """The folder of the Maven or Gradle module that holds a file."""
    return file.partition("src/")[0].strip("/")


def _read_import(node: Node, source: SourceFile) -> None:
    inside = named(node)
    if not inside:
        return
    name = text_of(inside[0]).replace(" ", "")
    every = any(child.type == "asterisk" for child in inside)
    static = any(child.type == "static" for child in node.children)
    if static and every:
        source.member_types.append(name)
    elif static:
        source.members[name.rpartition(".")[2]] = name.rpartition(".")[0]
    elif every:
        source.packages.append(name)
    else:
        source.imports[name.rpartition(".")[2]] = name


def java_files(tree: Path) -> Iterator[Path]:
    """The sources of the service: not what is built from them, and not its tests."""

    def is_skipped(folder: Path) -> bool:
        parts = folder.relative_to(tree).parts
        if "main" in parts[:-1] and "src" in parts[:-1]:
            return folder.name.startswith(".")
        beside_main = len(parts) > 1 and parts[-2] == "src" and _TEST_SET.fullmatch(parts[-1]) is not None
        return folder.name.startswith(".") or folder.name in _NOT_SOURCE or beside_main

    found = source_files(tree, (".java",), skip_folder=is_skipped, skip_file=lambda name: name.startswith("."))
    for path in found:
        if "src/main/" in path.relative_to(tree).as_posix() or not _TEST_FILE.fullmatch(path.name):
            yield path
