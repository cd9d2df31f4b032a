"""An HTTP endpoint, and when two of them are the same."""

from __future__ import annotations

from pydantic import Field

from ..core.base import Frozen

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


class Endpoint(Frozen):
    """A method and a path template: `GET /api/v1/widgets/{id}`."""

    method: str = Field(pattern="^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|ANY)$")
    """Upper case; `ANY` only for routes that take every method."""
    path: str = Field(pattern="^/")
    """As written, base path joined, parameters in braces: `{id}`."""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Route(Endpoint):
    """An endpoint found in source code."""

    file: str
    """Relative to the tree."""
    line: int
    """1-based."""
    framework: str
    """Which reader found it: `fastapi`, `express`, ..."""
