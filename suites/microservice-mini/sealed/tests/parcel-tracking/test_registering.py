"""Registering parcels, repeating a registration, listing."""

import re

PARCELS = "/api/v1/parcels"


def test_a_registered_parcel_has_a_tracking_number_and_is_created(api, draft):
    answer = api.post(PARCELS, draft)
    assert answer.status_code == 201
    parcel = answer.json()
    assert re.fullmatch(r"PT\d{10}", parcel["tracking_id"])
    assert parcel == draft | {"tracking_id": parcel["tracking_id"], "status": "created"}


def test_a_parcel_can_be_read_back(api, register):
    parcel = register()
    answer = api.get(f"{PARCELS}/{parcel['tracking_id']}")
    assert answer.status_code == 200
    assert answer.json() == parcel


def test_only_known_tracking_numbers_are_found(api, register):
    known = register()["tracking_id"]
    assert api.get(f"{PARCELS}/{known}").json()["tracking_id"] == known
    answer = api.get(f"{PARCELS}/PTnone")
    assert answer.status_code == 404
    assert "detail" in answer.json()


def test_every_field_is_required(api, draft, register):
    for field in draft:
        assert api.post(PARCELS, {name: value for name, value in draft.items() if name != field}).status_code == 422
    register()


def test_the_weight_has_limits(api, draft):
    for weight in (1, 30_000):
        assert api.post(PARCELS, draft | {"weight_g": weight}).json()["weight_g"] == weight
    for weight in (0, 30_001, -5, "heavy"):
        assert api.post(PARCELS, draft | {"weight_g": weight}).status_code == 422


def test_names_have_limits(api, draft):
    assert api.post(PARCELS, draft | {"sender": "s" * 80}).json()["sender"] == "s" * 80
    for change in ({"sender": ""}, {"sender": "s" * 81}, {"recipient": ""}, {"address": "a" * 201}):
        assert api.post(PARCELS, draft | change).status_code == 422


def test_a_repeated_key_does_not_register_twice(api, draft, unique):
    first = api.post(PARCELS, draft, **{"Idempotency-Key": unique})
    again = api.post(PARCELS, draft, **{"Idempotency-Key": unique})
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert api.get(PARCELS, recipient=draft["recipient"]).json()["total"] == 1


def test_a_repeated_key_answers_with_the_parcel_as_it_is_now(api, draft, unique, scan):
    first = api.post(PARCELS, draft, **{"Idempotency-Key": unique}).json()
    scan(first, "in_transit")
    again = api.post(PARCELS, draft, **{"Idempotency-Key": unique})
    assert again.status_code == 200
    assert again.json() == first | {"status": "in_transit"}


def test_a_key_cannot_be_used_for_another_parcel(api, draft, unique):
    assert api.post(PARCELS, draft, **{"Idempotency-Key": unique}).status_code == 201
    answer = api.post(PARCELS, draft | {"weight_g": 751}, **{"Idempotency-Key": unique})
    assert answer.status_code == 409
    assert "detail" in answer.json()


def test_the_list_is_narrowed_by_recipient_and_status(api, register, scan, draft):
    waiting, moving = register(), register()
    scan(moving, "in_transit")
    mine = {"recipient": draft["recipient"]}
    assert api.get(PARCELS, **mine).json()["total"] == 2
    assert api.get(PARCELS, status="created", **mine).json() == {"items": [waiting], "total": 1}
    assert api.get(PARCELS, status="in_transit", **mine).json()["items"] == [moving | {"status": "in_transit"}]


def test_the_list_comes_in_pages_oldest_first(api, register, draft):
    parcels = [register(weight_g=weight) for weight in (100, 200, 300)]
    page = api.get(PARCELS, recipient=draft["recipient"], limit=2, offset=1).json()
    assert page == {"items": parcels[1:], "total": 3}


def test_bad_list_queries_are_refused(api, register, draft):
    register()
    assert api.get(PARCELS, recipient=draft["recipient"], limit=100).json()["total"] == 1
    for query in ({"limit": 0}, {"limit": 101}, {"offset": -1}, {"status": "lost"}):
        assert api.get(PARCELS, **query).status_code == 422
