"""Cuisines."""


def test_cuisines_are_listed_by_slug(api, cuisine):
    assert api.post("/cuisines/", {"slug": f"a-{cuisine}", "name": "Other"}).status_code == 201
    listed = [each["slug"] for each in api.get("/cuisines/").json()]
    assert listed == sorted(listed)
    assert {cuisine, f"a-{cuisine}"} <= set(listed)


def test_a_cuisine_counts_its_recipes(api, cuisine, add):
    add(title="One")
    add(title="Two")
    assert {"slug": cuisine, "name": "Test kitchen", "recipes": 2} in api.get("/cuisines/").json()


def test_a_slug_is_taken_once(api, cuisine):
    answer = api.post("/cuisines/", {"slug": cuisine, "name": "Again"})
    assert answer.status_code == 400
    assert "slug" in answer.json()


def test_bad_cuisines_are_refused(api, cuisine):
    for slug, name, fault in (("Upper", "x", "slug"), ("two words", "x", "slug"), (f"b-{cuisine}", "", "name")):
        answer = api.post("/cuisines/", {"slug": slug, "name": name})
        assert answer.status_code == 400
        assert list(answer.json()) == [fault]
