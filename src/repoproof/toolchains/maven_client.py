"""Asking a Maven repository over connections that are kept: a build asks for hundreds of small files."""

from __future__ import annotations

import base64
import http.client
import ssl
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from .maven_settings import Repository

_SOCKET_SECONDS = 30.0
_MOST_REDIRECTS = 5


class Refusal(OSError):
    """The repository answered with a status other than 200."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP status {status}")
        self.status = status


class Client:
    """Asks one repository, from any number of threads at once."""

    def __init__(self, repository: Repository) -> None:
        self._base = urllib.parse.urlsplit(repository.address)
        if self._base.scheme not in ("http", "https") or not self._base.hostname:
            raise OSError(f"{repository.address} is no address of http or https")
        self._headers = {"User-Agent": "repoproof"}
        if repository.authorization:
            self._headers["Authorization"] = repository.authorization
        self._proxy = urllib.parse.urlsplit(_proxy(repository, self._base))
        # Made once: reading this machine's certificates takes longer than most files.
        self._certificates = ssl.create_default_context()
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    @contextmanager
    def asked(self, path: str) -> Iterator[http.client.HTTPResponse]:
        """The answer to `GET path` below the repository's address. Raises `Refusal` if it is none, other `OSError`s if none came."""
        place = self._base._replace(path=f"{self._base.path.rstrip('/')}/{path}")
        with self._answer(place, self._headers, kept=True) as response:
            if response.status == 200:
                yield response
                return
            redirected = response.getheader("Location") if response.status in (301, 302, 303, 307, 308) else None
            if redirected is None:
                raise Refusal(response.status)
        with self._followed(urllib.parse.urlsplit(urllib.parse.urljoin(place.geturl(), redirected))) as response:
            yield response

    @contextmanager
    def _followed(self, place: urllib.parse.SplitResult) -> Iterator[http.client.HTTPResponse]:
        """What a redirection leads to; our credentials are for the repository alone."""
        for _ in range(_MOST_REDIRECTS):
            with self._answer(place, {"User-Agent": self._headers["User-Agent"]}, kept=False) as response:
                redirected = response.getheader("Location")
                if response.status == 200:
                    yield response
                    return
                if redirected is None:
                    raise Refusal(response.status)
            place = urllib.parse.urlsplit(urllib.parse.urljoin(place.geturl(), redirected))
        raise OSError("redirected without end")

    @contextmanager
    def _answer(
        self, place: urllib.parse.SplitResult, headers: dict[str, str], *, kept: bool
    ) -> Iterator[http.client.HTTPResponse]:
        connection = (self._waiting() if kept else None) or self._connection(place)
        done = False
        try:
            target = urllib.parse.urlunsplit(place._replace(scheme="", netloc=""))
            if place.scheme == "http" and self._proxy.hostname:
                target, headers = place.geturl(), {**headers, **self._proxy_headers}
            connection.request("GET", target, headers=headers)
            response = connection.getresponse()
            yield response
            if response.status != 200:
                response.read(1 << 20)
            done = response.isclosed() and not response.will_close
        except (OSError, http.client.HTTPException) as error:
            self.close()  # whatever ended this connection may have ended those that wait: they are not tried one by one
            raise error if isinstance(error, OSError) else OSError(f"{type(error).__name__}: {error}") from error
        finally:
            if done and kept:
                with self._lock:
                    self._idle.append(connection)
            else:
                connection.close()

    def _waiting(self) -> http.client.HTTPConnection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _connection(self, place: urllib.parse.SplitResult) -> http.client.HTTPConnection:
        via = self._proxy if self._proxy.hostname else place
        host, port = via.hostname or "", via.port
        if place.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=_SOCKET_SECONDS)
        connection = http.client.HTTPSConnection(host, port, timeout=_SOCKET_SECONDS, context=self._certificates)
        if self._proxy.hostname:
            connection.set_tunnel(place.hostname or "", place.port, headers=self._proxy_headers)
        return connection

    @property
    def _proxy_headers(self) -> dict[str, str]:
        if not self._proxy.username:
            return {}
        words = [urllib.parse.unquote(word or "") for word in (self._proxy.username, self._proxy.password)]
        return {"Proxy-Authorization": "Basic " + base64.b64encode(":".join(words).encode()).decode()}

    def close(self) -> None:
        """End the connections that nobody uses."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()


def _proxy(repository: Repository, base: urllib.parse.SplitResult) -> str:
    """The settings' proxy, or the environment's where they have none."""
    if repository.proxy or repository.direct:
        return repository.proxy
    if urllib.request.proxy_bypass(base.hostname or ""):
        return ""
    found = urllib.request.getproxies().get(base.scheme, "")
    return found if not found or "://" in found else f"http://{found}"
