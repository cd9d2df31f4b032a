"""Making, replacing and removing sensors."""


def test_a_sensor_is_made_then_replaced(new):
    made = new.put({"unit": "percent"})
    assert made.status_code == 201
    assert made.json() == {"id": new.id, "unit": "percent", "label": "", "readings": 0}
    replaced = new.put({"unit": "celsius", "label": "Roof"})
    assert replaced.status_code == 200
    assert replaced.json() == {"id": new.id, "unit": "celsius", "label": "Roof", "readings": 0}
    assert new.get().json() == replaced.json()


def test_a_sensor_does_not_exist_before_it_is_made(new):
    assert new.get().status_code == 404
    assert new.add("2026-01-05T10:30:00Z", 1).status_code == 404
    assert new.put({"unit": "celsius"}).status_code == 201
    assert new.get().json()["id"] == new.id


def test_bad_sensors_are_refused(new, sensor):
    for body in ({}, {"unit": "furlong"}, {"unit": "celsius", "label": "x" * 81}, {"unit": "celsius", "label": 1}, []):
        assert sensor.put(body).status_code == 400
    assert sensor.get().json()["label"] == "Roof"
    new.id = new.id.upper()
    assert new.put({"unit": "celsius"}).status_code == 400


def test_the_unit_of_readings_stays(sensor):
    sensor.fill({"2026-01-05T10:30:00Z": 1})
    answer = sensor.put({"unit": "percent", "label": "Cellar"})
    assert answer.status_code == 409
    assert sensor.get().json() == {"id": sensor.id, "unit": "celsius", "label": "Roof", "readings": 1}
    assert sensor.put({"unit": "celsius", "label": "Cellar"}).json()["label"] == "Cellar"
    assert sensor.values() == [1]


def test_a_removed_sensor_leaves_nothing_behind(sensor):
    sensor.fill({"2026-01-05T10:30:00Z": 1})
    answer = sensor.delete()
    assert (answer.status_code, answer.content) == (204, b"")
    assert sensor.get().status_code == 404
    assert sensor.delete().status_code == 404
    assert sensor.put({"unit": "percent"}).json()["readings"] == 0
    assert sensor.values() == []
