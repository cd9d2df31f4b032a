"""The service under test, and parcels to try it with."""

import os
import uuid

import pytest
import requests

BASE = os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:8101").rstrip("/")


class Api:
    """Requests below the base URL, none of which waits longer than five seconds."""

    def request(self, method, path, **more):
        return requests.request(method, BASE + path, timeout=5, **more)

    def get(self, path, **query):
        return self.request("GET", path, params=query)

    def post(self, path, body, **headers):
        return self.request("POST", path, json=body, headers=headers)

    def patch(self, path, body):
        return self.request("PATCH", path, json=body)

    def delete(self, path):
        return self.request("DELETE", path)


@pytest.fixture
def api():
    return Api()


@pytest.fixture
def unique():
    """A word that no other test, and no earlier run, has used."""
    return uuid.uuid4().hex[:12]


@pytest.fixture
def draft(unique):
    return {
        "sender": f"sender {unique}",
        "recipient": f"recipient {unique}",
        "address": "1 Quay Street",
        "weight_g": 750,
    }


@pytest.fixture
def register(api, draft):
    """Registers a parcel, sees that it can be read back, and returns it."""

    def register(**changes):
        answer = api.post("/api/v1/parcels", draft | changes)
        assert answer.status_code == 201, answer.text
        parcel = answer.json()
        assert api.get(f"/api/v1/parcels/{parcel['tracking_id']}").json() == parcel
        return parcel

    return register


@pytest.fixture
def scan(api):
    """Moves a parcel along the given statuses."""

    def scan(parcel, *statuses):
        for status in statuses:
            answer = api.post(f"/api/v1/parcels/{parcel['tracking_id']}/scans", {"status": status, "depot": "North"})
            assert answer.status_code == 201, answer.text

    return scan
