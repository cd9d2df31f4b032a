"""Who gets what."""


def users(flag, rollout):
    """Some of both sides of the rollout's edge, and those next to it."""
    named = [f"user-{number}" for number in range(400)]
    edge = [user for user in named if flag.bucket(user) in (rollout - 1, rollout)]
    return [*named[:20], "Zoë", *edge]


def test_a_flag_that_is_not_enabled_is_off(make, rule):
    flag = make(rollout=100, rules=[rule("equals", "free")])
    assert flag.ask(plan="free") == {"key": flag.key, "value": False, "reason": "disabled"}
    flag.change(enabled=True, rollout=100)
    assert flag.ask(plan="free") == {"key": flag.key, "value": True, "reason": "rollout"}


def test_the_rollout_takes_users_by_their_hash(make):
    flag = make(enabled=True, rollout=25)
    for user in users(flag, 25):
        is_within = flag.bucket(user) < 25
        expected = {"key": flag.key, "value": is_within, "reason": "rollout" if is_within else "default"}
        assert flag.ask(user) == expected


def test_the_first_rule_that_holds_decides(make, rule):
    rules = [rule("equals", "free", value=False), rule("in", "ch", "at", attribute="country"), rule("equals", "free")]
    flag = make(enabled=True, rules=rules)
    assert flag.ask(country="at", plan="free") == {"key": flag.key, "value": False, "reason": "rule", "rule": 0}
    assert flag.ask(country="at", plan="team") == {"key": flag.key, "value": True, "reason": "rule", "rule": 1}
    assert flag.ask(country="de") == {"key": flag.key, "value": False, "reason": "default"}


def test_values_are_equal_within_their_type(make, rule):
    flag = make(enabled=True, rules=[rule("in", 1, "2", True)])
    assert [flag.value(plan=plan) for plan in (1, 1.0, "2", True)] == [True] * 4
    assert [flag.value(plan=plan) for plan in ("1", 2, "true", False, None, [1], {})] == [False] * 7


def test_texts_are_compared_by_their_beginning(make, rule):
    flag = make(enabled=True, rules=[rule("starts_with", "te", "Free")])
    assert [flag.value(plan=plan) for plan in ("team", "te", "Freeze")] == [True] * 3
    assert [flag.value(plan=plan) for plan in ("Team", "t", "", 7, True)] == [False] * 5


def test_numbers_are_compared_by_size(make, rule):
    flag = make(enabled=True, rules=[rule("at_least", 2.5)])
    assert [flag.value(plan=plan) for plan in (2.5, 3, 10**12)] == [True] * 3
    assert [flag.value(plan=plan) for plan in (2, -3, "3", True, None)] == [False] * 5
    assert flag.value() is False


def test_several_flags_are_asked_at_once(api, make, rule, unique):
    on, off = make("-on", enabled=True, rules=[rule("equals", "free")]), make("-off", enabled=True)
    keys = [f"{unique}-y", on.key, off.key, f"{unique}-x", f"{unique}-y"]
    answer = api.post("/evaluate", {"keys": keys, "user": "u", "attributes": {"plan": "free"}}, None)
    assert answer.status_code == 200
    assert answer.json() == {"values": {on.key: True, off.key: False}, "unknown": [f"{unique}-x", f"{unique}-y"]}
    assert api.post("/evaluate", {"keys": [on.key], "user": "u"}).json() == {"values": {on.key: False}, "unknown": []}


def test_bad_questions_are_refused(api, make, refused):
    flag = make(enabled=True, rollout=100)
    for body, faults in (
        ({}, {"user": "missing"}),
        ({"user": "", "attributes": []}, {"user": "range", "attributes": "type"}),
        ({"user": 7}, {"user": "type"}),
    ):
        refused(api.post(f"{flag.path}/evaluate", body), 422, "invalid", faults=faults)
        refused(api.post("/evaluate", body | {"keys": []}), 422, "invalid", faults=faults | {"keys": "range"})
    refused(api.post("/evaluate", {"user": "u", "keys": ["a", 1]}), 422, "invalid", faults={"keys[1]": "type"})
    assert flag.ask("x" * 100)["value"] is True
