"""Routes: borrowing and returning."""

from __future__ import annotations

from flask import Blueprint

from .records import Loan
from .refusals import Refusal
from .requests import body, choice, current_member, integer, library

MOST_LOANS = 3

blueprint = Blueprint("loans", __name__)


@blueprint.post("")
def borrow():
    member = current_member()
    book_id = integer(body(), "book_id", 1)
    with library().lock:
        book = library().books.get(book_id)
        if book is None:
            raise Refusal(404, "no such book")
        if library().available(book) == 0:
            raise Refusal(409, "no copy is on the shelf")
        if library().open_loans(member_id=member.id, book_id=book_id):
            raise Refusal(409, "you have this book already")
        if len(library().open_loans(member_id=member.id)) >= MOST_LOANS:
            raise Refusal(409, f"you have {MOST_LOANS} books already")
        loan = Loan(library().next_id(), member.id, book_id)
        library().loans[loan.id] = loan
    return loan.shown(), 201


@blueprint.get("")
def mine():
    member, state = current_member(), choice("state", "open", "returned")
    with library().lock:
        loans = [loan for loan in library().loans.values() if loan.member_id == member.id]
    return {"loans": [loan.shown() for loan in reversed(loans) if state in (None, loan.state)]}


@blueprint.post("/<int:loan_id>/return")
def give_back(loan_id: int):
    with library().lock:
        loan = own_loan(loan_id)
        loan.state = "returned"
        return loan.shown()


def own_loan(loan_id: int) -> Loan:
    """The current member's loan of that id; somebody else's does not exist for them."""
    member, loan = current_member(), library().loans.get(loan_id)
    if loan is None or loan.member_id != member.id:
        raise Refusal(404, "no such loan")
    return loan
