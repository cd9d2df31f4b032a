"""What the routes ask of the current request: its library, its member, its body."""

from __future__ import annotations

from flask import current_app, request

from .records import Library, Member
from .refusals import Refusal


def library() -> Library:
    return current_app.extensions["library"]


def token() -> str:
    scheme, _, value = request.headers.get("Authorization", "").partition(" ")
    return value.strip() if scheme.lower() == "bearer" else ""


def current_member() -> Member:
    member_id = library().sessions.get(token())
    if member_id is None:
        raise Refusal(401, "a valid token is needed")
    return library().members[member_id]


def current_librarian() -> Member:
    member = current_member()
    if member.role != "librarian":
        raise Refusal(403, "only librarians may do this")
    return member


def body() -> dict[str, object]:
    content = request.get_json(silent=True)
    if not isinstance(content, dict):
        raise Refusal(400, "the body must be a JSON object")
    return content


def text(content: dict[str, object], name: str, shortest: int, longest: int | None = None) -> str:
    value = content.get(name)
    if not isinstance(value, str) or len(value) < shortest or (longest is not None and len(value) > longest):
        raise Refusal(400, f"{name} must be a text of {shortest} to {longest or 'any number of'} characters")
    return value


def integer(content: dict[str, object], name: str, least: int, most: int | None = None) -> int:
    value = content.get(name)
    if type(value) is not int or value < least or (most is not None and value > most):
        raise Refusal(400, f"{name} must be an integer from {least} up to {most or 'any size'}")
    return value


def choice(name: str, *allowed: str) -> str | None:
    """A query parameter that takes one of a few values; None where it is not given."""
    value = request.args.get(name)
    if value is not None and value not in allowed:
        raise Refusal(400, f"{name} must be one of {', '.join(allowed)}")
    return value
