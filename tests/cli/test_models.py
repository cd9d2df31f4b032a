"""`repoproof models`: against real servers, in processes of their own where it is one that serves."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from repoproof.cli import main
from repoproof.completions.filetree import render_tree
from repoproof.models.scripted import Rule, Spoiled, scripted_server

HEAVY = ("pydantic", "asyncio", "http.server", "openai", "xllamacpp", "rich")


@pytest.fixture(autouse=True)
def no_endpoint_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "REPOPROOF_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


@contextmanager
def started(*words: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    """A serving command, and the two lines that it says first."""
    command = [sys.executable, "-m", "repoproof", "models", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline() + process.stdout.readline()
        finally:
            process.kill()


def test_help_loads_nothing():
    script = f"import sys\nfrom repoproof.cli import main\nmain(['models', 'check', '--help'])\nprint('|', *(n for n in {HEAVY!r} if n in sys.modules))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.rpartition("|")[2].split() == []


@pytest.mark.parametrize("name", ["list", "check", "scripted", "serve"])
def test_what_it_can_do_is_listed_and_explains_itself(name: str, capsys: pytest.CaptureFixture[str]):
    assert main(["models", "--help"]) == 0
    assert f"\n    {name} " in capsys.readouterr().out
    assert main(["models", name, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"usage: repoproof models {name} ")


@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGINT])
def test_a_scripted_server_says_how_to_use_it_and_ends_when_it_is_told_to(tmp_path: Path, signal_: signal.Signals):
    (tmp_path / "good").mkdir()
    (tmp_path / "good/app.py").write_text("print()\n")
    (tmp_path / "rules.toml").write_text('[[rule]]\ntree = "good"\n')
    port_file = tmp_path / "port"
    with started("scripted", "--rules", str(tmp_path / "rules.toml"), "--port-file", str(port_file)) as (process, said):
        base_url = f"http://127.0.0.1:{int(port_file.read_text())}/v1"
        assert said.splitlines() == [
            f"any model answers at {base_url} until Ctrl-C or SIGTERM; to use it:",
            f"  export OPENAI_BASE_URL={base_url} OPENAI_API_KEY=any",
        ]
        body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        answered = httpx.post(f"{base_url}/chat/completions", json=body).json()
        assert answered["choices"][0]["message"]["content"] == render_tree({"app.py": "print()\n"})
        process.send_signal(signal_)
        assert process.communicate() == ("stopped\n", "")
        assert process.returncode == 0
    assert not port_file.exists()


def test_a_scripted_server_listens_on_the_port_that_was_asked_for():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    with started("scripted", "--port", str(port)) as (_, said):
        assert f"http://127.0.0.1:{port}/v1" in said


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["models"], "models: the following arguments are required: WHAT (see `repoproof models --help`)"),
        (["models", "scripted", "--port", "x"], "models scripted: argument --port: 'x' is not a whole number from 0 on"),
        (["models", "scripted", "--port", "65536"], "--port: 65536 is not in 0..65535 (0 is any free one)"),
        (["models", "scripted", "--rules", "absent.toml"], "absent.toml: no such file (it must be a file that can be read)"),
        (["models", "serve"], "models serve: the following arguments are required: --gguf"),
        (["models", "serve", "--gguf", "absent.gguf"], "absent.gguf: no such file (give a model in the GGUF format)"),
        (["models", "list", "--models", "absent.toml"], "absent.toml: no such file"),
        (["models", "check", "unknown"], 'model "unknown": there is no models.toml, and neither OPENAI_BASE_URL nor'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(words: list[str], line: str, capsys: pytest.CaptureFixture[str]):
    assert main(words) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert shown.err.startswith(f"repoproof: {line}"), shown.err


def test_a_port_that_is_taken_is_named(capsys: pytest.CaptureFixture[str]):
    with scripted_server() as server:
        assert main(["models", "scripted", "--port", str(server.port)]) == 2
        line = f"repoproof: --port: {server.port} cannot be listened on: address already in use (take another; "
        assert capsys.readouterr().err.startswith(line)


ENDPOINTS = """
[cheap]
model = "some-model"
base_url = "http://user:secret@127.0.0.1:1/v1"
prices = {input = 0.15, output = 0.6}
extra = {key = "secret"}

[bare]
model = "other-model"
"""


@pytest.mark.parametrize("form", ["table", "markdown", "json"])
def test_endpoints_are_listed_without_secrets(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "models.toml").write_text(ENDPOINTS)
    assert main(["models", "list", "--format", form]) == 0
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("cheap", "some-model", "http://127.0.0.1:1/v1", "0.15", "0.6", "bare"))
    assert "secret" not in shown


def test_without_a_file_it_is_said_that_no_endpoint_has_a_name(capsys: pytest.CaptureFixture[str]):
    assert main(["models", "list"]) == 0
    assert capsys.readouterr().out.startswith("No endpoint has a name: there is no models.toml")


def check(base_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str = "") -> tuple[int, str]:
    (tmp_path / "models.toml").write_text(f'[m]\nmodel = "some-model"\nbase_url = "{base_url}"\n{more}')
    code = main(["models", "check", "m"])
    return code, " ".join(capsys.readouterr().out.split())


def test_a_model_that_answers_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with scripted_server([Rule(replies=("cat, dog",), reasoning="hm hm")]) as server:
        code, shown = check(server.base_url, tmp_path, capsys, "prices = {input = 1, output = 2.5}")
    assert code == 0
    assert shown.startswith(f"m: model some-model at {server.base_url} What State Found")
    assert "12 tokens in, 4 out (2 of them reasoning)" in shown
    assert "usage ok reported" in shown
    assert "same seed ok the same text twice" in shown
    assert "prices ok 1 USD a million tokens in, 2.5 out" in shown


def test_what_a_model_lacks_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rules = [Rule(kind="fill", status=404), Rule(first=1, usage=False, replies=("one",)), Rule(replies=("another",))]
    with scripted_server(rules) as server:
        code, shown = check(server.base_url, tmp_path, capsys)
    assert code == 0
    assert "fill in the middle refused 404: scripted error 404" in shown
    assert "usage - not reported: tokens are our estimate" in shown
    assert "same seed - another text" in shown
    assert "prices - none: no budget in usd" in shown


def test_an_endpoint_that_leaves_the_suffix_out_is_found_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with scripted_server([Rule(ignores_suffix=True)]) as server:
        code, shown = check(server.base_url, tmp_path, capsys)
    assert code == 0
    assert "fill in the middle - it answers, but leaves out what follows the gap" in shown


@pytest.mark.parametrize(
    ("rule", "kind", "mend"),
    [
        (Rule(status=401), "refused 401: scripted error 401", "m: set $OPENAI_API_KEY to a key of this endpoint"),
        (Rule(status=404), "refused 404: scripted error 404", "m: correct the model's id, or base_url"),
        (Rule(status=429), "rate_limited", "m: wait a little"),
        (Rule(status=503), "overloaded", "m: the endpoint is in trouble"),
        (Rule(fault=Spoiled.CUT), "disconnected", "m: try again"),
        (Rule(fault=Spoiled.MALFORMED), "malformed", "m: correct base_url: to an OpenAI-compatible endpoint"),
    ],
)
def test_a_fault_is_named_with_its_mend_and_asked_for_once(
    rule: Rule, kind: str, mend: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with scripted_server([rule]) as server:
        code, shown = check(server.base_url, tmp_path, capsys)
        assert server.counts().total == 1
    assert code == 3
    assert f"chat {kind}" in shown
    assert mend in shown


def test_an_endpoint_that_is_not_there_is_a_fault_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with scripted_server() as server:
        gone = server.base_url
    code, shown = check(gone, tmp_path, capsys)
    assert code == 3
    assert "chat unreachable" in shown
    assert "m: start the endpoint, or correct base_url" in shown


def test_the_environment_names_an_endpoint(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    with scripted_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert main(["models", "check", "any-id", "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
    assert (found["address"], found["endpoint"]["model"], found["repeatable"]) == (server.base_url, "any-id", True)


GGUF = os.environ.get("REPOPROOF_GGUF", "")


@pytest.mark.slow
@pytest.mark.skipif(not GGUF, reason="optional by nature: REPOPROOF_GGUF names no model in the GGUF format")
def test_a_local_model_is_served_and_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    port_file = tmp_path / "port"
    words = ["--gguf", GGUF, "--name", "local", "--threads", "1", "--context", "1024", "--port-file", str(port_file)]
    with started("serve", *words) as (process, said):
        base_url = f"http://127.0.0.1:{int(port_file.read_text())}/v1"
        assert said.startswith(f"local answers at {base_url} until Ctrl-C or SIGTERM")
        code, shown = check(base_url, tmp_path, capsys)
        assert code == 0, shown
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    assert not port_file.exists()
