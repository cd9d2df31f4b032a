"""The service under test, with flags to try it with."""

import os
import uuid
import zlib

import pytest
import requests

BASE = os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:8109").rstrip("/") + "/api"


class Api:
    """Requests below the base URL, none of which waits longer than five seconds; with an actor unless that is None."""

    def request(self, method, path, actor="ann", **more):
        headers = {} if actor is None else {"X-Actor": actor}
        return requests.request(method, BASE + path, timeout=5, headers=headers | more.pop("headers", {}), **more)

    def get(self, path, **query):
        return self.request("GET", path, None, params=query)

    def post(self, path, body, actor="ann"):
        return self.request("POST", path, actor, json=body)

    def put(self, path, body, actor="ann"):
        return self.request("PUT", path, actor, json=body)

    def delete(self, path, actor="ann", **query):
        return self.request("DELETE", path, actor, params=query)


class Flag:
    """One flag of the service."""

    def __init__(self, api, key):
        self.api, self.key, self.path = api, key, f"/flags/{key}"

    def shown(self):
        answer = self.api.get(self.path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def put(self, actor="ann", **settings):
        """Says all about the flag anew, on the revision that it has, unless another one is given."""
        settings.setdefault("revision", self.shown()["revision"])
        return self.api.put(self.path, settings, actor)

    def change(self, actor="ann", **settings):
        """The same, seeing that it works."""
        answer = self.put(actor, **settings)
        assert answer.status_code == 200, answer.text
        assert self.shown() == answer.json()
        return answer.json()

    def roll_back(self, to, revision, actor="ann"):
        return self.api.post(f"{self.path}/rollback", {"to": to, "revision": revision}, actor)

    def history(self, **query):
        answer = self.api.get(f"{self.path}/revisions", **query)
        assert answer.status_code == 200, answer.text
        return answer.json()["revisions"]

    def ask(self, user="user", **attributes):
        answer = self.api.post(f"{self.path}/evaluate", {"user": user, "attributes": attributes}, None)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def value(self, **attributes):
        return self.ask(**attributes)["value"]

    def bucket(self, user):
        return zlib.crc32(f"{self.key}:{user}".encode()) % 100


@pytest.fixture
def api():
    return Api()


@pytest.fixture
def unique():
    """A key that no other test, and no earlier run, has used, and that may begin others."""
    return f"k{uuid.uuid4().hex[:12]}"


@pytest.fixture
def make(api, unique):
    """Makes a flag, and sees that it can be read back."""

    def make(name="", **settings):
        flag = Flag(api, unique + name)
        answer = api.put(flag.path, settings)
        assert answer.status_code == 201, answer.text
        assert flag.shown() == answer.json()
        return flag

    return make


@pytest.fixture
def rule():
    """A rule; without an attribute's name, it is on `plan`."""

    def rule(operator, *values, attribute="plan", value=True):
        return {"attribute": attribute, "operator": operator, "values": list(values), "value": value}

    return rule


@pytest.fixture
def refused():
    """Sees that an answer is a refusal in the form that the specification gives."""

    def refused(answer, status, code, **more):
        assert answer.status_code == status, answer.text
        error = answer.json()
        assert isinstance(error.pop("message"), str)
        assert error == {"code": code} | more

    return refused
