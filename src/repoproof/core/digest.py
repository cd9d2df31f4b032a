"""Identity by content: what two machines agree on when they hold the same thing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable


def canonical_json(value: object) -> str:
    """The one spelling of a JSON value: keys sorted, no spaces, no escapes that are not needed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of_strings(*strings: str) -> str:
    """SHA-256 (hex) of a sequence of strings; each is preceded by its length, so no two sequences collide by joining."""
    return digest_of_all(strings)


def digest_of_all(strings: Iterable[str]) -> str:
    """As `digest_of_strings`, for a sequence too long to be an argument list."""
    sha = hashlib.sha256()
    for string in strings:
        encoded = string.encode("utf-8", "surrogatepass")
        sha.update(b"%d:" % len(encoded))
        sha.update(encoded)
    return sha.hexdigest()
