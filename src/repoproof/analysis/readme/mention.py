"""A place in a README that names a method and a path."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .markdown import Section
from .phrase import Target


class Notation(StrEnum):
    """How an endpoint is written."""

    LABELLED = "labelled"
    """`**API Name**: `POST /widgets``, under any of the labels that authors use."""
    PHRASE = "phrase"
    """A line or list item that begins with it, marked up or bare: `- `GET /widgets` (Admin only)`, `**POST** `/widgets``."""
    TITLED = "titled"
    """After a few words that say what it does: `Create a widget: `POST /widgets``."""
    HEADING = "heading"
    """`### POST /widgets`."""
    FIELDS = "fields"
    """Split over lines or labels: `Method: GET` and `Path: /widgets`, in either order."""
    METHOD_UNDER_PATH = "method under path"
    """`### /widgets`, then `- GET: list them`."""
    PATH_UNDER_METHOD = "path under method"
    """`### GET`, then `- `/widgets`: all of them`."""
    TABLE = "table"
    LISTING = "listing"
    """A line of a fenced block: `POST /widgets   # create`."""
    REQUEST = "request"
    """A concrete HTTP request: `POST /widgets?dry_run=1 HTTP/1.1`."""
    COMMAND = "command"
    """curl, wget, HTTPie, or a command of PowerShell."""
    OPENAPI = "openapi"
    """A document, or an excerpt of one."""
    DOCUMENT = "document"
    """A list in YAML or JSON: `- {method: GET, path: /widgets}`."""
    CLIENT = "client"
    """Client code that sends a request: `fetch("http://localhost/widgets")`."""


@dataclass(frozen=True)
class Mention:
    """What one place says, before base paths are joined and examples folded."""

    method: str
    target: Target
    line: int
    notation: Notation
    section: Section
    shown: bool = False
    """A concrete call, shown as an example, rather than a declaration."""
    of_heading: bool = False
    """The path is that of a heading around it."""
    outside: bool = False
    """Said to be outside the base path."""
