"""What is the same in the recordings of one request by chance, by the clock or by its turn is not expected in any test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from random import Random

import pytest

from repoproof.families.microservice.build.forms import Among, Exactly, Fields, Form, Items, Like, SameAs, Some, Written
from repoproof.families.microservice.build.moments import is_of_the_moment
from repoproof.families.microservice.build.pipeline import TIMES
from repoproof.families.microservice.build.records import Exchange, Json, Played, Scenario, Step
from repoproof.families.microservice.build.stabilise import stabilise
from repoproof.families.microservice.build.stage import unique
from repoproof.families.microservice.build.unsteady import collection_of

WORDS = tuple(unique(str(number)) for number in range(TIMES))
NOW = datetime(2026, 12, 1, 14, 25, tzinfo=UTC)


def exchange(body: Json, status: int = 200, sent: Json = None) -> Exchange:
    return Exchange.model_validate(
        {"status": status, "text": "x", "json": body, "is_json": True, "sent": {"body": sent}}
    )


def asked(title: str, *steps: str) -> Scenario:
    """Steps as in `GET /books?author=x`."""
    made = [(method, *path.partition("?")[::2]) for method, path in (step.split() for step in steps)]
    return Scenario(
        title=title,
        area="books",
        steps=tuple(Step(method=method, path=path, endpoint=f"{method} {path}", query=dict([query.split("=")]) if query else {}) for method, path, query in made),
    )  # fmt: skip


def expected(said: Mapping[tuple[str, ...], Sequence[Sequence[Json]]]) -> list[Form | None]:
    """The form of the last body of each scenario: its steps -> for each recording, what they were answered with."""
    scenarios = [asked(f"scenario {number}", *steps) for number, steps in enumerate(said)]
    count = len(next(iter(said.values())))
    recordings = [
        [[Played(unique=WORDS[turn], digits="1", exchanges=tuple(map(exchange, answers[turn]))) for answers in said.values()]]
        for turn in range(count)
    ]  # fmt: skip
    stable, dropped, _ = stabilise(scenarios, recordings, NOW)
    assert not dropped
    return [one.expected[-1].body for one in stable]


def fields(**forms: Form) -> Fields:
    return Fields(tuple(forms.items()))


def test_a_coin_that_fell_once_on_the_other_side_is_open_in_every_request():
    forms = expected(
        {
            ("POST /books",): [[{"n": 1, "lucky": True}], [{"n": 1, "lucky": False}]],
            ("POST /books", "POST /books"): [[{}, {"n": 1, "lucky": True}], [{}, {"n": 1, "lucky": True}]],
        }
    )
    assert forms == [fields(n=Exactly(1), lucky=Some("flag"))] * 2


def test_two_answers_that_agree_by_chance_are_not_expected_to_agree():
    differs = [[{"n": 1, "lucky": True}], [{"n": 1, "lucky": False}], [{"n": 1, "lucky": True}]]
    agree = [[{"n": 1, "lucky": one}, {"n": 1, "lucky": one, "x": 1}] for one in (True, False, True)]
    forms = expected({("POST /books",): differs, ("POST /books", "POST /books"): agree})
    assert forms[1] == fields(n=Exactly(1), lucky=Some("flag"), x=Exactly(1))


def test_what_is_made_by_chance_is_expected_to_be_read_back_though_it_was_the_same_each_time():
    made = [[{"id": 1, "lucky": True}], [{"id": 2, "lucky": False}]]
    read = [[{"id": 3, "lucky": True}, {"id": 3, "lucky": True, "x": 1}], [{"id": 4, "lucky": True}, {"id": 4, "lucky": True, "x": 1}]]  # fmt: skip
    forms = expected({("POST /books",): made, ("POST /books", "GET /books/{id}"): read})
    assert forms[1] == fields(id=SameAs(0, "id"), lucky=SameAs(0, "lucky"), x=Exactly(1))


def test_a_thing_that_was_there_before_is_not_expected_to_be_lucky():
    made, there = [[{"lucky": True}], [{"lucky": False}]], [[{"lucky": True, "n": 1}]] * 2
    assert expected({("POST /books",): made, ("GET /books/{id}",): there})[1] == fields(lucky=Some("flag"), n=Exactly(1))  # fmt: skip


def test_a_state_that_chance_never_brings_about_is_expected():
    """It begins as one of two, and ends as a third."""
    made = [[{"state": "queued"}], [{"state": "running"}]]
    stopped = [[{"state": "queued"}, {"state": "stopped"}], [{"state": "running"}, {"state": "stopped"}]]
    assert expected({("POST /jobs",): made, ("POST /jobs", "GET /jobs/{id}"): stopped})[1] == fields(state=Exactly("stopped"))  # fmt: skip


def test_what_a_query_selects_is_steady_though_all_that_there_is_is_not():
    forms = expected({("GET /books",): [[{"total": 1}], [{"total": 7}]], ("GET /books?author=x",): [[{"total": 1}], [{"total": 1}]]})  # fmt: skip
    assert forms == [fields(total=Some("integer")), fields(total=Exactly(1))]


def test_a_list_in_another_order_is_expected_in_any():
    forms = expected(
        {
            ("POST /books",): [[{"tags": ["a", "b"]}], [{"tags": ["b", "a"]}]],
            ("POST /books", "POST /books"): [[{}, {"tags": ["c", "d"]}]] * 2,
        }
    )
    assert forms == [fields(tags=Among((Exactly("a"), Exactly("b")))), fields(tags=Among((Exactly("c"), Exactly("d"))))]


def test_a_list_in_one_order_is_expected_in_it_whatever_is_unique_in_it():
    rows = [[{"tags": [f"a-{word}", "b"]}] for word in WORDS[:2]]
    assert expected({("POST /books",): rows}) == [fields(tags=Items((Written("a-${unique}"), Exactly("b"))))]
    rows[1][0]["tags"].reverse()
    assert expected({("POST /books",): rows}) == [fields(tags=Among((Written("a-${unique}"), Exactly("b"))))]


def test_a_field_that_is_not_always_there_is_not_expected_anywhere():
    forms = expected(
        {
            ("POST /books",): [[{"n": 1, "bonus": 5}], [{"n": 1}]],
            ("POST /books", "POST /books"): [[{}, {"n": 1, "bonus": 5}]] * 2,
        }
    )
    assert forms == [fields(n=Exactly(1))] * 2


@pytest.mark.parametrize(
    ("here", "there", "form"),
    [
        ((1, 2), (3, 2.5), Some("number")),
        (("a", "b"), ("x", None), Some("anything")),
        (("12", "34"), ("5f", "aa"), Like("[0-9a-f]+")),
        (("T1", "T2"), ("T3", "T4"), Like(r"T\d+")),
        (("T1", "T2"), ("T3", "U4"), Like("(?s).+")),
    ],
)
def test_the_kind_of_what_differs_is_that_of_all_that_was_seen_of_it(here, there, form):
    rows = {("GET /a",): [[{"v": one}] for one in here], ("GET /a", "GET /a"): [[{}, {"v": one}] for one in there]}
    assert expected(rows) == [fields(v=form)] * 2


def test_what_only_differs_with_what_was_sent_is_steady():
    """A title in capitals has the unique word in it: that another request is answered with one fixed title is no chance."""
    said = [[{"title": f"NAME-{word.upper()}"}] for word in WORDS[:2]]
    forms = expected({("POST /books",): said, ("POST /books", "POST /books"): [[{}, {"title": "UNKNOWN"}]] * 2})
    assert forms[1] == fields(title=Exactly("UNKNOWN"))


def test_sums_in_another_order_are_the_same():
    assert expected({("GET /a",): [[{"v": 0.1 + 0.2}], [{"v": 0.3}]]}) == [fields(v=Exactly(0.1 + 0.2))]


def test_codes_of_a_refusal_are_expected_in_any_order_where_it_differs():
    body = [exchange({"fields": list(names)}, 422) for names in ("ab", "ba")]
    recordings = [[[Played(unique=word, digits="1", exchanges=(one,))]] for word, one in zip(WORDS, body, strict=False)]
    stable, _, _ = stabilise([asked("refused", "POST /books")], recordings, NOW)
    assert stable[0].expected[0].body == fields(fields=Among((Exactly("a"), Exactly("b"))))


def test_a_coin_is_found_in_twelve_throws():
    """Once in 2 to the 11 it is not: hardly ever in two hundred services."""
    random = Random(7)
    rows = [[[{"lucky": random.random() < 0.5}] for _ in range(TIMES)] for _ in range(200)]
    assert [expected({("GET /lucky",): one}) for one in rows] == [[fields(lucky=Some("flag"))]] * 200


@pytest.mark.parametrize(
    ("statuses", "why"),
    [
        ([[201, 409], [201, 409]], ""),
        ([[201, 201], [201, 409]], "the statuses differ when it is done again: 201 or 409"),
        ([[201, 409], [409, 409]], "step 1: the status differs between recordings: 201, 409"),
    ],
)
def test_what_is_refused_when_done_again_is_a_test_if_it_always_is(statuses, why):
    """By deployment and round: a test is like the first round, for the service is new to it."""
    recordings = [
        [[Played(unique=WORDS[turn], exchanges=(exchange({"n": status}, status),))] for status in rounds]
        for turn, rounds in enumerate(statuses)
    ]
    stable, dropped, _ = stabilise([asked("made", "POST /books")], recordings, NOW)
    assert [one.why for one in dropped] == [why] * bool(why)
    assert [one.expected[0].body for one in stable] == [fields(n=Exactly(201))] * (not why)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("year", 2026),
        ("edition", 2026),
        ("hour", 14),
        ("day_of_week", 2),
        ("stamp", 20261201),
        ("created", 1_700_000_000),
        ("day", "Tuesday"),
        ("month", "dec"),
        ("at", "14:20"),
        ("at", "2:31 PM"),
        ("at", "2024-05-17"),
        ("Date", "Tue, 01 Dec 2026 14:25:00 GMT"),
        ("number", "INV-2026-0001"),
        ("took_ms", 0),
        ("uptimeSeconds", 0.0),
    ],
)
def test_what_may_be_another_value_in_an_hour_is_not_expected(name, value):
    assert is_of_the_moment(value, name, NOW)
    (form,) = expected({("GET /health",): [[{name: value}]] * 2})
    assert isinstance(form, Fields) and isinstance(form.fields[0][1], Some | Like)


@pytest.mark.parametrize(
    ("name", "value"),
    [("year", 1999), ("hour", 3), ("count", 14), ("day", "Friday"), ("at", "09:30"), ("number", "INV-20260-1"), ("minutes", 30), ("open", True), ("x", None)],
)  # fmt: skip
def test_what_has_nothing_to_do_with_the_clock_is_expected(name, value):
    assert expected({("GET /health",): [[{name: value}]] * 2}) == [fields(**{name: Exactly(value)})]


@pytest.mark.parametrize(
    ("opens", "whole"), [("09:30", True), ("14:20", False), ("Tue, 01 Dec 2026 14:25:00 GMT", False)]
)
def test_what_is_read_back_is_the_whole_that_was_made_unless_it_is_of_the_same_moment(opens, whole):
    rows = [[{"id": number, "opens": opens}] * 2 for number in (1, 2)]
    (form,) = expected({("POST /shops", "GET /shops/{id}"): rows})
    assert (form == SameAs(0, "")) is whole


def test_endpoints_of_one_collection_are_about_the_same_things():
    assert {collection_of(one) for one in ("GET /books", "POST /books/", "PUT /books/{book_id}")} == {"/books"}
    assert collection_of("GET /books/{id}/reviews/{n}") == "/books/{}/reviews"
