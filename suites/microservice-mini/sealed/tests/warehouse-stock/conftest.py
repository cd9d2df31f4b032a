"""The service under test, with items and reservations to try it with."""

import os
import uuid

import pytest
import requests

BASE = os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:8106").rstrip("/") + "/api/v1"


class Api:
    """Requests below the base URL, none of which waits longer than five seconds."""

    def request(self, method, path, **more):
        return requests.request(method, BASE + path, timeout=5, **more)

    def get(self, path, **query):
        return self.request("GET", path, params=query)

    def post(self, path, body=None):
        return self.request("POST", path, json=body)

    def put(self, path, body):
        return self.request("PUT", path, json=body)


class Item:
    """One item of the service."""

    def __init__(self, api, sku):
        self.api, self.sku, self.path = api, sku, f"/items/{sku}"

    def shown(self):
        answer = self.api.get(self.path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def counts(self):
        shown = self.shown()
        return shown["on_hand"], shown["reserved"], shown["available"]

    def move(self, quantity, reason="correction", reference=None):
        reference = reference or uuid.uuid4().hex
        return self.api.post(
            f"{self.path}/movements", {"quantity": quantity, "reason": reason, "reference": reference}
        )

    def movements(self, **query):
        answer = self.api.get(f"{self.path}/movements", **query)
        assert answer.status_code == 200, answer.text
        return answer.json()["movements"]


@pytest.fixture
def api():
    return Api()


@pytest.fixture
def prefix():
    """Begins SKUs that no other test, and no earlier run, has used."""
    return uuid.uuid4().hex[:12].upper() + "-"


@pytest.fixture
def stock(api, prefix):
    """Makes an item with so much on hand, and sees that the service counts it."""

    def stock(name, on_hand=0, **described):
        item = Item(api, prefix + name)
        made = api.put(item.path, {"name": f"Item {name}"} | described)
        assert made.status_code == 201, made.text
        if on_hand:
            assert item.move(on_hand, "receipt").status_code == 201
        assert item.counts() == (on_hand, 0, on_hand)
        return item

    return stock


@pytest.fixture
def hold(api):
    """Reserves quantities of items, and sees that it worked."""

    def hold(*wanted):
        lines = [{"sku": item.sku, "quantity": quantity} for item, quantity in wanted]
        answer = api.post("/reservations", {"lines": lines})
        assert answer.status_code == 201, answer.text
        made = answer.json()
        assert made == {"id": made["id"], "state": "held", "lines": lines}
        return made

    return hold


@pytest.fixture
def refused():
    """Sees that an answer is a refusal in the form that the specification gives."""

    def refused(answer, status, error, details=None):
        assert answer.status_code == status, answer.text
        assert answer.json() == {"error": error} | ({} if details is None else {"details": details})

    return refused
