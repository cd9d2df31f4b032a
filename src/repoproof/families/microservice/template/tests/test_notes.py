"""Black-box tests: the service is wherever SERVICE_BASE_URL says. Each must fail on a service that answers everything alike."""

import os

import requests

BASE = os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:8000")


def create(text):
    return requests.post(f"{BASE}/notes", json={"text": text}, timeout=5)


def test_health_says_ok():
    assert requests.get(f"{BASE}/health", timeout=5).json() == {"status": "ok"}


def test_a_created_note_can_be_read_back():
    created = create("water the plants")
    assert created.status_code == 201
    note = requests.get(f"{BASE}/notes/{created.json()['id']}", timeout=5)
    assert note.json() == {"id": created.json()["id"], "text": "water the plants"}


def test_an_unknown_note_is_not_found_while_a_known_one_is():
    known = create("here").json()["id"]
    assert requests.get(f"{BASE}/notes/{known}", timeout=5).status_code == 200
    assert requests.get(f"{BASE}/notes/{known + 10_000}", timeout=5).status_code == 404


def test_text_beyond_280_characters_is_refused_and_280_are_taken():
    assert create("x" * 280).status_code == 201
    assert create("x" * 281).status_code == 422
