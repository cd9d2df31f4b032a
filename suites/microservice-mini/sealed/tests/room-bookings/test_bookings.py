"""Booking rooms, once and weekly."""


def test_a_booking_can_be_read(api, room):
    (booking,) = room.book("09:00", "10:30")
    span = {"start": "2026-03-02T09:00", "end": "2026-03-02T10:30"}
    assert booking == {"id": booking["id"], "room_id": room.shown["id"], "title": "Planning"} | span
    assert api.seen(f"/bookings/{booking['id']}")[0] == booking


def test_bookings_that_overlap_conflict(room, refused):
    (late,) = room.book("11:00", "12:00")
    (early,) = room.book("09:00", "10:00")
    for start, end, in_the_way in (
        ("09:30", "09:45", [early]),
        ("08:00", "09:15", [early]),
        ("09:00", "10:00", [early]),
        ("08:45", "12:15", [early, late]),
    ):
        conflicts = [booking["id"] for booking in in_the_way]
        refused(room.ask(start, end), 409, "conflict", conflicts=conflicts)
    assert room.bookings() == [early, late]


def test_bookings_may_touch_and_rooms_are_apart(add_room):
    oak, elm = add_room("Oak"), add_room("Elm")
    (oak.book("09:00", "10:00"), oak.book("10:00", "11:00"), oak.book("08:00", "09:00"), elm.book("09:00", "10:00"))
    assert [booking["start"][-5:] for booking in oak.bookings()] == ["08:00", "09:00", "10:00"]
    assert len(elm.bookings()) == 1


def test_the_same_hours_are_booked_week_by_week(room):
    booked = room.book("09:00", "10:00", weeks=5)
    days = ["2026-03-02", "2026-03-09", "2026-03-16", "2026-03-23", "2026-03-30"]
    assert [(one["start"], one["end"]) for one in booked] == [(f"{day}T09:00", f"{day}T10:00") for day in days]
    assert len({one["id"] for one in booked}) == 5
    assert room.bookings() == booked
    assert room.bookings(day="2026-03-16") == [booked[2]]


def test_all_weeks_are_booked_or_none(room, refused):
    (third,) = room.book("08:00", "09:15", day="2026-03-16")
    (second,) = room.book("09:45", "10:15", day="2026-03-09")
    refused(room.ask("09:00", "10:00", weeks=4), 409, "conflict", conflicts=[second["id"], third["id"]])
    assert room.bookings() == [second, third]
    assert len(room.book("09:15", "09:45", weeks=4)) == 4


def test_what_is_wrong_with_a_booking_is_named(room, invalid):
    invalid(room.ask("09:00", "10:00", title="", weeks=27), title="range", weeks="range")
    invalid(room.ask("09:05", "10:00", weeks="2"), start="format", weeks="type")
    invalid(room.ask("09:00", "10:00", start=None, end=7), start="required", end="type")
    invalid(room.ask("09:00", "10:00", day="2026-02-30"), start="format", end="format")
    invalid(room.ask("10:00", "10:00"), end="order")
    invalid(room.ask("09:00", "17:15"), end="range")
    invalid(room.ask("22:00", "23:00", end="2026-03-03T00:00"), end="range")
    assert len(room.book("09:00", "17:00")) == 1


def test_only_rooms_that_exist_are_booked(api, room, refused, invalid):
    refused(api.post("/rooms/none/bookings", {}), 404, "not_found")
    refused(api.get("/rooms/none/bookings"), 404, "not_found")
    refused(api.get("/rooms/none"), 404, "not_found")
    invalid(api.get(f"{room.path}/bookings", day="Monday"), day="format")


def test_a_body_must_be_a_json_object(api, room, refused):
    (booking,) = room.book("09:00", "10:00")
    for method, path in (
        ("POST", "/rooms"),
        ("PUT", room.path),
        ("POST", f"{room.path}/bookings"),
        ("PATCH", f"/bookings/{booking['id']}"),
    ):
        for body in ("[1]", "{", ""):
            answer = api.request(method, path, "*", data=body, headers={"Content-Type": "application/json"})
            refused(answer, 400, "malformed")
