"""A Python function in an answer: its definition, with what it uses, or its body alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .candidates import places
from .extraction import Extraction, How, Target
from .python_body import find_body
from .python_header import Header, header_of
from .python_modules import Found, Module, begins_definition, definitions, read
from .python_scope import Definition, attributes_needed, names_bound, names_needed, statements
from .python_source import compiles, indent_of, parsed_or_why, shifted


def find_python(text: str, target: Target) -> Extraction:
    """The function that `text` gives for `target`."""
    header = header_of(target)
    broken: list[str] = []
    for pieces in places(text):
        read_from = [(piece, read(piece, target.name)) for piece in pieces]
        modules = [module for _, module in read_from if module is not None]
        if found := [one for module in modules for one in definitions(module, target.name)]:
            return _extraction(_best(found, target, header), modules, target, header)
        unread = [piece for piece, module in read_from if module is None]
        if meant := [piece.code for piece in unread if begins_definition(piece.code, target.name)]:
            return _unparsable(meant[-1])
        if body := find_body(pieces, modules, target, header):
            return body
        broken += [piece.code for piece in unread if piece.language in ("python", "py", "python3")]
    if broken:
        return _unparsable(max(broken, key=len))
    return Extraction(how=How.NOTHING, notes=(f"nothing in the answer defines {target.name}",))


def _unparsable(code: str) -> Extraction:
    why = parsed_or_why(code)
    return Extraction(how=How.UNPARSABLE, function=code, notes=(f"cannot be parsed: {why}",))


def _best(found: list[Found], target: Target, header: Header | None) -> Found:
    """A whole function rather than a stub, in the right place, decorated as asked, not cut off; of several the last."""

    def rank(numbered: tuple[int, Found]) -> tuple[bool, int, bool, bool, int]:
        number, one = numbered
        decorated = header is not None and not isinstance(one.node, ast.Assign) and header.is_decorated_as(one.node)
        return (not _is_stub(one.node), _place(one, target), decorated, not one.module.truncated, number)

    return max(enumerate(found), key=rank)[1]


def _place(one: Found, target: Target) -> int:
    if not target.class_name:
        return 1 if one.owner is None else 0
    if one.owner is None:
        return 0
    return 2 if one.class_path == target.class_name or one.class_path.endswith(f".{target.class_name}") else 1


def _is_stub(node: Definition | ast.Assign) -> bool:
    if isinstance(node, ast.Assign):
        return False
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return all(_says_nothing(statement) for statement in body)


def _says_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        return any(isinstance(node, ast.Name) and node.id == "NotImplementedError" for node in ast.walk(statement))
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and statement.value.value is ...
    )


def _extraction(one: Found, modules: list[Module], target: Target, header: Header | None) -> Extraction:
    function = _source(one.module, one.node)
    notes = list(one.module.notes)
    if one.module.truncated:
        notes.append("the answer ends inside the code; it is taken up to its last whole statement")
    if not isinstance(one.node, ast.Assign):
        if _is_stub(one.node):
            notes.append("its body is a stub")
        if one.owner is not None and not target.class_name:
            if header is not None and header.is_with_self(one.node):
                notes.append("taken out of a class: its header is the target's")
                function = header.with_body(_body(one.module, one.node))
            else:
                notes.append("taken out of a class")
        elif header is not None and not header.has_parameters_of(one.node):
            notes.append("its parameters are not the target's")
    needed = _Needed(one, modules, target, function)
    if not compiles(function):
        return Extraction(how=How.UNPARSABLE, function=function, notes=(*notes, "the compiler refuses it"))
    left_out = needed.left_out()
    if left_out:
        notes.append(f"{left_out} other statement{'s' * (left_out > 1)} left out")
    return Extraction(
        how=How.FUNCTION,
        function=function,
        before=needed.before,
        methods=needed.methods,
        body=_body(one.module, one.node),
        notes=tuple(notes),
        truncated=one.module.truncated,
    )


class _Needed:
    """What the answer has, beside the function, that the function uses."""

    def __init__(self, one: Found, modules: list[Module], target: Target, function: str) -> None:
        self.one = one
        self.modules = [one.module, *(module for module in modules if module is not one.module)]
        self.order = {id(module): number for number, module in enumerate(modules)}
        self.kept: dict[int, tuple[Module, ast.stmt]] = {}
        """By the statement's identity: those of modules."""
        self.beside: dict[int, tuple[Module, ast.stmt]] = {}
        """Those of the class."""
        self._target = target
        self._follow(one.module, one.node, function)

    @property
    def before(self) -> str:
        return "\n\n".join(self._told(self.kept))

    @property
    def methods(self) -> str:
        return "\n".join(self._told(self.beside))

    def left_out(self) -> int:
        read = [module for module in self.modules if module.fenced or module is self.one.module]
        top = [statement for module in read for statement in module.tree.body]
        inside = self.one.owner
        return sum(
            id(statement) not in self.kept
            and id(statement) not in self.beside
            and statement is not self.one.node
            and not (inside is not None and any(node is inside for node in ast.walk(statement)))
            and not isinstance(statement, ast.Import | ast.ImportFrom)
            for statement in top
        )

    def _follow(self, module: Module, node: ast.stmt, source: str) -> None:
        for name in sorted(names_needed(source)):
            self._keep_global(name)
        self._keep_global("*")
        if self._target.class_name:
            owners = {"self", "cls", self._target.class_name.split(".")[-1], _first_parameter(node)}
            for name in sorted(attributes_needed(node, owners)):
                self._keep_beside(name)

    def _keep_global(self, name: str) -> None:
        for module in self.modules:
            giving = [statement for statement in module.tree.body if name in names_bound(statement)]
            giving = [statement for statement in giving if not self._is_own(statement)]
            for statement in giving:
                self._keep(self.kept, module, statement)
            if giving and name != "*":
                return

    def _keep_beside(self, name: str) -> None:
        owner = self.one.owner
        inside = [] if owner is None else list(statements(owner.body))
        for module in self.modules:
            outside = [s for s in module.tree.body if _first_parameter(s) in ("self", "cls")]
            for statement in [*(inside if module is self.one.module else ()), *outside]:
                if name in names_bound(statement) and statement is not self.one.node:
                    self._keep(self.beside, module, statement)

    def _keep(self, into: dict[int, tuple[Module, ast.stmt]], module: Module, statement: ast.stmt) -> None:
        if id(statement) not in into:
            into[id(statement)] = (module, statement)
            self._follow(module, statement, _source(module, statement))

    def _is_own(self, statement: ast.stmt) -> bool:
        """The function itself, an earlier version of it, or the class that it was taken from."""
        bound = names_bound(statement)
        return (
            self._target.name in bound or statement is self.one.owner or self._target.class_name.split(".")[0] in bound
        )

    def _told(self, kept: dict[int, tuple[Module, ast.stmt]]) -> Iterator[str]:
        ordered = sorted(kept.values(), key=lambda pair: (self.order[id(pair[0])], pair[1].lineno))
        imports = [pair for pair in ordered if isinstance(pair[1], ast.Import | ast.ImportFrom)]
        if imports:
            yield "".join(dict.fromkeys(_source(*pair) for pair in imports))
        yield from (_source(*pair) for pair in ordered if pair not in imports)


def _first_parameter(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        parameters = [*node.args.posonlyargs, *node.args.args]
        return parameters[0].arg if parameters else ""
    return ""


def _source(module: Module, node: ast.stmt) -> str:
    decorators: Iterable[ast.expr] = getattr(node, "decorator_list", ())
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return shifted(module.text(first, node.end_lineno or node.lineno), "")


def _body(module: Module, node: Definition | ast.Assign) -> str:
    if isinstance(node, ast.Assign):
        value = node.value
        assert isinstance(value, ast.Lambda)
        return f"return {ast.get_source_segment(module.source, value.body) or ''}\n"
    first = node.body[0]
    lines = module.source.split("\n")
    text_before = lines[first.lineno - 1].encode()[: first.col_offset].decode()
    if text_before.strip() and not text_before.strip().startswith("@"):
        segment = "\n".join(lines[first.lineno - 1 : node.end_lineno]).encode()[first.col_offset :].decode()
        return f"{segment}\n"
    start = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", ()))])
    margin = len(indent_of(lines[start - 1]))
    while lines[start - 2].strip().startswith("#") and len(indent_of(lines[start - 2])) >= margin:
        start -= 1
    return shifted(module.text(start, node.end_lineno or node.lineno), "")
