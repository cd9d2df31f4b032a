"""How a request is refused."""

from __future__ import annotations

CODES = {400: "invalid", 401: "unauthenticated", 403: "forbidden", 404: "not_found", 409: "conflict"}


class Refusal(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    def answer(self) -> tuple[dict[str, dict[str, str]], int]:
        return {"error": {"code": CODES[self.status], "message": str(self)}}, self.status
