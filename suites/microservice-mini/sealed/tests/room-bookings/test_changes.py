"""Changing what others may have changed."""

import pytest


@pytest.fixture
def booking(room):
    return room.book("09:00", "10:00")[0]


@pytest.fixture
def path(booking):
    return f"/bookings/{booking['id']}"


def test_what_is_known_is_not_sent_again(api, room, path):
    for there in (room.path, path):
        _, tag = api.seen(there)
        for named in (tag, f'"other", {tag}', "*"):
            answer = api.get(there, named)
            assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", tag)
        assert api.get(there, '"other"').status_code == 200


def test_a_booking_is_moved(api, room, booking, path):
    _, tag = api.seen(path)
    answer = api.patch(path, {"start": "2026-03-02T09:30", "end": "2026-03-02T11:00"}, tag)
    assert answer.status_code == 200
    moved = booking | {"start": "2026-03-02T09:30", "end": "2026-03-02T11:00"}
    assert answer.json() == moved
    assert answer.headers["ETag"] != tag
    assert api.seen(path) == (moved, answer.headers["ETag"])
    assert room.bookings() == [moved]


def test_a_change_of_nothing_keeps_the_tag(api, booking, path):
    _, tag = api.seen(path)
    for body in ({}, {"title": booking["title"]}):
        answer = api.patch(path, body, tag)
        assert (answer.status_code, answer.json(), answer.headers["ETag"]) == (200, booking, tag)


def test_a_booking_is_not_moved_onto_another(api, room, booking, path, refused):
    (other,) = room.book("10:00", "11:00")
    answer = api.patch(path, {"end": "2026-03-02T10:15"}, "*")
    refused(answer, 409, "conflict", conflicts=[other["id"]])
    assert api.seen(path)[0] == booking


def test_the_rules_hold_for_the_changed_booking(api, booking, path, invalid):
    invalid(api.patch(path, {"start": "2026-03-02T10:00"}, "*"), end="order")
    invalid(api.patch(path, {"start": "2026-03-01T09:00", "title": ""}, "*"), end="range", title="range")
    invalid(api.patch(path, {"title": None}, "*"), title="required")
    assert api.seen(path)[0] == booking


def test_of_two_changes_to_one_state_the_second_fails(api, room, path, refused):
    for there, change in (
        (path, {"title": "Retrospective"}),
        (room.path, {"name": f"New {room.shown['name']}", "capacity": 2}),
    ):
        ask = api.patch if there == path else api.put
        _, tag = api.seen(there)
        assert ask(there, change, f'"other", {tag}').status_code == 200
        refused(ask(there, {}, tag), 412, "precondition_failed")
        refused(ask(there, {}), 428, "precondition_required")
    assert api.seen(path)[0]["title"] == "Retrospective"


def test_a_cancelled_booking_makes_room(api, room, path, refused):
    _, tag = api.seen(path)
    assert api.patch(path, {"title": "Retrospective"}, tag).status_code == 200
    refused(api.delete(path, tag), 412, "precondition_failed")
    refused(api.delete(path), 428, "precondition_required")
    answer = api.delete(path, api.seen(path)[1])
    assert (answer.status_code, answer.content) == (204, b"")
    for gone in (api.get(path), api.delete(path), api.patch(path, {}, "*")):
        refused(gone, 404, "not_found")
    room.book("09:00", "10:00")


def test_bookings_leave_the_tag_of_their_room(api, room):
    _, tag = api.seen(room.path)
    (booking,) = room.book("09:00", "10:00")
    assert api.seen(room.path)[1] == tag
    assert api.delete(f"/bookings/{booking['id']}", "*").status_code == 204
    assert api.seen(room.path)[1] == tag
