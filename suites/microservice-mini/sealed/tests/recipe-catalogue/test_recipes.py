"""Adding, reading, changing and removing recipes."""


def test_a_new_recipe_has_an_id_and_no_ratings(api, draft):
    answer = api.post("/recipes/", draft | {"average_rating": 5, "ratings": 99})
    assert answer.status_code == 201
    recipe = answer.json()
    assert isinstance(recipe["id"], int)
    assert recipe == draft | {"id": recipe["id"], "average_rating": None, "ratings": 0}


def test_only_known_recipes_are_found(api, add):
    recipe = add()
    assert api.get(f"/recipes/{recipe['id']}/").status_code == 200
    assert api.get("/recipes/999999999/").status_code == 404


def test_a_refusal_names_the_faulty_fields(api, add, draft):
    faults = {"title": "", "cuisine": "nowhere-at-all", "minutes": 0, "servings": 101, "ingredients": []}
    for fields in (*([field] for field in faults), ["minutes", "servings"]):
        answer = api.post("/recipes/", draft | {field: faults[field] for field in fields})
        assert answer.status_code == 400
        assert sorted(answer.json()) == sorted(fields)
    add()


def test_an_ingredient_needs_a_quantity_above_zero(api, add, draft):
    for quantity in (0, -1, "some"):
        bad = [{"name": "Salt", "quantity": quantity, "unit": "g"}]
        answer = api.post("/recipes/", draft | {"ingredients": bad})
        assert answer.status_code == 400
        assert "ingredients" in answer.json()
    assert add(ingredients=[{"name": "Salt", "quantity": 0.5, "unit": "g"}])["ingredients"][0]["quantity"] == 0.5


def test_a_title_is_unique_within_its_cuisine(api, add, draft, cuisine):
    add()
    answer = api.post("/recipes/", draft)
    assert answer.status_code == 400
    assert list(answer.json()) == ["title"]
    api.post("/cuisines/", {"slug": f"b-{cuisine}", "name": "Other"})
    assert add(cuisine=f"b-{cuisine}")["title"] == draft["title"]


def test_a_recipe_is_replaced(api, add, draft):
    recipe = add()
    new = draft | {"title": "Stew", "ingredients": [{"name": "Beef", "quantity": 800, "unit": "g"}]}
    answer = api.put(f"/recipes/{recipe['id']}/", new)
    assert answer.status_code == 200
    assert answer.json() == recipe | new
    assert api.get(f"/recipes/{recipe['id']}/").json() == recipe | new


def test_a_replacement_must_be_whole(api, add, draft):
    recipe = add()
    answer = api.put(f"/recipes/{recipe['id']}/", {name: draft[name] for name in draft if name != "minutes"})
    assert answer.status_code == 400
    assert list(answer.json()) == ["minutes"]
    assert api.get(f"/recipes/{recipe['id']}/").json() == recipe


def test_a_change_leaves_the_rest_alone(api, add):
    recipe = add()
    answer = api.patch(f"/recipes/{recipe['id']}/", {"minutes": 45})
    assert (answer.status_code, answer.json()) == (200, recipe | {"minutes": 45})


def test_changed_ingredients_replace_all_of_them(api, add):
    recipe = add()
    ingredients = [{"name": name, "quantity": 1, "unit": "kg"} for name in ("Zucchini", "Aubergine")]
    assert api.patch(f"/recipes/{recipe['id']}/", {"ingredients": ingredients}).status_code == 200
    assert api.get(f"/recipes/{recipe['id']}/").json() == recipe | {"ingredients": ingredients}


def test_a_change_cannot_take_another_title(api, add):
    add(title="Soup")
    other = add(title="Broth")
    answer = api.patch(f"/recipes/{other['id']}/", {"title": "Soup"})
    assert answer.status_code == 400
    assert list(answer.json()) == ["title"]
    assert api.patch(f"/recipes/{other['id']}/", {"title": "Broth"}).status_code == 200


def test_a_removed_recipe_is_gone(api, add, cuisine):
    recipe = add()
    answer = api.delete(f"/recipes/{recipe['id']}/")
    assert (answer.status_code, answer.content) == (204, b"")
    assert api.get(f"/recipes/{recipe['id']}/").status_code == 404
    assert api.get("/recipes/", cuisine=cuisine).json()["count"] == 0
