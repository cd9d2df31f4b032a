"""The catalogue."""


def test_a_librarian_adds_a_book(join, isbn):
    librarian, number = join("librarian"), isbn()
    answer = librarian.post("/books", {"title": "Dune", "author": "F. Herbert", "isbn": number, "copies": 2})
    assert answer.status_code == 201
    book = answer.json()
    expected = {"title": "Dune", "author": "F. Herbert", "isbn": number, "copies": 2, "available": 2}
    assert book == {"id": book["id"], **expected}


def test_only_librarians_add_books(anyone, reader, join, isbn, refused):
    book = {"title": "Dune", "author": "F. Herbert", "isbn": isbn()}
    refused(anyone.post("/books", book), 401, "unauthenticated")
    refused(reader.post("/books", book), 403, "forbidden")
    assert join("librarian").post("/books", book).json()["copies"] == 1


def test_an_isbn_is_in_the_catalogue_once(join, add_book, refused):
    book = add_book()
    again = {"title": "Other", "author": "B. Writer", "isbn": book["isbn"]}
    refused(join("librarian").post("/books", again), 409, "conflict")


def test_bad_books_are_refused(join, isbn, refused):
    librarian, book = join("librarian"), {"title": "Dune", "author": "F. Herbert", "isbn": isbn()}
    for fault in ({"title": ""}, {"isbn": "12"}, {"isbn": "x" * 13}, {"copies": 0}, {"copies": 51}, {"copies": "1"}):
        refused(librarian.post("/books", book | fault), 400, "invalid")
    assert librarian.post("/books", book).status_code == 201


def test_the_catalogue_is_ordered_and_searched(anyone, add_book, unique):
    second, first = add_book("Beech"), add_book("Alder", author=f"Writer {unique}")
    same = add_book("Beech", copies=3)
    assert anyone.get("/books", q=unique.upper()).json() == {"books": [first, second, same]}
    assert anyone.get("/books", q=f"writer {unique}").json() == {"books": [first]}


def test_the_catalogue_is_narrowed_to_what_is_on_the_shelf(anyone, reader, add_book, unique, refused):
    lent, shelved = add_book("Beech"), add_book("Alder")
    assert reader.post("/loans", {"book_id": lent["id"]}).status_code == 201
    assert anyone.get("/books", q=unique, available="true").json()["books"] == [shelved]
    assert anyone.get("/books", q=unique, available="false").json()["books"] == [lent | {"available": 0}]
    refused(anyone.get("/books", available="maybe"), 400, "invalid")


def test_only_known_books_are_found(anyone, add_book, refused):
    book = add_book()
    assert anyone.get(f"/books/{book['id']}").status_code == 200
    refused(anyone.get("/books/999999999"), 404, "not_found")
