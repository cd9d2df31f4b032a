"""Routes: members and their sessions."""

from __future__ import annotations

import secrets

from flask import Blueprint

from .records import Member, hashed
from .refusals import Refusal
from .requests import body, current_member, library, text, token

blueprint = Blueprint("members", __name__)


@blueprint.post("/members")
def join():
    content = body()
    name, email = text(content, "name", 1, 60), text(content, "email", 3)
    password, role = text(content, "password", 8), content.get("role", "reader")
    if email.count("@") != 1 or not all(email.split("@")):
        raise Refusal(400, "email must have one @ with something on both sides")
    if role not in ("reader", "librarian"):
        raise Refusal(400, "role must be reader or librarian")
    salt = secrets.token_bytes(16)
    password_hash = hashed(password, salt)
    with library().lock:
        if library().member_by_email(email):
            raise Refusal(409, "this e-mail address is taken")
        member = Member(library().next_id(), name, email, role, salt, password_hash)
        library().members[member.id] = member
    return member.shown(), 201


@blueprint.post("/sessions")
def sign_in():
    content = body()
    email, password = text(content, "email", 1), text(content, "password", 1)
    member = library().member_by_email(email)
    if member is None or not member.has_password(password):
        raise Refusal(401, "wrong e-mail address or password")
    new = secrets.token_urlsafe(24)
    library().sessions[new] = member.id
    return {"token": new, "member": member.shown()}, 201


@blueprint.delete("/sessions/current")
def sign_out():
    current_member()
    library().sessions.pop(token(), None)
    return "", 204


@blueprint.get("/members/me")
def me():
    return current_member().shown()
