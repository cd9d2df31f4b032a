"""The mirror between a sandboxed Maven and the network: what it fetches, refuses, keeps, and whose failure each end is."""

from __future__ import annotations

import hashlib
import http.client
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from repoproof.core.errors import Boundary, InfrastructureError
from repoproof.toolchains import maven_mirror
from repoproof.toolchains.maven_mirror import Mirror, listening, pinned
from repoproof.toolchains.maven_settings import Repository
from repoproof.toolchains.store import Store

JAR = "org/example/a/1.0/a-1.0.jar"
METADATA = "org/example/a/maven-metadata.xml"


class Upstream:
    """A repository on this machine: path -> content; it publishes a checksum of each, unless told another."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {JAR: b"jar", METADATA: b"<metadata/>"}
        self.checksums: dict[str, str] = {}
        self.status = 200
        self.published = ""
        self.asked: list[str] = []
        self.seen: list[tuple[str, str | None, str | None]] = []
        """Of each request: path or address, credentials, credentials for a proxy."""
        self.clients: set[object] = set()
        self.moved_to = ""
        self.address = ""

    def answer(self, path: str) -> bytes | None:
        if path.endswith(".sha1"):
            plain = path.removesuffix(".sha1")
            known = hashlib.sha1(self.files[plain]).hexdigest() if plain in self.files else None
            said = self.checksums.get(plain, known)
            return said.encode() if said is not None else None
        self.asked.append(path)
        return self.files.get(path)


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    repository = Upstream()

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            repository.seen.append(
                (self.path, self.headers.get("Authorization"), self.headers.get("Proxy-Authorization"))
            )
            repository.clients.add(self.client_address)
            path = self.path.removeprefix("http://central.example").removeprefix("/maven/")
            body = repository.answer(path.removeprefix("/elsewhere/"))
            if repository.moved_to and path.startswith("org/"):
                self.send_response(302)
                self.send_header("Location", f"{repository.moved_to}/{path}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(404 if body is None else repository.status)
            self.send_header("Content-Length", str(len(body or b"")))
            if repository.published:
                self.send_header("Last-Modified", repository.published)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    repository.address = f"http://127.0.0.1:{server.server_port}/maven"
    yield repository
    server.shutdown()
    server.server_close()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


@pytest.fixture
def mirror(upstream: Upstream, store: Store) -> Iterator[Mirror]:
    with closing(Mirror(store, Repository(address=upstream.address), seconds=60)) as made:
        yield made


def content(mirror: Mirror, path: str) -> bytes | None:
    found = mirror.answer(path)
    return found.read_bytes() if found else None


def test_a_released_file_is_fetched_once_for_all_mirrors_and_what_versions_there_are_each_time(
    mirror: Mirror, upstream: Upstream, store: Store
) -> None:
    assert (content(mirror, JAR), content(mirror, METADATA)) == (b"jar", b"<metadata/>")
    with closing(Mirror(store, Repository(address=upstream.address), seconds=60)) as another:
        assert (content(another, JAR), content(another, METADATA)) == (b"jar", b"<metadata/>")
    assert upstream.asked == [JAR, METADATA, METADATA]


def test_another_repository_s_file_of_the_same_path_is_another_file(mirror: Mirror, store: Store) -> None:
    assert content(mirror, JAR) == b"jar"
    with closing(Mirror(store, Repository(address="http://127.0.0.1:9"), seconds=60)) as another:
        with pytest.raises(OSError, match="refused"):
            another.answer(JAR)


@pytest.mark.parametrize("checksum", ["0" * 40, "", "<html>"])
def test_a_file_whose_checksum_is_wrong_is_not_kept_and_is_our_failure(
    mirror: Mirror, upstream: Upstream, store: Store, checksum: str
) -> None:
    upstream.checksums[JAR] = checksum
    with pytest.raises(OSError, match="does not have the checksum"):
        mirror.answer(JAR)
    assert mirror.failures and not mirror.served and not list(store.entries())


@pytest.mark.parametrize(
    ("status", "there"),
    [(404, False), (403, False), (410, False), (401, None), (429, None), (500, None), (503, None)],
)
def test_a_repository_that_says_no_and_one_that_fails_are_told_apart(
    mirror: Mirror, upstream: Upstream, status: int, there: bool | None
) -> None:
    upstream.status = status
    if there is None:
        with pytest.raises(OSError, match=str(status)):
            mirror.answer(JAR)
    else:
        assert mirror.answer(JAR) is None
    assert bool(mirror.failures) is (there is None)


def test_a_snapshot_is_never_there(mirror: Mirror, upstream: Upstream) -> None:
    path = "org/example/a/1.0-SNAPSHOT/a-1.0-SNAPSHOT.jar"
    upstream.files[path] = b"changes"
    assert mirror.answer(path) is None and upstream.asked == []


def test_what_was_published_after_the_cut_off_is_not_there(upstream: Upstream, store: Store) -> None:
    upstream.published = format_datetime(datetime(2024, 5, 1, tzinfo=UTC), usegmt=True)
    for day, there in ((date(2024, 4, 30), False), (date(2024, 5, 1), True)):
        repository = Repository(address=upstream.address)
        with closing(Mirror(store, repository, seconds=60, exclude_newer=day)) as mirror:
            assert bool(mirror.answer(JAR)) is there


def test_more_than_the_limit_is_not_fetched(
    mirror: Mirror, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream.files["org/example/b/1.0/b-1.0.jar"] = b"b"
    monkeypatch.setattr(maven_mirror, "MOST_BYTES", 2)
    assert content(mirror, METADATA.replace("/a/", "/c/")) is None
    with pytest.raises(OSError, match="larger than"):
        mirror.answer(JAR)
    monkeypatch.setattr(maven_mirror, "MOST_BYTES", 3)
    assert content(mirror, JAR) == b"jar"
    monkeypatch.setattr(maven_mirror, "MOST_BYTES", 1)
    assert mirror.answer("org/example/b/1.0/b-1.0.jar") is None
    assert "more than" in mirror.excess


def test_credentials_go_to_the_repository_and_not_where_it_sends_us(upstream: Upstream, store: Store) -> None:
    upstream.moved_to = f"{upstream.address.removesuffix('/maven')}/elsewhere"
    with closing(Mirror(store, Repository(address=upstream.address, authorization="Basic eA=="), seconds=60)) as mirror:
        assert content(mirror, JAR) == b"jar"
    assert {(path.split("/")[1], credentials) for path, credentials, _ in upstream.seen} == {
        ("maven", "Basic eA=="),
        ("elsewhere", None),
    }


def test_a_proxy_is_asked_for_the_whole_address_with_its_own_credentials(upstream: Upstream, store: Store) -> None:
    proxy = upstream.address.replace("http://", "http://u:p%40@").removesuffix("/maven")
    with closing(Mirror(store, Repository(address="http://central.example/maven", proxy=proxy), seconds=60)) as mirror:
        assert content(mirror, JAR) == b"jar"
    assert upstream.seen[0] in [
        (f"http://central.example/maven/{JAR}{end}", None, "Basic dTpwQA==") for end in ("", ".sha1")
    ]


def test_connections_are_kept(mirror: Mirror, upstream: Upstream) -> None:
    upstream.files |= {f"org/example/a/{n}/a-{n}.pom": b"pom" for n in range(20)}
    assert all(mirror.answer(f"org/example/a/{n}/a-{n}.pom") for n in range(20))
    assert len(upstream.seen) == 40 and len(upstream.clients) <= 2


def test_a_program_of_ours_must_have_its_hash(upstream: Upstream, store: Store) -> None:
    repository = Repository(address=upstream.address)
    assert pinned(JAR, hashlib.sha256(b"jar").hexdigest(), store, repository).read_bytes() == b"jar"
    for path, hash, problem in (
        (JAR, "0" * 64, "not what it should be"),
        ("org/example/x/1/x-1.jar", "0" * 64, "has no"),
    ):
        with pytest.raises(InfrastructureError, match=problem) as raised:
            pinned(path, hash, store, repository)
        assert raised.value.boundary is Boundary.TOOLCHAIN


class OverSocket(http.client.HTTPConnection):
    """HTTP over a socket of the file system."""

    def __init__(self, path: Path) -> None:
        super().__init__("sandbox")
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        folder = os.open(self.path.parent, os.O_PATH)
        self.sock.connect(f"/proc/self/fd/{folder}/{self.path.name}")
        os.close(folder)


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        (f"/{JAR}", 200, b"jar"),
        (f"/{JAR}.sha1", 200, hashlib.sha1(b"jar").hexdigest().encode()),
        (f"/{JAR}.md5", 200, hashlib.md5(b"jar").hexdigest().encode()),
        (f"/{JAR}.asc", 404, b""),
        (f"/{METADATA}", 200, b"<metadata/>"),
        ("/org/example/a/2.0/a-2.0.jar", 404, b""),
        ("/org/example/../a/1.0/a-1.0.jar", 404, b""),
        ("//host/org/example/a/1.0/a-1.0.jar", 404, b""),
        (f"/{JAR}?key=value", 404, b""),
        ("http://127.0.0.1:9/org/example/a-1.0.jar", 404, b""),
        ("/%6frg/example/a/1.0/a-1.0.jar", 404, b""),
        ("/", 404, b""),
    ],
)
def test_a_sandbox_can_ask_for_files_of_the_repository_and_for_nothing_else(
    mirror: Mirror, upstream: Upstream, tmp_path: Path, path: str, status: int, body: bytes
) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    with listening(mirror, long / "mirror") as place, closing(OverSocket(place)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (status, body)
    assert set(upstream.asked) <= {JAR, METADATA, "org/example/a/2.0/a-2.0.jar", "host/org/example/a/1.0/a-1.0.jar"}
