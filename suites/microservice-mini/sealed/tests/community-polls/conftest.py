"""The service under test, and polls to try it with."""

import os
import uuid

import pytest
import requests

BASE = os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:8105").rstrip("/")


class Api:
    """Requests below the base URL, none of which waits longer than five seconds."""

    def request(self, method, path, key=None, headers=None, **more):
        owner = {} if key is None else {"X-Owner-Key": key}
        return requests.request(method, BASE + path, timeout=5, headers=owner | (headers or {}), **more)

    def get(self, path, key=None, **query):
        return self.request("GET", path, key, params=query)

    def post(self, path, body=None, key=None):
        return self.request("POST", path, key, json=body)

    def put(self, path, body):
        return self.request("PUT", path, json=body)

    def delete(self, path):
        return self.request("DELETE", path)


class Poll:
    """One poll of the service, seen by its owner."""

    def __init__(self, api, created):
        self.api = api
        self.key = created["owner_key"]
        self.shown = {name: value for name, value in created.items() if name != "owner_key"}
        self.path = f"/polls/{created['id']}"

    def cast(self, voter, *choices):
        return self.api.post(f"{self.path}/votes", {"voter": voter, "choices": list(choices)})

    def vote(self, voter, *choices):
        """Votes, and sees that the vote is accepted."""
        answer = self.cast(voter, *choices)
        assert answer.status_code == 201, answer.text
        assert answer.json() == {"voter": voter, "choices": list(choices)}

    def close(self):
        answer = self.api.post(f"{self.path}/close", key=self.key)
        assert answer.status_code == 200, answer.text
        assert answer.json() == self.shown | {"state": "closed"}

    def counts(self):
        answer = self.api.get(f"{self.path}/results", self.key)
        assert answer.status_code == 200, answer.text
        return {each["option"]: each["votes"] for each in answer.json()["results"]}


@pytest.fixture
def api():
    return Api()


@pytest.fixture
def tag():
    """A tag that no other test, and no earlier run, has used."""
    return f"tag-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def draft(tag):
    return {"question": "Drinks?", "options": ["Tea", "Coffee", "Water"], "max_choices": 2, "tag": tag}


@pytest.fixture
def create(api, draft):
    """Creates a poll, sees that it can be read back, and returns it."""

    def create(**changes):
        answer = api.post("/polls", draft | changes)
        assert answer.status_code == 201, answer.text
        poll = Poll(api, answer.json())
        assert api.get(poll.path).json() == poll.shown
        return poll

    return create


@pytest.fixture
def refused():
    """Sees that an answer is a refusal in the form that the specification gives."""

    def refused(answer, status, error, *fields):
        assert answer.status_code == status, answer.text
        assert answer.json()["error"] == error
        assert isinstance(answer.json()["message"], str)
        assert answer.json().get("fields", []) == list(fields)

    return refused
