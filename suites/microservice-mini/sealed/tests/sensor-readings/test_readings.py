"""Storing readings and reading them back."""


def at(minute):
    return f"2026-01-05T10:{minute:02d}:00Z"


def test_a_reading_is_stored(sensor):
    answer = sensor.add("2026-01-05T10:30:00Z", 21.5)
    assert answer.status_code == 201
    assert answer.json() == {"at": "2026-01-05T10:30:00Z", "value": 21.5}
    assert sensor.get("/readings").json() == {"readings": [answer.json()], "next": None}
    assert sensor.get().json()["readings"] == 1


def test_a_repeated_reading_changes_nothing(sensor):
    assert [sensor.add(at(1), 21.5).status_code for _ in range(2)] == [201, 200]
    assert sensor.values() == [21.5]


def test_another_value_at_the_same_moment_is_a_conflict(sensor):
    assert sensor.add(at(1), 21.5).status_code == 201
    answer = sensor.add(at(1), 21.6)
    assert answer.status_code == 409
    assert "error" in answer.json()
    assert sensor.values() == [21.5]


def test_moments_are_answered_in_utc(sensor):
    answer = sensor.add("2026-01-05T00:30:00+02:00", 1)
    assert answer.json() == {"at": "2026-01-04T22:30:00Z", "value": 1}
    assert sensor.add("2026-01-04T22:30:00Z", 1).status_code == 200


def test_bad_readings_are_refused(sensor):
    for moment in ("yesterday", "2026-01-05", "2026-01-05T10:30:00", "2026-02-30T10:30:00Z", None):
        assert sensor.add(moment, 1).status_code == 400
    for value in ("warm", None, True):
        assert sensor.add(at(1), value).status_code == 400
    assert sensor.request("POST", "/readings", data="not json").status_code == 400
    assert sensor.add(at(1), 0).status_code == 201


def test_readings_come_in_order_of_time(sensor):
    sensor.fill({at(30): 3, at(10): 1, at(20): 2})
    assert sensor.values() == [1, 2, 3]


def test_a_span_holds_its_start_and_not_its_end(sensor):
    sensor.fill({at(minute): minute for minute in (10, 20, 30, 40)})
    assert sensor.values(**{"from": at(20), "to": at(40)}) == [20, 30]
    assert sensor.values(**{"from": "2026-01-05T11:30:00+01:00"}) == [30, 40]
    assert sensor.values(to=at(10)) == []


def test_pages_follow_one_another(sensor):
    sensor.fill({at(minute): minute for minute in range(5)})
    first = sensor.get("/readings", limit=2).json()
    second = sensor.get("/readings", limit=2, cursor=first["next"]).json()
    third = sensor.get("/readings", limit=2, cursor=second["next"]).json()
    pages = [[reading["value"] for reading in page["readings"]] for page in (first, second, third)]
    assert pages == [[0, 1], [2, 3], [4]]
    assert third["next"] is None


def test_a_full_last_page_is_the_last(sensor):
    sensor.fill({at(minute): minute for minute in range(4)})
    page = sensor.get("/readings", limit=4).json()
    assert (len(page["readings"]), page["next"]) == (4, None)


def test_a_page_sees_what_came_in_after_its_cursor(sensor):
    sensor.fill({at(10): 10, at(20): 20, at(30): 30})
    first = sensor.get("/readings", limit=2).json()
    sensor.fill({at(5): 5, at(25): 25})
    assert sensor.values(limit=2, cursor=first["next"]) == [25, 30]


def test_a_page_stays_within_the_span(sensor):
    sensor.fill({at(minute): minute for minute in range(6)})
    span = {"from": at(1), "to": at(4), "limit": 2}
    first = sensor.get("/readings", **span).json()
    assert [reading["value"] for reading in first["readings"]] == [1, 2]
    assert sensor.get("/readings", cursor=first["next"], **span).json() == {
        "readings": [{"at": at(3), "value": 3}],
        "next": None,
    }


def test_bad_list_queries_are_refused(sensor):
    sensor.fill({at(1): 1})
    for query in ({"limit": 0}, {"limit": 201}, {"limit": "all"}, {"from": "today"}, {"to": "today"}, {"cursor": "?"}):
        assert sensor.get("/readings", **query).status_code == 400
    assert sensor.values(limit=200) == [1]


def test_an_upload_sorts_good_from_bad(sensor):
    sensor.fill({at(1): 1})
    answer = sensor.upload(
        [
            {"at": at(2), "value": 2},
            {"at": at(1), "value": 1},
            {"at": at(1), "value": 9},
            {"at": "never", "value": 3},
            "reading",
            {"at": at(2), "value": 2},
        ]
    )
    assert answer.status_code == 200
    assert answer.json() == {
        "stored": 1,
        "repeated": 2,
        "refused": [
            {"index": 2, "reason": "conflict"},
            {"index": 3, "reason": "invalid"},
            {"index": 4, "reason": "invalid"},
        ],
    }
    assert sensor.values() == [1, 2]


def test_an_upload_has_a_size(sensor):
    def many(count):
        return [{"at": f"2026-01-05T10:{n // 60:02d}:{n % 60:02d}Z", "value": n} for n in range(count)]

    assert sensor.upload([]).status_code == 400
    assert sensor.upload(many(501)).status_code == 400
    assert sensor.get().json()["readings"] == 0
    assert sensor.upload(many(500)).json()["stored"] == 500
    assert len(sensor.values()) == 50
