"""Results, and who sees them."""


def test_results_come_most_votes_first(api, create):
    poll = create()
    poll.vote("ann", "Water", "Tea")
    poll.vote("bob", "Water")
    poll.vote("cem", "Coffee")
    answer = api.get(f"{poll.path}/results")
    assert answer.status_code == 200
    assert answer.json() == {
        "poll_id": poll.shown["id"],
        "state": "open",
        "voters": 3,
        "results": [
            {"option": "Water", "votes": 2, "share": 0.6667},
            {"option": "Tea", "votes": 1, "share": 0.3333},
            {"option": "Coffee", "votes": 1, "share": 0.3333},
        ],
        "winners": ["Water"],
    }


def test_a_tie_has_several_winners_in_the_order_of_the_options(api, create):
    poll = create()
    poll.vote("ann", "Water")
    poll.vote("bob", "Coffee")
    assert api.get(f"{poll.path}/results").json()["winners"] == ["Coffee", "Water"]


def test_a_poll_without_votes_has_no_winner(api, create):
    poll = create()
    results = api.get(f"{poll.path}/results").json()
    assert (results["voters"], results["winners"]) == (0, [])
    assert results["results"] == [{"option": option, "votes": 0, "share": 0} for option in poll.shown["options"]]


def test_hidden_results_are_shown_to_the_owner_only(api, create, refused):
    poll = create(reveal="closed")
    poll.vote("ann", "Tea")
    refused(api.get(f"{poll.path}/results"), 403, "forbidden")
    refused(api.get(f"{poll.path}/results", "guess"), 403, "forbidden")
    assert poll.counts() == {"Tea": 1, "Coffee": 0, "Water": 0}


def test_hidden_results_are_shown_to_all_once_the_poll_is_closed(api, create, refused):
    poll = create(reveal="closed")
    poll.vote("ann", "Tea")
    refused(api.get(f"{poll.path}/results"), 403, "forbidden")
    poll.close()
    results = api.get(f"{poll.path}/results")
    assert results.status_code == 200
    assert (results.json()["state"], results.json()["winners"]) == ("closed", ["Tea"])
