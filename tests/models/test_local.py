"""What is wrong with a file, a port or the installation is said before a model is loaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from repoproof.core.errors import BadInput, InfrastructureError
from repoproof.models.local import served
from repoproof.models.scripted import scripted_server


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    """A file that begins as it should, and that is all."""
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF\x03\0\0\0 and nothing more")
    return file


def complaint(gguf: Path, **options: int) -> str:
    with pytest.raises(BadInput) as caught, served(gguf, **options):
        pass
    return str(caught.value).removeprefix(f"{gguf}: ")


def test_a_file_must_be_there_and_be_one(tmp_path: Path):
    assert complaint(tmp_path / "absent.gguf") == "no such file (give a model in the GGUF format)"
    assert complaint(tmp_path) == "is a directory (name the GGUF file in it)"


@pytest.mark.parametrize("content", [b"", b"GGU", b"PK\x03\x04", b"gguf"])
def test_a_file_of_another_format_is_refused(tmp_path: Path, content: bytes):
    file = tmp_path / "m.gguf"
    file.write_bytes(content)
    assert complaint(file).startswith("not a GGUF file (it must begin with the letters GGUF")


def test_without_the_extra_it_is_named(gguf: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert complaint(gguf) == "serving a model needs the xllamacpp package (pip install 'repoproof[local]')"


def test_a_port_that_is_taken_is_named(gguf: Path):
    pytest.importorskip("xllamacpp", reason="extra `local` is not installed")
    with scripted_server() as other:
        assert complaint(gguf, port=other.port).startswith(
            f"port: {other.port} cannot be listened on: address already in use"
        )


def test_a_model_that_cannot_be_loaded_is_a_failure_of_the_model(gguf: Path):
    pytest.importorskip("xllamacpp", reason="extra `local` is not installed")
    with pytest.raises(InfrastructureError, match=r"llama\.cpp cannot serve it") as caught, served(gguf):
        pass
    assert caught.value.boundary == "model"
