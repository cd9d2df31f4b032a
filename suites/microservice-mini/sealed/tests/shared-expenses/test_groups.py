"""Groups, and who is in them."""


def test_a_group_keeps_the_order_of_its_members(api):
    described = {"name": "Flat", "currency": "CHF", "members": ["zoe", "ann", "m3"]}
    answer = api.post("", described | {"colour": "red"})
    assert answer.status_code == 201
    group = answer.json()
    assert isinstance(group["id"], str)
    assert group == {"id": group["id"]} | described
    assert api.get(f"/{group['id']}").json() == group


def test_everything_that_is_wrong_with_a_group_is_named(api, start, refused):
    refused(api.post("", {}), 400, ("currency", "missing"), ("members", "missing"), ("name", "missing"))
    wrong = {"name": "", "currency": "eur", "members": ["ann"]}
    refused(api.post("", wrong), 400, ("currency", "format"), ("members", "range"), ("name", "range"))
    wrong = {"name": 7, "currency": None, "members": ["ann", "Bob", 3, "ann", None]}
    faults = [("members.1", "format"), ("members.2", "type"), ("members.3", "duplicate"), ("members.4", "missing")]
    refused(api.post("", wrong), 400, ("currency", "missing"), *faults, ("name", "type"))
    start("ann", "bob")


def test_a_body_must_be_a_json_object(api, group, refused):
    for path in ("", *(f"{group.path}/{part}" for part in ("members", "expenses", "payments"))):
        for body in ("[]", "{", ""):
            answer = api.request("POST", path, data=body, headers={"Content-Type": "application/json"})
            refused(answer, 400, ("", "json"))


def test_only_known_groups_are_found(api, group, refused):
    assert api.get(group.path).status_code == 200
    for answer in (
        api.get("/none"),
        api.post("/none/members", {}),
        api.delete("/none/members/ann"),
        api.post("/none/expenses", {}),
        api.get("/none/expenses"),
        api.delete("/none/expenses/e1"),
        api.post("/none/payments", {}),
        api.get("/none/balances"),
        api.get("/none/settlement"),
    ):
        refused(answer, 404, ("group_id", "unknown"))


def test_who_joins_comes_last(api, group, refused):
    answer = group.join("amy")
    assert answer.status_code == 201
    assert answer.json() == group.shown | {"members": ["ann", "bob", "cem", "amy"]}
    assert api.get(group.path).json() == answer.json()
    refused(group.join("amy"), 409, ("name", "taken"))
    refused(group.join("A"), 400, ("name", "format"))


def test_a_group_has_at_most_twenty_members(start, refused):
    group = start(*(f"m{number}" for number in range(20)))
    refused(group.join("ann"), 409, ("name", "full"))
    refused(group.join("m0"), 409, ("name", "taken"))
    assert group.leave("m7").status_code == 204
    assert group.join("ann").json()["members"][-2:] == ["m19", "ann"]


def test_nobody_leaves_before_they_are_even(api, group, refused):
    group.spend("3.00")
    refused(group.leave("bob"), 409, ("name", "not_settled"))
    refused(group.leave("dan"), 404, ("name", "unknown"))
    assert group.pay("bob", "ann", "1.00").status_code == 201
    answer = group.leave("bob")
    assert (answer.status_code, answer.content) == (204, b"")
    assert api.get(group.path).json()["members"] == ["ann", "cem"]
    assert group.balances() == {"ann": "1.00", "cem": "-1.00"}


def test_the_past_of_those_who_left_is_kept(api, group, refused):
    shared, other = group.spend("3.00"), group.spend("2.00", split={"mode": "equal", "among": ["ann", "cem"]})
    group.pay("bob", "ann", "1.00"), group.leave("bob")
    assert group.read("expenses", involving="bob")["expenses"] == [shared]
    refused(api.delete(f"{group.path}/expenses/{shared['id']}"), 409, ("expense_id", "left"))
    assert api.delete(f"{group.path}/expenses/{other['id']}").status_code == 204
    group.join("bob")
    assert group.balances() == {"ann": "1.00", "cem": "-1.00", "bob": "0.00"}


def test_only_members_take_part(group, refused):
    refused(group.ask(paid_by="dan"), 400, ("paid_by", "nobody"))
    refused(group.pay("dan", "dora", "1.00"), 400, ("from", "nobody"), ("to", "nobody"))
    group.join("dan")
    assert group.spend(paid_by="dan")["paid_by"] == "dan"
