"""A parcel's way: redirecting, cancelling, scans."""

import pytest


def path(parcel, rest=""):
    return f"/api/v1/parcels/{parcel['tracking_id']}{rest}"


def test_a_parcel_can_be_redirected_before_its_first_scan(api, register):
    parcel = register()
    answer = api.patch(path(parcel), {"address": "2 Mill Lane", "weight_g": 9})
    assert answer.status_code == 200
    assert answer.json() == parcel | {"address": "2 Mill Lane"}
    assert api.get(path(parcel)).json()["address"] == "2 Mill Lane"


def test_a_redirection_must_change_something(api, register):
    parcel = register()
    assert api.patch(path(parcel), {"sender": "someone"}).status_code == 422
    assert api.get(path(parcel)).json() == parcel


def test_a_moving_parcel_cannot_be_redirected(api, register, scan):
    parcel = register()
    scan(parcel, "in_transit")
    assert api.patch(path(parcel), {"address": "2 Mill Lane"}).status_code == 409
    assert api.get(path(parcel)).json()["address"] == parcel["address"]


def test_a_cancelled_parcel_stays_readable(api, register):
    parcel = register()
    answer = api.delete(path(parcel))
    assert (answer.status_code, answer.content) == (204, b"")
    assert api.get(path(parcel)).json() == parcel | {"status": "cancelled"}


def test_a_parcel_is_cancelled_once_and_only_before_its_first_scan(api, register, scan):
    cancelled, moving = register(), register()
    assert api.delete(path(cancelled)).status_code == 204
    scan(moving, "in_transit")
    assert api.delete(path(cancelled)).status_code == 409
    assert api.delete(path(moving)).status_code == 409
    assert api.get(path(moving)).json()["status"] == "in_transit"


def test_a_scan_moves_the_parcel_and_is_numbered(api, register):
    parcel = register()
    for sequence, depot in enumerate(("North", "South"), start=1):
        answer = api.post(path(parcel, "/scans"), {"status": "in_transit", "depot": depot})
        assert answer.status_code == 201
        assert answer.json() == {"sequence": sequence, "status": "in_transit", "depot": depot}
    assert api.get(path(parcel)).json()["status"] == "in_transit"


def test_scans_are_listed_latest_first(api, register, scan):
    parcel = register()
    assert api.get(path(parcel, "/scans")).json() == {"tracking_id": parcel["tracking_id"], "scans": []}
    scan(parcel, "in_transit", "out_for_delivery", "delivered")
    scans = api.get(path(parcel, "/scans")).json()["scans"]
    assert [(each["sequence"], each["status"]) for each in scans] == [
        (3, "delivered"),
        (2, "out_for_delivery"),
        (1, "in_transit"),
    ]


@pytest.mark.parametrize(
    ("way", "refused"),
    [
        ([], "delivered"),
        (["in_transit"], "returned"),
        (["in_transit", "out_for_delivery", "returned"], "in_transit"),
    ],
    ids=["created-delivered", "in_transit-returned", "returned-in_transit"],
)
def test_a_move_that_is_not_allowed_changes_nothing(api, register, scan, way, refused):
    parcel = register()
    scan(parcel, *way)
    assert api.post(path(parcel, "/scans"), {"status": refused, "depot": "North"}).status_code == 409
    assert api.get(path(parcel)).json()["status"] == (way[-1] if way else "created")
    assert len(api.get(path(parcel, "/scans")).json()["scans"]) == len(way)


def test_a_parcel_can_go_out_again_after_a_failed_delivery(api, register, scan):
    parcel = register()
    scan(parcel, "in_transit", "out_for_delivery", "in_transit", "out_for_delivery", "delivered")
    assert api.get(path(parcel)).json()["status"] == "delivered"


def test_bad_scans_are_refused(api, register):
    parcel = register()
    for body in ({"status": "lost", "depot": "North"}, {"status": "in_transit"}, {"status": "in_transit", "depot": ""}):
        assert api.post(path(parcel, "/scans"), body).status_code == 422
    assert api.get(path(parcel, "/scans")).json()["scans"] == []
    assert api.get(path(parcel)).json() == parcel


def test_an_unknown_parcel_cannot_be_scanned(api, register):
    known = register()
    body = {"status": "in_transit", "depot": "North"}
    assert api.post("/api/v1/parcels/PTnone/scans", body).status_code == 404
    assert api.post(path(known, "/scans"), body).status_code == 201
    assert api.get("/api/v1/parcels/PTnone/scans").status_code == 404
