"""Who owes whom."""


def test_balances_are_what_was_paid_less_the_shares(group):
    assert group.balances() == {"ann": "0.00", "bob": "0.00", "cem": "0.00"}
    group.spend("10.00")
    group.spend("4.00", "bob", split={"mode": "equal", "among": ["bob", "cem"]})
    assert group.balances() == {"ann": "6.66", "bob": "-1.33", "cem": "-5.33"}


def test_a_payment_moves_the_balances_of_two(group, refused):
    group.spend("9.00")
    answer = group.pay("cem", "ann", "2.50")
    assert (answer.status_code, answer.json()) == (201, {"from": "cem", "to": "ann", "amount": "2.50"})
    assert group.balances() == {"ann": "3.50", "bob": "-3.00", "cem": "-0.50"}
    refused(group.pay("cem", "cem", "0.00"), 400, ("amount", "range"), ("to", "duplicate"))


def test_the_settlement_pairs_the_largest_balances(start):
    group = start("ann", "bob", "cem", "dan")
    group.spend("8.00", "ann", split={"mode": "exact", "amounts": {"cem": "5.00", "dan": "3.00"}})
    group.spend("4.00", "bob", split={"mode": "exact", "amounts": {"dan": "4.00"}})
    assert group.balances() == {"ann": "8.00", "bob": "4.00", "cem": "-5.00", "dan": "-7.00"}
    assert group.transfers() == [("dan", "ann", "7.00"), ("cem", "bob", "4.00"), ("cem", "ann", "1.00")]


def test_of_equal_balances_the_first_in_the_group_comes_first(start):
    group = start("zoe", "ann", "tim", "bob")
    group.spend("2.00", "tim", split={"mode": "equal", "among": ["zoe", "ann"]})
    group.spend("2.00", "bob", split={"mode": "equal", "among": ["ann", "zoe"]})
    assert group.transfers() == [("zoe", "tim", "2.00"), ("ann", "bob", "2.00")]


def test_the_settlement_settles_and_asking_changes_nothing(group):
    group.spend("100.00", "bob"), group.spend("0.01", "cem"), group.spend("17.35")
    transfers = group.transfers()
    assert transfers and group.transfers() == transfers
    for transfer in transfers:
        assert group.pay(*transfer).status_code == 201
    assert group.balances() == {"ann": "0.00", "bob": "0.00", "cem": "0.00"}
    assert group.transfers() == []
