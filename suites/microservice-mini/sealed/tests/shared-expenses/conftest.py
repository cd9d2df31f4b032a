"""The service under test, with groups and expenses to try it with."""

import os

import pytest
import requests

BASE = os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:8108").rstrip("/") + "/api/groups"


class Api:
    """Requests below the base URL, none of which waits longer than five seconds."""

    def request(self, method, path, **more):
        return requests.request(method, BASE + path, timeout=5, **more)

    def get(self, path, **query):
        return self.request("GET", path, params=query)

    def post(self, path, body):
        return self.request("POST", path, json=body)

    def delete(self, path):
        return self.request("DELETE", path)


class Group:
    """One group of the service."""

    def __init__(self, api, shown):
        self.api, self.shown, self.path = api, shown, f"/{shown['id']}"

    def ask(self, amount="10.00", paid_by="ann", **more):
        return self.api.post(f"{self.path}/expenses", {"title": "Taxi", "amount": amount, "paid_by": paid_by} | more)

    def spend(self, amount="10.00", paid_by="ann", **more):
        """Writes down an expense, and sees that it is accepted."""
        answer = self.ask(amount, paid_by, **more)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def shares(self, amount, split):
        return self.spend(amount, split=split)["shares"]

    def pay(self, giver, receiver, amount):
        return self.api.post(f"{self.path}/payments", {"from": giver, "to": receiver, "amount": amount})

    def join(self, name):
        return self.api.post(f"{self.path}/members", {"name": name})

    def leave(self, name):
        return self.api.delete(f"{self.path}/members/{name}")

    def read(self, what, **query):
        answer = self.api.get(f"{self.path}/{what}", **query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def balances(self):
        return self.read("balances")["balances"]

    def transfers(self):
        return [(one["from"], one["to"], one["amount"]) for one in self.read("settlement")["transfers"]]


@pytest.fixture
def api():
    return Api()


@pytest.fixture
def start(api):
    """Makes a group, and sees that it can be read back."""

    def start(*members):
        answer = api.post("", {"name": "Lisbon", "currency": "EUR", "members": members})
        assert answer.status_code == 201, answer.text
        group = Group(api, answer.json())
        assert api.get(group.path).json() == group.shown
        assert group.shown["members"] == list(members)
        return group

    return start


@pytest.fixture
def group(start):
    return start("ann", "bob", "cem")


@pytest.fixture
def refused():
    """Sees that an answer names just these errors: pairs of path and code."""

    def refused(answer, status, *errors):
        assert answer.status_code == status, answer.text
        assert answer.json() == {"errors": [{"path": path, "code": code} for path, code in errors]}

    return refused
