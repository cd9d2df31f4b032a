"""A JavaScript or TypeScript function in an answer: its definition, with what it uses, or its body alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from .candidates import Candidate, places
from .extraction import Extraction, How, Target
from .mending import mended

_FUNCTIONS = frozenset({"function_declaration", "generator_function_declaration", "function_signature"})
_VALUES = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_MEMBERS = frozenset({"method_definition"})
_DECLARATIONS = frozenset(
    {"lexical_declaration", "variable_declaration", "class_declaration", "abstract_class_declaration"}
    | {"interface_declaration", "type_alias_declaration", "enum_declaration"}
    | _FUNCTIONS
)

_MAX_CHARACTERS = 100_000
"""Of a piece that is read: what is no script takes the parser seconds."""


@dataclass(frozen=True)
class _Script:
    """A piece of an answer, parsed without an error."""

    source: bytes
    root: Node
    notes: tuple[str, ...]

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode()


@dataclass(frozen=True)
class _Found:
    script: _Script
    statement: Node
    """What defines the function: a declaration at the top, or a member of a class."""
    function: Node
    is_member: bool


def find_javascript(text: str, target: Target) -> Extraction:
    """The function that `text` gives for `target`."""
    for pieces in places(text):
        read_from = [(piece, _script(piece, target)) for piece in pieces]
        scripts = [script for _, script in read_from if script is not None]
        found = [one for script in scripts for one in _definitions(script, target.name)]
        if found:
            return _extraction(_best(found, target), target, scripts)
        unread = [piece for piece, script in read_from if script is None and piece.fenced]
        if broken := [piece for piece in unread if target.name in piece.code]:
            return Extraction(
                how=How.UNPARSABLE,
                function=broken[-1].code,
                notes=("cannot be parsed",),
                truncated=not broken[-1].closed,
            )
        if (body := _body_only(pieces, target)) is not None:
            return body
    return Extraction(how=How.NOTHING, notes=(f"nothing in the answer defines {target.name}",))


def _best(found: list[_Found], target: Target) -> _Found:
    return max(enumerate(found), key=lambda pair: (pair[1].is_member is bool(target.class_name), pair[0]))[1]


def _extraction(one: _Found, target: Target, scripts: list[_Script]) -> Extraction:
    function = _column_0(one.script, one.statement)
    body = one.function.child_by_field_name("body")
    return Extraction(
        how=How.FUNCTION,
        function=function,
        before="\n".join(_needed(one, target, scripts)),
        body="" if body is None else _inside(one.script, body),
        notes=one.script.notes,
    )


def _column_0(script: _Script, node: Node) -> str:
    line_start = script.source.rfind(b"\n", 0, node.start_byte) + 1
    before = script.source[line_start : node.start_byte].decode()
    text = script.text(node)
    return textwrap.dedent((before if not before.strip() else "") + text).strip("\n") + "\n"


def _inside(script: _Script, body: Node) -> str:
    text = script.text(body)
    if body.type != "statement_block":
        return f"return {text};\n"
    return textwrap.dedent(text[1:-1].strip("\n").rstrip()).strip() + "\n" if "\n" not in text else _lines(text[1:-1])


def _lines(text: str) -> str:
    return textwrap.dedent(text.strip("\n").rstrip()) + "\n"


def _needed(one: _Found, target: Target, scripts: list[_Script]) -> Iterator[str]:
    """Imports and declarations of the answer that the function uses, or that those use, in their order."""
    available: list[tuple[_Script, Node, frozenset[str]]] = []
    for script in scripts:
        for statement in script.root.named_children:
            bound = _bound(script, statement)
            is_own = script is one.script and _contains(statement, one.statement)
            if bound and target.name not in bound and not is_own:
                available.append((script, statement, bound))
    wanted = _identifiers(one.script, one.statement)
    kept: set[int] = set()
    while more := [at for at, (_, _, bound) in enumerate(available) if at not in kept and bound & wanted]:
        kept.update(more)
        for at in more:
            wanted |= _identifiers(available[at][0], available[at][1])
    yield from (_column_0(available[at][0], available[at][1]) for at in sorted(kept))


def _contains(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def _bound(script: _Script, statement: Node) -> frozenset[str]:
    declared = statement.child_by_field_name("declaration") if statement.type == "export_statement" else statement
    if declared is None:
        return frozenset()
    if declared.type == "import_statement":
        return frozenset(script.text(node) for node in _walk(declared) if node.type == "identifier")
    if declared.type not in _DECLARATIONS:
        return frozenset()
    if name := declared.child_by_field_name("name"):
        return frozenset({script.text(name)})
    names = [one.child_by_field_name("name") for one in declared.named_children if one.type == "variable_declarator"]
    within = [node for name in names if name is not None for node in _walk(name)]
    return frozenset(
        script.text(n) for n in within if n.type in ("identifier", "shorthand_property_identifier_pattern")
    )


def _identifiers(script: _Script, node: Node) -> frozenset[str]:
    kinds = ("identifier", "type_identifier", "shorthand_property_identifier")
    return frozenset(script.text(one) for one in _walk(node) if one.type in kinds)


def _definitions(script: _Script, name: str) -> list[_Found]:
    found: list[_Found] = []
    for statement in script.root.named_children:
        declared = statement.child_by_field_name("declaration") if statement.type == "export_statement" else statement
        if declared is None:
            continue
        if declared.type in _FUNCTIONS and _named(script, declared, name):
            if declared.type != "function_signature":
                found.append(_Found(script, statement, declared, is_member=False))
        elif declared.type in ("class_declaration", "abstract_class_declaration", "expression_statement"):
            members = [node for node in _walk(declared) if node.type in _MEMBERS and _named(script, node, name)]
            found += [_Found(script, node, node, is_member=True) for node in members]
        for variable in declared.named_children:
            value = variable.child_by_field_name("value")
            if (
                variable.type == "variable_declarator"
                and value is not None
                and value.type in _VALUES
                and _named(script, variable, name)
            ):
                found.append(_Found(script, statement, value, is_member=False))
    return found


def _named(script: _Script, node: Node, name: str) -> bool:
    found = node.child_by_field_name("name")
    return found is not None and script.text(found) == name


def _body_only(pieces: list[Candidate], target: Target) -> Extraction | None:
    header = textwrap.dedent(target.header).strip().removesuffix("{").rstrip()
    if not header:
        return None
    for piece in sorted(pieces, key=lambda piece: len(piece.code), reverse=True):
        body = _lines(piece.code)
        # A base model ends the body with the brace that the prompt opened.
        for inner in (body, body.rstrip().removesuffix("}").rstrip() + "\n"):
            function = f"{header} {{\n{textwrap.indent(inner, '  ')}}}\n"
            script = _parsed(function, target.language, ())
            if script is None or not ("return" in inner or ";" in inner):
                continue
            if not (piece.fenced or "return" in inner):
                continue
            found = _definitions(script, target.name)
            if found and len(script.root.named_children) == 1:
                return Extraction(how=How.BODY, function=function, body=inner)
    return None


def _script(piece: Candidate, target: Target) -> _Script | None:
    if len(piece.code) > _MAX_CHARACTERS:
        return None
    for code, notes in mended(piece.code):
        script = _parsed(code, target.language, notes)
        if script is None and target.class_name:
            # A method by itself is not a statement.
            script = _parsed(f"class _ {{\n{code}\n}}", target.language, notes)
        if script is not None:
            return script
    return None


def _parsed(code: str, language: str, notes: tuple[str, ...]) -> _Script | None:
    source = code.encode()
    root = Parser(_grammar(language)).parse(source).root_node
    return None if root.has_error else _Script(source, root, notes)


@cache
def _grammar(language: str) -> Language:
    if language == "typescript":
        return Language(tree_sitter_typescript.language_typescript())
    return Language(tree_sitter_javascript.language())


def _walk(node: Node) -> Iterator[Node]:
    """`node` and all below it, without recursion: what is read may be nested deeper than our stack."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.children))
