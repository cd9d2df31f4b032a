"""The application."""

from flask import Flask
from werkzeug.exceptions import HTTPException

from . import books, loans, members
from .records import Library
from .refusals import CODES, Refusal

BASE = "/library/v1"


def create_app() -> Flask:
    app = Flask(__name__)
    app.json.sort_keys = False
    app.extensions["library"] = Library()
    app.register_blueprint(members.blueprint, url_prefix=BASE)
    app.register_blueprint(books.blueprint, url_prefix=f"{BASE}/books")
    app.register_blueprint(loans.blueprint, url_prefix=f"{BASE}/loans")
    app.register_error_handler(Refusal, lambda refusal: refusal.answer())
    app.register_error_handler(HTTPException, http_error)
    return app


def http_error(error: HTTPException):
    """What Flask itself refuses (unknown path, wrong method), in the form of our own refusals."""
    status = error.code or 500
    code = CODES.get(status, error.name.lower().replace(" ", "_"))
    return {"error": {"code": code, "message": error.description}}, status
