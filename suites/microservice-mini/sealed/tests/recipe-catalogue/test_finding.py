"""The list of recipes, ratings and portions."""

import pytest


@pytest.fixture
def titles(api, cuisine):
    """The titles that a query finds within the test's own cuisine."""

    def titles(**query):
        answer = api.get("/recipes/", cuisine=cuisine, **query)
        assert answer.status_code == 200, answer.text
        return [recipe["title"] for recipe in answer.json()["results"]]

    return titles


@pytest.fixture
def three(add):
    return [add(title=title, minutes=minutes) for title, minutes in (("Curry", 40), ("Apple pie", 90), ("Bread", 40))]


def test_the_list_is_in_pages(api, cuisine, three):
    first = api.get("/recipes/", cuisine=cuisine, page_size=2).json()
    second = api.get("/recipes/", cuisine=cuisine, page_size=2, page=2).json()
    assert first["results"] + second["results"] == three
    assert (first["count"], second["count"]) == (3, 3)
    assert (first["previous"], second["next"]) == (None, None)
    assert first["next"]
    assert second["previous"]
    assert api.get("/recipes/", cuisine=cuisine, page_size=2, page=3).status_code == 404


def test_the_list_is_ordered(titles, three):
    assert titles() == ["Curry", "Apple pie", "Bread"]
    assert titles(ordering="title") == ["Apple pie", "Bread", "Curry"]
    assert titles(ordering="-title") == ["Curry", "Bread", "Apple pie"]
    assert titles(ordering="-minutes") == ["Apple pie", "Curry", "Bread"]


def test_the_list_is_narrowed_by_time_and_ingredient(titles, three, add):
    add(title="Toast", minutes=5, ingredients=[{"name": "Rye Bread", "quantity": 1, "unit": "slice"}])
    assert titles(max_minutes=40) == ["Curry", "Bread", "Toast"]
    assert titles(ingredient="rye bread") == ["Toast"]
    assert titles(ingredient="rye") == []


def test_bad_list_queries_are_refused(api, titles, three):
    assert len(titles(page_size=500)) == 3
    for query in ({"ordering": "taste"}, {"max_minutes": "soon"}, {"page_size": 0}):
        answer = api.get("/recipes/", **query)
        assert answer.status_code == 400
        assert list(answer.json()) == list(query)


def test_ratings_are_averaged(api, add):
    recipe = add()
    answers = [api.post(f"/recipes/{recipe['id']}/ratings/", {"stars": stars}) for stars in (5, 4, 4)]
    assert [answer.status_code for answer in answers] == [201] * 3
    assert answers[1].json() == {"average_rating": 4.5, "ratings": 2}
    assert api.get(f"/recipes/{recipe['id']}/").json() == recipe | {"average_rating": 4.33, "ratings": 3}


def test_stars_are_one_to_five(api, add):
    recipe = add()
    for stars in (0, 6, None):
        answer = api.post(f"/recipes/{recipe['id']}/ratings/", {"stars": stars})
        assert answer.status_code == 400
        assert list(answer.json()) == ["stars"]
    assert api.get(f"/recipes/{recipe['id']}/").json() == recipe


def test_a_recipe_is_scaled(api, add):
    recipe = add()
    scaled = api.get(f"/recipes/{recipe['id']}/scaled/", servings=6)
    assert scaled.status_code == 200
    assert scaled.json() == {
        "id": recipe["id"],
        "title": "Soup",
        "servings": 6,
        "ingredients": [
            {"name": "Water", "quantity": 1.5, "unit": "l"},
            {"name": "Leek", "quantity": 3.75, "unit": ""},
        ],
    }
    assert api.get(f"/recipes/{recipe['id']}/").json() == recipe


def test_scaled_quantities_have_two_decimals(api, add):
    recipe = add(servings=3)
    scaled = api.get(f"/recipes/{recipe['id']}/scaled/", servings=2).json()
    assert [each["quantity"] for each in scaled["ingredients"]] == [0.67, 1.67]


def test_servings_are_needed_and_have_limits(api, add):
    recipe = add()
    for query in ({}, {"servings": 0}, {"servings": 101}, {"servings": "many"}):
        answer = api.get(f"/recipes/{recipe['id']}/scaled/", **query)
        assert answer.status_code == 400
        assert list(answer.json()) == ["servings"]
    assert api.get("/recipes/999999999/scaled/", servings=2).status_code == 404
