"""Members and sessions."""

import pytest


def test_a_new_member_is_a_reader_and_the_password_stays_secret(anyone, unique):
    details = {"name": "Kim", "email": f"{unique}@example.org", "password": "long enough"}
    answer = anyone.post("/members", details)
    assert answer.status_code == 201
    member = answer.json()
    assert isinstance(member["id"], int)
    assert member == {"id": member["id"], "name": "Kim", "email": details["email"], "role": "reader"}


def test_an_email_address_belongs_to_one_member(anyone, join, refused, unique):
    join(email=f"{unique}@example.org")
    details = {"name": "Kim", "email": f"{unique.upper()}@Example.org", "password": "long enough"}
    refused(anyone.post("/members", details), 409, "conflict")


@pytest.mark.parametrize(
    "fault",
    [{"name": ""}, {"email": "nobody"}, {"email": "a@b@c"}, {"password": "short"}, {"role": "king"}],
    ids=["no-name", "email-without-at", "email-with-two", "short-password", "unknown-role"],
)
def test_bad_details_are_refused(anyone, join, refused, unique, fault):
    details = {"name": "Kim", "email": f"{unique}@example.org", "password": "long enough"}
    refused(anyone.post("/members", details | fault), 400, "invalid")
    assert anyone.post("/members", details).json()["email"] == details["email"]


def test_a_member_signs_in_with_the_right_password_only(anyone, reader, refused):
    email = reader.member["email"]
    assert anyone.post("/sessions", {"email": email, "password": "correct horse"}).json()["member"] == reader.member
    refused(anyone.post("/sessions", {"email": email, "password": "wrong horse"}), 401, "unauthenticated")
    refused(anyone.post("/sessions", {"email": f"x{email}", "password": "correct horse"}), 401, "unauthenticated")


def test_a_token_is_needed_and_must_be_a_known_one(anyone, reader, refused):
    assert reader.get("/members/me").json() == reader.member
    refused(anyone.get("/members/me"), 401, "unauthenticated")
    refused(anyone.get("/loans"), 401, "unauthenticated")
    reader.token += "x"
    refused(reader.get("/members/me"), 401, "unauthenticated")


def test_signing_out_ends_that_session_only(anyone, reader, refused):
    second = anyone.post("/sessions", {"email": reader.member["email"], "password": "correct horse"}).json()["token"]
    answer = reader.delete("/sessions/current")
    assert (answer.status_code, answer.content) == (204, b"")
    refused(reader.get("/members/me"), 401, "unauthenticated")
    reader.token = second
    assert reader.get("/members/me").json() == reader.member
