"""The service under test, with members and books to try it with."""

import os
import random
import uuid

import pytest
import requests

BASE = os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:8102").rstrip("/") + "/library/v1"
PASSWORD = "correct horse"


class Visitor:
    """Somebody who talks to the service, with a token or without; no request waits longer than five seconds."""

    def __init__(self, token=None, member=None):
        self.token, self.member = token, member

    def request(self, method, path, **more):
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return requests.request(method, BASE + path, timeout=5, headers=headers, **more)

    def get(self, path, **query):
        return self.request("GET", path, params=query)

    def post(self, path, body=None):
        return self.request("POST", path, json=body)

    def delete(self, path):
        return self.request("DELETE", path)


@pytest.fixture
def anyone():
    return Visitor()


@pytest.fixture
def unique():
    """A word that no other test, and no earlier run, has used."""
    return uuid.uuid4().hex[:12]


@pytest.fixture
def join(anyone):
    """Makes a member, signs them in, and sees that the service knows them."""

    def join(role="reader", **more):
        email = f"{uuid.uuid4().hex}@example.org"
        details = {"name": "Robin", "email": email, "password": PASSWORD, "role": role} | more
        assert anyone.post("/members", details).status_code == 201
        session = anyone.post("/sessions", {"email": details["email"], "password": PASSWORD})
        assert session.status_code == 201
        visitor = Visitor(session.json()["token"], session.json()["member"])
        assert visitor.get("/members/me").json() == visitor.member
        assert (visitor.member["email"], visitor.member["role"]) == (details["email"], role)
        return visitor

    return join


@pytest.fixture
def reader(join):
    return join()


@pytest.fixture
def isbn():
    """Makes up ISBNs."""
    return lambda: f"{random.SystemRandom().randrange(10**13):013d}"


@pytest.fixture
def add_book(join, isbn, unique):
    """Has a librarian add a book, and sees that it can be read back."""
    librarian = join("librarian")

    def add_book(title="Book", **more):
        answer = librarian.post("/books", {"title": f"{title} {unique}", "author": "A. Writer", "isbn": isbn()} | more)
        assert answer.status_code == 201, answer.text
        book = answer.json()
        assert librarian.get(f"/books/{book['id']}").json() == book
        return book

    return add_book


@pytest.fixture
def refused():
    """Sees that an answer is a refusal in the form that the specification gives."""

    def refused(answer, status, code):
        assert answer.status_code == status, answer.text
        error = answer.json()["error"]
        assert error["code"] == code
        assert isinstance(error["message"], str)

    return refused
