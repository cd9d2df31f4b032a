"""Adding, replacing and finding rooms."""


def test_a_new_room_says_where_it_is(api, unique):
    described = {"name": f"Oak {unique}", "capacity": 8, "equipment": ["whiteboard", "screen"]}
    answer = api.post("/rooms", described)
    assert answer.status_code == 201
    room = answer.json()
    assert room == described | {"id": room["id"], "equipment": ["screen", "whiteboard"]}
    assert answer.headers["Location"].endswith(f"/rooms/{room['id']}")
    assert api.seen(f"/rooms/{room['id']}") == (room, answer.headers["ETag"])


def test_equipment_may_be_left_out(api, unique):
    assert api.post("/rooms", {"name": unique, "capacity": 1}).json()["equipment"] == []


def test_everything_that_is_wrong_with_a_room_is_named(api, add_room, invalid):
    invalid(api.post("/rooms", {}), name="required", capacity="required")
    invalid(
        api.post("/rooms", {"name": 1, "capacity": 2.5, "equipment": "tv"}),
        name="type",
        capacity="type",
        equipment="type",
    )
    invalid(
        api.post("/rooms", {"name": "", "capacity": 0, "equipment": ["TV"]}),
        name="range",
        capacity="range",
        equipment="format",
    )
    invalid(api.post("/rooms", {"name": "x" * 61, "capacity": None}), name="range", capacity="required")
    invalid(
        api.post("/rooms", {"name": "Oak", "capacity": 201, "equipment": ["tv", "tv"]}),
        capacity="range",
        equipment="range",
    )
    add_room()


def test_a_name_belongs_to_one_room(api, add_room, refused, unique):
    oak, elm = add_room("Oak"), add_room("Elm")
    refused(api.post("/rooms", {"name": f"OAK {unique}", "capacity": 1}), 409, "conflict")
    _, tag = api.seen(elm.path)
    refused(api.put(elm.path, {"name": oak.shown["name"], "capacity": 1}, tag), 409, "conflict")
    assert api.put(elm.path, {"name": f"elm {unique}", "capacity": 1}, tag).status_code == 200


def test_a_room_is_replaced_whole(api, add_room, unique):
    room = add_room(equipment=["screen"])
    _, tag = api.seen(room.path)
    answer = api.put(room.path, {"name": f"Ash {unique}", "capacity": 4}, tag)
    assert answer.status_code == 200
    assert answer.json() == {"id": room.shown["id"], "name": f"Ash {unique}", "capacity": 4, "equipment": []}
    assert api.seen(room.path) == (answer.json(), answer.headers["ETag"])
    assert answer.headers["ETag"] != tag


def test_rooms_are_listed_smallest_first(api, add_room, unique):
    rooms = [add_room("Oak", 9).shown, add_room("Elm", 9).shown, add_room("Fir", 3).shown]
    listed = [room for room in api.get("/rooms").json()["rooms"] if room["name"].endswith(unique)]
    assert listed == [rooms[2], rooms[1], rooms[0]]
    listed = api.get("/rooms", min_capacity=9).json()["rooms"]
    assert rooms[0] in listed and rooms[2] not in listed


def test_rooms_are_found_by_all_of_their_equipment(api, add_room, unique):
    both, one = (add_room("Oak", equipment=[unique, "screen"]), add_room("Elm", equipment=[unique]))
    listed = api.get("/rooms", equipment=unique).json()["rooms"]
    assert both.shown in listed and one.shown in listed
    listed = api.get("/rooms", equipment=f"screen,{unique}").json()["rooms"]
    assert both.shown in listed and one.shown not in listed


def test_free_rooms_are_found(api, add_room):
    busy, free = add_room("Oak"), add_room("Elm")
    busy.book("09:00", "10:00")
    for start, end, is_free in (
        ("2026-03-02T09:45", "2026-03-02T11:00", False),
        ("2026-03-01T00:00", "2026-03-09T00:00", False),
        ("2026-03-02T10:00", "2026-03-02T11:00", True),
        ("2026-03-02T08:00", "2026-03-02T09:00", True),
    ):
        listed = api.get("/rooms", free_from=start, free_to=end).json()["rooms"]
        assert (busy.shown in listed, free.shown in listed) == (is_free, True)


def test_bad_list_queries_are_refused(api, room, invalid):
    assert room.shown in api.get("/rooms", min_capacity=1).json()["rooms"]
    invalid(api.get("/rooms", min_capacity=0, free_from="2026-03-02T09:00"), min_capacity="range", free_to="required")
    invalid(
        api.get("/rooms", min_capacity="few", free_to="noon"),
        min_capacity="format",
        free_from="required",
        free_to="format",
    )
    invalid(api.get("/rooms", free_from="2026-03-02T09:00", free_to="2026-03-02T09:00"), free_to="order")
