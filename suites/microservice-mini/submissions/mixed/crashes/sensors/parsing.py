"""From what a client wrote to values, or a `BadRequest`."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import UTC, datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request

LARGEST = 1e300
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)", re.ASCII)


class BadRequest(HTTPException):
    def __init__(self, detail: str) -> None:
        super().__init__(400, detail)


async def json_object(request: Request) -> dict[str, object]:
    try:
        content = await request.json()
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise BadRequest("the body must be a JSON object")
    return content


def moment(text: object) -> datetime:
    if isinstance(text, str) and MOMENT.fullmatch(text):
        try:
            return datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError):
            pass
    raise BadRequest(f"not a moment: {text!r}")


def written(at: datetime) -> str:
    return f"{at.replace(tzinfo=None).isoformat()}Z"


def reading(content: object) -> tuple[datetime, float]:
    if not isinstance(content, dict):
        raise BadRequest("a reading is an object with at and value")
    value = content.get("value")
    if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST < value < LARGEST:
        raise BadRequest("value must be a number, and not an astronomical one")
    return moment(content.get("at")), value


def span(request: Request) -> tuple[datetime | None, datetime | None]:
    """The query's `from` and `to`."""
    first, end = request.query_params.get("from"), request.query_params.get("to")
    return None if first is None else moment(first), None if end is None else moment(end)


def limit(request: Request, default: int, most: int) -> int:
    text = request.query_params.get("limit", str(default))
    if not re.fullmatch(r"\d{1,4}", text, re.ASCII) or not 1 <= int(text) <= most:
        raise BadRequest(f"limit must be 1 to {most}")
    return int(text)


def cursor(request: Request) -> datetime | None:
    """The moment of the last reading of the page before."""
    text = request.query_params.get("cursor")
    if text is None:
        return None
    try:
        return moment(base64.urlsafe_b64decode(text.encode()).decode())
    except (binascii.Error, UnicodeError):
        raise BadRequest("not a cursor") from None


def cursor_after(at: datetime) -> str:
    return base64.urlsafe_b64encode(written(at).encode()).decode()
