"""Describing, reading and listing items."""


def test_a_new_item_has_nothing_on_hand(api, prefix):
    sku = f"{prefix}TEA"
    answer = api.put(f"/items/{sku}", {"name": "Green tea", "reorder_level": 10, "colour": "green"})
    assert answer.status_code == 201
    counts = {"on_hand": 0, "reserved": 0, "available": 0}
    assert answer.json() == {"sku": sku, "name": "Green tea", "reorder_level": 10} | counts
    assert api.get(f"/items/{sku}").json() == answer.json()


def test_an_item_is_described_anew_and_keeps_its_stock(api, stock):
    item = stock("TEA", 4, reorder_level=3)
    answer = api.put(item.path, {"name": "Black tea"})
    assert answer.status_code == 200
    counts = {"on_hand": 4, "reserved": 0, "available": 4}
    assert answer.json() == {"sku": item.sku, "name": "Black tea", "reorder_level": 0} | counts


def test_everything_that_is_wrong_with_an_item_is_named(api, stock, refused):
    item = stock("TEA")
    for body in ({"name": ""}, {"name": "x" * 81}, {"name": 7}, {}):
        refused(api.put(item.path, body), 422, "invalid", ["name"])
    refused(api.put(item.path, {"name": "", "reorder_level": -1}), 422, "invalid", ["name", "reorder_level"])
    refused(api.put(item.path, {"name": "Tea", "reorder_level": 1.5}), 422, "invalid", ["reorder_level"])
    refused(api.put("/items/tea", {"name": None}), 422, "invalid", ["name", "sku"])
    refused(api.put(f"/items/{'X' * 21}", {"name": "Tea"}), 422, "invalid", ["sku"])
    assert item.shown()["name"] == "Item TEA"


def test_a_body_must_be_a_json_object(api, stock, refused):
    item = stock("TEA")
    for body in ("{", "[]", ""):
        for method, path in (("PUT", item.path), ("POST", f"{item.path}/movements"), ("POST", "/reservations")):
            answer = api.request(method, path, data=body, headers={"Content-Type": "application/json"})
            refused(answer, 400, "malformed")


def test_only_known_items_are_found(api, stock, prefix, refused):
    stock("TEA")
    unknown = f"/items/{prefix}NONE"
    refused(api.get(unknown), 404, "not_found")
    refused(api.get(f"{unknown}/movements"), 404, "not_found")
    refused(api.post(f"{unknown}/movements", {"quantity": 0}), 404, "not_found")


def test_items_are_listed_by_sku_in_pages(api, stock, prefix):
    items = {name: stock(name).shown() for name in ("C", "A", "B", "A-1")}
    first = api.get("/items", prefix=prefix, limit=2)
    assert first.status_code == 200
    assert first.json() == {"items": [items["A"], items["A-1"]], "next": f"{prefix}A-1"}
    rest = api.get("/items", prefix=prefix, limit=2, after=first.json()["next"]).json()
    assert rest == {"items": [items["B"], items["C"]], "next": None}


def test_a_page_may_begin_after_any_text(api, stock, prefix):
    stock("A"), stock("C")
    listed = api.get("/items", prefix=prefix, after=f"{prefix}B").json()
    assert [item["sku"] for item in listed["items"]] == [f"{prefix}C"]
    assert api.get("/items", prefix=prefix, after=f"{prefix}C").json() == {"items": [], "next": None}


def test_what_runs_low_is_found_by_what_is_available(api, stock, hold, prefix):
    plenty, few = stock("A", 5, reorder_level=3), stock("B", 5, reorder_level=3)
    stock("C", 3, reorder_level=3)
    hold((few, 3))
    assert api.get("/items", prefix=prefix, low="true").json() == {"items": [few.shown()], "next": None}
    assert plenty.shown() in api.get("/items", prefix=prefix, low="false").json()["items"]


def test_bad_list_queries_are_refused(api, stock, prefix, refused):
    stock("A")
    refused(api.get("/items", limit=0), 422, "invalid", ["limit"])
    refused(api.get("/items", limit="101", low="maybe"), 422, "invalid", ["limit", "low"])
    assert len(api.get("/items", prefix=prefix, limit=100).json()["items"]) == 1
