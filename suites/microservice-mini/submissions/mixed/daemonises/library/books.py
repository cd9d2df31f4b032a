"""Routes: the catalogue."""

from __future__ import annotations

from dataclasses import asdict

from flask import Blueprint, request

from .records import Book
from .refusals import Refusal
from .requests import body, choice, current_librarian, integer, library, text

blueprint = Blueprint("books", __name__)


@blueprint.route("", methods=["POST"])
def add():
    current_librarian()
    content = {"copies": 1, **body()}
    title, author = text(content, "title", 1, 120), text(content, "author", 1, 120)
    isbn, copies = text(content, "isbn", 13, 13), integer(content, "copies", 1, 50)
    if not (isbn.isascii() and isbn.isdigit()):
        raise Refusal(400, "isbn must be 13 digits")
    with library().lock:
        if any(book.isbn == isbn for book in library().books.values()):
            raise Refusal(409, "this isbn is in the catalogue already")
        book = Book(library().next_id(), title, author, isbn, copies)
        library().books[book.id] = book
    return shown(book), 201


@blueprint.route("")
def find():
    wanted, available = request.args.get("q", "").lower(), choice("available", "true", "false")
    with library().lock:
        matches = [
            shown(book)
            for book in sorted(library().books.values(), key=lambda book: (book.title, book.id))
            if wanted in book.title.lower() or wanted in book.author.lower()
        ]
    if available is not None:
        matches = [book for book in matches if (book["available"] > 0) == (available == "true")]
    return {"books": matches}


@blueprint.route("/<int:book_id>")
def read(book_id: int):
    book = library().books.get(book_id)
    if book is None:
        raise Refusal(404, "no such book")
    return shown(book)


def shown(book: Book) -> dict[str, object]:
    return {**asdict(book), "available": library().available(book)}
