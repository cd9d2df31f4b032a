"""Borrowing and returning."""

import pytest


@pytest.fixture
def borrow():
    def borrow(visitor, book):
        answer = visitor.post("/loans", {"book_id": book["id"]})
        assert answer.status_code == 201, answer.text
        return answer.json()

    return borrow


def test_a_loan_takes_a_copy_off_the_shelf(anyone, reader, add_book, borrow):
    book = add_book(copies=2)
    loan = borrow(reader, book)
    assert loan == {"id": loan["id"], "book_id": book["id"], "state": "open"}
    assert anyone.get(f"/books/{book['id']}").json() == book | {"available": 1}


def test_the_last_copy_is_lent_once(reader, join, add_book, borrow, refused):
    book = add_book()
    borrow(reader, book)
    refused(join().post("/loans", {"book_id": book["id"]}), 409, "conflict")


def test_nobody_borrows_a_book_twice_at_a_time(reader, add_book, borrow, refused):
    book = add_book(copies=2)
    loan = borrow(reader, book)
    refused(reader.post("/loans", {"book_id": book["id"]}), 409, "conflict")
    assert reader.post(f"/loans/{loan['id']}/return").json()["state"] == "returned"
    assert borrow(reader, book)["id"] != loan["id"]


def test_a_member_has_at_most_three_open_loans(reader, add_book, borrow, refused):
    loans = [borrow(reader, add_book()) for _ in range(3)]
    fourth = add_book()
    refused(reader.post("/loans", {"book_id": fourth["id"]}), 409, "conflict")
    reader.post(f"/loans/{loans[0]['id']}/return")
    borrow(reader, fourth)


def test_a_loan_needs_a_token_and_a_book(anyone, reader, add_book, borrow, refused):
    book = add_book()
    refused(anyone.post("/loans", {"book_id": book["id"]}), 401, "unauthenticated")
    refused(reader.post("/loans", {"book_id": 999999999}), 404, "not_found")
    refused(reader.post("/loans", {"book_id": "first"}), 400, "invalid")
    borrow(reader, book)


def test_members_list_their_own_loans_newest_first(reader, join, add_book, borrow, refused):
    older, newer = borrow(reader, add_book()), borrow(reader, add_book())
    borrow(join(), add_book())
    assert reader.get("/loans").json() == {"loans": [newer, older]}
    returned = reader.post(f"/loans/{older['id']}/return").json()
    assert reader.get("/loans", state="open").json() == {"loans": [newer]}
    assert reader.get("/loans", state="returned").json() == {"loans": [returned]}
    refused(reader.get("/loans", state="lost"), 400, "invalid")


def test_a_loan_may_be_returned_again_without_effect(anyone, reader, add_book, borrow):
    book = add_book()
    loan = borrow(reader, book)
    for _ in range(2):
        answer = reader.post(f"/loans/{loan['id']}/return")
        assert (answer.status_code, answer.json()) == (200, loan | {"state": "returned"})
    assert anyone.get(f"/books/{book['id']}").json()["available"] == 1


def test_the_loans_of_others_do_not_exist(reader, join, add_book, borrow, refused):
    loan = borrow(reader, add_book())
    for other in (join(), join("librarian")):
        refused(other.post(f"/loans/{loan['id']}/return"), 404, "not_found")
    assert reader.get("/loans").json() == {"loans": [loan]}
