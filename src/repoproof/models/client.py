"""One call of an endpoint, through the `openai` package; whatever comes of it is an answer or a fault."""

from __future__ import annotations

import asyncio
import os
import re
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import reduce
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from ..core.base import KiB, MiB
from ..core.errors import BadInput
from .base import Answer, ChatRequest, Fault, FaultKind, FillRequest, Lost
from .context import is_about_context, prompt_fits
from .endpoint import HIDDEN, Endpoint, is_address, secrets_of, shown_address
from .mends import TOO_MANY
from .wire import NotAnAnswer, body_of, cost, most, read_answer, said, said_in

if TYPE_CHECKING:
    from openai import AsyncAPIResponse, AsyncOpenAI

BODY_BYTES = 32 * MiB
"""Of an answer; a body that is longer is none."""
COMPLAINT_BYTES = 64 * KiB
"""What is read of the body of what is no 2xx."""
CONNECT_SECONDS = 30.0
"""After which there is no connection."""
NO_KEY = "none"
"""What is sent as the key where none is set: local servers want none."""
LEAST_SECRET = 8
"""Characters of a key that is one: `any`, which some set for a server that wants none, is a word that answers have."""


@dataclass(frozen=True)
class Outcome:
    """What came of one call."""

    result: Answer | Fault
    retry_after: float | None = None
    """Seconds that the endpoint asks to wait before another."""


class Client(Protocol):
    """One connection pool to one endpoint."""

    async def call(self, request: ChatRequest | FillRequest) -> Outcome:
        """Send it, once. Never raises for what the endpoint does."""
        ...


@asynccontextmanager
async def connected(endpoint: Endpoint) -> AsyncGenerator[Client]:
    """A client of `endpoint`. Nothing is sent yet."""
    try:
        import openai
    except ImportError:
        raise BadInput(
            "asking a model needs the openai package", subject=endpoint.name, mend="pip install 'repoproof[models]'"
        ) from None
    address, key = address_of(endpoint), key_of(endpoint)
    try:
        # Who asks decides where to: a question is not to be sent on to wherever an endpoint says.
        http_client = openai.DefaultAsyncHttpxClient(
            follow_redirects=False, event_hooks={"response": [_complaints_are_short]}
        )
    except Exception as error:
        # It takes proxies and certificates from the environment; its own exceptions for a wrong address have no base in common.
        words = re.sub(r"//[^/\s]*@", f"//{HIDDEN}@", str(error))
        mend = "correct HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE or SSL_CERT_DIR"
        raise BadInput(f"no connection can be made: {words}", subject=endpoint.name, mend=mend) from None
    async with openai.AsyncOpenAI(
        api_key=key or NO_KEY,
        # None is the vendor's own.
        base_url=address or None,
        max_retries=0,
        # Until the connection is there; of the whole call, we hold the limit ourselves.
        timeout=openai.Timeout(None, connect=min(CONNECT_SECONDS, endpoint.timeout_seconds)),
        http_client=http_client,
    ) as client:
        # `openai` imports these only now, which takes too long to be part of a call.
        create: dict[str, Any] = {
            "chat": (client.chat.completions.with_streaming_response.create, ("model", "messages")),
            "fill": (client.completions.with_streaming_response.create, ("model", "prompt")),
        }
        secrets = tuple(secret for secret in (key, *secrets_of(address)) if len(secret) >= LEAST_SECRET)
        yield _Client(endpoint, client, secrets, create)


def address_of(endpoint: Endpoint) -> str:
    """Where the endpoint is; empty where neither it nor the environment says so."""
    if endpoint.base_url:
        return endpoint.base_url
    address = os.environ.get("OPENAI_BASE_URL", "").strip()
    if address and not is_address(address):
        raise BadInput(
            f"{shown_address(address)} is not an address", field="$OPENAI_BASE_URL", mend="as in http://HOST:PORT/v1"
        )
    return address


def key_of(endpoint: Endpoint) -> str:
    """The endpoint's key; empty where none is set."""
    key = os.environ.get(endpoint.api_key_env, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise BadInput("no key has such characters", field=f"${endpoint.api_key_env}", mend="set it to the key alone")
    return key


class _Complaint(Exception):
    """What is no 2xx."""

    def __init__(self, status_code: int, body: bytes, location: str, retry_after: float | None) -> None:
        self.status_code = status_code
        self.body = body
        self.location = location
        """Where it redirects to."""
        self.retry_after = retry_after


class _Response(Protocol):
    """What we use of a response of the HTTP library, which is another one from version to version of `openai`."""

    status_code: int

    @property
    def headers(self) -> Any: ...
    def aiter_bytes(self) -> AsyncIterable[bytes]: ...


async def _complaints_are_short(response: _Response) -> None:
    """Ends what is no answer before `openai` reads all of it, however long it is."""
    if response.status_code < 300:
        return
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) >= COMPLAINT_BYTES:
            break
    wait = read_retry_after(response.headers.get("retry-after", ""), response.headers.get("date", ""))
    location = response.headers.get("location", "")
    raise _Complaint(response.status_code, bytes(body[:COMPLAINT_BYTES]), location, wait)


@dataclass(frozen=True)
class _Client:
    endpoint: Endpoint
    client: AsyncOpenAI
    secrets: tuple[str, ...]
    """What must not be said: the key, a password in the address."""
    create: Mapping[str, tuple[Callable[..., AbstractAsyncContextManager[AsyncAPIResponse[Any]]], tuple[str, str]]]
    """By kind of request: what sends it, and what that wants by name."""

    async def call(self, request: ChatRequest | FillRequest) -> Outcome:
        begun = time.monotonic()
        limit = asyncio.timeout(self.endpoint.timeout_seconds)
        try:
            async with limit:
                body = await self.exchanged(request)
            return Outcome(read_answer(body, request, self.endpoint, time.monotonic() - begun))
        except NotAnAnswer as error:
            kind, reason, complaint = FaultKind.MALFORMED, str(error), None
        except Exception as error:
            complaint = next((cause for cause in _causes(error) if isinstance(cause, _Complaint)), None)
            if complaint is not None:
                kind, reason = _refusal(complaint, self.without_secrets(complaint.body), request.sampling.max_tokens)
            elif isinstance(error, TimeoutError) and limit.expired():
                kind, reason = FaultKind.TIMED_OUT, f"no answer within {self.endpoint.timeout_seconds:g} s"
            elif (known := _broken_connection(error)) is not None:
                kind, reason = known, self.described(known, error)
            else:
                raise
        fault = Fault(
            kind=kind,
            reason=reduce(lambda text, secret: text.replace(secret, HIDDEN), self.secrets, reason),
            status_code=complaint.status_code if complaint else None,
            tries=1,
            seconds=time.monotonic() - begun,
            lost=self.lost(request) if kind in _MAY_BE_PAID else None,
        )
        return Outcome(fault, complaint.retry_after if complaint else None)

    def lost(self, request: ChatRequest | FillRequest) -> Lost:
        usage, prices = most(request, context_tokens=self.endpoint.context_tokens), self.endpoint.prices
        return Lost(tokens=usage.tokens, usd=cost(usage, prices) if prices else None)

    async def exchanged(self, request: ChatRequest | FillRequest) -> bytes:
        """The body of a 2xx."""
        body = bytearray()
        async with self.sent(request) as response:
            async for chunk in response.iter_bytes():
                body += chunk
                if len(body) > BODY_BYTES:
                    raise NotAnAnswer(f"a body of more than {BODY_BYTES // MiB} MiB")
        return self.without_secrets(bytes(body))

    def sent(self, request: ChatRequest | FillRequest) -> AbstractAsyncContextManager[AsyncAPIResponse[Any]]:
        body: dict[str, Any] = body_of(request, self.endpoint)
        create, names = self.create[request.kind]
        named = {name: body.pop(name) for name in names}
        # What `openai` knows by name it transforms and checks; `extra_body` goes out as it is.
        return create(**named, extra_body=body)

    def described(self, kind: FaultKind, error: Exception) -> str:
        """In words of ours: those of the HTTP library quote headers, the key among them."""
        system = next(filter(None, map(_system_says, _causes(error))), "")
        place = urlsplit(str(self.client.base_url))
        shown = f"{place.hostname}{f':{place.port}' if place.port else ''}"
        if place.scheme in getproxies() and not proxy_bypass(place.hostname or ""):
            shown += f" by the proxy of {place.scheme}_proxy"
        what = {
            FaultKind.UNREACHABLE: f"no connection to {shown}",
            FaultKind.DISCONNECTED: f"{shown} ended the connection before the answer",
            FaultKind.MALFORMED: f"{shown} answered what is not HTTP, or badly compressed",
        }[kind]
        return f"{what}: {system}" if system else what

    def without_secrets(self, body: bytes) -> bytes:
        """All that is made of it may be written down: an answer as it is, a complaint cut short, maybe within the key."""
        return reduce(lambda text, secret: text.replace(secret.encode(), HIDDEN.encode()), self.secrets, body)


_MAY_BE_PAID = frozenset({FaultKind.TIMED_OUT, FaultKind.DISCONNECTED, FaultKind.MALFORMED})
"""The endpoint had the question, and may have answered it."""


def _refusal(complaint: _Complaint, body: bytes, max_tokens: int | None) -> tuple[FaultKind, str]:
    status = complaint.status_code
    reason = f"{status}: {said_in(body)}" if body.strip() else f"{status}"
    if complaint.location and status < 400:
        return FaultKind.REFUSED, f"{status}: it redirects to {said(shown_address(complaint.location))}"
    if is_about_context(status, body):
        if prompt_fits(body, max_tokens):
            return FaultKind.REFUSED, f"{reason} ({TOO_MANY})"
        return FaultKind.TOO_LONG, reason
    if status == 429 and b"insufficient_quota" not in body:
        kind = FaultKind.RATE_LIMITED
    elif status == 408:
        kind = FaultKind.TIMED_OUT
    else:
        # An account without money is refused with a 429 too, and no wait mends that.
        kind = FaultKind.OVERLOADED if status >= 500 else FaultKind.REFUSED
    return kind, reason


_BY_NAME = {
    "APITimeoutError": FaultKind.UNREACHABLE,
    "ConnectError": FaultKind.UNREACHABLE,
    "ConnectTimeout": FaultKind.UNREACHABLE,
    "ProxyError": FaultKind.UNREACHABLE,
    "DecodingError": FaultKind.MALFORMED,
    "APIStatusError": FaultKind.MALFORMED,
    "RequestError": FaultKind.DISCONNECTED,
    "APIConnectionError": FaultKind.DISCONNECTED,
}
"""By the names of exceptions: `openai` moved from one HTTP library to another, and they share these."""


def _broken_connection(error: Exception) -> FaultKind | None:
    """What an exception of `openai`, or of the HTTP library below it, means; the most telling of its causes decides."""
    names = {type_.__name__ for cause in _causes(error) for type_ in type(cause).__mro__}
    return next((kind for name, kind in _BY_NAME.items() if name in names), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, and what it came from."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        at = at.__cause__ or at.__context__


def _system_says(error: BaseException) -> str:
    """Why the system refused; asyncio's own words for it name only the address again."""
    if not isinstance(error, OSError) or error.errno is None:
        return ""
    has_number = error.errno > 0 and not isinstance(error, ssl.SSLError)
    return os.strerror(error.errno) if has_number else error.strerror or ""


def read_retry_after(value: str, date: str = "") -> float | None:
    """Seconds in a `Retry-After` header: a number, or a date, by the clock of the response's own `Date` where it has one."""
    try:
        seconds = float(value)
    except ValueError:
        until, now = _moment(value), _moment(date) or datetime.now(UTC)
        seconds = (until - now).total_seconds() if until else float("nan")
    return max(0.0, seconds) if isfinite(seconds) else None


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    # "-0000" means UTC that says nothing of the sender's zone.
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
