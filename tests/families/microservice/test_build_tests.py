"""From recordings to tests: what is stable is expected, what is not is described or left out, and the text is Python."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.families.microservice.build.emit import write_tests
from repoproof.families.microservice.build.forms import (
    Among,
    Exactly,
    Fields,
    Form,
    Items,
    Like,
    SameAs,
    Some,
    Written,
    form_of_texts,
)
from repoproof.families.microservice.build.records import Exchange, Played, Scenario, Step
from repoproof.families.microservice.build.stabilise import stabilise
from repoproof.families.microservice.build.values import by_schema, faulty, named
from repoproof.families.microservice.build.wrapping import WIDTH, wrapped


def answer(body: object, status: int = 200, sent: object = None) -> Exchange:
    fields = {"status": status, "text": "x", "json": body, "is_json": True, "sent": {"body": sent}}
    return Exchange.model_validate(fields)


def scenario(*endpoints: str) -> Scenario:
    steps = [Step(method=one.split()[0], path=one.split()[1], endpoint=one) for one in endpoints or ["GET /notes"]]
    return Scenario(title="notes", area="notes", steps=tuple(steps))


def expected_of(*recordings: list[Exchange]) -> Form | None:
    """What is expected of the last step."""
    words = ("bcdfghjkmn", "pqrstvwxzb", "zxwvtsrqpn")
    played = [[[Played(unique=word, digits="1", exchanges=tuple(one))]] for word, one in zip(words, recordings, strict=False)]  # fmt: skip
    stable, dropped, _ = stabilise([scenario(*["GET /notes"] * len(recordings[0]))], played)
    assert not dropped
    return stable[0].expected[-1].body


@pytest.mark.parametrize(
    ("first", "second", "form"),
    [
        ("open", "open", Exactly("open")),
        (7, 7, Exactly(7)),
        (None, None, Exactly(None)),
        (7, 8, Some("integer")),
        (7, 8.5, Some("number")),
        (True, False, Some("flag")),
        (1, True, Some("anything")),
        ("name-bcdfghjkmn", "name-pqrstvwxzb", Written("name-${unique}")),
        ("p-00af", "p-19bc", Like("p-[0-9a-f]+")),
        ("PT0001", "PT0002", Like(r"PT\d+")),
        ("2024-05-17T10:00:00Z", "2024-05-17T10:00:00Z", Like(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")),
        ("one", "other", Like("(?s).+")),
        ("", "x", Like("(?s).*")),
        ([1, 2], [1, 2], Items((Exactly(1), Exactly(2)))),
        ([1], [1, 2], Some("list")),
        ([7], [8], Some("list")),
        (1_700_000_000, 1_700_000_000, Some("integer")),
        ({"a": 1, "b": 7}, {"a": 1, "b": 8, "c": 9}, Fields((("a", Exactly(1)), ("b", Some("integer"))))),
        ({"a": 1}, [1], Some("anything")),
    ],
)
def test_a_value_is_expected_as_far_as_it_was_the_same(first, second, form):
    assert expected_of([answer({"v": first})], [answer({"v": second})]) == Fields((("v", form),))


def test_what_was_sent_is_expected_even_if_it_looks_like_the_time():
    recordings = [[answer({"at": "2024-05-17"}, 201, {"at": "2024-05-17"})]] * 2
    assert expected_of(*recordings) == Fields((("at", Exactly("2024-05-17")),))


def test_an_identifier_is_expected_to_be_that_of_the_earlier_answer():
    first = [answer({"id": 4, "x": 1}), answer({"note_id": 4, "n": 1})]
    second = [answer({"id": 9, "x": 1}), answer({"note_id": 9, "n": 1})]
    assert expected_of(first, second) == Fields((("note_id", SameAs(0, "id")), ("n", Exactly(1))))


def test_a_body_that_is_read_back_is_expected_whole_and_among_others():
    first, second = {"id": 4, "x": 1}, {"id": 9, "x": 1}
    assert expected_of([answer(first), answer(first)], [answer(second), answer(second)]) == SameAs(0, "")
    lists = [[answer(first), answer([{"id": 1}, first])], [answer(second), answer([second])]]
    assert expected_of(*lists) == Among((SameAs(0, ""),))


def test_of_a_refusal_the_codes_are_expected_and_not_the_words():
    body = {"error": "not_found", "message": "There is no note 7.", "fields": ["a", "b"]}
    form = expected_of([answer(body, 404)], [answer(body, 404)])
    assert form == Fields((("error", Exactly("not_found")), ("message", Some("text")), ("fields", Exactly(["a", "b"]))))


@pytest.mark.parametrize(
    ("recordings", "why"),
    [
        ([[answer({})], [answer({}, 404)]], "step 1: the status differs between recordings: 200, 404"),
        ([[answer({}, 500)], [answer({}, 500)]], "step 1: the reference fails with 500"),
        ([[Exchange(status=0, why="refused")], [answer({})]], "step 1: refused"),
        ([[answer({}), answer({}, 503)]] * 2, "step 2: the reference fails with 503"),
        ([[answer({})], []], "step 1: a step before it failed"),
    ],
)
def test_what_is_not_stable_is_dropped_with_the_reason(recordings, why):
    played = [[[Played(unique="bcdfghjkmn", exchanges=tuple(one))]] for one in recordings]
    steps = max(len(one) for one in recordings)
    stable, dropped, _ = stabilise([scenario(*["GET /notes"] * steps)], played)
    assert stable == []
    assert [one.why for one in dropped] == [why]


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_a_form_fits_the_texts_that_it_was_made_of(texts):
    import re

    assert all(re.fullmatch(form_of_texts(texts), text) for text in texts)


LITERALS = st.recursive(
    st.one_of(st.integers(), st.booleans(), st.none(), st.text(max_size=40)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=12), inner, max_size=4)),
    max_leaves=25,
)


@given(st.lists(LITERALS, max_size=3), st.lists(LITERALS, max_size=3))
def test_a_wrapped_statement_means_the_same(sent, wanted):
    line = f"note = api.post({', '.join(map(repr, sent))}).has({', '.join(map(repr, wanted))})"
    assert ast.dump(ast.parse(wrapped(line))) == ast.dump(ast.parse(line))


def test_a_wrapped_statement_is_as_wide_as_can_be_read():
    line = f"api.post('/notes', json={ {f'field-{n}': 'x' * 30 for n in range(9)}!r}).has(201, {['y' * 40] * 6!r})"
    assert max(map(len, wrapped(line, 4).splitlines())) <= WIDTH


def test_tests_are_python_and_spell_out_what_they_send_and_expect(tmp_path):
    steps = (
        Step(method="POST", path="/notes", endpoint="POST /notes", body={"text": 'say "${unique}" {now}'}),
        Step(method="GET", path="/notes/${0.id}", endpoint="GET /notes/{id}", headers={"X-Key": "${0.key}"}),
        Step(method="POST", path="/notes", endpoint="POST /notes", headers={"X-Key": "${0.key}"}, raw="{"),
    )
    played = [
        [[Played(unique=word, digits="1", exchanges=(answer({"id": n, "key": f"k{n}"}, 201), answer({"id": n, "text": f'say "{word}" {{now}}'}), answer({}, 400)))]]
        for n, word in enumerate(("bcdfghjkmn", "pqrstvwxzb"))
    ]  # fmt: skip
    stable, _, _ = stabilise([Scenario(title="a note: read!", area="notes", steps=steps)], played)
    ids = write_tests(tmp_path, stable, port=8000)
    assert list(ids) == ["test_notes.py::test_a_note_read"]
    text = (tmp_path / "test_notes.py").read_text()
    ast.parse(text)
    for words in (
        r"""json={"text": f"say \"{unique}\" {{now}}"}""",
        """api.get(f"/notes/{note['id']}", headers={"X-Key": note["key"]})""",
        '"X-Key": note["key"], "Content-Type": "application/json"}',
        'data="{"',
        r"""{"id": note["id"], "text": f"say \"{unique}\" {{now}}"}""",
    ):
        assert words in text


def test_what_an_answer_has_in_it_is_never_taken_for_code(tmp_path):
    """A service that answers with references, quotes and braces of its own."""
    hostile = '${0.id} ${99.x} {unique} " + exit() + " \' """ \\ \n ${unique'
    played = [
        [[Played(unique=word, digits="1", exchanges=(answer({"a": hostile, "b": f"{word}{hostile}", "${0}": [hostile]}),))]]
        for word in ("bcdfghjkmn", "pqrstvwxzb")
    ]  # fmt: skip
    stable, _, _ = stabilise([scenario()], played)
    write_tests(tmp_path, stable, port=8000)
    tree = ast.parse((tmp_path / "test_notes.py").read_text())
    (expected,) = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
    found = eval(compile(ast.Expression(expected), "", "eval"), {"unique": "UNIQUE"})
    assert found == {"a": hostile, "b": f"UNIQUE{hostile}", "${0}": [hostile]}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"enum": ["a", "b"]}, "a"),
        ({"type": "integer", "minimum": 10}, 10),
        ({"type": "integer", "maximum": 3}, 3),
        ({"type": "number", "exclusiveMinimum": 9}, 10),
        ({"type": "string", "maxLength": 3}, "abc"),
        ({"type": "string", "minLength": 20}, "note-${unique}xxxxx"),
        ({"type": "string", "format": "date"}, "2024-05-17"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [7, 7]),
        ({"type": "object", "properties": {"n": {"type": "boolean"}}}, {"n": True}),
        ({"type": "integer", "multipleOf": 5}, 5),
    ],
)
def test_a_value_fits_its_schema(schema, value):
    assert by_schema("note", schema) == value


def test_names_say_what_a_value_looks_like():
    assert named("contact_email")[0].endswith("@example.org")
    assert named("starts_at")[0] == "2024-05-17T09:30:00Z"
    assert named("quantity")[0] == 7
    assert named("is_open")[0] is True
    assert named("tags")[0] == ["tag-${unique}"]


def test_faults_are_made_for_the_kind_that_was_taken():
    from repoproof.families.microservice.build.records import Parameter

    bounded = Parameter.model_validate({"name": "n", "schema": {"type": "integer", "minimum": 1.0, "maximum": 9}})
    assert ("below its minimum", 0) in list(faulty(bounded, 5))
    assert ("above its maximum", 10) in list(faulty(bounded, 5))
    assert ("a number", 12345) in list(faulty(Parameter(name="t"), "text"))
    assert ("with something twice", [1, 1]) in list(faulty(Parameter(name="l"), [1]))


@pytest.mark.parametrize("moment", ["2024-05-17T10:00:0{}", "2024-05-1{}", 1_700_000_000])
def test_two_things_made_within_a_second_are_not_expected_to_be_of_one_moment(moment):
    def recording(number: int) -> list:
        at = moment.format(number) if isinstance(moment, str) else moment + number
        return [answer({"id": number, "at": at}), answer({"id": number, "at": at})]

    form = expected_of(recording(1), recording(2))
    assert isinstance(form, Fields)
    (_, id), (_, at) = form.fields
    assert id == SameAs(0, "id")
    assert isinstance(at, Like | Some)
