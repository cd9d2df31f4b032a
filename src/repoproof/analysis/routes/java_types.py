"""The types that a Java tree declares: what is written on them and in them, and what they inherit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from .java_syntax import annotations_in, arguments_of, modifiers_of, parameters_of, type_name
from .syntax import line_of, named, text_of

if TYPE_CHECKING:
    from .java_project import JavaProject

MAX_LINEAGE = 30


@dataclass(frozen=True)
class Annotation:
    """`@GetMapping("/x")`, on something."""

    name: str
    """Fully qualified as far as the imports say."""
    elements: dict[str, Node]
    inside: JavaType
    """The type whose names the elements are written in."""
    file: str
    """Where it stands; if it is carried by another one, where that stands."""
    line: int


@dataclass(eq=False)
class Method:
    """A method or constructor of a type."""

    name: str
    node: Node
    owner: JavaType

    @cached_property
    def modifiers(self) -> frozenset[str]:
        return modifiers_of(self.node)

    @cached_property
    def annotations(self) -> list[Annotation]:
        return self.owner.written_on(self.node)

    @cached_property
    def parameters(self) -> list[Node]:
        return parameters_of(self.node)

    @property
    def body(self) -> Node | None:
        return self.node.child_by_field_name("body")


class Field(NamedTuple):
    """A field of a type."""

    value: Node | None
    """What it is given where it is declared."""
    type: Node
    is_static: bool


@dataclass(eq=False)
class SourceFile:
    """One file: its package and imports."""

    file: str
    """Relative to the tree, with slashes."""
    package: str = ""
    imports: dict[str, str] = field(default_factory=dict)
    """Simple name -> type."""
    packages: list[str] = field(default_factory=list)
    """What `import x.*` names."""
    members: dict[str, str] = field(default_factory=dict)
    """Static member -> its type."""
    member_types: list[str] = field(default_factory=list)
    """What `import static x.Y.*` names."""

    def owners_of(self, member: str) -> list[str]:
        """The types that a static member may be imported from."""
        return [self.members[member]] if member in self.members else self.member_types


@dataclass(eq=False)
class JavaType:
    """A class, interface, enum, record or annotation of the tree."""

    name: str
    """Fully qualified, with dots."""
    node: Node
    source: SourceFile
    project: JavaProject
    outer: JavaType | None = None
    types: dict[str, JavaType] = field(default_factory=dict)
    """Those declared inside."""
    written_as: str = ""
    """For an anonymous class, the type that `new` names."""

    @property
    def simple_name(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def is_interface(self) -> bool:
        return self.node.type in ("interface_declaration", "annotation_type_declaration")

    @cached_property
    def is_abstract(self) -> bool:
        return self.is_interface or "abstract" in modifiers_of(self.node)

    @property
    def is_enum(self) -> bool:
        return self.node.type == "enum_declaration"

    @property
    def is_record(self) -> bool:
        return self.node.type == "record_declaration"

    def outwards(self) -> Iterator[JavaType]:
        """The type itself, then those that it is declared in, the nearest first."""
        around: JavaType | None = self
        while around is not None:
            yield around
            around = around.outer

    @property
    def line(self) -> int:
        return line_of(self.node)

    @cached_property
    def members(self) -> list[Node]:
        """What is declared inside; for an anonymous class, in its body."""
        body = self.node if self.node.type in ("class_body", "program") else self.node.child_by_field_name("body")
        inside = named(body)
        rest = [child for child in inside if child.type == "enum_body_declarations"]
        return [child for child in inside if child not in rest] + [child for part in rest for child in named(part)]

    @cached_property
    def methods(self) -> list[Method]:
        return [
            Method(text_of(member.child_by_field_name("name")), member, self)
            for member in self.members
            if member.type == "method_declaration"
        ]

    @cached_property
    def constructors(self) -> list[Method]:
        kinds = ("constructor_declaration", "compact_constructor_declaration")
        return [Method("", member, self) for member in self.members if member.type in kinds]

    @cached_property
    def fields(self) -> dict[str, Field]:
        found: dict[str, Field] = {}
        for member in self.members:
            typed = member.child_by_field_name("type")
            if member.type not in ("field_declaration", "constant_declaration") or typed is None:
                continue
            is_static = self.is_interface or "static" in modifiers_of(member)
            for declarator in member.children_by_field_name("declarator"):
                value = declarator.child_by_field_name("value")
                found[text_of(declarator.child_by_field_name("name"))] = Field(value, typed, is_static)
        return found

    @cached_property
    def constants(self) -> dict[str, Node]:
        """Those of an enum, by name."""
        found: dict[str, Node] = {}
        for member in self.members if self.is_enum else ():
            if member.type == "enum_constant":
                found.setdefault(text_of(member.child_by_field_name("name")), member)
        return found

    def has_static(self, name: str) -> bool:
        """Whether it has, or inherits, a static field or a constant of that name."""
        return any(
            name in holder.constants or (name in holder.fields and holder.fields[name].is_static)
            for holder in self.lineage
        )

    @cached_property
    def annotations(self) -> list[Annotation]:
        return self.written_on(self.node)

    def written_on(self, declaration: Node) -> list[Annotation]:
        """The annotations of a declaration in this type, and those that its own annotations carry."""
        found = [
            Annotation(
                self.project.qualified(text_of(node.child_by_field_name("name")), self),
                arguments_of(node),
                self,
                self.source.file,
                line_of(node),
            )
            for node in annotations_in(declaration)
        ]
        for annotation in found[:50]:
            made_of = self.project.types.get(annotation.name)
            expanding = self.project.expanding
            if made_of is None or made_of.node.type != "annotation_type_declaration":
                continue
            if made_of not in expanding and len(expanding) < MAX_LINEAGE:
                expanding.add(made_of)
                found += _carried(annotation, made_of)
                expanding.discard(made_of)
        return found

    @cached_property
    def superclass(self) -> str:
        """Fully qualified; empty where none is named."""
        if self.written_as:
            return self.written_as
        written = next((child for child in self.node.children if child.type == "superclass"), None)
        return self._supertype(named(written)[0]) if named(written) else ""

    @cached_property
    def interfaces(self) -> list[str]:
        lists = [child for child in self.node.children if child.type in ("super_interfaces", "extends_interfaces")]
        return [self._supertype(node) for holder in lists for inner in named(holder) for node in named(inner)]

    @cached_property
    def lineage(self) -> list[JavaType]:
        """The type itself, then its superclasses and interfaces that are in the tree, the nearest first."""
        return [found for found in self._ancestry if isinstance(found, JavaType)]

    def is_a(self, *names: str) -> bool:
        """Whether one of the names is among its supertypes, in the tree or out of it."""
        return any((found.name if isinstance(found, JavaType) else found) in names for found in self._ancestry)

    @cached_property
    def _ancestry(self) -> list[JavaType | str]:
        found: list[JavaType | str] = [self]
        for at in range(MAX_LINEAGE):
            if at == len(found):
                break
            current = found[at]
            if isinstance(current, JavaType):
                for name in (current.superclass, *current.interfaces):
                    above = self.project.types.get(name, name)
                    if above and above not in found:
                        found.append(above)
        return found

    def _supertype(self, node: Node) -> str:
        return self.project.qualified(type_name(node), self.outer or self, not_in=self)


def _carried(annotation: Annotation, made_of: JavaType) -> list[Annotation]:
    """The annotations on an annotation type, with the elements that `@AliasFor` passes on to them."""
    passed: dict[str, dict[str, Node]] = {}
    for member in made_of.members:
        name = text_of(member.child_by_field_name("name"))
        given = annotation.elements.get(name)
        if member.type != "annotation_type_element_declaration" or given is None:
            continue
        for node in annotations_in(member):
            alias = arguments_of(node)
            target = alias.get("annotation")
            if text_of(node.child_by_field_name("name")).endswith("AliasFor") and target is not None:
                wanted = made_of.project.qualified(type_name(named(target)[0]), made_of) if named(target) else ""
                attribute = alias.get("attribute", alias.get("value"))
                passed.setdefault(wanted, {})[text_of(attribute).strip('"') or name] = given
    carried = []
    for above in made_of.annotations:
        aliased = passed.get(above.name, {})
        # The elements of one annotation are read in one type: the one where the outer annotation is written, if that gives any.
        inside = annotation.inside if aliased else above.inside
        carried.append(Annotation(above.name, {**above.elements, **aliased}, inside, annotation.file, annotation.line))
    return carried
