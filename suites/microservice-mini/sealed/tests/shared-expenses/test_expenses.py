"""What was spent, and whose it is."""


def among(*names):
    return {"mode": "equal", "among": names}


def weighted(**weights):
    return {"mode": "weights", "weights": weights}


def exactly(**amounts):
    return {"mode": "exact", "amounts": amounts}


def test_an_expense_is_shared_by_all(group):
    expense = group.spend("9.00")
    shares = {"ann": "3.00", "bob": "3.00", "cem": "3.00"}
    assert expense == {"id": expense["id"], "title": "Taxi", "amount": "9.00", "paid_by": "ann", "shares": shares}
    assert group.shares("9.00", {"mode": "equal"}) == shares
    assert group.shares("9.00", among("cem", "ann")) == {"ann": "4.50", "cem": "4.50"}


def test_cents_that_are_left_go_to_the_first_in_the_group(start):
    group = start("zoe", "ann", "cem")
    assert group.shares("10.00", {"mode": "equal"}) == {"zoe": "3.34", "ann": "3.33", "cem": "3.33"}
    assert group.shares("0.05", among("cem", "ann", "zoe")) == {"zoe": "0.02", "ann": "0.02", "cem": "0.01"}
    assert group.shares("0.01", among("cem", "ann")) == {"ann": "0.01", "cem": "0.00"}


def test_cents_that_are_left_go_where_most_was_lost(group):
    split = weighted(ann=1, bob=2, cem=4)
    # Exact shares of 1.00: 14.28..., 28.57... and 57.14... cents.
    assert group.shares("1.00", split) == {"ann": "0.14", "bob": "0.29", "cem": "0.57"}
    # Of 0.05: 0.71..., 1.42... and 2.85... cents.
    assert group.shares("0.05", split) == {"ann": "0.01", "bob": "0.01", "cem": "0.03"}
    assert group.shares("1000000.00", weighted(cem=999)) == {"cem": "1000000.00"}


def test_exact_amounts_come_to_the_whole(group, refused):
    split = exactly(ann="6.99", cem="3.01")
    assert group.shares("10.00", split) == split["amounts"]
    refused(group.ask("10.01", split=split), 400, ("split.amounts", "sum"))
    assert group.read("expenses")["total"] == 1


def test_what_is_wrong_with_a_split_is_named(group, refused):
    for split, *faults in (
        ([], ("split", "type")),
        ({}, ("split.mode", "missing")),
        ({"mode": "halves"}, ("split.mode", "range")),
        ({"mode": "equal", "among": []}, ("split.among", "range")),
        (among("bob", "dan", "bob"), ("split.among.1", "nobody"), ("split.among.2", "duplicate")),
        ({"mode": "weights", "weights": {}}, ("split.weights", "range")),
        (weighted(ann=0, bob=1.5), ("split.weights.ann", "range"), ("split.weights.bob", "type")),
        (weighted(ann=1001, dan=1), ("split.weights.ann", "range"), ("split.weights.dan", "nobody")),
        ({"mode": "exact"}, ("split.amounts", "missing")),
        (exactly(ann="10", bob="0.00"), ("split.amounts.ann", "format"), ("split.amounts.bob", "range")),
    ):
        refused(group.ask(split=split), 400, *faults)
        refused(group.ask(title="", split=split), 400, *faults, ("title", "range"))
    assert group.read("expenses")["total"] == 0


def test_amounts_are_written_in_one_way(group, refused):
    for amount in ("1", "1.0", "01.00", ".50", "-1.00", "1,00", "+1.00", " 1.00"):
        refused(group.ask(amount), 400, ("amount", "format"))
    for amount in ("0.00", "1000000.01", "99999999999999.00"):
        refused(group.ask(amount), 400, ("amount", "range"))
    refused(group.ask(1.5), 400, ("amount", "type"))
    assert group.spend("0.50")["amount"] == "0.50"


def test_expenses_are_listed_newest_first_in_pages(group):
    made = [group.spend(f"{number}.00") for number in range(1, 6)]
    first = group.read("expenses", size=2)
    assert first == {"expenses": [made[4], made[3]], "page": 1, "pages": 3, "total": 5}
    assert group.read("expenses", size=2, page=3) == {"expenses": [made[0]], "page": 3, "pages": 3, "total": 5}
    assert group.read("expenses", size=2, page=4) == {"expenses": [], "page": 4, "pages": 3, "total": 5}


def test_expenses_are_found_by_who_paid_and_who_shares(group):
    one = group.spend(paid_by="bob", split=among("ann", "cem"))
    two = group.spend(paid_by="bob", split=weighted(bob=3))
    three = group.spend(paid_by="cem")
    assert group.read("expenses", paid_by="bob")["expenses"] == [two, one]
    assert group.read("expenses", involving="bob")["expenses"] == [three, two]
    assert group.read("expenses", paid_by="bob", involving="bob", size=1)["expenses"] == [two]
    assert group.read("expenses", paid_by="dan") == {"expenses": [], "page": 1, "pages": 0, "total": 0}


def test_bad_list_queries_are_refused(api, group, refused):
    group.spend()
    refused(api.get(f"{group.path}/expenses", page=0, size="x"), 400, ("page", "range"), ("size", "format"))
    refused(api.get(f"{group.path}/expenses", size=101), 400, ("size", "range"))
    assert group.read("expenses", size=100)["total"] == 1


def test_a_removed_expense_has_never_been(api, group, refused):
    kept, removed = group.spend("3.00"), group.spend("9.00", "bob")
    answer = api.delete(f"{group.path}/expenses/{removed['id']}")
    assert (answer.status_code, answer.content) == (204, b"")
    refused(api.delete(f"{group.path}/expenses/{removed['id']}"), 404, ("expense_id", "unknown"))
    assert group.read("expenses")["expenses"] == [kept]
    assert group.balances() == {"ann": "2.00", "bob": "-1.00", "cem": "-1.00"}
