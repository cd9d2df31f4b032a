"""What comes and goes."""


def test_a_movement_changes_what_is_on_hand(stock):
    item = stock("TEA")
    answers = [item.move(12, "receipt", "order 1"), item.move(-2, "damage", "report 1"), item.move(-1)]
    assert [answer.status_code for answer in answers] == [201, 201, 201]
    shown = [answer.json() for answer in answers]
    assert shown[0] == {"number": 1, "quantity": 12, "reason": "receipt", "reference": "order 1", "balance": 12}
    assert [(one["number"], one["balance"]) for one in shown] == [(1, 12), (2, 10), (3, 9)]
    assert item.movements() == shown
    assert item.counts() == (9, 0, 9)


def test_movements_are_listed_since_a_number(api, stock, refused):
    item = stock("TEA", 5)
    later = [item.move(1).json(), item.move(2).json()]
    assert item.movements(since=1) == later
    assert item.movements(since=3) == []
    refused(api.get(f"{item.path}/movements", since=-1), 422, "invalid", ["since"])


def test_a_repeated_reference_changes_nothing(stock):
    item = stock("TEA")
    first = item.move(5, "receipt", "order 1")
    item.move(-1)
    again = item.move(5, "receipt", "order 1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert item.counts() == (4, 0, 4)


def test_a_reference_stands_for_one_movement_of_an_item(stock, refused):
    item, other = stock("TEA"), stock("OTHER")
    assert item.move(5, "receipt", "order 1").status_code == 201
    refused(item.move(6, "receipt", "order 1"), 409, "reference")
    refused(item.move(5, "correction", "order 1"), 409, "reference")
    assert other.move(6, "receipt", "order 1").status_code == 201
    assert item.counts() == (5, 0, 5)


def test_no_more_is_taken_than_is_available(stock, hold, refused):
    item = stock("TEA", 10)
    hold((item, 6))
    shortage = {"sku": item.sku, "wanted": 5, "available": 4}
    refused(item.move(-5, "damage", "report 1"), 409, "insufficient", [shortage])
    assert item.move(-4, "damage", "report 1").status_code == 201
    assert item.counts() == (6, 6, 0)


def test_bad_movements_are_refused(api, stock, refused):
    item = stock("TEA", 5)
    for quantity, reason in ((0, "correction"), (-1, "receipt"), (1, "damage"), (100001, "receipt"), ("1", "receipt")):
        refused(item.move(quantity, reason), 422, "invalid", ["quantity"])
    refused(item.move(1, "shipment"), 422, "invalid", ["reason"])
    refused(item.move(True, "gift", "x" * 41), 422, "invalid", ["quantity", "reason", "reference"])
    assert item.counts() == (5, 0, 5)
