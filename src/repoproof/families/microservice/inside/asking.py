"""One HTTP request to the service, whose time is limited as a whole: a service that sends a byte now and then holds nobody up. Stdlib only."""

from __future__ import annotations

import http.client
import signal
from collections.abc import Iterator
from contextlib import contextmanager

BODY_LIMIT = 65536


class Answer:
    def __init__(self, status: int, body: str, allow: set[str], *, whole: bool) -> None:
        self.status, self.body, self.allow = status, body, allow
        self.whole = whole
        """Whether the body came to its end in time and within the limit."""


class NoAnswer(Exception):
    """Why there was none, in one line."""


def ask(
    port: int, method: str, path: str, seconds: float, *, body: bytes | None = None, limit: int = BODY_LIMIT
) -> Answer:
    """The service's answer. Of a stream that does not end, what came in time. Raises `NoAnswer`."""
    headers = {"Connection": "close", "Accept": "application/json, */*", "Host": f"127.0.0.1:{port}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    content = bytearray()
    response, whole = None, False
    try:
        with at_most(seconds):
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            while len(content) < limit and (part := response.read1(limit - len(content))):
                content += part
            if len(content) < limit and response.length:
                raise http.client.IncompleteRead(bytes(content), response.length)
            whole = len(content) < limit
    except (OSError, http.client.HTTPException, ValueError) as error:
        if response is None or not isinstance(error, TimeoutError):
            raise NoAnswer(f"{type(error).__name__}: {error}"[:200]) from None
    finally:
        connection.close()
    allow = {item.strip().upper() for item in (response.getheader("Allow") or "").split(",") if item.strip()}
    return Answer(response.status, content.decode("utf-8", "replace"), allow, whole=whole)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """`TimeoutError` where the body of the `with` takes longer."""

    def over(number: int, frame: object) -> None:
        raise TimeoutError(f"no whole answer in {seconds:.1f} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
