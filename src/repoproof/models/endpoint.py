"""Where a model is asked: named endpoints in a TOML file, or the usual variables of the environment."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote, urlsplit

from pydantic import Field, field_validator

from ..core.base import Frozen

OURS = frozenset({"model", "messages", "prompt", "suffix", "n", "stream"})
"""Fields of a call's body that no one else may set."""


HIDDEN = "***"
"""In the place of a key or password."""


def is_address(url: str) -> bool:
    """Whether `url` is one that can be asked."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and url.isprintable()
        # The rest of the path is put behind it.
        return is_one and "?" not in url and "#" not in url
    except ValueError:
        return False


def shown_address(url: str) -> str:
    """`url`, or what was meant to be one, as a message may repeat it: passwords stand before an `@`, and keys behind a `?`."""
    before, at, rest = url.rpartition("@")
    if at:
        # A password may hold any mark; the scheme is all that is surely none.
        scheme = re.match(r"[a-z]+://", before, re.IGNORECASE)
        url = f"{scheme[0] if scheme else ''}{HIDDEN}@{rest}"
    found = re.search(r"[?#]", url)
    return repr(f"{url[: found.end()]}..." if found else url)


def secrets_of(url: str) -> tuple[str, ...]:
    """What of an address must not be repeated: its password, as it is written and as it is meant."""
    try:
        password = urlsplit(url).password or ""
    except ValueError:
        return ()
    return tuple(dict.fromkeys(filter(None, (password, unquote(password)))))


class Prices(Frozen):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    """US dollars per million tokens of prompts."""
    output: float = Field(ge=0)
    """US dollars per million tokens of answers, reasoning included."""
    cached_input: float | None = Field(default=None, ge=0)
    """US dollars per million prompt tokens that the endpoint had in its cache. None for the price of others."""


class Endpoint(Frozen):
    """One table of `models.toml`: a model, where it is, what it costs, how hard it may be pressed."""

    name: str
    """What `--model` calls it: the table's name. For a bare model id, that id."""
    model: str = Field(min_length=1)
    """Id of the model, as the endpoint is told."""
    base_url: str = ""
    """Its address, up to and including `/v1`; empty for $OPENAI_BASE_URL."""
    api_key_env: str = "OPENAI_API_KEY"
    """Variable that holds the key. Keys themselves are never written down. Unset is fine where none is asked for."""
    prices: Prices | None = None
    """In US dollars, as in `{ input = 0.15, output = 0.60 }`. None for unknown: no cost, and no budget in money."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    """Calls that are sent in a minute, at most. None for no limit."""
    tokens_per_minute: int | None = Field(default=None, ge=1)
    """Of prompts and answers, at most. None for no limit."""
    concurrency: int = Field(default=16, ge=1, le=1000)
    """Calls at once."""
    timeout_seconds: float = Field(default=300.0, gt=0)
    """That one call may take."""
    tries: int = Field(default=5, ge=1)
    """Calls that are sent for one question before it ends as a fault."""
    first_delay_seconds: float = Field(default=1.0, ge=0)
    """Seconds before the second try; doubled with each further one, spread, at most a minute; what `Retry-After` says where it says so."""
    context_tokens: int | None = Field(default=None, ge=1)
    """Prompt and answer together: what a call without an answer may have cost, where `max_tokens` does not say. None for unknown."""
    max_tokens_field: str = "max_tokens"
    """What the endpoint calls the limit of the answer: some want `max_completion_tokens`."""
    fill_template: str = ""
    """Text with `{prefix}` and `{suffix}` that makes a fill-in-the-middle prompt; empty where the endpoint takes a suffix itself."""
    extra: dict[str, object] = {}
    """Further fields of each call's body, as they are."""

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        if url and not is_address(url):
            raise ValueError(f"{shown_address(url)} is not http(s)://HOST/v1")
        return url

    @field_validator("api_key_env")
    @classmethod
    def _is_a_variable(cls, name: str) -> str:
        # It may be the key itself, and is not repeated.
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise ValueError("is not the name of a variable; the key belongs into the variable")
        return name

    @field_validator("max_tokens_field")
    @classmethod
    def _is_free(cls, field: str) -> str:
        if not field or field in OURS:
            raise ValueError(f"{field!r} cannot be the limit's name")
        return field

    @field_validator("fill_template")
    @classmethod
    def _has_both_ends(cls, template: str) -> str:
        if template and not ("{prefix}" in template and "{suffix}" in template):
            raise ValueError(f"{template!r} has not both {{prefix}} and {{suffix}}")
        return template

    @field_validator("extra")
    @classmethod
    def _can_be_sent(cls, extra: dict[str, object]) -> dict[str, object]:
        if taken := sorted(OURS & extra.keys()):
            raise ValueError(f"{', '.join(taken)}: set by RepoProof itself")
        try:
            json.dumps(extra, allow_nan=False)
        except (TypeError, ValueError):
            raise ValueError("holds what JSON has not (a date, a time, inf or nan)") from None
        return extra
