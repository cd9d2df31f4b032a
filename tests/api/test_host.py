"""What is kept on this machine, and removed when asked."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from repoproof import BadInput, api
from repoproof.api.host import lacking
from repoproof.sandbox.owner import claimed, owned_name
from repoproof.toolchains.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Two finished trees, one of them unused for ten days."""
    monkeypatch.setenv("REPOPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("REPOPROOF_STATE", str(tmp_path / "state"))
    store = Store(tmp_path / "cache")
    for key in ("old", "new"):
        with store.slot("python", key) as slot:
            (slot.staging / "tree").mkdir()
            slot.publish(slot.staging / "tree")
    then = time.time() - 10 * 24 * 3600
    os.utime(tmp_path / "cache" / "python" / "old" / "entry.json", (then, then))
    return store


def kept(store: Store) -> set[str]:
    return {entry.key for entry in store.entries()}


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({}, {"old", "new"}),
        ({"cache": True}, set()),
        ({"cache": True, "unused_days": 9}, {"new"}),
        ({"cache": True, "unused_days": 11}, {"old", "new"}),
        ({"cache": True, "dry_run": True}, {"old", "new"}),
    ],
)
def test_the_cache_is_pruned_only_where_that_is_asked_for(store, options, left):
    said = api.gc(**options)
    assert kept(store) == left
    assert any(line.startswith("1 cached tree, ") for line in said) is (options.get("unused_days") == 9)


def test_the_cache_is_left_alone_while_something_is_scored(store, tmp_path):
    with claimed(tmp_path / owned_name()), pytest.raises(BadInput, match=r"^cache: 1 work folder is in use"):
        api.gc(cache=True)
    assert kept(store) == {"old", "new"}
    api.gc(cache=True)
    assert kept(store) == set()


def test_doctor_finds_the_tools_that_scoring_would(monkeypatch, tmp_path):
    monkeypatch.setenv("REPOPROOF_NODE", str(tmp_path / "no-node"))
    found = {finding.name: finding for finding in api.doctor()}
    assert {"a sandbox", "bubblewrap", "docker", "limits", "cache", "python", "uv", "node"} <= set(found)
    assert (found["node"].ok, found["node"].mend) == (False, "pip install 'repoproof[node]', or set REPOPROOF_NODE")
    assert found["python"].ok
    assert all(bool(finding.mend) != finding.ok for finding in found.values())


def test_what_a_language_lacks_is_found_without_it(monkeypatch, tmp_path):
    monkeypatch.setenv("REPOPROOF_JAVA", str(tmp_path / "no-jdk"))
    (missing, *_) = lacking("java")
    assert (missing.name, missing.detail) == ("java", "no JDK 17 or newer")
    assert "openjdk-17-jdk-headless" in missing.mend
    assert lacking("python") == []
