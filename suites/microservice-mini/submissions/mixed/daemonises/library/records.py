"""Members, books and loans, all in memory."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from hashlib import scrypt
from itertools import count
from threading import RLock


@dataclass
class Member:
    id: int
    name: str
    email: str
    role: str
    salt: bytes = field(repr=False)
    password_hash: bytes = field(repr=False)

    def shown(self) -> dict[str, object]:
        return {"id": self.id, "name": self.name, "email": self.email, "role": self.role}

    def has_password(self, password: str) -> bool:
        return secrets.compare_digest(self.password_hash, hashed(password, self.salt))


@dataclass
class Book:
    id: int
    title: str
    author: str
    isbn: str
    copies: int


@dataclass
class Loan:
    id: int
    member_id: int
    book_id: int
    state: str = "open"

    def shown(self) -> dict[str, object]:
        return {"id": self.id, "book_id": self.book_id, "state": self.state}


class Library:
    """The state of the service. Whoever reads and then writes holds `lock`."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.members: dict[int, Member] = {}
        self.books: dict[int, Book] = {}
        self.loans: dict[int, Loan] = {}
        self.sessions: dict[str, int] = {}
        self._ids = count(1)

    def next_id(self) -> int:
        return next(self._ids)

    def member_by_email(self, email: str) -> Member | None:
        return next((member for member in self.members.values() if member.email.lower() == email.lower()), None)

    def open_loans(self, *, member_id: int | None = None, book_id: int | None = None) -> list[Loan]:
        return [
            loan
            for loan in self.loans.values()
            if loan.state == "open" and member_id in (None, loan.member_id) and book_id in (None, loan.book_id)
        ]

    def available(self, book: Book) -> int:
        return book.copies - len(self.open_loans(book_id=book.id))


def hashed(password: str, salt: bytes) -> bytes:
    return scrypt(password.encode(), salt=salt, n=2**12, r=8, p=1)
