"""One call of an endpoint: whatever it does is data."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from plugins.asking import answered, endpoint_at, failed, outcomes, question

from repoproof.core.base import MiB
from repoproof.core.errors import BadInput, Boundary
from repoproof.models.base import FaultKind, FillRequest, Finish, Sampling
from repoproof.models.client import read_retry_after
from repoproof.models.endpoint import Prices
from repoproof.models.scripted import Rule, Spoiled, scripted_server


@contextmanager
def saying(response: bytes, *, times: int = 1) -> Generator[str]:
    """The address of an endpoint that sends these bytes, so many times over, to whoever asks, and hangs up."""

    class Call(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            length = 0
            while line := self.rfile.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.rfile.read(length)
            try:
                for _ in range(times):
                    self.wfile.write(response)
            except OSError:
                pass  # Who asked has heard enough.

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Call) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


def http(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@pytest.mark.parametrize(
    ("rule", "kind", "sent"),
    [
        (Rule(status=429, retry_after=0), FaultKind.RATE_LIMITED, 3),
        (Rule(status=500), FaultKind.OVERLOADED, 3),
        (Rule(status=503), FaultKind.OVERLOADED, 3),
        (Rule(hold=True), FaultKind.TIMED_OUT, 3),
        (Rule(fault=Spoiled.TRICKLE, delay_seconds=60), FaultKind.TIMED_OUT, 3),
        (Rule(fault=Spoiled.CUT), FaultKind.DISCONNECTED, 3),
        (Rule(fault=Spoiled.DISCONNECT), FaultKind.DISCONNECTED, 3),
        (Rule(fault=Spoiled.MALFORMED), FaultKind.MALFORMED, 1),
        (Rule(fault=Spoiled.NO_CHOICES), FaultKind.MALFORMED, 1),
        (Rule(status=400), FaultKind.REFUSED, 1),
        (Rule(status=401), FaultKind.REFUSED, 1),
        (Rule(status=404), FaultKind.REFUSED, 1),
    ],
    ids=lambda value: str(value.status or value.fault or "held") if isinstance(value, Rule) else "",
)
def test_a_fault_is_data_of_its_own_kind_and_tried_again_where_that_may_help(
    rule: Rule, kind: FaultKind, sent: int
) -> None:
    with scripted_server([rule]) as server:
        # Long enough to be sent and heard of; only what is held back takes it all.
        timeout = 1.0 if kind is FaultKind.TIMED_OUT else 60.0
        fault = failed(*outcomes(endpoint_at(server.base_url, tries=3, timeout_seconds=timeout), [question()]))
        assert (fault.kind, fault.boundary, fault.tries) == (kind, Boundary.MODEL, sent)
        assert fault.status_code == rule.status
        assert fault.reason
        assert "\n" not in fault.reason
        assert server.counts().total == sent


@pytest.mark.parametrize(
    "rule",
    [
        Rule(times=2, status=429, retry_after=0),
        Rule(times=2, status=502),
        Rule(times=2, fault=Spoiled.CUT),
        Rule(times=2, fault=Spoiled.DISCONNECT),
    ],
    ids=lambda rule: str(rule.status or rule.fault),
)
def test_a_fault_that_passes_costs_tries_and_no_answer(rule: Rule) -> None:
    with scripted_server([rule]) as server:
        answer = answered(*outcomes(endpoint_at(server.base_url, tries=3), [question()]))
        assert answer.tries == server.counts().total == 3


def test_nobody_there_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    fault = failed(*outcomes(endpoint_at(f"http://127.0.0.1:{port}/v1", tries=2), [question()]))
    assert (fault.kind, fault.tries) == (FaultKind.UNREACHABLE, 2)
    assert fault.reason == f"no connection to 127.0.0.1:{port}: Connection refused"


def test_a_host_without_an_address_is_unreachable() -> None:
    fault = failed(*outcomes(endpoint_at("http://no-such-host.invalid/v1", tries=1), [question()]))
    assert fault.kind is FaultKind.UNREACHABLE
    assert fault.reason.startswith("no connection to no-such-host.invalid: ")


@pytest.mark.parametrize(
    ("response", "kind", "reason"),
    [
        (http(b""), FaultKind.MALFORMED, "an empty body"),
        (http(b"null"), FaultKind.MALFORMED, "not a JSON object: null"),
        (http(b"[" * 100_000), FaultKind.MALFORMED, "not JSON: RecursionError"),
        (http(b'{"choices": [{}]}'), FaultKind.MALFORMED, "a choice without a message"),
        (
            http(b'{"error": {"message": "the\\nprovider failed"}}'),
            FaultKind.MALFORMED,
            "no choices: the provider failed",
        ),
        (http(b"\xff\xfe\xfa"), FaultKind.MALFORMED, "not JSON: UnicodeDecodeError"),
        (http(b"no gzip", "200 OK", "Content-Encoding: gzip"), FaultKind.MALFORMED, "what is not HTTP, or badly"),
        (http(b"", "304 Not Modified"), FaultKind.REFUSED, "304"),
        (b"SSH-2.0-OpenSSH\r\n", FaultKind.DISCONNECTED, "ended the connection before the answer"),
        (http(b"a" * 100)[:-1], FaultKind.DISCONNECTED, "ended the connection before the answer"),
        (http(b'{"detail": "no such model"}', "404 Not Found"), FaultKind.REFUSED, "404: no such model"),
        (http(b"<h1>Bad\nGateway</h1>", "502 Bad Gateway"), FaultKind.OVERLOADED, "502: <h1>Bad Gateway</h1>"),
        (http(b"", "500 Internal Server Error"), FaultKind.OVERLOADED, "500"),
        (http(b"", "408 Request Timeout"), FaultKind.TIMED_OUT, "408"),
        (
            http(b'{"error": {"message": "pay first", "code": "insufficient_quota"}}', "429 Too Many Requests"),
            FaultKind.REFUSED,
            "429: pay first",
        ),
    ],
)
def test_whatever_is_sent_back_is_a_fault_with_a_reason(response: bytes, kind: FaultKind, reason: str) -> None:
    with saying(response) as address:
        fault = failed(*outcomes(endpoint_at(address, tries=1), [question()]))
    assert fault.kind is kind
    assert reason in fault.reason


def test_a_password_in_the_address_is_repeated_by_nobody() -> None:
    told = b'{"error": {"message": "who is user:s3cret/word?"}}'
    for response in (
        http(told, "403 Forbidden"),
        http(b"", "307 Moved", "Location: http://user:pw@elsewhere/v1?key=sk-1"),
    ):
        with saying(response) as address:
            secret = address.replace("//", "//user:s3cret%2Fword@")
            fault = failed(*outcomes(endpoint_at(secret, tries=1), [question()]))
        assert fault.kind is FaultKind.REFUSED and "***" in fault.reason
        assert not any(word in fault.reason for word in ("s3cret", "pw@", "sk-1"))


@pytest.mark.parametrize("status", ["200 OK", "500 Internal Server Error"])
def test_a_body_without_end_is_not_read_to_its_end(status: str) -> None:
    sent = b"x" * MiB
    head = f"HTTP/1.1 {status}\r\nContent-Length: {1024 * MiB}\r\n\r\n".encode()
    with saying(head + sent, times=1024) as address:
        fault = failed(*outcomes(endpoint_at(address, tries=1, timeout_seconds=60), [question()]))
    assert fault.kind is (FaultKind.MALFORMED if status == "200 OK" else FaultKind.OVERLOADED)
    assert len(fault.reason) < 400


QUOTED = b"400 if the input is too long. " * 3000


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"detail":[{"msg":"Extra inputs are not permitted","input":{"content":"%s"}}]}', FaultKind.REFUSED),
        (
            b'{"detail":[{"msg":"prompt is too long: 9 tokens > 8 maximum","input":{"content":"%s"}}]}',
            FaultKind.TOO_LONG,
        ),
        (b"maximum context length " + b"1" * 65536, FaultKind.TOO_LONG),
        (b'{"error": "maximum context length is ' + b"1," * 32740 + b'"}', FaultKind.TOO_LONG),
        (b"input token count " * 3641, FaultKind.REFUSED),
        (b"`inputs` " * 7282, FaultKind.REFUSED),
    ],
    ids=["quoting", "saying and quoting", "digits", "digits in JSON", "counts", "inputs"],
)
def test_a_complaint_of_any_length_is_taken_for_what_it_says(body: bytes, kind: FaultKind) -> None:
    """Of a quoted prompt the end is not even read; the others are what would hold up every other call."""
    with saying(http(body.replace(b"%s", QUOTED), "400 Bad Request")) as address:
        fault = failed(*outcomes(endpoint_at(address), [question()]))
    assert (fault.kind, fault.tries, fault.status_code) == (kind, 1, 400)


def test_the_key_is_sent_and_never_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-secret-1234")
    with saying(http(b'{"error": {"message": "wrong key: sk-secret-1234"}}', "401 Unauthorized")) as address:
        fault = failed(*outcomes(endpoint_at(address, api_key_env="SOME_KEY"), [question()]))
    assert fault.reason == "401: wrong key: ***"


@pytest.mark.parametrize("status", ["200 OK", "401 Unauthorized"])
@pytest.mark.parametrize("padding", range(40, 320, 7))
def test_no_part_of_the_key_is_said_where_a_reason_is_cut_short(
    monkeypatch: pytest.MonkeyPatch, status: str, padding: int
) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-secret-1234")
    with saying(http(b"x" * padding + b"sk-secret-1234", status)) as address:
        fault = failed(*outcomes(endpoint_at(address, api_key_env="SOME_KEY"), [question()]))
    assert "sk-s" not in fault.reason


def test_the_key_is_not_in_an_answer_that_repeats_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-secret-1234")
    with scripted_server([Rule(replies=("any key: sk-secret-1234",))]) as server:
        (answer,) = outcomes(endpoint_at(server.base_url, api_key_env="SOME_KEY"), [question()])
        assert answered(answer).text == "any key: ***"
        # A word that is set where no key is wanted.
        monkeypatch.setenv("SOME_KEY", "any")
        (answer,) = outcomes(endpoint_at(server.base_url, api_key_env="SOME_KEY"), [question()])
        assert answered(answer).text == "any key: sk-secret-1234"


def test_a_proxy_that_is_away_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    fault = failed(*outcomes(endpoint_at("http://models.invalid/v1", tries=1), [question()]))
    assert fault.kind is FaultKind.UNREACHABLE
    assert fault.reason == "no connection to models.invalid by the proxy of http_proxy: Connection refused"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALL_PROXY", "nonsense://h"),
        ("ALL_PROXY", "http://user:s3cret@h:port"),
        ("SSL_CERT_FILE", "/nonexistent"),
    ],
)
def test_an_environment_that_no_connection_can_be_made_in_is_bad_input(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(BadInput, match=r"no connection can be made: .*correct HTTP_PROXY.*SSL_CERT_FILE") as caught:
        outcomes(endpoint_at("http://127.0.0.1:9/v1"), [question()])

    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("status", ["302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
def test_a_question_is_not_sent_on_to_where_an_endpoint_redirects(status: str) -> None:
    with (
        scripted_server() as elsewhere,
        saying(http(b"", status, f"Location: {elsewhere.base_url}/chat/completions")) as address,
    ):
        fault = failed(*outcomes(endpoint_at(address), [question()]))
        assert elsewhere.counts().total == 0
    assert fault.kind is FaultKind.REFUSED
    assert fault.reason == f"{status[:3]}: it redirects to '{elsewhere.base_url}/chat/completions'"


@pytest.mark.parametrize("key", ["sk-1\nsk-2", "sk-é"])
def test_a_key_that_no_header_can_hold_is_complained_about_without_it(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("SOME_KEY", key)
    with pytest.raises(BadInput, match=r"^\$SOME_KEY: no key has such characters") as caught:
        outcomes(endpoint_at("http://127.0.0.1:9/v1", api_key_env="SOME_KEY"), [question()])
    assert "sk-" not in str(caught.value)


def test_an_answer_says_what_it_took() -> None:
    rule = Rule(replies=("Four, I think.",), reasoning="two and two", cached_tokens=2)
    prices = Prices(input=1.0, output=10.0, cached_input=0.5)
    with scripted_server([rule]) as server:
        answer = answered(*outcomes(endpoint_at(server.base_url, prices=prices), [question("a bcde fgh")]))
    assert [(c.text, c.reasoning, c.finish) for c in answer.choices] == [("Four, I think.", "two and two", Finish.STOP)]
    usage = answer.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.reasoning_tokens) == (3, 2, 3)
    assert usage.reported
    assert answer.cost_usd == pytest.approx((1 * 1.0 + 2 * 0.5 + usage.completion_tokens * 10.0) / 1e6)
    assert (answer.tries, answer.served_model) == (1, "scripted")


def test_usage_that_is_not_reported_is_estimated_upwards() -> None:
    with scripted_server([Rule(usage=False, replies=("forty-two",))]) as server:
        usage = answered(*outcomes(endpoint_at(server.base_url), [question("how many?")])).usage
    assert not usage.reported
    assert usage.prompt_tokens >= len("how many?") / 2
    assert usage.completion_tokens >= len("forty-two") / 2


def test_an_answer_cut_off_is_an_answer_that_says_so() -> None:
    with scripted_server([Rule(fault=Spoiled.TRUNCATED)]) as server:
        answer = answered(*outcomes(endpoint_at(server.base_url), [question()]))
    assert answer.choices[0].finish is Finish.LENGTH


def test_several_choices_come_in_one_call() -> None:
    with scripted_server([Rule(replies=("one", "two", "three"))]) as server:
        answer = answered(*outcomes(endpoint_at(server.base_url), [question(n=3)]))
        assert [choice.text for choice in answer.choices] == ["one", "two", "three"]
        assert server.counts().total == 1


@pytest.mark.parametrize("template", ["", "<PRE>{prefix}<SUF>{suffix}<MID>"])
def test_a_gap_is_filled(template: str) -> None:
    request = FillRequest(model="scripted", prefix="def f():", suffix="return x", sampling=Sampling(stop=("!",)))
    rule = Rule(kind="fill", contains="<PRE>def f():<SUF>return x<MID>" if template else "", replies=("x = 1!2",))
    with scripted_server([rule, Rule(status=400)]) as server:
        answer = answered(*outcomes(endpoint_at(server.base_url, fill_template=template), [request]))
    assert answer.text == "x = 1"


@pytest.mark.parametrize(
    ("value", "date", "seconds"),
    [
        ("7", "", 7.0),
        ("0.5", "", 0.5),
        ("-3", "", 0.0),
        ("", "", None),
        ("soon", "", None),
        ("nan", "", None),
        ("inf", "", None),
        ("Wed, 21 Oct 2015 07:28:10 GMT", "Wed, 21 Oct 2015 07:28:00 GMT", 10.0),
        ("Wed, 21 Oct 2015 07:28:10 -0000", "Wed, 21 Oct 2015 07:28:00 GMT", 10.0),
        ("Wed, 21 Oct 2015 07:28:10 GMT", "", 0.0),
        ("Wed, 99 Oct 2015 07:28:10 GMT", "", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, date: str, seconds: float | None) -> None:
    assert read_retry_after(value, date) == seconds
