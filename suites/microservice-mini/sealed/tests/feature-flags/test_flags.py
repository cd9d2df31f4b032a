"""Making, changing, finding and removing flags."""

DEFAULTS = {"description": "", "enabled": False, "rules": [], "rollout": 0}


def test_a_new_flag_is_off(api, unique):
    answer = api.put(f"/flags/{unique}", {"colour": "red"})
    assert answer.status_code == 201
    assert answer.json() == {"key": unique, "revision": 1} | DEFAULTS
    assert api.get(f"/flags/{unique}").json() == answer.json()


def test_a_flag_is_replaced_whole(make, rule, unique):
    settings = {"description": "Search", "enabled": True, "rules": [rule("in", "free", 7, True)], "rollout": 25}
    flag = make(**settings)
    assert flag.shown() == {"key": unique, "revision": 1} | settings
    assert flag.change(rollout=30) == {"key": unique, "revision": 2} | DEFAULTS | {"rollout": 30}


def test_what_changes_nothing_makes_no_revision(make, rule):
    flag = make(enabled=True, rules=[rule("equals", 1)])
    assert flag.change("bob", enabled=True, rules=[rule("equals", 1)], description="")["revision"] == 1
    assert [one["actor"] for one in flag.history()] == ["ann"]
    assert flag.change("bob", enabled=True, rules=[rule("equals", 2)])["revision"] == 2


def test_a_change_is_based_on_the_present_revision(api, make, unique, refused):
    flag = make()
    flag.change(rollout=1)
    for revision in (1, 3):
        refused(flag.put(revision=revision, rollout=2), 409, "stale", current=2)
    refused(api.put(flag.path, {"rollout": 2}), 409, "stale", current=2)
    refused(api.put(f"/flags/{unique}-new", {"revision": 1}), 409, "stale", current=None)
    assert flag.shown()["rollout"] == 1


def test_changes_need_an_actor(api, make, refused):
    flag = make()
    for actor in (None, "x" * 41):
        refused(api.put(flag.path, {"rollout": 200}, actor), 401, "actor")
        refused(api.delete(flag.path, actor, revision=1), 401, "actor")
        refused(api.post(f"{flag.path}/rollback", {}, actor), 401, "actor")
        refused(api.put("/flags/none", {}, actor), 401, "actor")
    assert flag.put("x" * 40, rollout=2).status_code == 200


def test_everything_that_is_wrong_with_a_flag_is_named(api, make, refused):
    make()
    wrong = {"description": "x" * 201, "enabled": "yes", "rollout": 101, "rules": None, "revision": "1"}
    faults = {"description": "range", "enabled": "type", "rollout": "range", "rules": "missing", "revision": "type"}
    refused(api.put("/flags/Wrong", wrong), 422, "invalid", faults=faults | {"key": "format"})
    for key in ("1st", "x" * 41, "a_b"):
        refused(api.put(f"/flags/{key}", {"rollout": 0.5}), 422, "invalid", faults={"key": "format", "rollout": "type"})


def test_everything_that_is_wrong_with_a_rule_is_named(make, rule, refused):
    flag = make()
    wrong = [
        "plan",
        {"attribute": "", "operator": "like", "values": []},
        rule("equals", 1, 2),
        rule("in", "a", None, ["b"]),
        rule("starts_with", "a", 1, value="yes"),
        rule("at_least", "1", attribute=None),
        rule("in", *range(51)),
    ]
    faults = {
        "rules[0]": "type",
        "rules[1].attribute": "range",
        "rules[1].operator": "range",
        "rules[1].value": "missing",
        "rules[2].values": "range",
        "rules[3].values[1]": "type",
        "rules[3].values[2]": "type",
        "rules[4].value": "type",
        "rules[4].values[1]": "type",
        "rules[5].attribute": "missing",
        "rules[5].values[0]": "type",
        "rules[6].values": "range",
    }
    refused(flag.put(rules=wrong), 422, "invalid", faults=faults)
    refused(flag.put(rules=[rule("in", 1)] * 21), 422, "invalid", faults={"rules": "range"})
    assert len(flag.change(rules=[rule("in", *range(50))] * 20)["rules"]) == 20


def test_a_body_must_be_a_json_object(api, make, refused):
    flag = make()
    for method, path in (
        ("PUT", flag.path),
        ("POST", f"{flag.path}/rollback"),
        ("POST", f"{flag.path}/evaluate"),
        ("POST", "/evaluate"),
    ):
        for body in ("[]", "{", ""):
            answer = api.request(method, path, data=body, headers={"Content-Type": "application/json"})
            refused(answer, 400, "malformed")


def test_only_known_flags_are_found(api, make, unique, refused):
    make()
    unknown = f"/flags/{unique}-none"
    for answer in (
        api.get(unknown),
        api.delete(unknown),
        api.get(f"{unknown}/revisions"),
        api.get(f"{unknown}/revisions/1"),
        api.post(f"{unknown}/rollback", {}),
        api.post(f"{unknown}/evaluate", {}),
    ):
        refused(answer, 404, "not_found")


def test_flags_are_found_by_words(api, make, unique):
    late, early = make("-b", description=f"Old {unique} Search"), make("-a")
    described = make("-c", description="other")
    assert api.get("/flags", q=unique.upper()).json() == {"flags": [one.shown() for one in (early, late, described)]}
    assert api.get("/flags", q=f"{unique} sEARCH").json() == {"flags": [late.shown()]}


def test_flags_are_found_by_what_they_do(api, make, rule, unique, refused):
    on, off = make("-a", enabled=True), make("-b", rules=[rule("equals", 1), rule("equals", 2, attribute=unique)])
    assert api.get("/flags", q=unique, enabled="true").json() == {"flags": [on.shown()]}
    assert api.get("/flags", q=unique, enabled="false").json() == {"flags": [off.shown()]}
    assert api.get("/flags", attribute=unique).json() == {"flags": [off.shown()]}
    refused(api.get("/flags", enabled="on"), 422, "invalid", faults={"enabled": "format"})


def test_a_removed_flag_is_gone_and_its_numbers_are_not_given_again(api, make, refused):
    flag = make()
    flag.change(rollout=1)
    refused(api.delete(flag.path), 422, "invalid", faults={"revision": "missing"})
    refused(api.delete(flag.path, revision="x"), 422, "invalid", faults={"revision": "format"})
    refused(api.delete(flag.path, revision=1), 409, "stale", current=2)
    answer = api.delete(flag.path, revision=2)
    assert (answer.status_code, answer.content) == (204, b"")
    refused(api.get(flag.path), 404, "not_found")
    again = make(enabled=True)
    assert again.history() == [{"revision": 3, "actor": "ann", "changed": ["enabled"]}]
    refused(api.get(f"{flag.path}/revisions/2"), 404, "not_found")
