"""What says the status of an answer in Java, and how to say another one: numbers, constants, methods and exceptions of that name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from ....analysis.routes.syntax import named, text_of
from .java_sites import annotation_name, simple_name
from .mutant import other_status
from .sites import Span, span_of, walk

Change = tuple[Span, int, str]
"""What to change, the status that it says, what to put there instead."""

_CODES = {
    "OK": 200, "CREATED": 201, "ACCEPTED": 202, "NO_CONTENT": 204, "RESET_CONTENT": 205, "PARTIAL_CONTENT": 206,
    "MOVED_PERMANENTLY": 301, "FOUND": 302, "SEE_OTHER": 303, "NOT_MODIFIED": 304, "TEMPORARY_REDIRECT": 307,
    "PERMANENT_REDIRECT": 308, "BAD_REQUEST": 400, "UNAUTHORIZED": 401, "PAYMENT_REQUIRED": 402, "FORBIDDEN": 403,
    "NOT_FOUND": 404, "METHOD_NOT_ALLOWED": 405, "NOT_ACCEPTABLE": 406, "REQUEST_TIMEOUT": 408, "CONFLICT": 409,
    "GONE": 410, "LENGTH_REQUIRED": 411, "PRECONDITION_FAILED": 412, "PAYLOAD_TOO_LARGE": 413, "CONTENT_TOO_LARGE": 413,
    "REQUEST_ENTITY_TOO_LARGE": 413, "UNSUPPORTED_MEDIA_TYPE": 415, "EXPECTATION_FAILED": 417, "I_AM_A_TEAPOT": 418,
    "IM_A_TEAPOT": 418, "UNPROCESSABLE_ENTITY": 422, "UNPROCESSABLE_CONTENT": 422, "LOCKED": 423, "FAILED_DEPENDENCY": 424,
    "UPGRADE_REQUIRED": 426, "PRECONDITION_REQUIRED": 428, "TOO_MANY_REQUESTS": 429,
}  # fmt: skip
_CONSTANT = re.compile(r"(?P<before>SC_|HTTP_)?(?P<name>[A-Z][A-Z_]*[A-Z])(?:_(?P<code>\d{3}))?")
_HOLDERS = frozenset(
    ("HttpStatus", "HttpResponseStatus", "HttpServletResponse", "HttpURLConnection", "StatusCode", "HttpStatusCode")
)
_COMPARED = frozenset(("==", "!=", "<", ">", "<=", ">="))

_CALLS = re.compile(
    r"status|setStatus|statusCode|setStatusCode|withStatus|sendError|sendStatus|sendResponseHeaders|halt|abort|fail|error"
    r"|problem|refuse|reject|respond|reply|redirect|\w*(Exception|Error|Refusal)"
)
_REFUSALS = re.compile(r"Exception|Error|Refusal|Problem|Fault|Failure|Rejection|Response")
_NAMED = re.compile(r"status|code", re.IGNORECASE)
_ANNOTATIONS = frozenset(("ResponseStatus", "Status"))

_FACTORIES = {
    "ok": 200, "created": 201, "accepted": 202, "noContent": 204, "redirect": 301, "seeOther": 303, "notModified": 304,
    "temporaryRedirect": 307, "permanentRedirect": 308, "badRequest": 400, "unauthorized": 401, "notFound": 404,
    "notAllowed": 405, "unprocessableEntity": 422, "unprocessableContent": 422,
}  # fmt: skip
"""Methods that make an answer and are named after its status."""

_THROWN = {
    "BadRequest": 400, "Unauthorized": 401, "Forbidden": 403, "NotFound": 404, "NotAcceptable": 406, "Conflict": 409,
    "Gone": 410, "NotSupported": 415, "UnprocessableContent": 422, "TooManyRequests": 429,
}  # fmt: skip
"""What exceptions are named after, of Javalin (`NotFoundResponse`) and JAX-RS (`NotFoundException`)."""


def status_changes(tree: Node) -> Iterator[Change]:
    """Every status below 500 that the source says, in the order of the text."""
    imports = _imported(tree)
    for node in walk(tree):
        match node.type:
            case "decimal_integer_literal":
                yield from _number(node)
            case "field_access" | "identifier":
                yield from _constant(node, imports)
            case "method_invocation":
                yield from _factory(node, imports)
            case "method_reference":
                yield from _reference(node, imports)
            case "object_creation_expression":
                yield from _thrown(node, imports)


def _imported(tree: Node) -> Mapping[str, str]:
    """Last word of each import -> all of it; `*` stands for the last word of a type or package."""
    found: dict[str, str] = {}
    for node in tree.children:
        if node.type == "import_declaration":
            name = re.sub(r"^import\s+(static\s+)?|\s|;", "", text_of(node))
            found.setdefault(name.rpartition(".")[2], name)
            if name.endswith(".*"):
                found.setdefault(name, name)
    return found


def _from(imports: Mapping[str, str], *packages: str) -> bool:
    return any(name.startswith(packages) for name in imports.values())


# Numbers.


def _number(node: Node) -> Iterator[Change]:
    text = text_of(node)
    if re.fullmatch(r"[234]\d\d", text) and _is_status(node):
        yield span_of(node), int(text), ""


def _is_status(number: Node) -> bool:
    """Whether it stands where statuses do: as what a method, a constructor, a variable or an annotation of a telling name takes."""
    value, above = _whole(number)
    if above is None:
        return False
    match above.type:
        case "argument_list" | "annotation_argument_list":
            return above.parent is not None and _takes_status(above.parent, named(above))
        case "element_value_pair":
            annotation = above.parent.parent if above.parent is not None else None
            return annotation is not None and annotation_name(annotation) in _ANNOTATIONS
        case "variable_declarator" if value == above.child_by_field_name("value"):
            return _NAMED.search(text_of(above.child_by_field_name("name"))) is not None
        case "assignment_expression" if value == above.child_by_field_name("right"):
            return re.search(r"status(Code)?$", text_of(above.child_by_field_name("left")), re.IGNORECASE) is not None
        case "return_statement":
            around = _around(above, "method_declaration", "lambda_expression")
            return around is not None and "status" in text_of(around.child_by_field_name("name")).lower()
        case _:
            return False


def _takes_status(taker: Node, arguments: list[Node]) -> bool:
    match taker.type:
        case "method_invocation":
            name, owner = text_of(taker.child_by_field_name("name")), taker.child_by_field_name("object")
            if any(one.type in ("lambda_expression", "method_reference") for one in arguments):
                return False  # what is done with such an answer, not the answer: `app.error(404, ...)`
            if _CALLS.fullmatch(name):
                return True
            of = simple_name(owner)
            return of[:1].isupper() and bool(of in _HOLDERS or _REFUSALS.search(of))
        case "object_creation_expression":
            return _REFUSALS.search(simple_name(taker.child_by_field_name("type"))) is not None
        case "enum_constant" | "explicit_constructor_invocation":
            around = _around(taker, "enum_declaration", "class_declaration")
            names = [around.child_by_field_name(one) for one in ("name", "superclass")] if around is not None else []
            return any(re.search(rf"{_REFUSALS.pattern}|Status|Code", text_of(one)) for one in names)
        case "annotation":
            return annotation_name(taker) in _ANNOTATIONS
        case _:
            return False


def _whole(value: Node) -> tuple[Node, Node | None]:
    """The value without what only chooses it or stands around it, and what that is in."""
    above = value.parent
    while above is not None and (
        above.type in ("parenthesized_expression", "cast_expression")
        or (above.type == "ternary_expression" and value != above.child_by_field_name("condition"))
    ):
        value, above = above, above.parent
    return value, above


def _around(node: Node, *types: str) -> Node | None:
    around = node.parent
    while around is not None and around.type not in types:
        around = around.parent
    return around


# Constants.


def _constant(node: Node, imports: Mapping[str, str]) -> Iterator[Change]:
    """`HttpStatus.CREATED`, `Response.Status.CREATED`, `SC_CREATED`, ..., unless something is compared with it."""
    if node.type == "field_access":
        owner, name = node.child_by_field_name("object"), text_of(node.child_by_field_name("field"))
        if not _holds_statuses(text_of(owner), imports):
            return
        before = f"{text_of(owner)}."
    else:
        name = text_of(node)
        holder = _static_holder(name, imports)
        if not holder or not _is_value(node):
            return
        before = f"{holder}."
    found = _CONSTANT.fullmatch(name)
    status = int(found["code"] or 0) or _CODES.get(found["name"], 0) if found is not None else 0
    if found is None or not 200 <= status < 500 or _is_compared(node):
        return
    other = other_status(status)
    word = next(word for word, code in _CODES.items() if code == other)
    changed = f"{found['before'] or ''}{word}{f'_{other}' if found['code'] else ''}"
    yield span_of(node), status, f"{before}{changed}"


def _holds_statuses(owner: str, imports: Mapping[str, str]) -> bool:
    last = owner.rpartition(".")[2]
    if last == "Status":
        # Things of a service have states as well, of types that are called so.
        return bool(re.search(r"(Response|RestResponse)\.Status$", owner) or _is_of_response(imports))
    return last in _HOLDERS


def _is_of_response(imports: Mapping[str, str]) -> bool:
    return any(re.search(r"Response\.(Status|\*)$", name) for name in imports.values())


def _static_holder(name: str, imports: Mapping[str, str]) -> str:
    """The type that a bare name is imported from, if that has statuses; the empty text if not."""
    if not _CONSTANT.fullmatch(name):
        return ""
    exact = [imports[name]] if name in imports else [one for one in imports.values() if one.endswith(".*")]
    holders = (one.rpartition(".")[0] for one in exact)
    return next((one for one in holders if one.rpartition(".")[2] in _HOLDERS or one.endswith("Response.Status")), "")


def _is_value(name: Node) -> bool:
    """Whether a bare name is a value, and not the name of something or a part of one."""
    above = name.parent
    if above is None or above.type in ("scoped_identifier", "field_access", "import_declaration", "switch_label"):
        return False
    fields = (above.child_by_field_name(one) for one in ("name", "object", "key"))
    return all(one != name for one in fields)


def _is_compared(constant: Node) -> bool:
    value, above = _whole(constant)
    if above is None:
        return False
    if above.type == "binary_expression":
        return text_of(above.child_by_field_name("operator")) in _COMPARED
    if above.type in ("switch_label", "case_pattern"):
        return True
    call = above.parent if above.type == "argument_list" else above
    if call is not None and call.type == "method_invocation":
        if text_of(call.child_by_field_name("name")) in ("equals", "compareTo", "name", "toString"):
            return True
        if value == call.child_by_field_name("object"):
            return call.parent is not None and _is_compared(call)
    annotation = _around(constant, "annotation", "argument_list", "block")
    if annotation is not None and annotation.type == "annotation":
        return annotation_name(annotation) not in _ANNOTATIONS  # what describes an answer
    return False


# Methods and exceptions that are named after a status.


def _factory(call: Node, imports: Mapping[str, str]) -> Iterator[Change]:
    """`ResponseEntity.created(uri)`, `HttpResponse.noContent()`, `Response.ok(it)`, ..."""
    name, arguments = call.child_by_field_name("name"), call.child_by_field_name("arguments")
    status = _FACTORIES.get(text_of(name), 0)
    owner = text_of(call.child_by_field_name("object"))
    if not status or name is None or arguments is None:
        return
    other, count = other_status(status), len(named(arguments))
    plain = "ok" if other == 200 else "accepted"
    end = Span(start=call.end_byte, end=call.end_byte)
    match owner:
        case "ResponseEntity" | "ServerResponse" if count == 0:
            yield span_of(name), status, plain
        case "ResponseEntity" if text_of(name) == "ok":
            yield span_of(name), status, f"{plain}().body"
        case "ResponseEntity" | "ServerResponse":
            yield span_of(name), status, f"status({other}).location"  # all others take the address of what was made
        case "HttpResponse" if _from(imports, "io.micronaut.") and count == 0:
            yield span_of(name), status, plain
        case "RestResponse" if count == 0 or text_of(name) == "ok":
            yield span_of(name), status, plain
        case "HttpResponse" if _from(imports, "io.micronaut."):
            yield end, status, f".status({other})"
        case "Response" | "ResponseBuilder" if _from(imports, "jakarta.ws.rs.", "javax.ws.rs.", "org.jboss.resteasy."):
            yield end, status, f".status({other})"


def _reference(node: Node, imports: Mapping[str, str]) -> Iterator[Change]:
    """`map(ResponseEntity::ok)`, `orElseThrow(NotFoundException::new)`."""
    owner, _, name = re.sub(r"\s", "", text_of(node)).partition("::")
    if (owner, name) == ("ResponseEntity", "ok"):
        yield span_of(node), 200, "answer_ -> ResponseEntity.accepted().body(answer_)"
    elif (owner, name) == ("HttpResponse", "ok") and _from(imports, "io.micronaut."):
        yield span_of(node), 200, "answer_ -> HttpResponse.ok(answer_).status(202)"
    elif name == "new":
        for status, made in _instead(owner, "", imports):
            yield span_of(node), status, f"() -> {made}"


def _thrown(node: Node, imports: Mapping[str, str]) -> Iterator[Change]:
    """`new NotFoundResponse("...")`, `new NotFoundException()`."""
    arguments = text_of(node.child_by_field_name("arguments"))[1:-1]
    for status, made in _instead(simple_name(node.child_by_field_name("type")), arguments, imports):
        yield span_of(node), status, made


def _instead(exception: str, arguments: str, imports: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """The status that an exception is named after, and how to make one like it with another status."""
    named_after = re.fullmatch(r"(\w+?)(Response|Exception)", exception)
    status = _THROWN.get(named_after[1], 0) if named_after is not None else 0
    if not status or named_after is None or not _is_imported(exception, imports):
        return
    other = other_status(status)
    if named_after[2] == "Response":
        given = f"{other}, {arguments}" if arguments.strip() else f"{other}"
        yield status, f"new io.javalin.http.HttpResponseException({given})"
    else:
        space = "javax" if _from(imports, "javax.ws.rs.") else "jakarta"
        given = f"{arguments}, {other}" if arguments.strip() else f"{other}"
        yield status, f"new {space}.ws.rs.WebApplicationException({given})"


def _is_imported(exception: str, imports: Mapping[str, str]) -> bool:
    """Whether the name is that of Javalin or JAX-RS, not one of the service's own."""
    packages = ("io.javalin.http.", "jakarta.ws.rs.", "javax.ws.rs.")
    return any(f"{package}{one}" in imports.values() for package in packages for one in (exception, "*"))
