"""The service under test, with rooms and bookings to try it with."""

import os
import uuid

import pytest
import requests

BASE = os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:8107").rstrip("/")


class Api:
    """Requests below the base URL, none of which waits longer than five seconds."""

    def request(self, method, path, tag=None, **more):
        headers = {} if tag is None else {"If-None-Match" if method == "GET" else "If-Match": tag}
        return requests.request(method, BASE + path, timeout=5, headers=headers | more.pop("headers", {}), **more)

    def get(self, path, tag=None, **query):
        return self.request("GET", path, tag, params=query)

    def post(self, path, body):
        return self.request("POST", path, json=body)

    def put(self, path, body, tag=None):
        return self.request("PUT", path, tag, json=body)

    def patch(self, path, body, tag=None):
        return self.request("PATCH", path, tag, json=body)

    def delete(self, path, tag=None):
        return self.request("DELETE", path, tag)

    def seen(self, path):
        """What is there, and its tag."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        assert answer.headers["ETag"].startswith('"')
        return answer.json(), answer.headers["ETag"]


class Room:
    """One room of the service."""

    def __init__(self, api, shown):
        self.api, self.shown, self.path = api, shown, f"/rooms/{shown['id']}"

    def ask(self, start, end, /, **more):
        """Asks for hours of 2 March 2026, if no other day is named."""
        day = more.pop("day", "2026-03-02")
        span = {"start": f"{day}T{start}", "end": f"{day}T{end}"}
        return self.api.post(f"{self.path}/bookings", {"title": "Planning"} | span | more)

    def book(self, start, end, **more):
        """Books, and sees that it worked."""
        answer = self.ask(start, end, **more)
        assert answer.status_code == 201, answer.text
        return answer.json()["bookings"]

    def bookings(self, **query):
        answer = self.api.get(f"{self.path}/bookings", **query)
        assert answer.status_code == 200, answer.text
        return answer.json()["bookings"]


@pytest.fixture
def api():
    return Api()


@pytest.fixture
def unique():
    """A word of lower-case letters that no other test, and no earlier run, has used."""
    return "".join("abcdefghijklmnop"[int(digit, 16)] for digit in uuid.uuid4().hex[:12])


@pytest.fixture
def add_room(api, unique):
    """Adds a room, and sees that it can be read back."""

    def add_room(name="Oak", capacity=8, **more):
        answer = api.post("/rooms", {"name": f"{name} {unique}", "capacity": capacity} | more)
        assert answer.status_code == 201, answer.text
        room = Room(api, answer.json())
        assert api.seen(room.path) == (room.shown, answer.headers["ETag"])
        return room

    return add_room


@pytest.fixture
def room(add_room):
    return add_room()


@pytest.fixture
def refused():
    """Sees that an answer is a problem in the form that the specification gives."""

    def refused(answer, status, code, **more):
        assert answer.status_code == status, answer.text
        assert answer.headers["Content-Type"].startswith("application/problem+json")
        problem = answer.json()
        assert isinstance(problem.pop("title"), str)
        assert problem == {"status": status, "code": code} | more

    return refused


@pytest.fixture
def invalid(refused):
    """Sees that an answer names just these fields, each with its rule."""

    def invalid(answer, **rules):
        violations = [{"field": field, "rule": rules[field]} for field in sorted(rules)]
        refused(answer, 422, "invalid", violations=violations)

    return invalid
