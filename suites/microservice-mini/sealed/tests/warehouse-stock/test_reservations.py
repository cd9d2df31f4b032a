"""Setting aside, shipping and releasing."""

import pytest


def end(api, reservation, how):
    return api.post(f"/reservations/{reservation['id']}/{how}")


def test_what_is_reserved_is_not_available(api, stock, hold):
    tea, cup = stock("TEA", 10), stock("CUP", 3)
    made = hold((tea, 4), (cup, 3))
    assert api.get(f"/reservations/{made['id']}").json() == made
    assert tea.counts() == (10, 4, 6)
    assert cup.counts() == (3, 3, 0)


def test_all_lines_are_reserved_or_none(api, stock, hold, refused):
    tea, cup, pot = stock("TEA", 10), stock("CUP", 3), stock("POT")
    hold((cup, 1))
    wanted = [(tea, 10), (cup, 3), (pot, 1)]
    answer = api.post("/reservations", {"lines": [{"sku": item.sku, "quantity": many} for item, many in wanted]})
    short = [
        {"sku": cup.sku, "wanted": 3, "available": 2},
        {"sku": pot.sku, "wanted": 1, "available": 0},
    ]
    refused(answer, 409, "insufficient", short)
    assert tea.counts() == (10, 0, 10)
    assert cup.counts() == (3, 1, 2)


def test_a_line_without_an_item_is_not_found(api, stock, prefix, refused):
    item = stock("TEA", 1)
    lines = [{"sku": item.sku, "quantity": 9}, {"sku": f"{prefix}NONE", "quantity": 1}]
    refused(api.post("/reservations", {"lines": lines}), 404, "not_found")
    refused(api.post("/reservations", {"lines": [*lines, lines[0]]}), 422, "invalid", ["lines"])
    assert item.counts() == (1, 0, 1)


def test_bad_lines_are_refused(api, stock, hold, refused):
    item = stock("TEA", 50)
    one = {"sku": item.sku, "quantity": 1}
    many = [{"sku": f"X-{number}", "quantity": 1} for number in range(21)]
    for lines in ([], [one, one], [one | {"quantity": 0}], [one | {"quantity": "1"}], [{"sku": 1}], {}, None, many):
        refused(api.post("/reservations", {"lines": lines}), 422, "invalid", ["lines"])
    hold((item, 50))


def test_only_known_reservations_are_found(api, stock, hold, refused):
    made = hold((stock("TEA", 1), 1))
    assert api.get(f"/reservations/{made['id']}").status_code == 200
    refused(api.get("/reservations/none"), 404, "not_found")
    for how in ("ship", "release"):
        refused(end(api, {"id": "none"}, how), 404, "not_found")


def test_a_shipment_leaves_the_warehouse(api, stock, hold):
    tea, cup = stock("TEA", 10), stock("CUP", 3)
    made = hold((tea, 4), (cup, 3))
    answer = end(api, made, "ship")
    assert (answer.status_code, answer.json()) == (200, made | {"state": "shipped"})
    assert (tea.counts(), cup.counts()) == ((6, 0, 6), (0, 0, 0))
    shipped = {"number": 2, "quantity": -4, "reason": "shipment", "reference": made["id"], "balance": 6}
    assert tea.movements(since=1) == [shipped]


def test_what_is_released_is_available_again(api, stock, hold):
    tea = stock("TEA", 10)
    made = hold((tea, 4))
    answer = end(api, made, "release")
    assert (answer.status_code, answer.json()) == (200, made | {"state": "released"})
    assert tea.counts() == (10, 0, 10)
    assert len(tea.movements()) == 1


@pytest.mark.parametrize("how", ["ship", "release"])
def test_ending_a_reservation_again_changes_nothing(api, stock, hold, how):
    tea = stock("TEA", 10)
    made = hold((tea, 4))
    hold((tea, 5))
    first, again = end(api, made, how), end(api, made, how)
    assert (again.status_code, again.json()) == (200, first.json())
    assert tea.counts() == ((6, 5, 1) if how == "ship" else (10, 5, 5))


def test_a_reservation_ends_one_way_only(api, stock, hold, refused):
    tea = stock("TEA", 10)
    shipped, released = hold((tea, 4)), hold((tea, 3))
    end(api, shipped, "ship"), end(api, released, "release")
    refused(end(api, shipped, "release"), 409, "state")
    refused(end(api, released, "ship"), 409, "state")
    assert tea.counts() == (6, 0, 6)


def test_the_reference_of_a_shipment_is_free_for_movements(api, stock, hold):
    tea = stock("TEA", 10)
    made = hold((tea, 4))
    end(api, made, "ship")
    assert tea.move(1, "receipt", made["id"]).status_code == 201
    assert tea.counts() == (7, 0, 7)
