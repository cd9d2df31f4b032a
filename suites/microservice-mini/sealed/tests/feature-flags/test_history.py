"""What a flag was, and making it so again."""


def test_the_history_tells_who_changed_what(make, rule):
    flag = make(rollout=5)
    flag.change("bob", rollout=5, enabled=True, rules=[rule("equals", 1)])
    flag.change("cem", description="New", enabled=True)
    assert flag.history() == [
        {"revision": 3, "actor": "cem", "changed": ["description", "rollout", "rules"]},
        {"revision": 2, "actor": "bob", "changed": ["enabled", "rules"]},
        {"revision": 1, "actor": "ann", "changed": ["rollout"]},
    ]


def test_the_history_is_read_in_parts(api, make, refused):
    flag = make()
    for rollout in range(1, 6):
        flag.change(rollout=rollout)
    assert [one["revision"] for one in flag.history(limit=2)] == [6, 5]
    assert [one["revision"] for one in flag.history(limit=2, before=5)] == [4, 3]
    assert flag.history(before=2) == [{"revision": 1, "actor": "ann", "changed": []}]
    assert flag.history(before=1) == []
    faults = {"limit": "range", "before": "format"}
    refused(api.get(f"{flag.path}/revisions", limit=0, before="x"), 422, "invalid", faults=faults)


def test_an_earlier_state_can_be_read(api, make, rule, refused):
    flag = make(description="First", rules=[rule("equals", 1)])
    first = flag.shown()
    second = flag.change(rollout=2)
    assert api.get(f"{flag.path}/revisions/1").json() == first
    assert api.get(f"{flag.path}/revisions/2").json() == second
    for revision in ("0", "3", "-1", "first"):
        refused(api.get(f"{flag.path}/revisions/{revision}"), 404, "not_found")


def test_a_rollback_makes_a_new_revision(api, make, rule):
    flag = make(description="First", rules=[rule("equals", 1)])
    first = flag.shown()
    flag.change(rollout=2), flag.change(rollout=3)
    answer = flag.roll_back(1, 3, "bob")
    assert answer.status_code == 200
    assert answer.json() == first | {"revision": 4} == flag.shown()
    assert flag.history(limit=1) == [{"revision": 4, "actor": "bob", "changed": ["description", "rollout", "rules"]}]
    assert flag.roll_back(1, 4, "cem").json()["revision"] == 4
    assert api.get(f"{flag.path}/revisions/3").json()["rollout"] == 3


def test_a_rollback_is_refused_like_a_change(api, make, refused):
    flag = make()
    flag.change(rollout=2)
    refused(flag.roll_back(1, 1), 409, "stale", current=2)
    refused(flag.roll_back(3, 1), 404, "not_found")
    faults = {"to": "type", "revision": "missing"}
    refused(api.post(f"{flag.path}/rollback", {"to": "1"}), 422, "invalid", faults=faults)
    assert flag.shown()["revision"] == 2
