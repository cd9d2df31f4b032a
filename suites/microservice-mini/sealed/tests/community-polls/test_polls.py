"""Creating, listing and closing polls."""

import re


def test_a_new_poll_is_open_and_has_an_owner_key(api, draft):
    answer = api.post("/polls", draft | {"reveal": "closed"})
    assert answer.status_code == 201
    poll = answer.json()
    assert re.fullmatch(r"[A-Za-z0-9-]+", poll["id"])
    assert len(poll["owner_key"]) > 0
    made = {"id": poll["id"], "owner_key": poll["owner_key"], "reveal": "closed", "state": "open"}
    assert poll == draft | made


def test_what_is_left_out_has_a_default(api):
    poll = api.post("/polls", {"question": "Go?", "options": ["Yes", "No"]}).json()
    assert (poll["max_choices"], poll["reveal"], poll["tag"]) == (1, "always", "general")


def test_the_owner_key_is_shown_once(api, create, tag):
    poll = create()
    assert "owner_key" not in api.get(poll.path).json()
    assert api.get("/polls", tag=tag).json() == {"polls": [poll.shown], "total": 1}


def test_all_faulty_fields_are_named(api, draft, create, refused):
    for faults in (
        {"question": ""},
        {"options": [f"Option {number}" for number in range(11)]},
        {"options": ["Same", "Same"], "tag": ""},
        {"max_choices": 4},
        {"max_choices": 0, "question": "x" * 201, "reveal": "never"},
    ):
        refused(api.post("/polls", draft | faults), 422, "invalid", *sorted(faults))
    create()


def test_a_body_must_be_json(api, create, refused):
    poll = create()
    for path in ("/polls", f"{poll.path}/votes"):
        answer = api.request("POST", path, data="{tea", headers={"Content-Type": "application/json"})
        refused(answer, 400, "malformed")
    refused(api.post(f"{poll.path}/votes", []), 422, "invalid", "choices", "voter")


def test_only_known_polls_are_found(api, create, refused):
    poll = create()
    assert api.get(poll.path).status_code == 200
    for answer in (api.get("/polls/p-none"), api.get("/polls/p-none/results"), api.post("/polls/p-none/close")):
        refused(answer, 404, "not_found")


def test_polls_are_listed_newest_first_in_pages(api, create, tag):
    polls = [create(question=question).shown for question in ("One?", "Two?", "Three?")]
    assert api.get("/polls", tag=tag).json() == {"polls": polls[::-1], "total": 3}
    assert api.get("/polls", tag=tag, limit=1, offset=1).json() == {"polls": [polls[1]], "total": 3}


def test_polls_are_listed_by_state(api, create, tag):
    done, running = create(), create()
    done.close()
    assert api.get("/polls", tag=tag, state="open").json() == {"polls": [running.shown], "total": 1}
    assert api.get("/polls", tag=tag, state="closed").json()["polls"] == [done.shown | {"state": "closed"}]


def test_bad_list_queries_are_refused(api, create, tag, refused):
    create()
    assert api.get("/polls", tag=tag, limit=50).json()["total"] == 1
    for query in ({"limit": 0}, {"limit": 51}, {"offset": -1}, {"offset": "x", "state": "lost"}):
        refused(api.get("/polls", **query), 422, "invalid", *sorted(query))


def test_only_the_owner_closes_a_poll(api, create, refused):
    poll, other = create(), create()
    for key in (None, "guess", other.key):
        refused(api.post(f"{poll.path}/close", key=key), 403, "forbidden")
    assert api.get(poll.path).json()["state"] == "open"
    poll.close()
    poll.close()
    assert api.get(poll.path).json() == poll.shown | {"state": "closed"}
