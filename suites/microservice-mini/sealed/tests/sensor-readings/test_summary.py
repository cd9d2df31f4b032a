"""Summaries."""

NIGHT = {
    "2026-01-05T22:59:59Z": 1,
    "2026-01-05T23:00:00Z": 2,
    "2026-01-05T23:30:00Z": 4.5,
    "2026-01-06T01:15:00Z": -3,
    "2026-01-06T01:45:00Z": 0,
}


def test_hours_without_readings_are_left_out(sensor):
    sensor.fill(NIGHT)
    answer = sensor.get("/summary", bucket="hour")
    assert answer.status_code == 200
    assert answer.json() == {
        "unit": "celsius",
        "buckets": [
            {"start": "2026-01-05T22:00:00Z", "count": 1, "min": 1, "max": 1, "mean": 1},
            {"start": "2026-01-05T23:00:00Z", "count": 2, "min": 2, "max": 4.5, "mean": 3.25},
            {"start": "2026-01-06T01:00:00Z", "count": 2, "min": -3, "max": 0, "mean": -1.5},
        ],
    }


def test_a_summary_keeps_to_its_span(sensor):
    sensor.fill(NIGHT)
    span = {"from": "2026-01-05T23:00:01Z", "to": "2026-01-06T01:45:00Z"}
    buckets = sensor.get("/summary", bucket="hour", **span).json()["buckets"]
    assert [(bucket["start"], bucket["mean"]) for bucket in buckets] == [
        ("2026-01-05T23:00:00Z", 4.5),
        ("2026-01-06T01:00:00Z", -3),
    ]


def test_days_begin_at_midnight_in_utc(sensor):
    sensor.fill(NIGHT)
    assert sensor.get("/summary", bucket="day").json()["buckets"] == [
        {"start": "2026-01-05T00:00:00Z", "count": 3, "min": 1, "max": 4.5, "mean": 2.5},
        {"start": "2026-01-06T00:00:00Z", "count": 2, "min": -3, "max": 0, "mean": -1.5},
    ]


def test_means_have_three_decimals(sensor):
    sensor.fill({"2026-01-05T10:00:00Z": 1, "2026-01-05T10:20:00Z": 1, "2026-01-05T10:40:00Z": 2})
    assert sensor.get("/summary", bucket="hour").json()["buckets"][0]["mean"] == 1.333


def test_a_bucket_is_needed_and_must_be_known(sensor):
    for query in ({}, {"bucket": "week"}, {"bucket": "hour", "from": "today"}):
        assert sensor.get("/summary", **query).status_code == 400
    assert sensor.get("/summary", bucket="hour").json() == {"unit": "celsius", "buckets": []}
