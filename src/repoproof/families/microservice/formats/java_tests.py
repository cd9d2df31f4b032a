"""Which tests a Java suite has, read from its syntax: compiling it takes the candidate's code, and there may be no reference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from ....analysis.routes.java_syntax import annotations_in, modifiers_of, type_name
from ....analysis.routes.syntax import named, text_of

TEST_ANNOTATIONS = frozenset(("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property"))
DISABLED = frozenset(("Disabled", "Ignore"))
"""Never run, whatever the service does: expecting them would be a score that nobody can have."""
CONDITIONS = re.compile(r"(?:Disabled|Enabled)[A-Z]\w*")
"""Run where something holds that the source does not tell: `EnabledOnOs`, `DisabledIfEnvironmentVariable`."""

_DECLARATIONS = frozenset(("class_declaration", "record_declaration", "interface_declaration"))


@dataclass(frozen=True)
class TestMethods:
    """Of one set of golden tests."""

    __test__ = False

    ids: tuple[str, ...]
    """`package.Class::method`, sorted by file and place; a nested class is `Outer$Inner`, a parametrised test one id."""
    disabled: tuple[str, ...]
    conditional: dict[str, str]
    """Of the ids: those that run under a condition, with its annotation."""


@dataclass(frozen=True)
class _Off:
    """How a class or method is switched off."""

    always: bool = False
    condition: str = ""

    @classmethod
    def by(cls, annotations: set[str]) -> _Off:
        return cls(bool(annotations & DISABLED), next(filter(CONDITIONS.fullmatch, sorted(annotations)), ""))

    def __or__(self, other: _Off) -> _Off:
        return _Off(self.always or other.always, self.condition or other.condition)


@dataclass(frozen=True)
class _Class:
    name: str
    """With package and enclosing classes."""
    parent: str
    """Simple name of the superclass."""
    runs: bool
    """Whether a runner would take it for a test class."""
    off: _Off
    """Of itself and what encloses it: no class inherits it."""
    methods: dict[str, _Off]
    """Test methods, each as it is annotated itself."""


def read_tests(sources: Path) -> TestMethods:
    """The tests in all Java below `sources`; those that a class inherits from another one there are its own."""
    parser = Parser(Language(tree_sitter_java.language()))
    classes = [
        found
        for path in sorted(sources.rglob("*.java"))
        for found in _classes_in(parser.parse(path.read_bytes()).root_node)
    ]
    by_name = {one.name.rpartition(".")[2]: one for one in classes}
    found: dict[str, _Off] = {}
    for one in classes:
        if one.runs:
            for method, off in _with_inherited(one, by_name):
                found.setdefault(f"{one.name}::{method}", off | one.off)
    expected = {id: off for id, off in found.items() if not off.always}
    return TestMethods(
        ids=tuple(expected),
        disabled=tuple(id for id in found if id not in expected),
        conditional={id: off.condition for id, off in expected.items() if off.condition},
    )


def _classes_in(file: Node) -> Iterator[_Class]:
    package = next((child for child in named(file) if child.type == "package_declaration"), None)
    prefix = f"{text_of(named(package)[-1])}." if package is not None else ""
    for child in named(file):
        if child.type in _DECLARATIONS:
            yield from _class(child, prefix, off=_Off())


def _class(declaration: Node, prefix: str, *, off: _Off) -> Iterator[_Class]:
    name = prefix + text_of(declaration.child_by_field_name("name"))
    off |= _Off.by(_names(declaration))
    parent = declaration.child_by_field_name("superclass")
    parent_name = type_name(named(parent)[0]).rpartition(".")[2] if parent is not None else ""
    body = named(declaration.child_by_field_name("body"))
    methods = {
        text_of(method.child_by_field_name("name")): _Off.by(_names(method))
        for method in body
        if method.type == "method_declaration" and _is_test(method, old_style=parent_name == "TestCase")
    }
    runs = declaration.type != "interface_declaration" and "abstract" not in modifiers_of(declaration)
    yield _Class(name, parent_name, runs, off, methods)
    for child in body:
        if child.type in _DECLARATIONS:
            yield from _class(child, f"{name}$", off=off)


def _is_test(method: Node, *, old_style: bool) -> bool:
    if _names(method) & TEST_ANNOTATIONS:
        return True
    return old_style and text_of(method.child_by_field_name("name")).startswith("test")


def _names(declaration: Node) -> set[str]:
    """Simple names of the annotations of a declaration."""
    return {text_of(one.child_by_field_name("name")).rpartition(".")[2] for one in annotations_in(declaration)}


def _with_inherited(one: _Class, by_name: Mapping[str, _Class]) -> Iterator[tuple[str, _Off]]:
    seen: set[str] = set()
    current: _Class | None = one
    while current is not None and current.name not in seen:
        seen.add(current.name)
        yield from current.methods.items()
        current = by_name.get(current.parent)
