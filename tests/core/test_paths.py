"""Where things are kept between runs, and what is said where they cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from repoproof.core.errors import BadInput
from repoproof.core.paths import cache_root, state_root

HERE = {"REPOPROOF_CACHE": cache_root, "REPOPROOF_STATE": state_root}


@pytest.mark.parametrize("name", HERE)
def test_a_place_that_cannot_be_made_is_named_with_the_variable_that_sets_another(name, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv(name, str(tmp_path / "file" / "below"))
    with pytest.raises(BadInput) as raised:
        HERE[name]()
    mend = f"(set {name} to a directory of your own)"
    assert str(raised.value) == f"{tmp_path}/file/below: {tmp_path}/file cannot be written to {mend}"


@pytest.mark.parametrize("name", HERE)
def test_a_user_without_a_home_is_told_what_to_set(name, monkeypatch):
    """As in a container, under a number that no account has."""

    def nowhere(cls: type[Path]) -> Path:
        raise RuntimeError("Could not determine home directory.")

    for variable in (name, "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 1234)
    monkeypatch.setattr(Path, "home", classmethod(nowhere))
    with pytest.raises(BadInput, match=f"this user has no home directory \\(set {name} to"):
        HERE[name]()


def test_a_named_place_is_taken_whether_or_not_it_is_there_yet(tmp_path, monkeypatch):
    monkeypatch.setenv("REPOPROOF_CACHE", str(tmp_path / "a" / "b"))
    assert cache_root() == tmp_path / "a" / "b"
    assert list(tmp_path.iterdir()) == []
