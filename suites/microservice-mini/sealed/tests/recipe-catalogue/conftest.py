"""The service under test, with cuisines and recipes to try it with."""

import os
import uuid

import pytest
import requests

BASE = os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:8103").rstrip("/") + "/api"


class Api:
    """Requests below the API's root, none of which waits longer than five seconds."""

    def request(self, method, path, **more):
        return requests.request(method, BASE + path, timeout=5, **more)

    def get(self, path, **query):
        return self.request("GET", path, params=query)

    def post(self, path, body):
        return self.request("POST", path, json=body)

    def put(self, path, body):
        return self.request("PUT", path, json=body)

    def patch(self, path, body):
        return self.request("PATCH", path, json=body)

    def delete(self, path):
        return self.request("DELETE", path)


@pytest.fixture
def api():
    return Api()


@pytest.fixture
def cuisine(api):
    """The slug of a cuisine that nobody else uses."""
    slug = f"cuisine-{uuid.uuid4().hex[:12]}"
    answer = api.post("/cuisines/", {"slug": slug, "name": "Test kitchen"})
    assert answer.status_code == 201, answer.text
    assert answer.json() == {"slug": slug, "name": "Test kitchen", "recipes": 0}
    return slug


@pytest.fixture
def draft(cuisine):
    return {
        "title": "Soup",
        "cuisine": cuisine,
        "minutes": 30,
        "servings": 4,
        "ingredients": [
            {"name": "Water", "quantity": 1, "unit": "l"},
            {"name": "Leek", "quantity": 2.5, "unit": ""},
        ],
    }


@pytest.fixture
def add(api, draft):
    """Adds a recipe, sees that it can be read back, and returns it."""

    def add(**changes):
        answer = api.post("/recipes/", draft | changes)
        assert answer.status_code == 201, answer.text
        recipe = answer.json()
        assert api.get(f"/recipes/{recipe['id']}/").json() == recipe
        return recipe

    return add
