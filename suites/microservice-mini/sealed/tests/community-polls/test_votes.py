"""Voting, changing and withdrawing votes."""


def test_a_vote_counts(create):
    poll = create()
    poll.vote("ann", "Tea", "Water")
    poll.vote("bob.b-b_1", "Tea")
    assert poll.counts() == {"Tea": 2, "Water": 1, "Coffee": 0}


def test_nobody_votes_twice(create, refused):
    poll = create()
    poll.vote("ann", "Tea")
    refused(poll.cast("ann", "Coffee"), 409, "conflict")
    assert poll.counts() == {"Tea": 1, "Coffee": 0, "Water": 0}


def test_bad_votes_are_refused(create, refused):
    poll = create()
    for choices in ([], ["Wine"], ["Tea", "Tea"], ["Tea", "Coffee", "Water"]):
        refused(poll.cast("ann", *choices), 422, "invalid", "choices")
    for voter in ("", "two words", "x" * 41):
        refused(poll.cast(voter, "Tea"), 422, "invalid", "voter")
    poll.vote("ann", "Tea")


def test_a_voter_has_one_vote_in_each_poll(create):
    one, other = create(), create()
    one.vote("ann", "Tea")
    other.vote("ann", "Coffee")
    assert one.counts() == {"Tea": 1, "Coffee": 0, "Water": 0}


def test_a_vote_is_changed(api, create):
    poll = create()
    poll.vote("ann", "Tea")
    answer = api.put(f"{poll.path}/votes/ann", {"choices": ["Coffee", "Water"]})
    assert answer.status_code == 200
    assert answer.json() == {"voter": "ann", "choices": ["Coffee", "Water"]}
    assert poll.counts() == {"Coffee": 1, "Water": 1, "Tea": 0}


def test_a_bad_change_leaves_the_vote(api, create, refused):
    poll = create()
    poll.vote("ann", "Tea")
    refused(api.put(f"{poll.path}/votes/ann", {"choices": ["Wine"]}), 422, "invalid", "choices")
    refused(api.put(f"{poll.path}/votes/bob", {"choices": ["Tea"]}), 404, "not_found")
    assert poll.counts() == {"Tea": 1, "Coffee": 0, "Water": 0}


def test_a_voter_who_withdrew_may_vote_again(api, create, refused):
    poll = create()
    poll.vote("ann", "Tea")
    answer = api.delete(f"{poll.path}/votes/ann")
    assert (answer.status_code, answer.content) == (204, b"")
    refused(api.delete(f"{poll.path}/votes/ann"), 404, "not_found")
    poll.vote("ann", "Coffee")
    assert poll.counts() == {"Coffee": 1, "Tea": 0, "Water": 0}


def test_a_closed_poll_keeps_its_votes(api, create, refused):
    poll = create()
    poll.vote("ann", "Tea")
    poll.close()
    refused(poll.cast("bob", "Coffee"), 409, "conflict")
    refused(api.put(f"{poll.path}/votes/ann", {"choices": ["Coffee"]}), 409, "conflict")
    refused(api.delete(f"{poll.path}/votes/ann"), 409, "conflict")
    assert poll.counts() == {"Tea": 1, "Coffee": 0, "Water": 0}
