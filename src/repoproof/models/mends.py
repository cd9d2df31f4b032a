"""What to do about a fault, in words for whoever can do it."""

from __future__ import annotations

from .base import Fault, FaultKind
from .endpoint import Endpoint

MENDS = {
    FaultKind.RATE_LIMITED: "wait a little; give requests_per_minute in models.toml",
    FaultKind.OVERLOADED: "the endpoint is in trouble: try again later",
    FaultKind.TIMED_OUT: "try again, or give more timeout_seconds in models.toml",
    FaultKind.DISCONNECTED: "try again; if it stays so, look at the endpoint's log",
    FaultKind.UNREACHABLE: "start the endpoint, or correct base_url (OPENAI_BASE_URL)",
    FaultKind.MALFORMED: "correct base_url: to an OpenAI-compatible endpoint, up to and including /v1",
    FaultKind.TOO_LONG: "serve it with room for more tokens",
}

REFUSALS = {
    401: "set ${key} to a key of this endpoint",
    402: "put money on the account",
    403: "set ${key} to a key that may use this model",
    404: "correct the model's id, or base_url: up to and including /v1",
    429: "put money on the account",
}
"""Of status codes, what to do about them."""

TOO_MANY = "there is room for the prompt, but not for so many max_tokens"
"""In the reason of a refusal that a smaller limit of the answer would have spared."""


def mend_of(fault: Fault, endpoint: Endpoint) -> str:
    """Empty where nothing is known to help."""
    if fault.kind is not FaultKind.REFUSED:
        return MENDS.get(fault.kind, "")
    if TOO_MANY in fault.reason:
        return "ask for fewer max_tokens"
    return REFUSALS.get(fault.status_code or 0, "").replace("{key}", endpoint.api_key_env)
