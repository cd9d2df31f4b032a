"""The service under test, and sensors to try it with."""

import os
import uuid

import pytest
import requests

BASE = os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:8104").rstrip("/") + "/api/sensors"


class Sensor:
    """One sensor of the service, seen from outside; no request waits longer than five seconds."""

    def __init__(self, id):
        self.id = id

    def request(self, method, path="", **more):
        return requests.request(method, f"{BASE}/{self.id}{path}", timeout=5, **more)

    def get(self, path="", **query):
        return self.request("GET", path, params=query)

    def put(self, body):
        return self.request("PUT", json=body)

    def delete(self):
        return self.request("DELETE")

    def add(self, at, value):
        return self.request("POST", "/readings", json={"at": at, "value": value})

    def upload(self, readings):
        return self.request("POST", "/readings/upload-many", json={"readings": readings})

    def fill(self, readings):
        """Uploads a dict of moment -> value, and sees that all are stored."""
        answer = self.upload([{"at": at, "value": value} for at, value in readings.items()])
        assert answer.status_code == 200, answer.text
        assert answer.json() == {"stored": len(readings), "repeated": 0, "refused": []}

    def values(self, **query):
        answer = self.get("/readings", **query)
        assert answer.status_code == 200, answer.text
        return [reading["value"] for reading in answer.json()["readings"]]


@pytest.fixture
def new():
    """A sensor id that no other test, and no earlier run, has used; the service does not know it yet."""
    return Sensor(f"s-{uuid.uuid4().hex[:12]}")


@pytest.fixture
def sensor(new):
    """A sensor that the service knows, without readings."""
    answer = new.put({"unit": "celsius", "label": "Roof"})
    assert answer.status_code == 201, answer.text
    assert new.get().json() == {"id": new.id, "unit": "celsius", "label": "Roof", "readings": 0}
    return new
