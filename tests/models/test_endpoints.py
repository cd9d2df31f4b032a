"""Endpoints by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from repoproof.core.errors import BadInput
from repoproof.models.endpoint import Endpoint, Prices, shown_address
from repoproof.models.endpoints import find_endpoint, read_endpoints

TABLES = """
[small]
model = "vendor/small-1"
base_url = "http://127.0.0.1:8080/v1"
api_key_env = "SMALL_KEY"
requests_per_minute = 60
prices = { input = 0.15, output = 0.6, cached_input = 0.075 }
extra = { top_k = 20 }

["vendor/large.2"]
model = "vendor/large.2"
base_url = "https://models.example/v1"
max_tokens_field = "max_completion_tokens"
"""


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "REPOPROOF_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def written(file: Path, text: str = TABLES) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_a_table_is_an_endpoint(tmp_path: Path) -> None:
    file = written(tmp_path / "mine.toml")
    found = find_endpoint("small", file)
    assert found == Endpoint(
        name="small",
        model="vendor/small-1",
        base_url="http://127.0.0.1:8080/v1",
        api_key_env="SMALL_KEY",
        requests_per_minute=60,
        prices=Prices(input=0.15, output=0.6, cached_input=0.075),
        extra={"top_k": 20},
    )
    assert list(read_endpoints(file)) == ["small", "vendor/large.2"]
    assert find_endpoint("vendor/large.2", file).max_tokens_field == "max_completion_tokens"


def test_the_file_is_the_one_given_else_the_variables_else_here_else_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_endpoints() == {}
    address = 'model = "m"\nbase_url = "http://127.0.0.1:1/v1"\n'
    written(tmp_path / "config/repoproof/models.toml", f"[users]\n{address}")
    assert list(read_endpoints()) == ["users"]
    written(tmp_path / "here/models.toml", f"[here]\n{address}")
    assert list(read_endpoints()) == ["here"]
    monkeypatch.setenv("REPOPROOF_MODELS", str(written(tmp_path / "named.toml", f"[named]\n{address}")))
    assert list(read_endpoints()) == ["named"]
    assert list(read_endpoints(written(tmp_path / "given.toml", f"[given]\n{address}"))) == ["given"]


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "OPENAI_API_KEY"])
def test_a_name_without_a_table_is_a_model_of_the_environment(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:1/v1")
    assert find_endpoint("vendor/model-7b") == Endpoint(name="vendor/model-7b", model="vendor/model-7b")


def test_a_replay_needs_no_endpoint() -> None:
    assert find_endpoint("anything", to_be_asked=False).model == "anything"


def test_without_table_and_environment_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        find_endpoint("smal", written(tmp_path / "m.toml"))
    assert str(caught.value) == (
        f'model "smal": no table of {tmp_path}/m.toml, and neither OPENAI_BASE_URL nor OPENAI_API_KEY is set '
        "(did you mean 'small'? else set them, or write a models.toml)"
    )
    with pytest.raises(
        BadInput, match=r"^model \"smal\": there is no models\.toml, and neither .* \(set them, or write"
    ):
        find_endpoint("smal")


def test_a_table_without_an_address_needs_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "m.toml", '[a]\nmodel = "m"\napi_key_env = "A_KEY"')
    with pytest.raises(BadInput, match=r'm\.toml: table "a": nothing says where it is \(.*OPENAI_BASE_URL or A_KEY\)$'):
        find_endpoint("a", file)
    monkeypatch.setenv("A_KEY", "sk")
    assert find_endpoint("a", file).api_key_env == "A_KEY"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a\n", "f: not TOML: Expected ']' at the end of a table declaration (at line 1, column 3) (correct the syntax)"),
        ('model = "m"', "f: \"model\": is a value, and not an endpoint (fields belong into a table: begin it with [model])"),
        ("[a]", 'f: table "a": model: missing (Id of the model, as the endpoint is told)'),
        ('[a]\nmodel = "m"\nname = "b"', "f: table \"a\": name: unknown field (the table's own name is it)"),
        ('[a]\nmodel = "m"\nbase_ulr = ""', "f: table \"a\": base_ulr: unknown field (did you mean 'base_url'?)"),
        ('[a]\nmodel = "m"\nbase_url = "localhost:80"', "f: table \"a\": base_url: 'localhost:80' is not http(s)://HOST/v1"),
        ('[a]\nmodel = "m"\nbase_url = "http://h:x/v1"', "f: table \"a\": base_url: 'http://h:x/v1' is not http(s)://HOST/v1"),
        ('[a]\nmodel = "m"\nbase_url = "http://h/v1?v=1"', "f: table \"a\": base_url: 'http://h/v1?...' is not http(s)://HOST/v1"),
        ('[a]\nmodel = ""', 'f: table "a": model: '),
        ('[a]\nmodel = "m"\napi_key_env = ""', 'f: table "a": api_key_env: is not the name of a variable'),
        ('[a]\nmodel = "m"\nconcurrency = 0', 'f: table "a": concurrency: 0 is not in 1..1000 (Calls at once)'),
        ('[a]\nmodel = "m"\nprices.input = -1', 'f: table "a": prices.input: -1: input should be greater'),
        ('[a]\nmodel = "m"\ntimeout_seconds = inf', 'f: table "a": timeout_seconds: Infinity: input should be a finite number'),
        ('[a]\nmodel = "m"\nfill_template = "{prefix}"', "f: table \"a\": fill_template: '{prefix}' has not both {prefix} and {suffix}"),
        ('[a]\nmodel = "m"\nextra.stream = true', 'f: table "a": extra: stream: set by RepoProof itself'),
        ('[a]\nmodel = "m"\nextra.day = 2020-01-01', 'f: table "a": extra: holds what JSON has not'),
        ('[a]\nmodel = "m"\nmax_tokens_field = "model"', "f: table \"a\": max_tokens_field: 'model' cannot be the limit's name"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = written(tmp_path / "m.toml", text)
    with pytest.raises(BadInput) as caught:
        read_endpoints(file)
    said = str(caught.value).replace(str(file), "f")
    assert message in said
    assert "\n" not in said


def test_a_key_in_the_place_of_its_variable_is_not_repeated(tmp_path: Path) -> None:
    file = written(tmp_path / "m.toml", '[a]\nmodel = "m"\napi_key_env = "sk-secret-1234"')
    with pytest.raises(BadInput, match="api_key_env: is not the name of a variable") as caught:
        read_endpoints(file)
    assert "sk-s" not in str(caught.value)


def test_a_file_that_is_named_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPOPROOF_MODELS", str(tmp_path / "none.toml"))
    with pytest.raises(BadInput, match=r"none\.toml: no such file"):
        find_endpoint("small")
    (tmp_path / "none.toml").write_bytes(b'a = "\xff"')
    with pytest.raises(BadInput, match=r"none\.toml: not UTF-8 at byte 6"):
        find_endpoint("small")


@pytest.mark.parametrize("name", ["", " ", "a\nb"])
def test_a_name_has_letters_on_one_line(name: str) -> None:
    with pytest.raises(BadInput, match="is no name of a model"):
        find_endpoint(name)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://h/v1?", "'http://h/v1?...'"),
        ("http://user:secret@h/v1?k=secret", "'http://***@h/v1?...'"),
        ("http://user:se?cret@h/v1", "'http://***@h/v1'"),
        ("http://user:secret/@secret@h:x/v1#secret", "'http://***@h:x/v1#...'"),
        ("user:secret@h/v1", "'***@h/v1'"),
        ("ftp://h/v1", "'ftp://h/v1'"),
    ],
)
def test_an_address_that_cannot_be_asked_is_repeated_without_what_is_secret_in_it(tmp_path: Path, url: str, shown: str):
    assert shown_address(url) == shown
    with pytest.raises(BadInput) as caught:
        find_endpoint("a", written(tmp_path / "m.toml", f'[a]\nmodel = "m"\nbase_url = "{url}"'))
    assert f"base_url: {shown} is not http(s)://HOST/v1" in str(caught.value)
    assert "secret" not in str(caught.value) and "cret@" not in str(caught.value)


def test_a_mend_reads_as_one(tmp_path: Path):
    with pytest.raises(BadInput) as caught:
        find_endpoint("a", written(tmp_path / "m.toml", '[a]\nmodel = "m"\nprices = {input = 1}'))
    assert str(caught.value).endswith(
        "prices.output: missing (US dollars per million tokens of answers, reasoning included)"
    )
